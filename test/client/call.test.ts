/** Calls end in time, are tried again only where that does no harm, and fail in ways that can be told apart. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ClientOptions, createClient } from '../../client/src/client.ts';
import { type Script, type Scripted, script } from './scripted.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const README = resolve(import.meta.dirname, '../../client/README.md');
const BUSY: Scripted = { status: 503, body: { message: 'Later', errorId: 5030 } };
const COUNTRIES: Scripted = {
  status: 200,
  body: { message: [{ countryCode: 'DE', countryName: 'Germany' }] },
};
const HANGING: Scripted[] = ['hangs', { chunks: ['{'], hangs: true }];
const ASK = { source: 'eur', destination: 'btc', amount: '100' };
const ORDER = { ...ASK, onramp: 'moonpay', wallet: { address: 'x' } };

function clientOf({ fetch }: Script, options: Partial<ClientOptions> = {}) {
  return createClient({
    url: 'https://ramps.example/',
    key: 'pk_test_1',
    fetch,
    random: () => 0,
    ...options,
  });
}

/** What a promise comes to while time passes by itself. */
async function settle<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  await vi.runAllTimersAsync();
  return promise;
}

const error = (about: object) => expect.objectContaining({ name: 'CloverleafError', ...about });

describe('requests', () => {
  it('carry the key, the query and nothing that was not said', async () => {
    const told = script({ status: 200, body: [] });
    await clientOf(told, { secret: 'sk_1' }).quotes({ ...ASK, country: 'de', network: undefined });
    const [asked] = told.asked;
    expect(asked?.url.href).toBe('https://ramps.example/quotes/eur/btc?amount=100&country=de');
    expect(asked?.headers.get('authorization')).toBe('pk_test_1');
    expect(asked?.headers.has('x-service-secret')).toBe(false);
  });

  it('carry the secret only where the service wants it', async () => {
    const told = script({ status: 200, body: {} });
    await clientOf(told, { secret: 'sk_1' }).transaction('a/b');
    expect(told.asked[0]?.url.pathname).toBe('/transactions/a%2Fb');
    expect(told.asked[0]?.headers.get('x-service-secret')).toBe('sk_1');
  });
});

describe('another try', () => {
  it.each<[string, Scripted]>([
    ['no connection', 'refused'],
    ['408', { status: 408 }],
    ['429', { status: 429 }],
    ['502', { status: 502 }],
    ['503', BUSY],
    ['504', { status: 504, body: '<html>' }],
  ])('is made after %s', async (_, first) => {
    const told = script(first, first, COUNTRIES);
    expect(await settle(clientOf(told).countries())).toHaveLength(1);
    expect(told.asked).toHaveLength(3);
  });

  it.each([400, 401, 403, 404, 409, 410, 413, 422, 500])('is not made after %d', async status => {
    const told = script({ status, body: { message: 'No' } }, COUNTRIES);
    await expect(settle(clientOf(told).countries())).rejects.toEqual(error({ status, message: 'No' }));
    expect(told.asked).toHaveLength(1);
  });

  it('is made after the statuses that the README names, and after no others', async () => {
    const section = /## What is tried again\n([^#]+)/.exec(readFileSync(README, 'utf8'))?.[1] ?? '';
    const triedAgain: number[] = [];
    for (let status = 400; status < 600; status++) {
      const told = script({ status }, COUNTRIES);
      await settle(
        clientOf(told)
          .countries()
          .catch(() => {}),
      );
      if (told.asked.length > 1) triedAgain.push(status);
    }
    expect(section.match(/\b[45]\d\d\b/g)?.map(Number)).toEqual(triedAgain);
  });

  it('is the last one when there were two', async () => {
    const told = script(BUSY);
    await expect(settle(clientOf(told).countries())).rejects.toEqual(error({ kind: 'busy', code: 5030 }));
    expect(told.asked).toHaveLength(3);
  });

  it('waits longer each time, and not as long as everybody else', async () => {
    const waits = async (random: number) => {
      const told = script(BUSY);
      const times: number[] = [];
      const fetch: typeof globalThis.fetch = (input, init) => {
        times.push(performance.now());
        return told.fetch(input, init);
      };
      const options = { fetch, retries: 7, timeoutMs: 600_000, random: () => random };
      await settle(
        clientOf(told, options)
          .countries()
          .catch(() => {}),
      );
      return times.slice(1).map((time, at) => Math.round(time - (times[at] ?? 0)));
    };
    expect(await waits(0)).toEqual([125, 250, 500, 1_000, 2_000, 4_000, 4_000]);
    expect(await waits(1)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 8_000]);
  });

  it('is made when the service says, not before', async () => {
    const told = script({ ...BUSY, headers: { 'retry-after': '7' } }, COUNTRIES);
    const asking = clientOf(told).countries();
    await vi.advanceTimersByTimeAsync(6_999);
    expect(told.asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2);
    expect(told.asked).toHaveLength(2);
    await asking;
  });

  it('is left to the caller when the service asks for more time than there is', async () => {
    const told = script({ status: 429, headers: { 'retry-after': '60' } });
    await expect(settle(clientOf(told).countries())).rejects.toEqual(error({ kind: 'busy', retryAfter: 60 }));
    expect(told.asked).toHaveLength(1);
  });

  it('is not made of what changes something without a key', async () => {
    const told = script('refused');
    const { webhooks } = clientOf(told);
    await expect(settle(webhooks.add('https://shop.example/hook'))).rejects.toEqual(
      error({ kind: 'unreachable' }),
    );
    await expect(settle(webhooks.remove('1'))).rejects.toEqual(error({ kind: 'unreachable' }));
    expect(told.asked).toHaveLength(2);
  });
});

describe('a checkout', () => {
  const DONE: Scripted = { status: 200, body: { message: { status: 'in_progress' } } };
  const RUNNING: Scripted = { status: 409, body: { message: 'Still running', field: 'Idempotency-Key' } };

  it('has its key before the first try, and keeps it and its body over all tries', async () => {
    const told = script('refused', RUNNING, DONE);
    expect(await settle(clientOf(told).checkout({ ...ORDER, amount: '100.50' }))).toEqual({
      status: 'in_progress',
    });
    const keys = told.asked.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(keys).size).toBe(1);
    expect(new Set(told.asked.map(({ body }) => body)).size).toBe(1);
    expect(told.asked[0]?.body).toContain('"amount":100.50');
  });

  it('that still runs is waited for as long as there is time', async () => {
    const told = script(RUNNING, RUNNING, RUNNING, RUNNING, RUNNING, DONE);
    expect(await settle(clientOf(told).checkout(ORDER))).toEqual({ status: 'in_progress' });
    await expect(settle(clientOf(script(RUNNING)).checkout(ORDER))).rejects.toEqual(
      error({ kind: 'conflict' }),
    );
  });

  it('has another key than the one before, or the one it is given', async () => {
    const told = script(DONE);
    const client = clientOf(told, { newKey: () => `order-${told.asked.length}` });
    await client.checkout(ORDER);
    await client.checkout(ORDER);
    await client.checkout(ORDER, { idempotencyKey: 'mine' });
    const keys = told.asked.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toEqual(['order-0', 'order-1', 'mine']);
  });

  it('of another order under the same key is a conflict, and nobody’s refusal', async () => {
    const told = script({ status: 422, body: { message: 'Used', field: 'Idempotency-Key' } });
    await expect(settle(clientOf(told).checkout(ORDER))).rejects.toEqual(
      error({ kind: 'conflict', status: 422, field: 'Idempotency-Key' }),
    );
    expect(told.asked).toHaveLength(1);
  });

  it('says where the person is in the query, not in the order', async () => {
    const told = script(DONE);
    await clientOf(told).checkout({ ...ORDER, country: 'us', state: 'tx' });
    expect(told.asked[0]?.url.search).toBe('?country=us&state=tx');
    expect(told.asked[0]?.body).not.toContain('country');
  });

  it('that is refused tells why and what would do', async () => {
    const body =
      '{"message":"Too small","errorId":6101,"type":"LimitMismatch","field":"amount","minAmount":20.50,"maxAmount":1000,"requestId":"r1"}';
    const told = script({ status: 422, body });
    await expect(clientOf(told).checkout(ORDER)).rejects.toEqual(
      error({
        kind: 'declined',
        status: 422,
        code: 6101,
        message: 'Too small',
        field: 'amount',
        reason: 'LimitMismatch',
        minAmount: '20.50',
        maxAmount: '1000',
        requestId: 'r1',
      }),
    );
    expect(told.asked).toHaveLength(1);
  });

  it('whose signature was used before is not tried again', async () => {
    const told = script({ status: 409, body: { message: 'Used', field: 'signContent' } });
    await expect(settle(clientOf(told).checkout(ORDER))).rejects.toEqual(error({ kind: 'conflict' }));
    expect(told.asked).toHaveLength(1);
  });
});

describe('the end of a call', () => {
  it('comes in time, and counts waits and tries', async () => {
    for (const answer of HANGING) {
      const asking = clientOf(script(answer), { timeoutMs: 5_000 }).countries();
      await expect(settle(asking)).rejects.toEqual(error({ kind: 'timeout' }));
    }
    const told = script(BUSY, BUSY, 'hangs');
    const started = performance.now();
    await expect(settle(clientOf(told, { timeoutMs: 1_000 }).countries())).rejects.toEqual(
      error({ kind: 'timeout' }),
    );
    expect(performance.now() - started).toBe(1_000);
  });

  it.each([Number.POSITIVE_INFINITY, 2 ** 31, Number.MAX_VALUE])(
    'may be as far as %d ms',
    async timeoutMs => {
      const told = script(BUSY, COUNTRIES);
      expect(await settle(clientOf(told, { timeoutMs }).countries())).toHaveLength(1);
      expect(await settle(clientOf(script(BUSY, COUNTRIES)).countries({ timeoutMs }))).toHaveLength(1);
    },
  );

  it('does not come by itself when it is at no time', async () => {
    const caller = new AbortController();
    const asking = clientOf(script('hangs')).countries({ timeoutMs: Infinity, signal: caller.signal });
    expect(vi.getTimerCount()).toBe(0);
    caller.abort();
    await expect(asking).rejects.toEqual(error({ kind: 'aborted' }));
  });

  it('comes when the caller says so: before, while asking, while waiting', async () => {
    await expect(clientOf(script(COUNTRIES)).countries({ signal: AbortSignal.abort() })).rejects.toEqual(
      error({ kind: 'aborted' }),
    );
    for (const answer of ['hangs', BUSY] as const) {
      const caller = new AbortController();
      const told = script(answer);
      const asking = clientOf(told).countries({ signal: caller.signal });
      asking.catch(() => {});
      await vi.advanceTimersByTimeAsync(1);
      caller.abort();
      await expect(asking).rejects.toEqual(error({ kind: 'aborted' }));
      expect(told.asked).toHaveLength(1);
    }
  });

  it('leaves no timer behind', async () => {
    await clientOf(script(COUNTRIES)).countries();
    await settle(
      clientOf(script(BUSY))
        .countries()
        .catch(() => {}),
    );
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('answers that are not the service’s', () => {
  it('are told apart by their status, or as a failure', async () => {
    await expect(clientOf(script({ status: 404, body: '<html>' })).countries()).rejects.toEqual(
      error({ kind: 'notFound', message: 'The service answered 404' }),
    );
    await expect(clientOf(script({ status: 200, body: '<html>' })).countries()).rejects.toEqual(
      error({ kind: 'failed' }),
    );
    await expect(clientOf(script({ status: 418 })).countries()).rejects.toEqual(error({ kind: 'failed' }));
  });

  it('that break off are asked for again, a checkout with its key', async () => {
    const broken: Scripted = { chunks: ['{"mess'], breaks: true };
    expect(await settle(clientOf(script(broken, COUNTRIES)).countries())).toHaveLength(1);
    const told = script(broken);
    await expect(settle(clientOf(told).checkout(ORDER))).rejects.toEqual(error({ kind: 'unreachable' }));
    expect(new Set(told.asked.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
    expect(told.asked).toHaveLength(3);
  });

  it('that have no end are not read to it', async () => {
    const told = script({ chunks: Array.from({ length: 40 }, () => new Uint8Array(1024 * 1024).fill(32)) });
    await expect(clientOf(told).countries()).rejects.toEqual(
      error({ kind: 'failed', message: 'The answer is too long' }),
    );
    expect(told.asked).toHaveLength(1);
  });
});
