/** Headers: request ids, cross-origin rules, and what may be cached. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../service.ts';
import { listen, readAnswer, target } from './wire.ts';
import { MOONPAY, PROVIDERS } from './world.ts';
import { bodyOf } from './world-orders.ts';

const CATALOG = [
  '/supported',
  '/supported/payment-types?country=de',
  '/supported/payment-types/eur?country=de',
  '/supported/defaults/all?country=de',
  '/supported/assets?country=de',
  '/supported/onramps/all',
  '/supported/onramps?source=eur&destination=btc&country=de',
  '/supported/countries',
];
const ORIGIN = 'https://shop.example';

let service: TestService;
let key: Record<string, string>;

beforeAll(async () => {
  service = await startTestService({}, { only: PROVIDERS });
  key = { authorization: service.account.publicKey };
});
afterAll(() => service?.close());

describe('request ids', () => {
  test('200 and errors carry an X-Request-Id of their own, the same as in the body', async () => {
    const seen = new Set<string>();
    const paths = [
      '/supported',
      '/supported',
      '/quotes/eur/btc?amount=100',
      '/health/live',
      '/supported?type=x',
      '/nope',
    ];
    for (const path of paths) {
      const reply = await service.get(path);
      const id = reply.headers.get('x-request-id');
      expect([path, id]).toEqual([path, expect.stringMatching(/^[\w-]{8,64}$/)]);
      if (reply.status >= 400) expect(reply.body.requestId).toBe(id);
      seen.add(String(id));
    }
    expect(seen.size).toBe(paths.length);
  });

  test('400 for a path that cannot be decoded has one too', async () => {
    const reply = await service.get('/quotes/%ff/btc?amount=100');
    expect(reply.status).toBe(400);
    expect(reply.headers.get('x-request-id')).toBe(reply.body.requestId);
  });
});

describe('cross-origin', () => {
  const expectReadable = (path: string, headers: Headers) => {
    expect([path, headers.get('access-control-allow-origin')]).toEqual([path, ORIGIN]);
    expect([path, headers.get('vary')]).toEqual([path, expect.stringContaining('Origin')]);
  };

  test('200 echoes the origin, for fresh and remembered answers alike', async () => {
    for (const path of [...CATALOG, ...CATALOG, '/quotes/eur/btc?amount=100&country=de']) {
      const { status, headers } = await service.get(path, { ...key, origin: ORIGIN });
      expect([path, status]).toEqual([path, 200]);
      expectReadable(path, headers);
    }
  });

  test('4xx echoes the origin as well', async () => {
    const cases: [string, number, Record<string, string>][] = [
      ['/supported?type=x', 400, {}],
      ['/quotes/eur/btc?amount=0', 400, {}],
      ['/quotes/%ff/btc?amount=1', 400, {}],
      ['/supported/assets', 401, {}],
      ['/supported', 401, { authorization: 'pk_test_unknown' }],
      ['/nope', 404, {}],
    ];
    for (const [path, status, more] of cases) {
      const reply = await service.get(path, { ...more, origin: ORIGIN });
      expect([path, reply.status]).toEqual([path, status]);
      expectReadable(path, reply.headers);
    }
    const posted = await fetch(`${service.url}/supported`, { method: 'POST', headers: { origin: ORIGIN } });
    expect(posted.status).toBe(405);
    expectReadable('POST /supported', posted.headers);
  });

  test('204 answers a preflight with the origin, the methods and the headers asked for', async () => {
    for (const path of ['/supported', '/supported/assets', '/quotes/eur/btc?amount=100']) {
      const response = await fetch(service.url + path, {
        method: 'OPTIONS',
        headers: {
          origin: ORIGIN,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization,x-my-header',
        },
      });
      expect([path, response.status]).toEqual([path, 204]);
      expectReadable(path, response.headers);
      expect(response.headers.get('access-control-allow-methods')).toContain('GET');
      expect(response.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization');
      expect(response.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('x-my-header');
    }
  });

  test('204 answers the preflight of what is posted', async () => {
    for (const path of ['/checkout/intent', '/webhooks']) {
      const response = await fetch(service.url + path, {
        method: 'OPTIONS',
        headers: {
          origin: ORIGIN,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type,idempotency-key',
        },
      });
      expect([path, response.status]).toEqual([path, 204]);
      expectReadable(path, response.headers);
      expect(response.headers.get('access-control-allow-methods')).toContain('POST');
      expect(response.headers.get('access-control-allow-headers')).toContain('idempotency-key');
    }
  });

  test('200 and 4xx of a checkout can be read by the page that asked, with the request id', async () => {
    for (const [body, status] of [
      [bodyOf(MOONPAY), 200],
      [{}, 400],
    ] as const) {
      const response = await fetch(`${service.url}/checkout/intent`, {
        method: 'POST',
        headers: { ...key, origin: ORIGIN, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      await response.arrayBuffer();
      expect(response.status).toBe(status);
      expectReadable('/checkout/intent', response.headers);
      expect(response.headers.get('access-control-expose-headers')?.toLowerCase()).toContain('x-request-id');
    }
  });

  test('200 has no such headers when no browser asks', async () => {
    const { headers } = await service.get('/supported');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  test('200 that anybody may store tells caches that the origin matters, although no browser asked', async () => {
    const page = (await service.get('/docs')).text;
    const [asset = ''] = /\/docs\/assets\/site\.css\?v=[\w-]+/.exec(page) ?? [];
    for (const path of ['/icons/crypto/btc.svg', asset, '/openapi.json']) {
      const { status, headers } = await service.get(path);
      expect([path, status, headers.get('vary')]).toEqual([path, 200, expect.stringMatching(/^Origin\b/)]);
    }
    const { headers } = await service.get('/icons/crypto/btc.svg', { origin: ORIGIN });
    expectReadable('/icons/crypto/btc.svg', headers);
  });

  test('200 lets pages read the ETag and the request id', async () => {
    const exposed = (await service.get('/supported', { origin: ORIGIN })).headers.get(
      'access-control-expose-headers',
    );
    expect(exposed?.toLowerCase()).toContain('etag');
    expect(exposed?.toLowerCase()).toContain('x-request-id');
  });
});

describe('caching', () => {
  test('200 of the catalog carries ETag, Cache-Control and Vary, the same every time', async () => {
    for (const path of CATALOG) {
      const [first, second] = [await service.get(`${path}`, key), await service.get(path, key)];
      for (const { headers } of [first, second]) {
        expect([path, headers.get('etag')]).toEqual([path, expect.stringMatching(/^"[\w-]+"$/)]);
        expect([path, headers.get('cache-control')]).toEqual([path, expect.stringMatching(/max-age=\d+/)]);
        expect([path, headers.get('vary')]).toEqual([path, expect.stringContaining('Authorization')]);
      }
      expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
      expect(second.text).toBe(first.text);
    }
  });

  test('304 without a body when the caller has it already, fresh or remembered', async () => {
    for (const path of CATALOG) {
      const etag = String((await service.get(path, key)).headers.get('etag'));
      // Another spelling of the same question is answered afresh the first time.
      const fresh = `${path}${path.includes('?') ? '&' : '?'}spelled=otherwise`;
      for (const asked of [path, fresh, fresh]) {
        const reply = await service.get(asked, { ...key, 'if-none-match': etag });
        expect([asked, reply.status, reply.text]).toEqual([asked, 304, '']);
        expect(reply.headers.get('etag')).toBe(etag);
        expect(reply.headers.get('cache-control')).toMatch(/max-age/);
      }
    }
  });

  test('304 has neither length nor type, fresh or remembered; to HEAD only the length that a 200 has', async () => {
    const { text, headers } = await service.get('/supported');
    const known = `If-None-Match: ${headers.get('etag')}`;
    for (const path of ['/supported?bare=wire', '/supported?bare=wire']) {
      const bytes = await listen(service.url, target(path, [known]));
      expect(bytes).toMatch(/^HTTP\/1\.1 304 .*\r\n\r\n$/s);
      expect(bytes.toLowerCase()).not.toMatch(/content-length|content-type|transfer-encoding/);
    }
    const head = await listen(service.url, target('/supported', [known]).replace('GET', 'HEAD'));
    expect(readAnswer(Buffer.from(head), true)).toMatchObject({
      status: 304,
      headers: { 'content-length': String(Buffer.byteLength(text)) },
      text: '',
    });
    expect(head.toLowerCase()).not.toContain('content-type');
  });

  test('304 for a weak form, for one of several, and for any', async () => {
    const etag = String((await service.get('/supported')).headers.get('etag'));
    for (const sent of [`W/${etag}`, `"other", ${etag}`, `"other",W/${etag}`, '*']) {
      expect([sent, (await service.get('/supported', { 'if-none-match': sent })).status]).toEqual([
        sent,
        304,
      ]);
    }
  });

  test('200 for an ETag that is another', async () => {
    const reply = await service.get('/supported', { 'if-none-match': '"other"' });
    expect(reply.status).toBe(200);
    expect(reply.body.message.crypto.length).toBeGreaterThan(0);
  });

  test('200 to HEAD has the headers and no body', async () => {
    const get = await service.get('/supported');
    const head = await fetch(`${service.url}/supported`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
    expect(Number(head.headers.get('content-length'))).toBe(Buffer.byteLength(get.text));
  });

  test('200 of what is an account’s own is not to be stored', async () => {
    const keys = { ...key, 'x-service-secret': service.account.secret };
    for (const path of ['/transactions', '/transactions?limit=1', '/webhooks']) {
      const { status, headers } = await service.get(path, keys);
      expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'no-store']);
    }
  });

  test('200 of quotes, and every error, is not to be stored', async () => {
    for (const path of [
      '/quotes/eur/btc?amount=100&country=de',
      '/supported?type=x',
      '/supported/assets',
      '/nope',
    ]) {
      const { headers } = await service.get(path);
      expect([path, headers.get('cache-control')]).toEqual([path, expect.stringContaining('no-store')]);
      expect([path, headers.get('etag')]).toEqual([path, null]);
    }
  });
});
