/** Keys and secrets: who may call what, and how a key is sent. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { revoke, rotateSecret } from '../../src/app/accounts.ts';
import { startTestService, type TestService } from '../service.ts';
import { eventually } from './patience.ts';
import { keysOf, UNKNOWN_ID } from './records.ts';
import { send, target } from './wire.ts';
import { PROVIDERS } from './world.ts';

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
const SECRET = ['/transactions', `/transactions/${UNKNOWN_ID}`];
const PROBLEM = {
  message: 'A valid API key is required, and its secret where a route asks for it',
  errorId: 4010,
  errorCode: 401,
  errorMessage: 'A valid API key is required, and its secret where a route asks for it',
  field: 'Authorization',
};
const SOON = { longestMs: 5_000 };

let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { only: PROVIDERS });
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
    for (const path of [...KEYED, ...SECRET]) {
      expect([path, await refusal(path)]).toEqual([path, { status: 401, body: PROBLEM }]);
    }
  });

  test('401 for an unknown key on every route, with one identical body', async () => {
    const bodies = [];
    for (const path of [...OPEN, ...KEYED, ...SECRET]) {
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
      SOON,
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

describe('secrets', () => {
  test('401 with one identical body, whatever is missing or wrong, and whatever else is', async () => {
    const [own, other] = [service.account, await service.newAccount()];
    const key = `Authorization: ${own.publicKey}`;
    const secret = `x-service-secret: ${own.secret}`;
    const unknown = 'Authorization: pk_test_01ARZ3NDEKTSV4RRFFQ69G5FAV';
    const cases = [
      [],
      [key],
      [secret],
      [unknown],
      [unknown, secret],
      [`Authorization: ${own.secret}`, secret],
      ['Authorization: public', secret],
      ['Authorization: public', 'x-service-secret: '],
      ['Authorization:', secret],
      [key, 'x-service-secret:'],
      [key, 'x-service-secret:  '],
      [key, `x-service-secret: ${other.secret}`],
      [`Authorization: ${other.publicKey}`, secret],
      [key, `x-service-secret: ${own.secret.slice(0, -1)}`],
      [key, `x-service-secret: ${own.secret}A`],
      [key, `x-service-secret: ${own.secret.toLowerCase()}`],
      [key, `x-service-secret: Bearer ${own.secret}`],
      [key, `x-service-secret: "${own.secret}"`],
      [key, `x-service-secret: ${own.publicKey}`],
      [key, 'x-service-secret: __proto__'],
      [key, `x-service-secret: ${'x'.repeat(7_000)}`],
      [key, secret, secret],
      [key, secret, `x-service-secret: ${other.secret}`],
      [key, secret, 'x-onramper-secret: other'],
      [key, 'x-service-secret: other', `x-onramper-secret: ${own.secret}`],
      [key, `x-secret: ${own.secret}`],
      [`Authorization: ${own.publicKey}:${own.secret}`],
      [`Authorization: Basic ${Buffer.from(`${own.publicKey}:${own.secret}`).toString('base64')}`],
    ];
    for (const path of [...SECRET, '/transactions?limit=0', '/transactions?cursor=x', '/transactions/x']) {
      for (const headers of cases) {
        const { status, body } = await send(service.url, target(path, headers));
        const { requestId, ...rest } = body as Record<string, unknown>;
        expect([path, headers, status, rest]).toEqual([path, headers, 401, PROBLEM]);
        expect(requestId).toEqual(expect.any(String));
      }
    }
  });

  test('401 for a secret that is not ASCII, 400 for two keys, 431 for a secret of 8 kB', async () => {
    const { publicKey, secret } = service.account;
    const ask = (...headers: string[]) => target('/transactions', headers);
    const key = `Authorization: ${publicKey}`;
    for (const encoding of ['latin1', 'utf8'] as const) {
      const bytes = Buffer.from(ask(key, 'x-service-secret: sk_é'), encoding);
      expect((await send(service.url, bytes)).status).toBe(401);
    }
    const twice = await send(service.url, ask(key, key, `x-service-secret: ${secret}`));
    expect([twice.status, twice.body?.field]).toEqual([400, 'Authorization']);
    const long = await send(service.url, ask(key, `x-service-secret: ${'x'.repeat(8_192)}`));
    expect([long.status, long.body?.field]).toEqual([431, 'request']);
  });

  test('200 for the secret under either name, and the key in every form', async () => {
    const { publicKey, secret } = service.account;
    for (const headers of [
      { authorization: publicKey, 'x-service-secret': secret },
      { authorization: publicKey, 'x-onramper-secret': secret },
      { authorization: publicKey, 'x-service-secret': secret, 'x-onramper-secret': secret },
      { authorization: `Bearer ${publicKey}`, 'X-Service-Secret': secret },
      { authorization: `Basic ${publicKey}`, 'x-service-secret': ` ${secret} ` },
    ])
      expect([headers, (await service.get('/transactions', headers)).status]).toEqual([headers, 200]);
  });

  test('200 for the newest two secrets, 401 for older ones within 5 seconds of the rotation', async () => {
    const made = await service.newAccount();
    const statusOf = async (secret: string) =>
      (await service.get('/transactions', keysOf({ ...made, secret }))).status;
    const second = (await rotateSecret(service.database, made.publicKey)).secret;
    await eventually(async () => (await statusOf(second)) === 200, 'the new secret is known', SOON);
    expect(await statusOf(made.secret)).toBe(200);
    const third = (await rotateSecret(service.database, made.publicKey)).secret;
    await eventually(async () => (await statusOf(made.secret)) === 401, 'the first is gone', SOON);
    expect([await statusOf(second), await statusOf(third)]).toEqual([200, 200]);
    await revoke(service.database, made.publicKey);
    await eventually(async () => (await statusOf(third)) === 401, 'the account is gone', SOON);
    expect(await statusOf(second)).toBe(401);
  });
});

describe('with ANONYMOUS=off', () => {
  test('401 without a key everywhere, 200 with one, and the service can still be watched', async () => {
    const closed = await startTestService({ ANONYMOUS: 'off' }, { only: PROVIDERS });
    try {
      for (const path of [...OPEN, ...KEYED]) {
        const { status } = await closed.get(path);
        expect([path, status]).toEqual([path, 401]);
        const keyed = await closed.get(path, { authorization: closed.account.publicKey });
        expect([path, keyed.status]).toEqual([path, 200]);
      }
      for (const path of SECRET) expect((await closed.get(path)).status).toBe(401);
      expect((await closed.get('/health/live')).status).toBe(200);
      expect((await closed.get('/openapi.json')).status).toBe(200);
    } finally {
      await closed.close();
    }
  }, 60_000);
});
