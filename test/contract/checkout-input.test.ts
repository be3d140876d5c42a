/** POST /checkout/intent with anything that may come in: what is wrong is a 4xx whose JSON names the field. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allow, findAccount } from '../../src/app/accounts.ts';
import { createQuoteIds, type QuoteBounds } from '../../src/app/quote-ids.ts';
import { decimal } from '../../src/domain/money.ts';
import type { AssetId, FiatId, MethodId, ProviderId } from '../../src/domain/words.ts';
import { UUID } from '../bad-input/words.ts';
import { startTestService, type TestService } from '../service.ts';
import { REFUSED } from './checkout-cases.ts';
import { ADDRESSES, BUY, bytesOf, type Case, REDIRECT_HOSTS, SELL } from './checkout-letters.ts';
import { eventually } from './patience.ts';
import { type Answer, send } from './wire.ts';
import { MASTER_KEY, PROVIDERS } from './world.ts';

let service: TestService;
let key: string;
let otherKey: string;
const pristine = Object.getOwnPropertyNames(Object.prototype).sort().join();

beforeAll(async () => {
  service = await startTestService({ MASTER_KEY }, { only: PROVIDERS });
  key = service.account.publicKey;
  otherKey = (await service.newAccount({ providers: ['transak'] })).publicKey;
  await allow(service.database, key, { origins: [], redirectHosts: REDIRECT_HOSTS });
  await eventually(async () => (await post(BUY)).status === 200, 'the hosts are known');
});
afterAll(() => service?.close());

type Request = Partial<Omit<Case, 'body'>>;

function post(body: object, request: Request = {}, by = key): Promise<Answer> {
  return send(service.url, bytesOf({ ...request, body: JSON.stringify(body) }, by));
}

/** What is wrong with how a request is refused; undefined when it is refused as it should be. */
async function misjudged({ what, status = 400, fields, ...request }: Case, by: string) {
  try {
    const answer = await send(service.url, bytesOf(request, by));
    const { message, errorCode, field } = answer.body ?? {};
    if (answer.status !== status) return `${what}: ${answer.status} ${answer.text.slice(0, 200)}`;
    if (!message || errorCode !== status) return `${what}: ${status} without a JSON problem`;
    return fields.includes(String(field)) ? undefined : `${what}: names ${field}`;
  } catch (error) {
    return `${what}: ${(error as Error).message}`;
  }
}

async function expectRefused(cases: readonly Case[], by = key): Promise<void> {
  const wrong: string[] = [];
  for (const one of cases) {
    const found = await misjudged(one, by);
    if (found) wrong.push(found);
  }
  expect(cases.length).toBeGreaterThan(0);
  expect(wrong).toEqual([]);
}

describe('taken', () => {
  test('200 for a buy and a sell, with what is the service’s to say ignored', async () => {
    for (const body of [BUY, SELL]) {
      const {
        status,
        headers,
        body: answer,
      } = await post({
        ...body,
        status: 'completed',
        apiKey: otherKey,
        country: 'KP',
        transactionId: 'mine',
        sessionId: 'mine',
        expiringTime: 1,
      });
      expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
      expect(answer).toMatchObject({
        message: {
          validationInformation: true,
          status: 'in_progress',
          sessionInformation: { onramp: 'moonpay', amount: body.amount, type: body.type, country: 'DE' },
        },
      });
      const { sessionInformation: session, transactionInformation: transaction } = (
        answer as unknown as { message: Record<string, Record<string, unknown>> }
      ).message;
      const ids = [session?.sessionId, transaction?.transactionId];
      for (const id of ids) expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
      expect(new Set(ids).size).toBe(2);
      expect(session?.expiringTime).toBeGreaterThan(Date.now() / 1_000);
    }
  });
});

describe('refused', () => {
  for (const [kind, cases] of Object.entries(REFUSED)) {
    test(`4xx names the field: ${kind}`, () => expectRefused(cases));
  }

  test('400 for a key of idempotency with control characters', async () => {
    const cases = ['\u0001', 'a\u0000b', 'a\u001fb', 'a\u007fb'].map(sent => ({
      what: `idempotency key ${JSON.stringify(sent)}`,
      body: JSON.stringify(BUY),
      headers: [`Idempotency-Key: ${sent}`],
      fields: ['request', 'Idempotency-Key'],
    }));
    await expectRefused(cases);
  });

  test('403 for a provider the key does not open', async () => {
    const { status, body } = await post({ ...BUY, supportedParams: null }, {}, otherKey);
    expect([status, body?.field]).toEqual([403, 'onramp']);
  });

  test('400 for a way back to a host that only another account has registered', async () => {
    const { status, body } = await post({ ...BUY, onramp: 'transak' }, {}, otherKey);
    expect([status, body?.field]).toEqual([400, 'supportedParams.partnerData.redirectUrl.success']);
  });

  test('422 below and above what the provider takes, with its bounds as numbers', async () => {
    for (const amount of [1, 900_000]) {
      const { status, body } = await post({ ...BUY, amount });
      expect([amount, status, body]).toMatchObject([
        amount,
        422,
        {
          type: 'LimitMismatch',
          errorId: 6101,
          errorCode: 422,
          field: 'amount',
          minAmount: expect.any(Number),
          maxAmount: expect.any(Number),
        },
      ]);
    }
  });

  test('405 for anything but POST, with what is allowed', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const response = await fetch(`${service.url}/checkout/intent`, { method });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
  });
});

describe('the key', () => {
  const body = JSON.stringify(BUY);
  const keyed = (what: string, lines: readonly string[], status = 401): Case => ({
    what,
    body,
    headers: lines,
    fields: ['Authorization', 'request'],
    status,
  });

  test('401 when it is missing, blank, unknown, or something else', async () => {
    await expectRefused([{ ...keyed('missing', []), headers: [] }], '');
    await expectRefused([
      keyed('blank', ['Authorization: ']),
      keyed('Bearer and nothing', ['Authorization: Bearer ']),
      keyed('unknown', ['Authorization: pk_test_01ARZ3NDEKTSV4RRFFQ69G5FAV']),
      keyed('Bearer and unknown', ['Authorization: Bearer pk_test_01ARZ3NDEKTSV4RRFFQ69G5FAV']),
      keyed('in small letters', [`Authorization: ${key.toLowerCase()}`]),
      keyed('the secret', [`Authorization: ${service.account.secret}`]),
      keyed('the built-in account', ['Authorization: public']),
      keyed('two in one', [`Authorization: ${key}, ${key}`]),
      keyed('7 kB', [`Authorization: ${'x'.repeat(7_000)}`]),
      keyed('above ASCII', ['Authorization: pk_test_\u00e9']),
      keyed('__proto__', ['Authorization: __proto__']),
    ]);
  });

  test('4xx when it is too long or sent twice', async () => {
    await expectRefused([
      keyed('8 kB', [`Authorization: ${'x'.repeat(8_192)}`], 431),
      keyed('twice', [`Authorization: ${key}`, `Authorization: ${key}`], 400),
    ]);
  });

  test('401 before anything else is looked at', async () => {
    const unknown = ['Authorization: nobody', 'Content-Type: text/plain'];
    await expectRefused([
      { ...keyed('with no JSON', ['Authorization: nobody']), body: '{' },
      { ...keyed('as text', unknown), body: 'x' },
      { ...keyed('with 3 MiB', ['Authorization: nobody']), body: '['.repeat(3 * 1024 * 1024) },
    ]);
  });
});

describe('quote ids', () => {
  const checkout = { ...BUY, supportedParams: undefined };
  const withQuote = (quoteId: string, change: object = {}) => ({
    ...checkout,
    metaData: { quoteId },
    ...change,
  });

  async function quoteOf(by: string, path = '/quotes/eur/btc?amount=100'): Promise<string> {
    const { body } = await service.get(`${path}&country=de`, { authorization: by });
    return body.find(({ ramp }: { ramp: string }) => ramp === 'moonpay').quoteId;
  }

  async function expectNotMine(bodies: readonly object[]): Promise<void> {
    await expectRefused(
      bodies.map((one, at) => ({
        what: `${at}: ${JSON.stringify(one).slice(0, 300)}`,
        body: JSON.stringify(one),
        fields: ['metaData.quoteId'],
      })),
    );
  }

  test('400 for one that is forged, altered or cut', async () => {
    const good = await quoteOf(key);
    expect((await post(withQuote(good))).status).toBe(200);
    const flipped = [...good].map(
      (letter, at) => good.slice(0, at) + (letter === '1' ? '2' : '1') + good.slice(at + 1),
    );
    await expectNotMine(
      [
        ...flipped.filter(id => id !== good),
        good.slice(0, -1),
        `${good}A`,
        good.toUpperCase(),
        'q1',
        UUID,
        '0',
        '__proto__',
        'constructor',
        Buffer.from('{"amount":1}').toString('base64url'),
        good.slice(-22),
      ].map(id => withQuote(id)),
    );
  });

  test('400 for one of another account, pair, amount, method, side or provider', async () => {
    const good = await quoteOf(key);
    const anonymous = await service.get('/quotes/eur/btc?amount=100&country=de');
    const { publicKey } = await service.newAccount();
    await expectNotMine([
      withQuote(anonymous.body[0].quoteId),
      withQuote(await quoteOf(publicKey)),
      withQuote(await quoteOf(key, '/quotes/usd/btc?amount=100')),
      withQuote(await quoteOf(key, '/quotes/eur/eth?amount=100')),
      withQuote(await quoteOf(key, '/quotes/eur/btc?amount=101')),
      withQuote(await quoteOf(key, '/quotes/eur/btc?amount=100&paymentMethod=applepay')),
      withQuote(await quoteOf(key, '/quotes/btc/eur?amount=0.01')),
      withQuote(good, { amount: 100.01 }),
      withQuote(good, { onramp: 'transak' }),
      withQuote(good, { paymentMethod: 'applepay' }),
      withQuote(good, { destination: 'eth', network: undefined, wallet: { address: ADDRESSES.ethereum } }),
    ]);
  });

  test('410 for one that has run out', async () => {
    const { id } = await findAccount(service.database, key);
    const bounds: QuoteBounds = {
      account: id,
      provider: 'moonpay' as ProviderId,
      side: 'buy',
      fiat: 'eur' as FiatId,
      asset: 'btc_bitcoin' as AssetId,
      method: 'creditcard' as MethodId,
      amount: decimal(100),
    };
    const price = { gets: decimal('0.001'), networkFee: decimal(1), providerFee: decimal(4) };
    const ids = createQuoteIds(Buffer.from(MASTER_KEY, 'hex'));
    const issue = (until: number) => ids.issuer(bounds, until)({ ...bounds, price });
    const old = issue(Date.now() - 1_000);
    const { status, body } = await post(withQuote(old));
    expect([status, body?.field]).toEqual([410, 'metaData.quoteId']);
    const young = issue(Date.now() + 60_000);
    expect((await post(withQuote(young))).status).toBe(200);
  });
});

describe('idempotency keys', () => {
  const headers = ['Idempotency-Key: order 1'];

  test('200 with the same answer for the same body, 422 for another, and each account has its own', async () => {
    const first = await post(BUY, { headers });
    const turned = Object.fromEntries(Object.entries(BUY).reverse());
    const again = await post(turned, { headers });
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    for (const body of [{ ...BUY, amount: 101 }, { ...BUY, note: 'x' }, SELL]) {
      const { status, body: problem } = await post(body, { headers });
      expect([status, problem?.field]).toEqual([422, 'Idempotency-Key']);
    }
    const own = await post({ ...BUY, onramp: 'transak', supportedParams: null }, { headers }, otherKey);
    expect(own.status).toBe(200);
    expect(own.text).not.toBe(first.text);
  });
});

test('200 afterwards: nothing was 5xx, no prototype was touched, and nobody’s address was logged', async () => {
  expect((await post(BUY)).status).toBe(200);
  expect(Object.getOwnPropertyNames(Object.prototype).sort().join()).toBe(pristine);
  expect('polluted' in {}).toBe(false);
  expect((await service.get('/metrics')).text).not.toMatch(
    /cloverleaf_request_seconds_count\{[^}]*status="5/,
  );
  const logged = service.logged();
  expect(logged).not.toContain('unexpected error');
  for (const personal of [...Object.values(ADDRESSES), UUID, 'order-1'])
    expect(logged).not.toContain(personal);
});
