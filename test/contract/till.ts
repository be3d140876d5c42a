/** A till: checkouts with everything that may be in them, quotes to order at, and how a refusal looks. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect } from 'vitest';
import { allow, findAccount } from '../../src/app/accounts.ts';
import { createQuoteIds, type QuoteBounds } from '../../src/app/quote-ids.ts';
import { decimal } from '../../src/domain/money.ts';
import type { AssetId, FiatId, MethodId, ProviderId, Side } from '../../src/domain/words.ts';
import type { Reply } from '../service.ts';
import { type Answers, readAnswers } from './answers.ts';
import { world } from './pair.ts';
import { eventually } from './patience.ts';
import { MASTER_KEY, MOONPAY } from './world.ts';
import { bodyOf, expectWatched, intend, WALLET } from './world-orders.ts';

export let answers: Answers;

/** Makes ready to order in the world that was set before. */
export function setTill(): void {
  beforeAll(async () => {
    answers = await readAnswers(world.get);
    await allow(world.database, world.key, { origins: [], redirectHosts: ['shop.example'] });
    await eventually(async () => (await intend(world, full(MOONPAY))).status === 200, 'the host is known');
  });
  afterAll(async () => {
    if (world) await expectWatched(world);
  });
}

export const THEME = {
  isDark: true,
  themeName: 'dark-theme',
  primaryColor: '#241d1c',
  secondaryColor: '#FFFFFF',
  primaryTextColor: '#141519',
  secondaryTextColor: '#6b6f80',
  cardColor: 'rgb(246, 247, 249)',
  borderRadius: null,
};

/** A body with everything that may be in one. */
export function full(provider: ProviderId, side: Side = 'buy', more: object = {}) {
  return bodyOf(provider, side, {
    network: 'bitcoin',
    uuid: randomUUID(),
    partnerContext: 'order 7',
    originatingHost: 'shop.example',
    wallet: { address: WALLET },
    supportedParams: {
      theme: THEME,
      partnerData: { redirectUrl: { success: 'https%3A%2F%2Fshop.example%2Fthanks' } },
    },
    ...more,
  });
}

interface Quote {
  ramp: string;
  quoteId: string;
  payout: number;
  sourceAmount?: number;
}

export async function quoteOf(provider: ProviderId, path: string, by = world.key): Promise<Quote> {
  const { body } = await world.get(`${path}&country=de&errors=all`, { authorization: by });
  const found = (body as Quote[]).find(({ ramp }) => ramp === provider);
  if (!found?.payout) throw new Error(`no quote of ${provider} for ${path}: ${JSON.stringify(found)}`);
  return found;
}

export const QUOTES: Record<Side, string> = {
  buy: '/quotes/eur/btc?amount=100',
  sell: '/quotes/btc/eur?amount=0.01&type=sell',
};

/** A quote id as the service itself would have given it. */
export async function issue(more: Partial<QuoteBounds> & { until: number; by?: string }): Promise<string> {
  const { until, by = world.key, ...changed } = more;
  const bounds: QuoteBounds = {
    account: (await findAccount(world.database, by)).id,
    provider: MOONPAY,
    side: 'buy',
    fiat: 'eur' as FiatId,
    asset: 'btc_bitcoin' as AssetId,
    method: 'creditcard' as MethodId,
    amount: decimal(100),
    ...changed,
  };
  const price = { gets: decimal('0.001'), networkFee: decimal(1), providerFee: decimal(4) };
  return createQuoteIds(Buffer.from(MASTER_KEY, 'hex')).issuer(bounds, until)({ ...bounds, price });
}

export const keyed = (key: string) => ({ 'idempotency-key': key });

/** How many transactions an account has, or all of them. */
export async function count(by?: string): Promise<number> {
  const owner = by && (await findAccount(world.database, by)).id;
  const { rows } = await sql<{ count: string }>`
    select count(*) from transactions where ${owner ?? null}::text is null or account_id = ${owner ?? null}`.execute(
    world.database,
  );
  return Number(rows[0]?.count);
}

export function expectProblem(reply: Reply, status: number, field: string | undefined): void {
  expect([reply.status, reply.body?.field, reply.text]).toEqual([status, field, expect.any(String)]);
  expect(answers.flaws('/checkout/intent', reply, 'post')).toEqual([]);
  expect(reply.headers.get('cache-control')).toBe('no-store');
}
