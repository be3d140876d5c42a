/** Limits: what callers see who ask too often, or too much at once, and that nobody else sees any of it. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestService, type TestService } from '../service.ts';
import { BUY } from './checkout-letters.ts';
import { PROVIDERS } from './world.ts';

/** Just above what a test service asks itself while it starts. */
const PER_SECOND = 40;
const BURST = 2 * PER_SECOND;
const AT_ONCE = 8;
const SLOW_MS = 3_000;

let service: TestService;
let amount = 100;
let visitors = 0;

beforeAll(async () => {
  service = await startTestService(
    {
      RATE_LIMIT_PER_KEY: String(PER_SECOND),
      RATE_LIMIT_PER_ADDRESS: String(PER_SECOND),
      QUOTES_AT_ONCE: String(AT_ONCE),
      QUOTE_DEADLINE_MS: '20000',
      TRUSTED_PROXIES: '127.0.0.1',
    },
    { only: PROVIDERS },
  );
});
afterAll(() => service?.close());

/** Headers of somebody who was never heard of before. */
function visitor() {
  visitors++;
  return { 'x-forwarded-for': `203.0.${visitors >> 8}.${visitors & 255}` };
}
const quotePath = () => `/quotes/eur/btc?amount=${++amount}&country=de`;

/** Asks so often that it is refused; the first refusal, and how many times it was not, in how long. */
async function exhaust(path: string, headers: Record<string, string>) {
  const began = performance.now();
  // Whoever knows the answer already is sent little, so that it is soon once too often.
  const knowing = { ...headers, 'if-none-match': '*' };
  for (let good = 0; good < 50 * BURST; ) {
    const replies = await Promise.all(Array.from({ length: BURST }, () => service.get(path, knowing)));
    good += replies.filter(({ status }) => status !== 429).length;
    const reply = replies.find(({ status }) => status === 429);
    if (reply) return { reply, good, seconds: (performance.now() - began) / 1_000 };
  }
  throw new Error('nobody was ever refused');
}

/** The number behind a name in the metrics; 0 when it is not there. */
async function measured(name: string): Promise<number> {
  const { text } = await service.get('/metrics', visitor());
  const line = text.split('\n').find(one => one.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? 0);
}

const refusedFor = (reason: string) => measured(`cloverleaf_refused_total{reason="${reason}"}`);

async function awaitUnderWay(count: number): Promise<void> {
  await vi.waitFor(async () => expect(await measured('cloverleaf_quotes_under_way')).toBe(count), 10_000);
}

describe('429', () => {
  test('is for a key that asks too often, and says what the limit is and when to come back', async () => {
    const { publicKey } = await service.newAccount();
    const before = await refusedFor('key');
    const { reply, good, seconds } = await exhaust('/supported', {
      authorization: publicKey,
      origin: 'https://a.example',
    });
    expect(good).toBeLessThanOrEqual(BURST + PER_SECOND * seconds + 1);
    expect(reply.body).toEqual({
      ...{ message: 'This key has sent too many requests', errorId: 4290, errorCode: 429 },
      ...{ errorMessage: 'This key has sent too many requests', field: 'Authorization' },
      requestId: reply.headers.get('x-request-id'),
    });
    expect(reply.headers.get('retry-after')).toBe('1');
    expect(reply.headers.get('ratelimit-policy')).toBe(`"key";q=${BURST};w=2`);
    expect(reply.headers.get('ratelimit')).toBe('"key";r=0;t=1');
    expect(reply.headers.get('access-control-allow-origin')).toBe('https://a.example');
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(await refusedFor('key')).toBeGreaterThan(before);
    // And a second later it is served again.
    await vi.waitFor(
      async () => expect((await service.get('/supported', { authorization: publicKey })).status).toBe(200),
      5_000,
    );
  });

  test('on the earlier surface looks as errors do there', async () => {
    const { reply } = await exhaust('/legacy/gateways', visitor());
    expect(reply.body).toEqual({ message: 'This address has sent too many requests' });
  });

  test('is for the key however it is spelled, whoever sends it, and over one connection or many', async () => {
    const { publicKey } = await service.newAccount();
    const spellings = [publicKey, `Bearer ${publicKey}`, `bearer ${publicKey}`, `Basic ${publicKey}`];
    const began = performance.now();
    const asked = Array.from({ length: 4 * BURST }, (_, at) =>
      service.get('/supported', { authorization: spellings[at % 4] as string, ...visitor() }),
    );
    const good = (await Promise.all(asked)).filter(({ status }) => status === 200).length;
    expect(good).toBeLessThanOrEqual(BURST + (PER_SECOND * (performance.now() - began)) / 1_000 + 1);
    expect(good).toBeGreaterThanOrEqual(BURST - PER_SECOND);
  });

  test('is for requests that were sent without waiting for answers, too', async () => {
    const { publicKey } = await service.newAccount();
    const began = performance.now();
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    await once(socket, 'connect');
    const request = `GET /supported HTTP/1.1\r\nhost: x\r\nauthorization: ${publicKey}\r\nif-none-match: *\r\n`;
    socket.write(`${`${request}\r\n`.repeat(3 * BURST)}${request}connection: close\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += chunk;
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
    expect(statuses).toHaveLength(3 * BURST + 1);
    expect(statuses.filter(status => status !== '429').length).toBeLessThanOrEqual(
      BURST + (PER_SECOND * (performance.now() - began)) / 1_000 + 1,
    );
  });

  test('is for whoever guesses keys, and for nobody else', async () => {
    const guesser = visitor();
    const guesses = Array.from({ length: 3 * BURST }, (_, at) => `pk_test_${String(at).padStart(26, '0')}`);
    const replies = await Promise.all(
      guesses.map(authorization => service.get('/supported', { authorization, ...guesser })),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401, 429]));
    expect((await service.get('/supported', visitor())).status).toBe(200);
    expect(
      (await service.get('/supported', { authorization: service.account.publicKey, ...guesser })).status,
    ).toBe(200);
  });

  test('is for all of a network of version 6', async () => {
    const inside = Array.from({ length: 4 * BURST }, (_, at) => `2001:db8:1:2:${at.toString(16)}::1`);
    const began = performance.now();
    const replies = await Promise.all(
      inside.map(address => service.get('/health', { 'x-forwarded-for': address })),
    );
    const good = replies.filter(({ status }) => status !== 429).length;
    expect(good).toBeLessThanOrEqual(BURST + (PER_SECOND * (performance.now() - began)) / 1_000 + 1);
    expect((await service.get('/supported', { 'x-forwarded-for': '2001:db8:1:3::1' })).status).toBe(200);
  });

  test('for questions leaves orders and health alone', async () => {
    const account = await service.newAccount();
    const headers = { authorization: account.publicKey };
    await exhaust('/supported', headers);
    expect((await checkOut(account.publicKey)).status).toBe(200);
    const records = await service.get('/transactions', { ...headers, 'x-service-secret': account.secret });
    expect(records.status).toBe(200);
    const beats = await Promise.all(Array.from({ length: 2 * BURST }, () => service.get('/health/live')));
    expect(new Set(beats.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

function checkOut(publicKey: string): Promise<Response> {
  return fetch(`${service.url}/checkout/intent`, {
    method: 'POST',
    headers: { authorization: publicKey, 'content-type': 'application/json', ...visitor() },
    body: JSON.stringify({ ...BUY, supportedParams: undefined }),
  });
}

describe('while as many quotes are under way as may be', () => {
  /** Slow providers, and so many quotes under way, each of another caller; ends when all are answered. */
  async function crowd(act: () => Promise<void>): Promise<void> {
    for (const provider of PROVIDERS) service.sandbox.fault(provider, { kind: 'slow', ms: SLOW_MS });
    const held = Array.from({ length: AT_ONCE }, () => service.get(quotePath(), visitor()));
    try {
      await awaitUnderWay(AT_ONCE);
      await act();
    } finally {
      for (const provider of PROVIDERS) service.sandbox.fault(provider, { kind: 'none', ms: 0 });
    }
    const answers = await Promise.all(held);
    expect(answers.map(({ status }) => status)).toEqual(held.map(() => 200));
    expect(
      answers.map(({ body }) => body.filter(({ errors }: { errors?: object }) => !errors).length),
    ).toEqual(held.map(() => PROVIDERS.length));
  }

  test('503 at once for others, on both surfaces and as a stream; those under way get every quote', async () => {
    const before = await refusedFor('crowded');
    await crowd(async () => {
      const began = performance.now();
      const current = await service.get(quotePath(), { ...visitor(), origin: 'https://a.example' });
      expect(performance.now() - began).toBeLessThan(SLOW_MS / 2);
      expect([current.status, current.body.message]).toEqual([503, 'Too many quotes are under way']);
      expect(current.headers.get('retry-after')).toBe('1');
      expect(current.headers.get('access-control-allow-origin')).toBe('https://a.example');
      const earlier = await service.get(`/legacy/rate/eur/btc/creditCard/${++amount}`, visitor());
      expect([earlier.status, earlier.body]).toEqual([503, { message: 'Too many quotes are under way' }]);
      const stream = await service.get(quotePath(), { ...visitor(), accept: 'text/event-stream' });
      expect(stream.status).toBe(503);
    });
    expect(await refusedFor('crowded')).toBeGreaterThanOrEqual(before + 3);
  });

  test('200 for catalog, health and records; one line a second tells of the others', async () => {
    const lines = () =>
      service
        .logged()
        .split('\n')
        .filter(line => line.includes('were refused'));
    const errors = () =>
      service
        .logged()
        .split('\n')
        .filter(line => line.includes('request failed')).length;
    const [before, failed, began] = [lines().length, errors(), performance.now()];
    await crowd(async () => {
      expect((await service.get('/supported?type=sell', visitor())).status).toBe(200);
      expect((await service.get('/health/ready')).status).toBe(200);
      const { publicKey, secret } = service.account;
      const headers = { authorization: publicKey, 'x-service-secret': secret };
      expect((await service.get('/transactions', headers)).status).toBe(200);
      await Promise.all(Array.from({ length: 50 }, () => service.get(quotePath(), visitor())));
      await vi.waitFor(() => expect(lines().length).toBeGreaterThan(before), 5_000);
    });
    expect(lines().length - before).toBeLessThanOrEqual((performance.now() - began) / 1_000 + 2);
    expect(errors()).toBe(failed);
  });
});

test('429 for one caller who has most quotes under way; others are served', async () => {
  for (const provider of PROVIDERS) service.sandbox.fault(provider, { kind: 'slow', ms: SLOW_MS });
  const greedy = visitor();
  const asked = Array.from({ length: 2 * AT_ONCE }, () => service.get(quotePath(), greedy));
  await vi.waitFor(async () => expect(await refusedFor('share')).toBeGreaterThan(0), 5_000);
  const other = await service.get(quotePath(), visitor());
  expect([other.status, other.body.length]).toEqual([200, PROVIDERS.length]);
  for (const provider of PROVIDERS) service.sandbox.fault(provider, { kind: 'none', ms: 0 });
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.filter(status => status === 200)).toHaveLength((AT_ONCE * 3) / 4);
  expect(statuses.filter(status => status === 429)).toHaveLength(2 * AT_ONCE - (AT_ONCE * 3) / 4);
});

test('200 for any number of equal quotes at once, which are one round', async () => {
  const path = quotePath();
  const replies = await Promise.all(Array.from({ length: 5 * AT_ONCE }, () => service.get(path, visitor())));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
});
