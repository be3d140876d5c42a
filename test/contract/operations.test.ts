/** What operators and readers see: health, metrics, the reference, icons and the log. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDatabase, startTestService, type TestService } from '../service.ts';
import { type Answers, readAnswers } from './answers.ts';
import { eventually } from './patience.ts';
import { send } from './wire.ts';
import { getter, MERCURYO, REGISTERED, startInstance } from './world.ts';

let service: TestService;
let answers: Answers;

beforeAll(async () => {
  service = await startTestService();
  answers = await readAnswers(service.get);
});
afterAll(() => service?.close());

describe('health', () => {
  test('200 while it lives and while it is ready', async () => {
    for (const [path, status] of [
      ['/health/live', 'live'],
      ['/health/ready', 'ready'],
    ] as const) {
      const reply = await service.get(path);
      expect([reply.status, reply.body]).toEqual([200, { status }]);
      expect(answers.flaws(path, reply)).toEqual([]);
    }
  });

  test('503 not ready while the database is away, when catalog and quotes go on from memory', async () => {
    const { url, drop } = await makeDatabase();
    const instance = await startInstance({ databaseUrl: url });
    try {
      await eventually(
        async () =>
          (await instance.get('/quotes/eur/btc?amount=99&country=de')).body.length === REGISTERED.length,
        'the listings are there',
      );
      const before = (await instance.get('/supported')).text;
      await drop();
      await eventually(async () => (await instance.get('/health/ready')).status === 503, 'it is not ready');
      const ready = await instance.get('/health/ready');
      expect(ready.body).toEqual({ status: 'unready', reason: expect.any(String) });
      expect(ready.headers.get('retry-after')).toMatch(/^\d+$/);
      expect((await instance.get('/health/live')).status).toBe(200);
      expect((await instance.get('/supported')).text).toBe(before);
      expect(
        (await instance.get('/supported/payment-types/gbp?country=gb')).body.message.length,
      ).toBeGreaterThan(0);
      expect((await instance.get('/quotes/eur/btc?amount=98&country=de')).body.length).toBe(
        REGISTERED.length,
      );
    } finally {
      await instance.close();
    }
  });
});

describe('the end', () => {
  test('comes soon, although somebody is connected who has asked for nothing yet', async () => {
    const { url, drop } = await makeDatabase();
    const instance = await startInstance({ databaseUrl: url, sandboxUrl: service.sandbox.url });
    const { port } = new URL(instance.url);
    const [idle, busy] = [connect(Number(port), '127.0.0.1'), connect(Number(port), '127.0.0.1')];
    busy.write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
    await Promise.all([once(idle, 'connect'), once(busy, 'data')]);
    const closed = instance.close();
    const late = wait(15_000, 'late', { ref: false });
    const outcome = await Promise.race([closed.then(() => 'in time'), late]);
    for (const socket of [idle, busy]) socket.destroy();
    await closed;
    await drop();
    expect(outcome).toBe('in time');
  });
});

describe('metrics', () => {
  test('200 has latency, outcomes and breaker state of every provider', async () => {
    await service.get('/quotes/eur/btc?amount=100&country=de');
    const reply = await service.get('/metrics');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toMatch(/^text\/plain/);
    for (const provider of REGISTERED) {
      expect(reply.text).toMatch(
        new RegExp(
          `^cloverleaf_provider_outcomes_total\\{provider="${provider}",outcome="offer"\\} [1-9]`,
          'm',
        ),
      );
      expect(reply.text).toMatch(
        new RegExp(`^cloverleaf_provider_seconds_count\\{provider="${provider}"\\} [1-9]`, 'm'),
      );
      expect(reply.text).toContain(
        `cloverleaf_provider_breaker{provider="${provider}",environment="test",state="closed"} 1`,
      );
      expect(reply.text).toContain(
        `cloverleaf_provider_breaker{provider="${provider}",environment="test",state="open"} 0`,
      );
    }
    expect(reply.text).toMatch(/^cloverleaf_request_seconds_count\{.*status="200".*\} [1-9]/m);
  });

  test('200 has no label about a person', async () => {
    await service.get('/quotes/eur/btc?amount=100&country=de&walletAddress=bc1qcanary', {
      authorization: service.account.publicKey,
    });
    const { text } = await service.get('/metrics');
    expect(text).not.toContain('bc1qcanary');
    expect(text).not.toContain(service.account.publicKey);
  });
});

describe('pages', () => {
  test('302 leads from the root to the reference', async () => {
    const reply = await service.get('/');
    expect([reply.status, reply.headers.get('location')]).toEqual([302, '/docs']);
  });

  test('200 for the reference and all it loads, from here only', async () => {
    const page = await service.get('/docs');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const loaded = [...page.text.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, link = '']) => link);
    expect(loaded.length).toBeGreaterThan(1);
    for (const link of loaded) {
      expect(link).toMatch(/^\/[^/]/);
      expect([link, (await service.get(link)).status]).toEqual([link, 200]);
    }
  });
});

describe('icons', () => {
  test('200 for every icon any answer names, as what it says it is', async () => {
    const key = { authorization: service.account.publicKey };
    const paths = [
      '/supported',
      '/supported?type=sell',
      '/supported/payment-types?country=de',
      '/supported/onramps/all',
    ];
    const texts = await Promise.all(paths.map(async path => (await service.get(path, key)).text));
    const icons = new Set(texts.flatMap(text => text.match(/http:\/\/[^"]+\/icons\/[^"]+/g) ?? []));
    expect(icons.size).toBeGreaterThan(50);
    const wrong: string[] = [];
    for (const icon of icons) {
      const response = await fetch(icon);
      const bytes = Buffer.from(await response.arrayBuffer());
      const isPng = icon.endsWith('.png');
      const type = response.headers.get('content-type');
      const good = isPng
        ? type === 'image/png' && bytes.subarray(1, 4).toString() === 'PNG'
        : type === 'image/svg+xml' && bytes.includes('<svg');
      if (response.status !== 200 || !good) wrong.push(`${response.status} ${type} ${icon}`);
      if (isPng && bytes.readUInt32BE(16) !== Number(/-(\d+)\.png$/.exec(icon)?.[1]))
        wrong.push(`size of ${icon}`);
    }
    expect(wrong).toEqual([]);
  });

  test('200 for an SVG comes with rules that let it do nothing, and may be cached', async () => {
    const { headers } = await service.get('/icons/crypto/btc.svg');
    expect(headers.get('content-security-policy')).toContain('sandbox');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toMatch(/max-age=\d+/);
  });

  test('200 has every absolute URL below PUBLIC_URL', async () => {
    const { url, drop } = await makeDatabase();
    const port = await freePort();
    const env = { PORT: String(port), PUBLIC_URL: 'https://ramps.example/api/' };
    const instance = await startInstance({ databaseUrl: url, env, sandboxUrl: service.sandbox.url });
    try {
      const get = getter(`http://127.0.0.1:${port}`);
      const { text } = await get('/supported');
      const links = text.match(/https?:\/\/[^"]+/g) ?? [];
      expect(links.length).toBeGreaterThan(50);
      expect(links.filter(link => !link.startsWith('https://ramps.example/api/icons/'))).toEqual([]);
    } finally {
      await instance.close();
      await drop();
    }
  });
});

describe('the log', () => {
  test('is one JSON object a line and holds no address, key or secret, whatever was sent', async () => {
    const wallet = 'bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh';
    const { publicKey, secret } = service.account;
    const unknown = 'pk_test_CANARY0000000000000000000';
    const requests: [string, Record<string, string>][] = [
      [`/quotes/eur/btc?amount=100&country=de&walletAddress=${wallet}`, { authorization: publicKey }],
      [
        `/quotes/eur/btc?amount=oops&country=de&walletAddress=${wallet}`,
        { authorization: `Bearer ${publicKey}` },
      ],
      [`/quotes/${wallet}/eur?amount=1`, {}],
      [`/nope/${wallet}?secret=${secret}`, { 'x-service-secret': secret }],
      [`/supported?type=${wallet}`, { authorization: unknown }],
      [
        '/supported',
        { authorization: unknown, 'user-agent': 'evil\u2028"}', 'x-forwarded-for': '203.0.113.77' },
      ],
      [`/quotes/%ff/btc?walletAddress=${wallet}`, {}],
      ['/quotes/eur%0a%7b%22level%22:60/btc?amount=1', {}],
    ];
    for (const [path, headers] of requests) {
      const bytes = [
        `GET ${path} HTTP/1.1`,
        'Host: a',
        ...Object.entries(headers).map(([k, v]) => `${k}: ${v}`),
      ];
      await send(service.url, Buffer.from(`${bytes.join('\r\n')}\r\nConnection: close\r\n\r\n`));
    }
    service.sandbox.fault(MERCURYO, { kind: 'unauthorized', ms: 0 });
    await service.get(`/quotes/eur/btc?amount=107&country=de&walletAddress=${wallet}`);
    const lines = service.logged().trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(5);
    const broken = lines.filter(line => !isObject(line));
    expect(broken).toEqual([]);
    for (const canary of [
      wallet,
      publicKey,
      secret,
      unknown,
      'CANARY',
      '203.0.113.77',
      'sk_test_cloverleaf',
    ]) {
      expect([canary, lines.filter(line => line.includes(canary))]).toEqual([canary, []]);
    }
    expect(lines.some(line => line.includes('"route":"/quotes/:source/:destination"'))).toBe(true);
  });
});

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
