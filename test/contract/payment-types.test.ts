/** GET /supported/payment-types and GET /supported/payment-types/{fiat}. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../service.ts';
import { type Answers, readAnswers, shape, shapesOf } from './answers.ts';

const ONE = '/supported/payment-types/{fiat}';

let service: TestService;
let answers: Answers;

beforeAll(async () => {
  service = await startTestService();
  answers = await readAnswers(service.get);
});
afterAll(() => service?.close());

interface PaymentType {
  paymentTypeId: string;
  details: { currencyStatus: string; limits: Record<string, { min?: number; max?: number }> };
}

describe('GET /supported/payment-types', () => {
  test('200 is an object keyed by payment type id', async () => {
    const reply = await service.get('/supported/payment-types?country=de');
    expect(reply.status).toBe(200);
    expect(answers.flaws('/supported/payment-types', reply)).toEqual([]);
    const entries = Object.entries<{ paymentTypeId: string }>(reply.body.message);
    expect(entries.filter(([id, entry]) => id !== entry.paymentTypeId)).toEqual([]);
    expect(shapesOf(Object.values(reply.body.message))).toEqual([shape('paymentTypeId name icon')]);
    expect(Object.keys(reply.body.message)).toEqual(
      expect.arrayContaining(['creditcard', 'debitcard', 'applepay', 'googlepay', 'sepabanktransfer']),
    );
  });

  test('200 follows the country and the side', async () => {
    const ids = async (query: string) =>
      Object.keys((await service.get(`/supported/payment-types?${query}`)).body.message);
    expect(await ids('country=us')).not.toEqual(await ids('country=de'));
    expect(await ids('country=DE&type=sell')).not.toEqual(await ids('country=DE&type=buy'));
  });

  test('200 with nothing in it for a country nobody serves', async () => {
    const reply = await service.get('/supported/payment-types?country=kp');
    expect([reply.status, reply.body]).toEqual([200, { message: {} }]);
  });
});

describe('GET /supported/payment-types/{fiat}', () => {
  test('200 lists payment types with limits by provider and over all', async () => {
    const reply = await service.get('/supported/payment-types/eur?country=de');
    expect(reply.status).toBe(200);
    expect(answers.flaws(ONE, reply)).toEqual([]);
    const types: PaymentType[] = reply.body.message;
    expect(shapesOf(types)).toEqual([shape('paymentTypeId name icon details')]);
    expect(shapesOf(types.map(({ details }) => details))).toEqual([shape('currencyStatus limits')]);
    const card = types.find(({ paymentTypeId }) => paymentTypeId === 'creditcard');
    expect(card?.details).toEqual({
      currencyStatus: 'SourceAndDestSupported',
      limits: {
        moonpay: { min: 20, max: 30000 },
        transak: { min: 5, max: 3000 },
        mercuryo: { min: 25, max: 5000 },
        aggregatedLimit: { min: 5, max: 30000 },
      },
    });
  });

  test('200 has both limits of every provider on every buy method', async () => {
    const types: PaymentType[] = (await service.get('/supported/payment-types/eur?country=de')).body.message;
    const limits = types.flatMap(({ details }) => Object.values(details.limits));
    expect(limits.filter(({ min, max }) => !(Number(min) > 0 && Number(max) > Number(min)))).toEqual([]);
  });

  test('200 aggregates to the widest limits', async () => {
    const types: PaymentType[] = (await service.get('/supported/payment-types/gbp?country=gb')).body.message;
    expect(types.length).toBeGreaterThan(0);
    for (const { details } of types) {
      const { aggregatedLimit, ...own } = details.limits;
      expect(aggregatedLimit).toEqual({
        min: Math.min(...Object.values(own).map(({ min }) => Number(min))),
        max: Math.max(...Object.values(own).map(({ max }) => Number(max))),
      });
    }
  });

  test('200 whatever the case of the currency and with a trailing slash', async () => {
    const plain = await service.get('/supported/payment-types/eur?country=de');
    for (const path of ['EUR?country=DE', 'Eur?country=de', 'eur/?country=de&type=buy']) {
      expect((await service.get(`/supported/payment-types/${path}`)).text).toBe(plain.text);
    }
  });

  test('200 narrows to the destination', async () => {
    const all: PaymentType[] = (await service.get('/supported/payment-types/eur?country=de')).body.message;
    const reply = await service.get('/supported/payment-types/eur?country=de&destination=AR');
    expect(answers.flaws(ONE, reply)).toEqual([]);
    const providers = (types: PaymentType[]) =>
      new Set(types.flatMap(({ details }) => Object.keys(details.limits)));
    expect(providers(reply.body.message).size).toBeLessThan(providers(all).size);
  });

  test('200 with type=sell takes the crypto in the path and the fiat as destination', async () => {
    const reply = await service.get('/supported/payment-types/BTC?country=de&type=sell&destination=EUR');
    expect(reply.status).toBe(200);
    expect(answers.flaws(ONE, reply)).toEqual([]);
    const types: PaymentType[] = reply.body.message;
    const sepa = types.find(({ paymentTypeId }) => paymentTypeId === 'sepabanktransfer');
    // In bitcoin, so far below one.
    expect(sepa?.details.limits.moonpay?.min).toBeLessThan(0.01);
    expect(sepa?.details.limits.moonpay?.max).toBeLessThan(10);
  });

  test('400 names the currency that is not one', async () => {
    const cases = [
      ['/supported/payment-types/xxx?country=de', 'fiat'],
      ['/supported/payment-types/btc?country=de', 'fiat'],
      ['/supported/payment-types/eur?country=de&type=sell', 'fiat'],
      ['/supported/payment-types/eur?country=de&destination=gbp', 'destination'],
      ['/supported/payment-types/btc?country=de&type=sell&destination=eth', 'destination'],
      ['/supported/payment-types/eur?country=de&destination=usdc', 'destination'],
    ] as const;
    for (const [path, field] of cases) {
      const reply = await service.get(path);
      expect([path, reply.status, reply.body?.field]).toEqual([path, 400, field]);
      expect(answers.flaws(ONE, reply)).toEqual([]);
    }
  });
});
