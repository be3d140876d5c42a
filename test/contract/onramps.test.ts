/** The catalog of a key’s providers: GET /supported/onramps and /supported/onramps/all. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../service.ts';
import { type Answers, readAnswers, shape, shapesOf } from './answers.ts';
import { REGISTERED } from './world.ts';

let service: TestService;
let answers: Answers;
/** Of an account that may use every provider. */
let key: Record<string, string>;

beforeAll(async () => {
  service = await startTestService();
  answers = await readAnswers(service.get);
  key = { authorization: service.account.publicKey };
});
afterAll(() => service?.close());

/** The key of an account that is restricted to some providers. */
async function keyFor(...providers: string[]): Promise<Record<string, string>> {
  return { authorization: (await service.newAccount({ providers })).publicKey };
}

describe('GET /supported/onramps/all', () => {
  test('200 lists the providers of the key with all their icons', async () => {
    const reply = await service.get('/supported/onramps/all', key);
    expect(reply.status).toBe(200);
    expect(answers.flaws('/supported/onramps/all', reply)).toEqual([]);
    expect(shapesOf(reply.body.message)).toEqual([shape('id displayName icon icons')]);
    expect(reply.body.message.map(({ id }: { id: string }) => id).sort()).toEqual(REGISTERED);
    for (const { icons } of reply.body.message) {
      expect(Object.keys(icons).sort()).toEqual(['png', 'svg']);
      expect(Object.keys(icons.png).sort()).toEqual(['160x160', '32x32']);
    }
  });

  test('200 lists only the providers an account is restricted to', async () => {
    const reply = await service.get('/supported/onramps/all', await keyFor('transak', 'mercuryo'));
    expect(reply.body.message.map(({ id }: { id: string }) => id).sort()).toEqual(['mercuryo', 'transak']);
  });
});

describe('GET /supported/onramps', () => {
  test('200 lists who serves the pair, with methods', async () => {
    const reply = await service.get('/supported/onramps?source=eur&destination=btc&country=de', key);
    expect(reply.status).toBe(200);
    expect(answers.flaws('/supported/onramps', reply)).toEqual([]);
    const entries = reply.body.message;
    expect(shapesOf(entries)).toEqual([
      shape('onramp icon icons displayName country paymentMethods recommendedPaymentMethod'),
    ]);
    expect(entries.map(({ onramp }: { onramp: string }) => onramp).sort()).toEqual(REGISTERED);
    for (const { country, paymentMethods, recommendedPaymentMethod } of entries) {
      expect(country).toBe('DE');
      expect(paymentMethods).toContain(recommendedPaymentMethod);
    }
  });

  test('200 for a sell, and for names in any case', async () => {
    const lower = await service.get('/supported/onramps?source=btc_bitcoin&destination=eur&country=de', key);
    const upper = await service.get('/supported/onramps?source=BTC&destination=EUR&country=DE', key);
    expect(lower.body.message.length).toBeGreaterThan(0);
    expect(upper.text).toBe(lower.text);
    expect(answers.flaws('/supported/onramps', lower)).toEqual([]);
  });

  test('200 without a country, from this machine with nothing configured, is for Germany', async () => {
    const reply = await service.get('/supported/onramps?source=eur&destination=btc', key);
    expect(reply.body.message[0].country).toBe('DE');
  });

  test('200 with recommendations=true and no record of orders has none to show', async () => {
    const path = '/supported/onramps?source=eur&destination=btc&country=de';
    const reply = await service.get(`${path}&recommendations=true`, key);
    expect(answers.flaws('/supported/onramps', reply)).toEqual([]);
    expect(reply.text).toBe((await service.get(`${path}&recommendations=false`, key)).text);
  });

  test('200 for a restricted account leaves the others out', async () => {
    const reply = await service.get(
      '/supported/onramps?source=eur&destination=btc&country=de',
      await keyFor('moonpay'),
    );
    expect(reply.body.message.map(({ onramp }: { onramp: string }) => onramp)).toEqual(['moonpay']);
  });

  test('200 with an empty list for a country nobody serves', async () => {
    const reply = await service.get('/supported/onramps?source=eur&destination=btc&country=kp', key);
    expect([reply.status, reply.body]).toEqual([200, { message: [] }]);
  });

  test('400 names what is missing or wrong', async () => {
    const cases = [
      ['destination=btc', 'source'],
      ['source=eur', 'destination'],
      ['source=eur&destination=gbp', 'destination'],
      ['source=btc&destination=eth', 'destination'],
      ['source=nope&destination=eur', 'source'],
      ['source=eur&destination=btc&recommendations=1', 'recommendations'],
    ];
    for (const [query, field] of cases) {
      const reply = await service.get(`/supported/onramps?country=de&${query}`, key);
      expect([query, reply.status, reply.body.field]).toEqual([query, 400, field]);
    }
  });

  test('400 for a code on several networks lists the ids to choose from', async () => {
    const reply = await service.get('/supported/onramps?source=eur&destination=usdc&country=de', key);
    expect([reply.status, reply.body.field]).toEqual([400, 'destination']);
    expect(reply.body.message).toContain('usdc_ethereum');
    expect(reply.body.message).toContain('usdc_polygon');
  });
});
