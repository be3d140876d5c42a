/** POST /checkout/intent: what is answered, what is written down, and that it happens once. */
import { createHmac, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allow, type Credentials, findAccount } from '../../src/app/accounts.ts';
import { createQuoteIds, type QuoteBounds } from '../../src/app/quote-ids.ts';
import { createSeal } from '../../src/app/seal.ts';
import { addSigningSecret, requireSignature } from '../../src/app/signed-checkout.ts';
import { decimal } from '../../src/domain/money.ts';
import type {
  AccountId,
  AssetId,
  CountryCode,
  FiatId,
  MethodId,
  ProviderId,
  Side,
} from '../../src/domain/words.ts';
import { registry } from '../../src/providers/registry.ts';
import { insertCheckouts, type NewCheckout } from '../../src/store/checkouts.ts';
import type { Reply } from '../service.ts';
import { type Answers, readAnswers } from './answers.ts';
import { eventually } from './patience.ts';
import { methodOf } from './takers.ts';
import {
  type Instance,
  MASTER_KEY,
  MERCURYO,
  MOONPAY,
  PROVIDERS,
  startWorld,
  TRANSAK,
  type World,
} from './world.ts';
import {
  bodyOf,
  eventsOf,
  expectWatched,
  intend,
  lookOf,
  makeDue,
  order,
  orderOf,
  reaches,
  rowOf,
  statusesOf,
  ULID,
  WALLET,
} from './world-orders.ts';

const SIDES: readonly Side[] = ['buy', 'sell'];
const SESSION = '/auth/session';

let world: World;
let other: Instance;
let answers: Answers;

beforeAll(async () => {
  // A quote that is late on a busy machine is nothing these tests are about.
  world = await startWorld({ QUOTE_DEADLINE_MS: '10000' }, { byHand: true, only: PROVIDERS });
  other = await world.startAnother();
  answers = await readAnswers(world.get);
  await allow(world.database, world.key, { origins: [], redirectHosts: ['shop.example'] });
  await eventually(async () => (await intend(world, full(MOONPAY))).status === 200, 'the host is known');
});
afterAll(async () => {
  if (world) await expectWatched(world);
  await other?.close();
  await world?.close();
});

const THEME = {
  isDark: true,
  themeName: 'dark-theme',
  primaryColor: '#241d1c',
  secondaryColor: '#FFFFFF',
  primaryTextColor: '#141519',
  secondaryTextColor: '#6b6f80',
  cardColor: 'rgb(246, 247, 249)',
  borderRadius: null,
};

/** A body with everything that spec.md names. */
function full(provider: ProviderId, side: Side = 'buy', more: object = {}) {
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

async function quoteOf(
  provider: ProviderId,
  path: string,
  { at = world, by = at.key }: { at?: World; by?: string } = {},
): Promise<Quote> {
  const { body } = await at.get(`${path}&country=de&errors=all`, { authorization: by });
  const found = (body as Quote[]).find(({ ramp }) => ramp === provider);
  if (!found?.payout) throw new Error(`no quote of ${provider} for ${path}: ${JSON.stringify(found)}`);
  return found;
}

const PAIRS: Record<Side, string> = { buy: 'eur/btc', sell: 'btc/eur' };
const QUOTES: Record<Side, string> = {
  buy: '/quotes/eur/btc?amount=100',
  sell: '/quotes/btc/eur?amount=0.01&type=sell',
};

/** A quote id as the service itself would have given it. */
async function issue(more: Partial<QuoteBounds> & { until: number; by?: string }): Promise<string> {
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
  return createQuoteIds(Buffer.from(MASTER_KEY, 'hex')).issue(bounds, { until, price });
}

const keyed = (key: string) => ({ 'idempotency-key': key });

/** How many transactions an account has, or all of them. */
async function count(by?: string): Promise<number> {
  const owner = by && (await findAccount(world.database, by)).id;
  const { rows } = await sql<{ count: string }>`
    select count(*) from transactions where ${owner ?? null}::text is null or account_id = ${owner ?? null}`.execute(
    world.database,
  );
  return Number(rows[0]?.count);
}

function expectProblem(reply: Reply, status: number, field: string | undefined): void {
  expect([reply.status, reply.body?.field, reply.text]).toEqual([status, field, expect.any(String)]);
  expect(answers.flaws('/checkout/intent', reply, 'post')).toEqual([]);
  expect(reply.headers.get('cache-control')).toBe('no-store');
}

describe('the answer of everyone', () => {
  let whole: World;

  beforeAll(async () => {
    whole = await startWorld({ QUOTE_DEADLINE_MS: '10000' }, { byHand: true });
    await allow(whole.database, whole.key, { origins: [], redirectHosts: ['shop.example'] });
    await eventually(async () => (await intend(whole, full(MOONPAY))).status === 200, 'the host is known');
  });
  afterAll(async () => {
    if (whole) await expectWatched(whole);
    await whole?.close();
  });

  for (const { adapter } of registry) {
    const { id: provider, checkout, sides } = adapter.manifest;
    for (const side of sides) {
      for (const quoted of [false, true]) {
        const how = quoted ? 'at the price of its quote' : 'without a quote';
        test(`200 for a ${side} at ${provider} ${how}, in the shape of spec.md`, async () => {
          const paymentMethod = await methodOf(whole.get, { pair: PAIRS[side] }, provider);
          const path = `${QUOTES[side]}&paymentMethod=${paymentMethod}`;
          const quote = quoted ? await quoteOf(provider, path, { at: whole }) : undefined;
          const { partnerContext, ...echoed } = full(provider, side, { paymentMethod });
          const sent = { ...echoed, partnerContext, ...(quote && { metaData: { quoteId: quote.quoteId } }) };
          const reply = await intend(whole, sent);
          const { id, session, path: page } = orderOf(reply);
          const row = await rowOf(whole, id);
          expect(answers.flaws('/checkout/intent', reply, 'post')).toEqual([]);
          expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
          expect(reply.headers.get('cache-control')).toBe('no-store');
          expect(reply.body).toStrictEqual({
            message: {
              validationInformation: true,
              status: 'in_progress',
              sessionInformation: {
                ...echoed,
                supportedParams: { theme: THEME },
                country: 'DE',
                expiringTime: Math.floor(row.created_at.getTime() / 1_000) + 600,
                sessionId: session,
              },
              transactionInformation: {
                transactionId: id,
                url: whole.url + page,
                type: checkout.opens,
                params: { permissions: checkout.permissions.join('; ') },
              },
            },
          });
          expect(id).toMatch(ULID);
          expect(session).toMatch(ULID);
          expect(session).not.toBe(id);
          expect(page).toMatch(/^\/pay\/[A-Za-z0-9_-]{40,}$/);
          expect(page).not.toContain(id);
          expect(await statusesOf(whole, id)).toEqual(['new']);
          // Accounts are told the provider's id of it as well, as soon as it has one.
          expect([...new Set(await eventsOf(whole, id))]).toEqual(['new']);
          expect(row).toMatchObject({
            session_id: session,
            provider,
            side,
            status: 'new',
            amount: String(echoed.amount),
            wallet_address: WALLET,
            partner_context: 'order 7',
            return_to: 'https://shop.example/thanks',
            ready: true,
          });
          if (quote) expect(Number((row.offer as { gets: string }).gets)).toBe(quote.payout);
        });
      }
    }
  }
});

describe('the answer', () => {
  test('200 echoes what was left out as what it means, and nothing that was not sent', async () => {
    const { type, paymentMethod, ...least } = bodyOf(MOONPAY);
    expect([type, paymentMethod]).toEqual(['buy', 'creditcard']);
    const reply = await intend(world, least);
    const { session } = orderOf(reply);
    expect(reply.body.message.sessionInformation).toStrictEqual({
      ...least,
      type: 'buy',
      paymentMethod: 'creditcard',
      network: 'bitcoin',
      supportedParams: { theme: {} },
      country: 'DE',
      expiringTime: expect.any(Number),
      sessionId: session,
    });
  });

  test('200 echoes currencies as they were spelled, methods and networks by their ids, and exact amounts', async () => {
    const sent = bodyOf(MERCURYO, 'buy', {
      onramp: 'Mercuryo',
      source: 'EUR',
      destination: 'BTC_Bitcoin',
      network: 'Bitcoin',
      paymentMethod: 'CreditCard',
    });
    const reply = await intend(world, JSON.stringify(sent).replace('"amount":100', '"amount":100.10'), {
      headers: { 'content-type': 'application/json' },
      query: '?country=at',
    });
    expect(reply.text).toContain('"amount":100.1,');
    expect(reply.body.message.sessionInformation).toMatchObject({
      onramp: 'mercuryo',
      source: 'EUR',
      destination: 'BTC_Bitcoin',
      network: 'bitcoin',
      paymentMethod: 'creditcard',
      country: 'AT',
    });
    const { source, target, country } = await rowOf(world, orderOf(reply).id);
    expect([source, target, country]).toEqual(['eur', 'btc_bitcoin', 'AT']);
  });

  test('200 for a sell without a wallet, which it echoes empty', async () => {
    const reply = await intend(world, bodyOf(MOONPAY, 'sell'));
    expect(reply.body.message.sessionInformation.wallet).toStrictEqual({});
    expect((await rowOf(world, orderOf(reply).id)).wallet_address).toBe('');
  });

  for (const side of SIDES) {
    test(`200 for a ${side} of what a quote for a received amount says is to be handed over`, async () => {
      const path = { buy: '/quotes/eur/btc?amount=0.002', sell: '/quotes/btc/eur?amount=150&type=sell' };
      for (const provider of PROVIDERS) {
        const quote = await quoteOf(provider, `${path[side]}&input=destination`);
        const body = bodyOf(provider, side, {
          amount: quote.sourceAmount,
          metaData: { quoteId: quote.quoteId },
        });
        const { id } = await order(world, body);
        const { amount, offer } = await rowOf(world, id);
        expect([provider, Number(amount)]).toEqual([provider, quote.sourceAmount]);
        expect(Number((offer as { gets: string }).gets)).toBe(quote.payout);
      }
    });
  }

  test('200 with an id of its own for each of two checkouts that say the same', async () => {
    const [one, two] = [await order(world, full(MOONPAY)), await order(world, full(MOONPAY))];
    expect(new Set([one.id, two.id, one.session, two.session]).size).toBe(4);
  });
});

describe('refused', () => {
  test('400 for a quote of another account, provider, amount, pair, method or side', async () => {
    const before = await count();
    const { quoteId } = await quoteOf(MOONPAY, QUOTES.buy);
    const stranger = await world.newAccount();
    const wrong: Record<string, object> = {
      account: {
        metaData: { quoteId: (await quoteOf(MOONPAY, QUOTES.buy, { by: stranger.publicKey })).quoteId },
      },
      provider: { onramp: 'transak' },
      amount: { amount: 100.01 },
      pair: { metaData: { quoteId: (await quoteOf(MOONPAY, '/quotes/eur/eth?amount=100')).quoteId } },
      fiat: { source: 'usd' },
      method: { paymentMethod: 'sepabanktransfer' },
      side: { metaData: { quoteId: (await quoteOf(MOONPAY, QUOTES.sell)).quoteId } },
      form: { metaData: { quoteId: 'q-1' } },
    };
    expect((await intend(world, full(MOONPAY, 'buy', { metaData: { quoteId } }))).status).toBe(200);
    for (const [what, change] of Object.entries(wrong)) {
      const reply = await intend(world, full(MOONPAY, 'buy', { metaData: { quoteId }, ...change }));
      expect([what, reply.status]).toEqual([what, 400]);
      expectProblem(reply, 400, 'metaData.quoteId');
    }
    expect(await count()).toBe(before + 1);
  });

  test('410 for a quote that has run out', async () => {
    const before = await count();
    const good = await issue({ until: Date.now() + 60_000 });
    expect((await intend(world, full(MOONPAY, 'buy', { metaData: { quoteId: good } }))).status).toBe(200);
    const old = await issue({ until: Date.now() - 1 });
    expectProblem(
      await intend(world, full(MOONPAY, 'buy', { metaData: { quoteId: old } })),
      410,
      'metaData.quoteId',
    );
    expect(await count()).toBe(before + 1);
  });

  test('422 below and above what a provider takes, with its limits', async () => {
    for (const provider of PROVIDERS) {
      for (const [side, amount] of [
        ['buy', 1],
        ['buy', 900_000],
        ['sell', 0.00001],
      ] as const) {
        const reply = await intend(world, bodyOf(provider, side, { amount }));
        expectProblem(reply, 422, 'amount');
        expect([provider, amount, reply.body]).toMatchObject([
          provider,
          amount,
          { type: 'LimitMismatch', errorId: 6101, errorCode: 422, message: expect.stringMatching(/\d/) },
        ]);
        const { minAmount = 0, maxAmount = Number.POSITIVE_INFINITY } = reply.body;
        expect([provider, amount, amount < minAmount || amount > maxAmount]).toEqual([
          provider,
          amount,
          true,
        ]);
        if (side === 'buy') expect([typeof minAmount, typeof maxAmount]).toEqual(['number', 'number']);
      }
    }
  });

  test('422 for a country, a method or a pair the provider does not serve', async () => {
    const country = await intend(world, bodyOf(MOONPAY), { query: '?country=kp' });
    expectProblem(country, 422, 'country');
    expect(country.body).toMatchObject({ type: 'QuoteParameterMismatch', errorId: 6100 });
    const method = await intend(world, bodyOf(MOONPAY, 'buy', { paymentMethod: 'pix' }));
    expectProblem(method, 422, 'paymentMethod');
    expect(method.body).toMatchObject({ type: 'NoSupportedPaymentFound', errorId: 6103 });
    const quoted = bodyOf(MOONPAY, 'buy', {
      metaData: { quoteId: (await quoteOf(MOONPAY, QUOTES.buy)).quoteId },
    });
    expectProblem(await intend(world, quoted, { query: '?country=kp' }), 422, 'country');
  });

  test('403 for a provider that is not enabled for the key, and 200 for one that is', async () => {
    const { publicKey } = await world.newAccount({ providers: [TRANSAK] });
    expectProblem(await intend(world, bodyOf(MOONPAY), { by: publicKey }), 403, 'onramp');
    expect((await intend(world, bodyOf(TRANSAK), { by: publicKey })).status).toBe(200);
  });

  test('401 without a key and for one nobody has', async () => {
    expectProblem(await world.post('/checkout/intent', bodyOf(MOONPAY)), 401, 'Authorization');
    expectProblem(await intend(world, bodyOf(MOONPAY), { by: 'pk_test_nobody' }), 401, 'Authorization');
  });
});

describe('a provider in trouble', () => {
  /** Providers' health is each instance's own: these tests spoil it. */
  let spoilt: Instance;

  beforeAll(async () => {
    spoilt = await world.startAnother({ QUOTE_DEADLINE_MS: '500' });
  });
  afterAll(async () => {
    for (const provider of PROVIDERS) world.sandbox.fault(provider, { kind: 'none', ms: 0 });
    await spoilt?.close();
  });

  test('502 while it is broken, then 503 while its breaker is open; nothing is written', async () => {
    const before = await count();
    for (const kind of ['error', 'garbage', 'truncated', 'reset', 'error'] as const) {
      world.sandbox.fault(MOONPAY, { kind, ms: 0 });
      const reply = await intend(world, bodyOf(MOONPAY), { at: spoilt });
      expect([kind, reply.status]).toEqual([kind, 502]);
      expectProblem(reply, 502, 'onramp');
    }
    const calls = world.gate.calls(MOONPAY).length;
    const refused = await intend(world, bodyOf(MOONPAY), { at: spoilt });
    expectProblem(refused, 503, 'onramp');
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(world.gate.calls(MOONPAY).length).toBe(calls);
    expect(await count()).toBe(before);
    // Whoever has a quote needs nothing of a provider whose page is only a link.
    const quoteId = await issue({ until: Date.now() + 60_000 });
    const quoted = await intend(world, bodyOf(MOONPAY, 'buy', { metaData: { quoteId } }), { at: spoilt });
    expect(quoted.status).toBe(200);
    world.sandbox.fault(MOONPAY, { kind: 'none', ms: 0 });
  });

  test('504 when it is late', async () => {
    const before = await count();
    world.sandbox.fault(MERCURYO, { kind: 'hang', ms: 0 });
    const reply = await intend(world, bodyOf(MERCURYO), { at: spoilt });
    expectProblem(reply, 504, 'onramp');
    expect(await count()).toBe(before);
    world.sandbox.fault(MERCURYO, { kind: 'none', ms: 0 });
  });

  test('503 while it wants to be left alone', async () => {
    world.sandbox.fault(TRANSAK, { kind: 'limited', ms: 0 });
    for (let time = 0; time < 2; time++)
      expectProblem(await intend(world, bodyOf(TRANSAK), { at: spoilt }), 503, 'onramp');
    world.sandbox.fault(TRANSAK, { kind: 'none', ms: 0 });
  });

  test('503 without asking it for a page while its breaker is open; the same key goes on when it is back', async () => {
    const { publicKey: by } = await world.newAccount();
    const quoteId = await issue({ by, provider: TRANSAK, until: Date.now() + 600_000 });
    const asking = { by, headers: keyed('left alone') };
    const body = bodyOf(TRANSAK, 'buy', { metaData: { quoteId } });
    await eventually(
      async () => (await spoilt.get('/supported', { authorization: by })).status === 200,
      'the account is known',
    );
    const calls = world.gate.calls(TRANSAK).length;
    // It has just asked to be left alone.
    expectProblem(await intend(world, body, { ...asking, at: spoilt }), 503, 'onramp');
    expect(world.gate.calls(TRANSAK).length).toBe(calls);
    orderOf(await intend(world, body, asking));
    expect(await count(by)).toBe(1);
  });

  test('a link that is opened says nothing of how its provider is', async () => {
    const fresh = await world.startAnother();
    try {
      world.sandbox.fault(MERCURYO, { kind: 'error', ms: 0 });
      const { path } = orderOf(
        await intend(
          world,
          bodyOf(MERCURYO, 'buy', {
            metaData: { quoteId: await issue({ provider: MERCURYO, until: Date.now() + 60_000 }) },
          }),
        ),
      );
      for (let failure = 1; failure <= 5; failure++) {
        expect((await intend(world, bodyOf(MERCURYO), { at: fresh })).status).toBe(502);
        const opened = await fresh.post(`${path}/open`, undefined, { origin: fresh.url });
        expect(opened.status).toBe(200);
      }
      expect((await intend(world, bodyOf(MERCURYO), { at: fresh })).status).toBe(503);
    } finally {
      world.sandbox.fault(MERCURYO, { kind: 'none', ms: 0 });
      await fresh.close();
    }
  });

  test('502 when it makes no page; the transaction that was written expires by itself', async () => {
    const before = await count();
    world.gate.answer(TRANSAK, { part: SESSION, status: 500, body: '{}' });
    expectProblem(await intend(world, bodyOf(TRANSAK)), 502, 'onramp');
    world.gate.answer(TRANSAK, undefined);
    expect(await count()).toBe(before + 1);
    const { id, ready } = await world.database
      .selectFrom('transactions')
      .select(['id', 'ready'])
      .orderBy('created_at', 'desc')
      .executeTakeFirstOrThrow();
    expect(ready).toBe(false);
    // It is swept within a minute.
    const due = (await lookOf(world, id))?.due_at.getTime() ?? Number.POSITIVE_INFINITY;
    expect(due).toBeLessThan(Date.now() + 60_000);
    await sql`update transactions set created_at = created_at - interval '1 minute' where id = ${id}`.execute(
      world.database,
    );
    await makeDue(world, id);
    await reaches(world, id, 'expired');
    expect(await statusesOf(world, id)).toEqual(['new', 'expired']);
    expect(await eventsOf(world, id)).toEqual(['new', 'expired']);
    expect((await rowOf(world, id)).reason).toMatch(/never answered/);
  });

  test('502 for a page that is not its own', async () => {
    const body = JSON.stringify({ data: { widgetUrl: 'https://evil.example/?apiKey=x' } });
    world.gate.answer(TRANSAK, { part: SESSION, status: 200, body });
    expectProblem(await intend(world, bodyOf(TRANSAK)), 502, 'onramp');
    world.gate.answer(TRANSAK, undefined);
  });

  test('422 when it declines the order itself, which has then failed for the reason it gives', async () => {
    const message = 'The minimum order amount is 120 EUR';
    const body = JSON.stringify({ error: { statusCode: 400, message } });
    world.gate.answer(TRANSAK, { part: SESSION, status: 400, body });
    const headers = keyed('declined');
    const reply = await intend(world, bodyOf(TRANSAK), { headers });
    world.gate.answer(TRANSAK, undefined);
    expectProblem(reply, 422, 'amount');
    expect(reply.body).toMatchObject({ type: 'LimitMismatch', minAmount: 120 });
    const { id } = await world.database
      .selectFrom('transactions')
      .select('id')
      .orderBy('created_at', 'desc')
      .executeTakeFirstOrThrow();
    expect(await statusesOf(world, id)).toEqual(['new', 'failed']);
    expect((await rowOf(world, id)).reason).toContain('120');
    // What failed stays failed, whoever asks again.
    expect((await intend(world, bodyOf(TRANSAK), { headers })).status).toBe(422);
  });
});

describe('written before it is asked', () => {
  test('409 while it runs, 504 when the answer never comes, then 200 for the same transaction by the same key', async () => {
    const { publicKey: by } = await world.newAccount();
    await eventually(
      async () => (await other.get('/supported', { authorization: by })).status === 200,
      'the other instance knows the account',
    );
    const hold = world.gate.hold(TRANSAK, SESSION);
    const asking = { by, headers: keyed('held') };
    const first = intend(world, bodyOf(TRANSAK), asking);
    await eventually(() => hold.count() === 1, 'the provider has answered');
    const { id, status, ready } = await world.database
      .selectFrom('transactions')
      .selectAll()
      .where('account_id', '=', (await findAccount(world.database, by)).id)
      .executeTakeFirstOrThrow();
    expect([status, ready]).toEqual(['new', false]);
    expect(await statusesOf(world, id)).toEqual(['new']);
    expect(await lookOf(world, id)).toBeDefined();
    for (const at of [world, other]) {
      expectProblem(await intend(world, bodyOf(TRANSAK), { ...asking, at }), 409, 'Idempotency-Key');
      const another = bodyOf(TRANSAK, 'buy', { amount: 101 });
      expectProblem(await intend(world, another, { ...asking, at }), 422, 'Idempotency-Key');
    }
    expectProblem(await first, 504, 'onramp');
    hold.cut();
    const again = await intend(world, bodyOf(TRANSAK), { ...asking, at: other });
    expect(orderOf(again).id).toBe(id);
    expect((await intend(world, bodyOf(TRANSAK), asking)).text).toBe(again.text);
    expect(await count(by)).toBe(1);
    expect((await rowOf(world, id)).ready).toBe(true);
  });

  test('502 when the answer is cut off on its way; the same key goes on with the same transaction', async () => {
    const { publicKey: by } = await world.newAccount();
    for (const headers of ['cut 1', 'cut 2', 'cut 3'].map(keyed)) {
      const hold = world.gate.hold(TRANSAK, SESSION);
      const first = intend(world, bodyOf(TRANSAK), { by, headers });
      await eventually(() => hold.count() === 1, 'the provider has answered');
      hold.cut();
      expectProblem(await first, 502, 'onramp');
      const before = await count(by);
      const [one, two] = [
        await intend(world, bodyOf(TRANSAK), { by, headers }),
        await intend(world, bodyOf(TRANSAK), { by, headers }),
      ];
      expect([one.status, two.text]).toEqual([200, one.text]);
      expect(await count(by)).toBe(before);
    }
    expect(await count(by)).toBe(3);
  });
});

describe('once', () => {
  test('200 with the same bytes for the same key and body, from either instance, and one transaction', async () => {
    const { publicKey: by } = await world.newAccount();
    await eventually(
      async () => (await other.get('/supported', { authorization: by })).status === 200,
      'the other instance knows the account',
    );
    for (const provider of PROVIDERS) {
      const headers = keyed(`same ${provider}`);
      const body = bodyOf(provider);
      const turned = Object.fromEntries(Object.entries(body).reverse());
      const first = await intend(world, body, { by, headers });
      orderOf(first);
      for (const [again, at] of [
        [body, world],
        [turned, world],
        [body, other],
      ] as const) {
        const reply = await intend(world, again, { by, headers, at });
        expect([provider, reply.status, reply.text]).toEqual([provider, 200, first.text]);
      }
      expectProblem(await intend(world, { ...body, amount: 101 }, { by, headers }), 422, 'Idempotency-Key');
    }
    expect(await count(by)).toBe(PROVIDERS.length);
  });

  test('200 for the key of another account is a checkout of its own', async () => {
    const { publicKey } = await world.newAccount();
    const headers = keyed('everybody’s'.replace('’', ' '));
    const [one, two] = [
      await order(world, bodyOf(MOONPAY), { headers }),
      await order(world, bodyOf(MOONPAY), { headers, by: publicKey }),
    ];
    expect(one.id).not.toBe(two.id);
    // Not even with a body that would clash.
    expect((await intend(world, bodyOf(MERCURYO), { headers, by: publicKey })).status).toBe(422);
  });

  test('200 with the stored answer although the quote has run out since', async () => {
    const until = Date.now() + 2_000;
    const body = bodyOf(MOONPAY, 'buy', { metaData: { quoteId: await issue({ until }) } });
    const headers = keyed('in time');
    const first = await intend(world, body, { headers });
    orderOf(first);
    await eventually(() => Date.now() > until, 'the quote has run out');
    expect((await intend(world, body, { headers })).text).toBe(first.text);
    expectProblem(await intend(world, body, { headers: keyed('too late') }), 410, 'metaData.quoteId');
    expectProblem(await intend(world, body), 410, 'metaData.quoteId');
  });

  test('200 while the provider is down, for what was answered before', async () => {
    const headers = keyed('before the trouble');
    const first = await intend(world, bodyOf(MERCURYO), { headers });
    world.sandbox.fault(MERCURYO, { kind: 'error', ms: 0 });
    const calls = world.gate.calls(MERCURYO).length;
    const again = await intend(world, bodyOf(MERCURYO), { headers });
    world.sandbox.fault(MERCURYO, { kind: 'none', ms: 0 });
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(world.gate.calls(MERCURYO).length).toBe(calls);
  });

  /** Sends each key to both instances at once, fifty pairs at a time; what came of each. */
  async function race(pairs: number, body: object, by: string): Promise<[Reply, Reply][]> {
    const outcomes: [Reply, Reply][] = [];
    let next = 0;
    const worker = async () => {
      for (let at = next++; at < pairs; at = next++) {
        const asking = { by, headers: keyed(`pair ${at}`) };
        outcomes[at] = await Promise.all([
          intend(world, body, asking),
          intend(world, body, { ...asking, at: other }),
        ]);
      }
    };
    await Promise.all(Array.from({ length: 50 }, worker));
    return outcomes;
  }

  /** One winner each; the loser is told to wait, or told the same. */
  function expectOneEach(outcomes: readonly (readonly Reply[])[]): void {
    const double = outcomes.filter(([one, two]) => one?.status === 200 && two?.status === 200);
    expect(double.filter(([one, two]) => one?.text !== two?.text)).toEqual([]);
    expect(outcomes.filter(pair => !pair.some(({ status }) => status === 200))).toEqual([]);
    expect([...new Set(outcomes.flat().map(({ status }) => status))].sort()).toEqual(
      expect.arrayContaining([200]),
    );
    expect(outcomes.flat().filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    const ids = outcomes
      .map(pair => pair.find(({ status }) => status === 200))
      .map(reply => reply && orderOf(reply).id);
    expect(new Set(ids).size).toBe(outcomes.length);
  }

  async function stranger(): Promise<Credentials> {
    const made = await world.newAccount();
    await eventually(
      async () => (await other.get('/supported', { authorization: made.publicKey })).status === 200,
      'the other instance knows the account',
    );
    return made;
  }

  test('200 once for each of 1,000 keys that two instances get at the same moment', async () => {
    const { publicKey: by } = await stranger();
    const quoteId = await issue({ by, until: Date.now() + 600_000 });
    expectOneEach(await race(1_000, bodyOf(MOONPAY, 'buy', { metaData: { quoteId } }), by));
    expect(await count(by)).toBe(1_000);
  }, 120_000);

  test('none fails when two instances write the same keys at once, in opposite order', async () => {
    const { id: account } = await findAccount(world.database, (await stranger()).publicKey);
    for (let round = 1; round <= 40; round++) {
      const checkouts = () =>
        Array.from({ length: 64 }, (_, at) => newCheckout(account, `round ${round} key ${at}`));
      const written = [
        insertCheckouts(world.database, checkouts()),
        insertCheckouts(other.database, checkouts().toReversed()),
      ];
      const failed = (await Promise.allSettled(written)).filter(({ status }) => status === 'rejected');
      expect([round, failed]).toEqual([round, []]);
    }
  }, 60_000);

  test('200 once for each of 40 keys that two instances get all at once, in opposite order', async () => {
    const { publicKey: by } = await stranger();
    const quoteId = await issue({ by, until: Date.now() + 600_000 });
    const body = bodyOf(MOONPAY, 'buy', { metaData: { quoteId } });
    for (let round = 1; round <= 5; round++) {
      const keys = Array.from({ length: 40 }, (_, at) => `round ${round} key ${at}`);
      const ask = (at: Instance) => (key: string) => intend(world, body, { by, at, headers: keyed(key) });
      const [here, there] = await Promise.all([
        Promise.all(keys.map(ask(world))),
        Promise.all(keys.toReversed().map(ask(other))),
      ]);
      expectOneEach(here.map((reply, at) => [reply, there[keys.length - 1 - at] as Reply]));
      expect(await count(by)).toBe(40 * round);
    }
  }, 60_000);

  test('200 once for each of 100 keys where the provider is asked, 409 for who comes meanwhile', async () => {
    const { publicKey: by } = await stranger();
    const quoteId = await issue({ by, provider: TRANSAK, until: Date.now() + 600_000 });
    const body = bodyOf(TRANSAK, 'buy', { metaData: { quoteId } });
    const before = world.gate.calls(TRANSAK).filter(({ path }) => path.includes(SESSION)).length;
    const outcomes = await race(100, body, by);
    expectOneEach(outcomes);
    expect(outcomes.flat().filter(({ status }) => status === 409).length).toBeGreaterThan(0);
    expect(await count(by)).toBe(100);
    const asked = world.gate.calls(TRANSAK).filter(({ path }) => path.includes(SESSION)).length - before;
    expect(asked).toBe(100);
  }, 60_000);
});

/** What a checkout leaves to be written. */
function newCheckout(accountId: AccountId, key: string): NewCheckout {
  const [id, now] = [ulid(), new Date()];
  return {
    order: {
      ...{ id, sessionId: ulid(), accountId, environment: 'test', origin: 'current', provider: MOONPAY },
      ...{ side: 'buy', fiat: 'eur' as FiatId, asset: 'btc_bitcoin' as AssetId },
      ...{ method: 'creditcard' as MethodId, country: 'DE' as CountryCode, source: 'eur', target: 'btc' },
      amount: decimal(100),
      promised: { gets: decimal('0.001'), networkFee: decimal(1), providerFee: decimal(4) },
      native: { fiat: 'eur', asset: 'btc', network: 'bitcoin', method: 'credit_debit_card' },
      ...{ walletAddress: WALLET, walletMemo: undefined, partnerContext: '', contextIsObject: false },
      ...{
        uuid: undefined,
        originatingHost: undefined,
        theme: {},
        returnTo: undefined,
        signNonce: undefined,
      },
      ...{ createdAt: now, expiresAt: now },
    },
    event: { id: `${id}-1`, body: JSON.stringify({ transactionId: id, status: 'new' }) },
    lookAt: new Date(now.getTime() + 600_000),
    key: { key, digest: Buffer.alloc(32), answer: '{}', leaseMs: undefined },
    ready: true,
  };
}

describe('signed', () => {
  let by: string;
  let secret: string;

  beforeAll(async () => {
    by = (await world.newAccount()).publicKey;
    const seal = createSeal(Buffer.from(MASTER_KEY, 'hex'), 'account-signers');
    ({ secret } = await addSigningSecret({ database: world.database, seal }, by));
    await requireSignature(world.database, by, true);
    await eventually(
      async () => (await intend(world, bodyOf(MOONPAY), { by })).status === 403,
      'the switch is seen',
    );
  });

  /** The body with its signature, written from the documentation and not from our code. */
  function signed(body: Record<string, unknown>, nonce: string = randomUUID(), at = Date.now()) {
    const timestamp = Math.floor(at / 1_000);
    const text = (name: string) => encodeURIComponent(String(body[name] ?? ''));
    const wallet = (body.wallet as { address?: string } | undefined)?.address ?? '';
    const signContent = [
      ...['amount', 'destination', 'network'].map(name => `${name}=${text(name)}`),
      `nonce=${nonce}`,
      ...['onramp', 'partnerContext', 'paymentMethod'].map(name => `${name}=${text(name)}`),
      'redirect=',
      `source=${text('source')}`,
      `timestamp=${timestamp}`,
      `type=${text('type')}`,
      `wallet=${encodeURIComponent(wallet)}`,
    ].join('&');
    const signature = createHmac('sha256', secret).update(signContent).digest('hex');
    return { ...body, signContent, signature };
  }

  test('403 unsigned, 200 signed, and with the address that was signed', async () => {
    expectProblem(await intend(world, bodyOf(MOONPAY), { by }), 403, 'signature');
    for (const provider of PROVIDERS) {
      const { id } = await order(world, signed(bodyOf(provider)), { by });
      expect((await rowOf(world, id)).wallet_address).toBe(WALLET);
    }
  });

  test('403 altered afterwards, whatever was altered, and 403 when it is old', async () => {
    const before = await count(by);
    const good = signed(bodyOf(MOONPAY, 'buy', { partnerContext: 'a&b=c' }));
    const changes: object[] = [
      { amount: 101 },
      { amount: 1_000 },
      { wallet: { address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' } },
      { partnerContext: 'a' },
      { onramp: 'mercuryo' },
      { paymentMethod: 'applepay' },
      { network: 'bitcoin' },
      { signContent: good.signContent.replace('amount=100', 'amount=101'), amount: 101 },
      { signature: good.signature.replace(/.$/, last => (last === '0' ? '1' : '0')) },
      { signature: '' },
    ];
    for (const change of changes)
      expectProblem(await intend(world, { ...good, ...change }, { by }), 403, 'signature');
    const old = signed(bodyOf(MOONPAY), randomUUID(), Date.now() - 3_600_000);
    expectProblem(await intend(world, old, { by }), 403, 'signature');
    expect(await count(by)).toBe(before);
    expect((await intend(world, good, { by })).status).toBe(200);
  });

  test('409 for a nonce that was used before, at either instance, which leaves no key behind', async () => {
    await eventually(
      async () => (await intend(world, bodyOf(MOONPAY), { by, at: other })).status === 403,
      'the other instance knows the account',
    );
    for (const provider of [MOONPAY, TRANSAK]) {
      const body = signed(bodyOf(provider));
      await order(world, body, { by });
      const before = await count(by);
      for (const at of [world, other]) {
        expectProblem(await intend(world, body, { by, at }), 409, 'signContent');
        const headers = keyed(`replayed at ${at.url} ${provider}`);
        expectProblem(await intend(world, body, { by, at, headers }), 409, 'signContent');
        const fresh = signed(bodyOf(provider));
        expect((await intend(world, fresh, { by, at, headers })).status).toBe(200);
      }
      expect(await count(by)).toBe(before + 2);
    }
  });

  test('200 again with the key of the checkout itself', async () => {
    const body = signed(bodyOf(MOONPAY));
    const headers = keyed('signed once');
    const first = await intend(world, body, { by, headers });
    expect((await intend(world, body, { by, headers })).text).toBe(first.text);
  });
});
