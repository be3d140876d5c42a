/** Keys: who may call what, and how a key is sent. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { revoke } from '../../src/app/accounts.ts';
import { startTestService, type TestService } from '../service.ts';
import { eventually } from './patience.ts';

const OPEN = [
  '/supported',
  '/supported/payment-types?country=de',
  '/supported/payment-types/eur?country=de',
  '/supported/defaults/all?country=de',
  '/supported/countries',
  '/quotes/eur/btc?amount=100&country=de',
  '/quotes/btc/eur?amount=0.01&country=de',
];
const KEYED = [
  '/supported/assets?country=de',
  '/supported/onramps/all',
  '/supported/onramps?source=eur&destination=btc&country=de',
];
const PROBLEM = {
  message: 'A valid API key is required',
  errorId: expect.any(Number),
  errorCode: expect.any(Number),
  errorMessage: 'A valid API key is required',
  field: 'Authorization',
};

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());

/** Body without the one member that always differs. */
async function refusal(path: string, headers: Record<string, string> = {}) {
  const { status, body } = await service.get(path, headers);
  const { requestId, ...rest } = body;
  expect(requestId).toEqual(expect.any(String));
  return { status, body: rest };
}

describe('forms', () => {
  test('200 for the key bare, after Basic and after Bearer', async () => {
    const { publicKey } = service.account;
    for (const form of [publicKey, `Basic ${publicKey}`, `Bearer ${publicKey}`, `bearer ${publicKey}`]) {
      for (const path of KEYED) {
        const reply = await service.get(path, { authorization: form });
        expect([form, path, reply.status]).toEqual([form, path, 200]);
      }
    }
  });

  test('200 without a key on every route that needs none', async () => {
    for (const path of OPEN) expect([path, (await service.get(path)).status]).toEqual([path, 200]);
  });
});

describe('refused', () => {
  test('401 without a key on every route that needs one', async () => {
    for (const path of KEYED) {
      expect([path, await refusal(path)]).toEqual([path, { status: 401, body: PROBLEM }]);
    }
  });

  test('401 for an unknown key on every route, with one identical body', async () => {
    const bodies = [];
    for (const path of [...OPEN, ...KEYED]) {
      const { status, body } = await refusal(path, { authorization: 'pk_test_01ARZ3NDEKTSV4RRFFQ69G5FAV' });
      expect([path, status]).toEqual([path, 401]);
      bodies.push(JSON.stringify(body));
    }
    bodies.push(JSON.stringify((await refusal('/supported/assets')).body));
    expect(new Set(bodies).size).toBe(1);
  });

  test('401 for an unknown key wins over what else is wrong with the request', async () => {
    const unknown = { authorization: 'pk_test_01ARZ3NDEKTSV4RRFFQ69G5FAV' };
    for (const path of [
      '/supported?type=hold',
      '/supported/payment-types/nope',
      '/supported/assets?country=zz',
      '/supported/onramps',
      '/quotes/eur/btc',
      '/quotes/eur/btc?amount=-1',
      '/quotes/nope/nope?amount=1',
    ]) {
      expect([path, (await refusal(path, unknown)).status]).toEqual([path, 401]);
    }
  });

  test('401 without a key wins over missing parameters where a key is needed', async () => {
    for (const path of ['/supported/onramps', '/supported/assets?type=hold']) {
      expect([path, (await refusal(path)).status]).toEqual([path, 401]);
    }
  });

  test('401 for what only looks like a key', async () => {
    const { publicKey, secret } = service.account;
    for (const authorization of [
      secret,
      'public',
      'Basic',
      'Bearer ',
      `Digest ${publicKey}`,
      `Bearer Bearer ${publicKey}`,
      `${publicKey}x`,
      publicKey.slice(0, -1),
      publicKey.toLowerCase(),
      '__proto__',
      `Basic ${Buffer.from(`${publicKey}:`).toString('base64')}`,
    ]) {
      expect([authorization, await refusal('/supported', { authorization })]).toEqual([
        authorization,
        { status: 401, body: PROBLEM },
      ]);
    }
  });

  test('401 within 5 seconds of a revocation, also for answers that were remembered', async () => {
    const { publicKey } = await service.newAccount();
    const key = { authorization: publicKey };
    for (const path of [...OPEN, ...KEYED]) expect((await service.get(path, key)).status).toBe(200);
    await revoke(service.database, publicKey);
    await eventually(
      async () => (await service.get('/supported', key)).status === 401,
      'the revocation is seen',
      { longestMs: 5_000 },
    );
    for (const path of [...OPEN, ...KEYED]) {
      expect([path, await refusal(path, key)]).toEqual([path, { status: 401, body: PROBLEM }]);
    }
  });
});

describe('accounts', () => {
  test('200 for an account restricted to providers has no other in any quote, not even as an error', async () => {
    const { publicKey } = await service.newAccount({ providers: ['transak'] });
    const key = { authorization: publicKey };
    for (const path of [
      '/quotes/eur/btc?amount=100&errors=all',
      '/quotes/eur/btc?amount=1',
      '/quotes/btc/eur?amount=0.01',
    ]) {
      const { body } = await service.get(`${path}&country=de`, key);
      expect([path, body.map(({ ramp }: { ramp: string }) => ramp)]).toEqual([path, ['transak']]);
    }
    const types = (await service.get('/supported/payment-types/eur?country=de', key)).text;
    expect(types).not.toMatch(/moonpay"|mercuryo"/);
  });
});

describe('with ANONYMOUS=off', () => {
  test('401 without a key everywhere, 200 with one, and the service can still be watched', async () => {
    const closed = await startTestService({ ANONYMOUS: 'off' });
    try {
      for (const path of [...OPEN, ...KEYED]) {
        const { status } = await closed.get(path);
        expect([path, status]).toEqual([path, 401]);
        const keyed = await closed.get(path, { authorization: closed.account.publicKey });
        expect([path, keyed.status]).toEqual([path, 200]);
      }
      expect((await closed.get('/health/live')).status).toBe(200);
      expect((await closed.get('/openapi.json')).status).toBe(200);
    } finally {
      await closed.close();
    }
  });
});
