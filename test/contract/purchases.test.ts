/** Every provider of the registry in one sandbox: quoted together, bought from through both surfaces, and sold to. */
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderId, Side } from '../../src/domain/words.ts';
import { type Registered, registry } from '../../src/providers/registry.ts';
import { eventually } from './patience.ts';
import { stepClient } from './steps-client.ts';
import { REGISTERED, startWorld, type World } from './world.ts';
import { lookOf, makeDue, rowOf } from './world-orders.ts';
import {
  type Askable,
  askableOf,
  checkOut,
  completeNow,
  findTrade,
  firstStepOf,
  followSteps,
  goToPayment,
  handOver,
  letHappen,
  quoteOf,
  quotesFor,
  recordOfCompleted,
  type TransactionRecord,
} from './world-purchases.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld({ QUOTE_DEADLINE_MS: '10000' }, { byHand: true });
});
afterAll(() => world?.close());

const idOf = ({ adapter }: Registered) => adapter.manifest.id;
const idsOf = (some: readonly Registered[]) => some.map(idOf).sort();
const sellers = registry.filter(({ adapter }) => adapter.manifest.sides.includes('sell'));

/** What some do not tell of a completed order: no document says where it stands. Everyone else tells both. */
const UNTOLD: Record<string, Partial<Record<Side, readonly Told[]>>> = {
  btcdirect: { buy: ['transactionHash', 'outAmount'] },
  guardarian: { sell: ['transactionHash'] },
  paybis: { sell: ['transactionHash'] },
  swapped: { sell: ['outAmount'] },
  topper: { sell: ['transactionHash'] },
};
type Told = 'transactionHash' | 'outAmount';

function expectTold(provider: string, side: Side, record: TransactionRecord): void {
  const untold = UNTOLD[provider]?.[side] ?? [];
  expect([provider, record]).toEqual([
    provider,
    expect.objectContaining({
      ...{ onramp: provider, transactionType: side, inAmount: expect.any(Number) },
      transactionHash: untold.includes('transactionHash') ? '' : expect.stringMatching(/^[0-9a-f]{64}$/),
      onrampTransactionId: expect.stringMatching(/./),
    }),
  ]);
  expect(record.inAmount).toBeGreaterThan(0);
  expect([provider, record.outAmount > 0]).toEqual([provider, !untold.includes('outAmount')]);
}

describe('GET /quotes', () => {
  const USUAL = { side: 'buy', country: 'de', fiat: 'eur', method: 'creditcard', amount: 100 } as const;

  it('200 with a price of every provider, for euros to bitcoin by credit card in Germany', async () => {
    const trades = await Promise.all(REGISTERED.map(provider => findTrade(world, provider, 'buy')));
    const usual = trades.filter(trade => isDeepStrictEqual(trade, { ...USUAL, provider: trade.provider }));
    expect(usual.length).toBeGreaterThanOrEqual(14);
    const quotes = await quotesFor(world, USUAL);
    const priced = quotes.filter(({ rate = 0, payout = 0, errors }) => rate > 0 && payout > 0 && !errors);
    expect(priced.map(({ ramp }) => ramp).sort()).toEqual(usual.map(({ provider }) => provider));
    const payouts = priced.map(({ payout }) => payout);
    expect(new Set(payouts).size).toBe(payouts.length);
    // Whoever does not sell that has a price for what they do sell.
    for (const trade of trades.filter(one => !usual.includes(one))) await quoteOf(world, trade);
  });

  it.concurrent.for(sellers.map(idOf))('200 with a price for what is sold to %s', async provider => {
    const { rate, payout } = await quoteOf(world, await findTrade(world, provider, 'sell'));
    expect([rate > 0, payout > 0]).toEqual([true, true]);
  });
});

/** First of all, while the stand-ins' clock is still ours: Paybis is asked for what was made until now. */
describe('when every webhook is lost', () => {
  const askable = (when: Askable) =>
    idsOf(registry.filter(registered => askableOf(registered, registered.standin.settings) === when));
  const silent = askable('never');
  const optional = idsOf(registry.filter(registered => askableOf(registered, {}) === 'never')).filter(
    id => !silent.includes(id),
  );

  const lose = (provider: ProviderId) => world.sandbox.fault(provider, { kind: 'webhooks-lost', ms: 0 });
  const heal = (provider: ProviderId) => world.sandbox.fault(provider, { kind: 'none', ms: 0 });
  afterAll(() => REGISTERED.forEach(heal));

  async function heard(provider: ProviderId): Promise<number> {
    const { rows } = await sql`select from inbox where provider = ${provider}`.execute(world.database);
    return rows.length;
  }

  /** Has an order looked up until it is complete. */
  async function lookUntilCompleted(id: string): Promise<TransactionRecord> {
    await eventually(async () => {
      await makeDue(world, id);
      return (await rowOf(world, id)).status === 'completed';
    }, `${id} is found completed`);
    return recordOfCompleted(world, id);
  }

  it.concurrent.for(askable('once opened'))('completed by looking: a purchase at %s', async provider => {
    lose(provider);
    const before = await heard(provider);
    const made = await checkOut(world, await findTrade(world, provider, 'buy'));
    await completeNow(await goToPayment(world, made));
    expectTold(provider, 'buy', await lookUntilCompleted(made.id));
    expect(await heard(provider)).toBe(before);
  });

  it.concurrent.for(askable('once heard of'))(
    'completed by looking, as soon as one webhook has come: a purchase at %s',
    async provider => {
      const made = await checkOut(world, await findTrade(world, provider, 'buy'));
      const page = await goToPayment(world, made);
      await eventually(async () => (await rowOf(world, made.id)).theirs !== '', 'the first one has come');
      lose(provider);
      const before = await heard(provider);
      await completeNow(page);
      expectTold(provider, 'buy', await lookUntilCompleted(made.id));
      expect(await heard(provider)).toBe(before);
    },
  );

  it.concurrent.for(silent)(
    'not given up, and completed by the first webhook that comes: a purchase at %s, which cannot be asked',
    async provider => {
      lose(provider);
      const made = await checkOut(world, await findTrade(world, provider, 'buy'));
      const page = await goToPayment(world, made);
      await makeDue(world, made.id);
      await eventually(async () => {
        const look = await lookOf(world, made.id);
        return !!look && !look.leased_until && look.due_at > new Date();
      }, 'it was looked at');
      expect((await rowOf(world, made.id)).status).toBe('new');
      heal(provider);
      await completeNow(page);
      expectTold(provider, 'buy', await recordOfCompleted(world, made.id));
    },
  );

  it(`nobody can ask ${list(silent)}: no status; ${list(optional)} only where a setting says so`, () => {
    for (const { adapter } of registry) {
      const { id } = adapter.manifest;
      expect([id, adapter.status === undefined]).toEqual([id, silent.includes(id)]);
    }
    expect([silent, optional]).toEqual([
      expect.arrayContaining(['topper']),
      expect.arrayContaining(['mercuryo', 'swapped']),
    ]);
  });
});

describe('a purchase by steps of the earlier surface', () => {
  const WITH_STEPS = idsOf(registry.filter(({ adapter }) => adapter.steps));

  it.concurrent.for(REGISTERED)('200 and completed, with its own event: at %s', async provider => {
    const trade = await findTrade(world, provider, 'buy');
    const client = stepClient(world.url, world.key);
    const { types, txId } = await followSteps(world, client, await firstStepOf(world, trade));
    expect([provider, types]).toEqual([
      provider,
      WITH_STEPS.includes(provider)
        ? ['form', 'form', 'iframe', 'redirect', 'wait', 'completed']
        : ['form', expect.stringMatching(/^(iframe|redirect)$/), 'completed'],
    ]);
    const record = await recordOfCompleted(world, txId);
    expectTold(provider, 'buy', record);
    const event = await world.database
      .selectFrom('events')
      .select('body')
      .where('id', '=', `${txId}-transaction_completed`)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(event.body)).toMatchObject({
      type: 'transaction_completed',
      payload: {
        ...{ txId, gatewayIdentifier: provider, inAmount: record.inAmount, outAmount: record.outAmount },
        ...{ inCurrency: trade.fiat.toUpperCase(), outCurrency: 'BTC' },
      },
    });
  });
});

describe('a checkout of the current surface', () => {
  /** A little, because the market moves between the quote and the page. */
  const SLIP = 0.003;

  /** From the quote to the last record, which must be about what was quoted. */
  async function trade(provider: ProviderId, side: Side): Promise<void> {
    const wanted = await findTrade(world, provider, side);
    const { quoteId, payout } = await quoteOf(world, wanted);
    const made = await checkOut(world, wanted, quoteId);
    await handOver(await goToPayment(world, made));
    letHappen(world);
    const record = await recordOfCompleted(world, made.id);
    expectTold(provider, side, record);
    expect(record.inAmount).toBe(wanted.amount);
    if (record.outAmount > 0) expect(Math.abs(record.outAmount / payout - 1)).toBeLessThan(SLIP);
  }

  it.concurrent.for(REGISTERED)('200 and completed: a purchase at %s', provider => trade(provider, 'buy'));
  it.concurrent.for(sellers.map(idOf))('200 and completed: a sale to %s', provider =>
    trade(provider, 'sell'),
  );
});

function list(ids: readonly string[]): string {
  return ids.join(', ') || 'nobody';
}
