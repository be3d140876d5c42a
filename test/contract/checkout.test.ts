/** POST /checkout/intent: what is answered, what is written down, and what is refused. */
import { describe, expect, test } from 'vitest';
import type { Side } from '../../src/domain/words.ts';
import { registry } from '../../src/providers/registry.ts';
import { ADDRESSES } from './checkout-letters.ts';
import { setAlone, world } from './pair.ts';
import { methodOf } from './takers.ts';
import { answers, count, expectProblem, full, issue, QUOTES, quoteOf, setTill, THEME } from './till.ts';
import { MERCURYO, MOONPAY, PROVIDERS, TRANSAK } from './world.ts';
import { bodyOf, eventsOf, intend, order, orderOf, rowOf, statusesOf, ULID, WALLET } from './world-orders.ts';

setAlone();
setTill();

const SIDES: readonly Side[] = ['buy', 'sell'];
const PAIRS: Record<Side, string> = { buy: 'eur/btc', sell: 'btc/eur' };

describe('the answer of everyone', () => {
  for (const { adapter } of registry) {
    const { id: provider, checkout, sides } = adapter.manifest;
    for (const side of sides) {
      for (const quoted of [false, true]) {
        const how = quoted ? 'at the price of its quote' : 'without a quote';
        test(`200 for a ${side} at ${provider} ${how}, in the documented shape`, async () => {
          const paymentMethod = await methodOf(world.get, { pair: PAIRS[side] }, provider);
          const path = `${QUOTES[side]}&paymentMethod=${paymentMethod}`;
          const quote = quoted ? await quoteOf(provider, path) : undefined;
          const { partnerContext, ...echoed } = full(provider, side, { paymentMethod });
          const sent = { ...echoed, partnerContext, ...(quote && { metaData: { quoteId: quote.quoteId } }) };
          const reply = await intend(world, sent);
          const { id, session, path: page } = orderOf(reply);
          const row = await rowOf(world, id);
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
                url: world.url + page,
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
          expect(await statusesOf(world, id)).toEqual(['new']);
          // Accounts are told the provider's id of it as well, as soon as it has one.
          expect([...new Set(await eventsOf(world, id))]).toEqual(['new']);
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
        metaData: { quoteId: (await quoteOf(MOONPAY, QUOTES.buy, stranger.publicKey)).quoteId },
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

  test('422 for a wallet that no link of the provider’s can hold; nothing is written, and a key can be used again', async () => {
    const { publicKey: by } = await world.newAccount();
    const before = await count();
    const tagged = { destination: 'xrp', wallet: { address: ADDRESSES.ripple, memo: '12345' } };
    const headers = { 'idempotency-key': 'tagged' };
    const reply = await intend(world, bodyOf(MERCURYO, 'buy', tagged), { by, headers });
    expectProblem(reply, 422, undefined);
    expect(reply.body.message).toContain('no memo');
    expect(await count()).toBe(before);
    expect((await intend(world, bodyOf(MOONPAY, 'buy', tagged), { by, headers })).status).toBe(200);
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
