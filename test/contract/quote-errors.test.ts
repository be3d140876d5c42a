/** GET /quotes: what stands in for a quote that could not be had. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../src/app/accounts.ts';
import { currencies } from '../../src/main.ts';
import { type Answers, readAnswers, shape, shapesOf } from './answers.ts';
import { eventually } from './patience.ts';
import { MERCURYO, MOONPAY, PROVIDERS, startWorld, TRANSAK, type World } from './world.ts';

const PATH = '/quotes/{source}/{destination}';

interface QuoteError {
  ramp: string;
  errors: { type: string; errorId: number; message: string; minAmount?: number; maxAmount?: number }[];
}

let world: World;
let answers: Answers;

beforeAll(async () => {
  world = await startWorld({ QUOTE_DEADLINE_MS: '1500' });
  answers = await readAnswers(world.get);
});
afterAll(() => world?.close());

/** The first error of each provider. */
const errorsBy = (body: QuoteError[]) =>
  Object.fromEntries(body.map(({ ramp, errors }) => [ramp, errors[0]]));

test('200 LimitMismatch 6101 with limits when the amount is too small for everyone', async () => {
  const reply = await world.get('/quotes/eur/btc?amount=1&country=de');
  expect(reply.status).toBe(200);
  expect(answers.flaws(PATH, reply)).toEqual([]);
  expect(shapesOf(reply.body)).toEqual([shape('ramp paymentMethod quoteId errors')]);
  expect(errorsBy(reply.body)).toEqual({
    moonpay: {
      type: 'LimitMismatch',
      errorId: 6101,
      message: 'Amount should be in between EUR 20 and EUR 30000',
      minAmount: 20,
      maxAmount: 30000,
    },
    transak: {
      type: 'LimitMismatch',
      errorId: 6101,
      message: 'Amount should be in between EUR 5 and EUR 3000',
      minAmount: 5,
      maxAmount: 3000,
    },
    mercuryo: {
      type: 'LimitMismatch',
      errorId: 6101,
      message: 'Amount should be in between EUR 25 and EUR 5000',
      minAmount: 25,
      maxAmount: 5000,
    },
  });
});

test('200 LimitMismatch 6101 when the amount is too large for everyone', async () => {
  const reply = await world.get('/quotes/eur/btc?amount=999999999999999.99&country=de');
  expect(reply.status).toBe(200);
  expect(reply.body.map(({ errors }: QuoteError) => errors[0]?.type)).toEqual(Array(3).fill('LimitMismatch'));
});

test('200 LimitMismatch on a sell has its limits in the coin', async () => {
  const reply = await world.get(
    '/quotes/btc/eur?amount=0.00000001&country=de&paymentMethod=sepabanktransfer',
  );
  const { moonpay } = errorsBy(reply.body);
  expect(moonpay).toMatchObject({ type: 'LimitMismatch', errorId: 6101 });
  expect(moonpay?.message).toMatch(/^Amount should be in between BTC [\d.]+ and BTC [\d.]+$/);
  expect(moonpay?.minAmount).toBeLessThan(0.01);
});

test('200 limits that are quoted hold: the least is priced, a unit less is not', async () => {
  const priced = await world.get('/quotes/eur/btc?amount=5&country=de&errors=all');
  expect(priced.body[0]).toMatchObject({ ramp: 'transak', payout: expect.any(Number) });
  const refused = await world.get('/quotes/eur/btc?amount=4.99&country=de&errors=all');
  expect(errorsBy(refused.body).transak).toMatchObject({ type: 'LimitMismatch', minAmount: 5 });
});

test('200 shows only priced quotes by default, and the others after them with errors=all', async () => {
  const some = await world.get('/quotes/eur/btc?amount=22&country=de');
  expect(some.body.map(({ ramp }: QuoteError) => ramp).sort()).toEqual(['moonpay', 'transak']);
  expect(some.body.filter((quote: object) => 'errors' in quote)).toEqual([]);
  const all = await world.get('/quotes/eur/btc?amount=22&country=de&errors=all');
  expect(answers.flaws(PATH, all)).toEqual([]);
  expect(all.body.map((element: object) => 'errors' in element)).toEqual([false, false, true]);
  expect(all.body[2]).toMatchObject({ ramp: 'mercuryo', errors: [{ type: 'LimitMismatch' }] });
});

test('200 NoSupportedPaymentFound 6103 for a method nobody takes there', async () => {
  const reply = await world.get('/quotes/eur/btc?amount=100&country=de&paymentMethod=upi');
  expect(reply.status).toBe(200);
  expect(answers.flaws(PATH, reply)).toEqual([]);
  expect(reply.body.map(({ ramp }: QuoteError) => ramp).sort()).toEqual(PROVIDERS);
  for (const { errors, paymentMethod } of reply.body) {
    expect(paymentMethod).toBe('upi');
    expect(errors).toEqual([{ type: 'NoSupportedPaymentFound', errorId: 6103, message: expect.any(String) }]);
  }
});

test('200 QuoteParameterMismatch 6100 for a country nobody serves, and for a pair nobody lists', async () => {
  const listed: { id: string }[] = (await world.get('/supported')).body.message.crypto;
  const unlisted = [...currencies.assets.keys()].find(id => !listed.some(asset => asset.id === id));
  for (const path of [
    '/quotes/eur/btc?amount=100&country=kp',
    `/quotes/eur/${unlisted}?amount=100&country=de`,
  ]) {
    const reply = await world.get(path);
    expect([path, reply.status, reply.body.length]).toEqual([path, 200, 3]);
    for (const { errors } of reply.body) {
      expect(errors).toEqual([
        { type: 'QuoteParameterMismatch', errorId: 6100, message: expect.any(String) },
      ]);
    }
  }
});

test('200 ProviderValidation 6403 with the reason when a provider declines', async () => {
  const body = JSON.stringify({ message: 'Purchases are paused for review', type: 'BadRequestError' });
  world.gate.answer(MOONPAY, { part: '/buy_quote', status: 400, body });
  try {
    const reply = await world.get('/quotes/eur/btc?amount=101&country=de&errors=all');
    expect(answers.flaws(PATH, reply)).toEqual([]);
    expect(errorsBy(reply.body.slice(2)).moonpay).toEqual({
      type: 'ProviderValidation',
      errorId: 6403,
      message: 'Purchases are paused for review',
    });
  } finally {
    world.gate.answer(MOONPAY, undefined);
  }
});

test('200 ProviderUnavailable 6200 for each when all of them fail', async () => {
  for (const provider of PROVIDERS) world.sandbox.fault(provider, { kind: 'error', ms: 0 });
  try {
    const reply = await world.get('/quotes/eur/btc?amount=102&country=de');
    expect(reply.status).toBe(200);
    expect(answers.flaws(PATH, reply)).toEqual([]);
    expect(reply.body.map(({ ramp }: QuoteError) => ramp).sort()).toEqual(PROVIDERS);
    for (const { errors } of reply.body) {
      expect(errors).toEqual([{ type: 'ProviderUnavailable', errorId: 6200, message: expect.any(String) }]);
    }
  } finally {
    for (const provider of PROVIDERS) world.sandbox.fault(provider, { kind: 'none', ms: 0 });
  }
});

test('200 with an empty array for a live key: it never reaches a stand-in', async () => {
  const { publicKey } = await createAccount(world.database, { name: 'live', environment: 'live' });
  expect(publicKey).toMatch(/^pk_prod_/);
  const key = { authorization: publicKey };
  await eventually(async () => (await world.get('/supported', key)).status === 200, 'the key is known');
  const calls = () => PROVIDERS.map(provider => world.gate.calls(provider).length);
  const before = calls();
  for (const path of [
    '/quotes/eur/btc?amount=105&country=de&errors=all',
    '/quotes/btc/eur?amount=0.01&country=de',
  ]) {
    const reply = await world.get(path, key);
    expect([reply.status, reply.body]).toEqual([200, []]);
  }
  expect(calls()).toEqual(before);
  expect((await world.get('/supported/onramps/all', key)).body).toEqual({ message: [] });
  expect((await world.get('/supported', key)).body).toEqual({ message: { crypto: [], fiat: [] } });
  expect((await world.get('/supported/assets?country=de', key)).body.message.assets).toEqual([]);
  expect((await world.get('/supported/payment-types/eur?country=de', key)).body).toEqual({ message: [] });
});

test('200 never asks a provider about an amount outside its limits', async () => {
  const count = (provider: typeof MERCURYO) => world.gate.calls(provider).length;
  const before = [MERCURYO, MOONPAY, TRANSAK].map(count);
  await world.get('/quotes/eur/btc?amount=2&country=de');
  expect([MERCURYO, MOONPAY, TRANSAK].map(count)).toEqual(before);
});

test('200 LimitMismatch 6101 has its wording and its limits when the provider itself finds the amount too large', async () => {
  const reply = await world.get('/quotes/eth/eur?amount=3&country=de&errors=all');
  const limited = reply.body.filter((element: QuoteError) => element.errors?.[0]?.type === 'LimitMismatch');
  expect(limited.length).toBeGreaterThan(0);
  for (const { ramp, errors } of limited) {
    expect([ramp, errors[0].message]).toEqual([
      ramp,
      expect.stringMatching(/^Amount should be .*ETH [\d.]+/),
    ]);
    expect([ramp, errors[0].maxAmount]).toEqual([ramp, expect.any(Number)]);
    expect(errors[0].maxAmount).toBeLessThan(3);
  }
});
