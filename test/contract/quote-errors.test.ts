/** GET /quotes: what stands in for a quote that could not be had. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../src/app/accounts.ts';
import { currencies } from '../../src/main.ts';
import { type Answers, readAnswers, shape, shapesOf } from './answers.ts';
import { eventually } from './patience.ts';
import { limitsOf, takers } from './takers.ts';
import { MOONPAY, REGISTERED, startWorld, type World } from './world.ts';

const PATH = '/quotes/{source}/{destination}';

interface QuoteError {
  ramp: string;
  errors: { type: string; errorId: number; message: string; minAmount?: number; maxAmount?: number }[];
}

let world: World;
let answers: Answers;

beforeAll(async () => {
  world = await startWorld({ QUOTE_DEADLINE_MS: '10000' });
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
  expect(reply.body.map(({ ramp }: QuoteError) => ramp).sort()).toEqual(REGISTERED);
  const errors = errorsBy(reply.body);
  for (const [ramp, { min, max }] of await limitsOf(world.get, { pair: 'eur/btc' })) {
    const range = {
      message: `Amount should be in between EUR ${min} and EUR ${max}`,
      minAmount: min,
      maxAmount: max,
    };
    // Who lists no limits can only say that it is too little.
    const known = min === undefined ? {} : range;
    expect([ramp, errors[ramp]]).toMatchObject([ramp, { type: 'LimitMismatch', errorId: 6101, ...known }]);
  }
  expect(errors).toMatchObject({
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
  const types = Object.entries(errorsBy(reply.body)).map(([ramp, error]) => [ramp, error?.type]);
  expect(types.sort()).toEqual(REGISTERED.map(ramp => [ramp, 'LimitMismatch']));
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

/** What one provider says to an amount. */
async function outcomeOf(ramp: string, amount: number | string): Promise<Partial<QuoteError>> {
  const reply = await world.get(`/quotes/eur/btc?amount=${amount}&country=de&errors=all`);
  return reply.body.find((element: QuoteError) => element.ramp === ramp);
}

const PRICED = expect.objectContaining({ payout: expect.any(Number) });

test('200 limits that are quoted hold: the least is priced, a unit less is not', async () => {
  for (const [ramp, least, less] of [
    ['transak', 5, 4.99],
    ['moonpay', 20, 19.99],
    ['mercuryo', 25, 24.99],
  ] as const) {
    expect(await outcomeOf(ramp, least)).toEqual(PRICED);
    expect((await outcomeOf(ramp, less)).errors?.[0]).toMatchObject({
      type: 'LimitMismatch',
      minAmount: least,
    });
  }
});

test('200 whoever follows the least amounts that are quoted comes to a price, whoever it is', async () => {
  for (const ramp of REGISTERED) {
    const asked = [3];
    let said = await outcomeOf(ramp, 3);
    // A limit of the method may hide one of the coin, or of the fees.
    while (said.errors?.[0]?.minAmount && asked.length < 4) {
      asked.push(said.errors[0].minAmount);
      said = await outcomeOf(ramp, said.errors[0].minAmount);
    }
    expect([ramp, asked, said]).toEqual([ramp, [...asked].sort((a, b) => a - b), PRICED]);
  }
});

test('200 shows only priced quotes by default, and the others after them with errors=all', async () => {
  const some = await world.get('/quotes/eur/btc?amount=22&country=de');
  const fitting = await takers(world.get, { pair: 'eur/btc', amount: 22 });
  expect(fitting).toEqual(expect.arrayContaining(['moonpay', 'transak']));
  expect(some.body.map(({ ramp }: QuoteError) => ramp).sort()).toEqual(fitting);
  expect(some.body.filter((quote: object) => 'errors' in quote)).toEqual([]);
  const all = await world.get('/quotes/eur/btc?amount=22&country=de&errors=all');
  expect(answers.flaws(PATH, all)).toEqual([]);
  expect(all.body.map(({ ramp }: QuoteError) => ramp).sort()).toEqual(REGISTERED);
  expect(all.body.map((element: object) => 'errors' in element)).toEqual(
    REGISTERED.map((_, place) => place >= fitting.length),
  );
  const refused = errorsBy(all.body.slice(fitting.length));
  expect(refused.mercuryo).toMatchObject({ type: 'LimitMismatch' });
  expect(new Set(Object.values(refused).map(error => error?.type))).toEqual(new Set(['LimitMismatch']));
});

test('200 NoSupportedPaymentFound 6103 for a method nobody takes there', async () => {
  const reply = await world.get('/quotes/eur/btc?amount=100&country=de&paymentMethod=upi');
  expect(reply.status).toBe(200);
  expect(answers.flaws(PATH, reply)).toEqual([]);
  expect(reply.body.map(({ ramp }: QuoteError) => ramp).sort()).toEqual(REGISTERED);
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
    expect([path, reply.status, reply.body.length]).toEqual([path, 200, REGISTERED.length]);
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
    expect(errorsBy(reply.body.slice(-1)).moonpay).toEqual({
      type: 'ProviderValidation',
      errorId: 6403,
      message: 'Purchases are paused for review',
    });
  } finally {
    world.gate.answer(MOONPAY, undefined);
  }
});

test('200 ProviderUnavailable 6200 for each when all of them fail', async () => {
  for (const provider of REGISTERED) world.sandbox.fault(provider, { kind: 'error', ms: 0 });
  try {
    const reply = await world.get('/quotes/eur/btc?amount=102&country=de');
    expect(reply.status).toBe(200);
    expect(answers.flaws(PATH, reply)).toEqual([]);
    expect(reply.body.map(({ ramp }: QuoteError) => ramp).sort()).toEqual(REGISTERED);
    for (const { errors } of reply.body) {
      expect(errors).toEqual([{ type: 'ProviderUnavailable', errorId: 6200, message: expect.any(String) }]);
    }
  } finally {
    for (const provider of REGISTERED) world.sandbox.fault(provider, { kind: 'none', ms: 0 });
  }
});

test('200 with an empty array for a live key: it never reaches a stand-in', async () => {
  const { publicKey } = await createAccount(world.database, { name: 'live', environment: 'live' });
  expect(publicKey).toMatch(/^pk_prod_/);
  const key = { authorization: publicKey };
  await eventually(async () => (await world.get('/supported', key)).status === 200, 'the key is known');
  const calls = () => REGISTERED.map(provider => world.gate.calls(provider).length);
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
  const limits = await limitsOf(world.get, { pair: 'eur/btc' });
  const limited = REGISTERED.filter(provider => Number(limits.get(provider)?.min) > 2);
  expect(limited.length).toBeGreaterThanOrEqual(3);
  const counts = () => limited.map(provider => world.gate.calls(provider).length);
  const before = counts();
  await world.get('/quotes/eur/btc?amount=2&country=de');
  expect(counts()).toEqual(before);
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
