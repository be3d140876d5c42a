/** What operators and readers see: health, metrics, pages, the sandbox’s switches, icons and the log. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDatabase, startTestService, type TestService } from '../service.ts';
import { type Answers, readAnswers } from './answers.ts';
import { eventually } from './patience.ts';
import { send } from './wire.ts';
import { getter, MERCURYO, REGISTERED, startInstance } from './world.ts';

/** A quote that is late on a busy machine is nothing these tests are about. */
const UNHURRIED = { QUOTE_DEADLINE_MS: '10000' };

let service: TestService;
let answers: Answers;

beforeAll(async () => {
  service = await startTestService(UNHURRIED);
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
    const instance = await startInstance({ databaseUrl: url, env: UNHURRIED });
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

/** Everything of ours that a page loads or leads to. */
function linksOf(text: string): string[] {
  const found = [...text.matchAll(/(?:src|href)="(?!data:|#|https?:)([^"#]+)/g)].map(([, link = '']) => link);
  return [...new Set(found)];
}

describe('pages', () => {
  test('200 for the landing page, with the public key and not the secret', async () => {
    const page = await service.get('/');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain(service.account.publicKey);
    expect(page.text).not.toContain(service.account.secret);
    for (const id of REGISTERED) expect(page.text).toContain(`data-provider="${id}"`);
  });

  test('200 for every page of the documentation and all it leads to, with no script or style in it', async () => {
    const pages = ['/', '/docs', ...linksOf((await service.get('/docs')).text).filter(isDocument)];
    expect(pages.length).toBeGreaterThan(12);
    const links = new Set<string>();
    for (const path of pages) {
      const page = await service.get(path);
      expect([path, page.status]).toEqual([path, 200]);
      expect(page.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self'(; | 'unsafe-inline'; )/,
      );
      expect(page.text).not.toMatch(/<style|<script(?![^>]* src=)| style="| on\w+="/);
      for (const link of linksOf(page.text)) links.add(new URL(link, service.url + path).pathname);
    }
    for (const link of links) expect([link, (await service.get(link)).status]).toEqual([link, 200]);
  });

  test('200 for nothing of another host: only the reference lets its own script write styles', async () => {
    for (const path of ['/', '/docs', '/docs/quick-start'])
      expect((await service.get(path)).headers.get('content-security-policy')).toContain(
        "require-trusted-types-for 'script'; trusted-types 'none'",
      );
    const { headers } = await service.get('/docs/api');
    expect(headers.get('content-security-policy')).toContain("style-src 'self' 'unsafe-inline'");
  });

  test('200 shows the service under its own address', async () => {
    const { text } = await service.get('/docs/quick-start');
    expect(text).toContain(`${service.url}/quotes/eur/btc`);
    expect(text).not.toContain('127.0.0.1:8080');
  });

  test('404 is a page for a person, and a problem for a program', async () => {
    const page = await service.get('/docs/nope', { accept: 'text/html' });
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.text).toContain('There is no such page');
    expect((await service.get('/docs/nope')).body).toMatchObject({ errorCode: 404, field: 'page' });
  });
});

const isDocument = (link: string) => /^\/docs\/[\w-]+$/.test(link);

describe('the sandbox’s switches', () => {
  const put = async (body: unknown, headers: Record<string, string>, provider = 'moonpay') => {
    const response = await fetch(`${service.url}/sandbox/providers/${provider}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as object };
  };
  const faultOf = async (provider: string) => {
    const { providers } = (await service.get('/sandbox/providers')).body;
    return providers.find(({ id }: { id: string }) => id === provider).fault;
  };

  test('200 lists all stand-ins and what they can do wrong', async () => {
    const reply = await service.get('/sandbox/providers');
    expect(answers.flaws('/sandbox/providers', reply)).toEqual([]);
    expect(reply.body.providers.map(({ id }: { id: string }) => id).sort()).toEqual(REGISTERED);
    expect(reply.body.kinds).toEqual(expect.arrayContaining(['none', 'hang', 'webhooks-lost']));
  });

  test('200 turns one for our own page, and it shows in quotes', async () => {
    const own = { origin: service.url };
    const turned = await put({ kind: 'error' }, { ...own, 'sec-fetch-site': 'same-origin' });
    expect(turned).toMatchObject({
      status: 200,
      body: { id: 'moonpay', fault: { kind: 'error', ms: 3_000 } },
    });
    expect(await faultOf('moonpay')).toEqual({ kind: 'error', ms: 3_000 });
    const quotes = (await service.get('/quotes/eur/btc?amount=61&country=de&errors=all')).body;
    expect(quotes.find(({ ramp }: { ramp: string }) => ramp === 'moonpay').errors[0].type).toBe(
      'ProviderUnavailable',
    );
    expect((await put({ kind: 'none' }, own)).status).toBe(200);
    expect(await faultOf('moonpay')).toEqual({ kind: 'none', ms: 0 });
  });

  test('403 for pages of other origins and for programs, who may not read it either', async () => {
    for (const headers of [
      {},
      { origin: 'https://evil.example' },
      { origin: service.url, 'sec-fetch-site': 'cross-site' },
      { origin: service.sandbox.url, 'sec-fetch-site': 'same-site' },
    ]) {
      expect(await put({ kind: 'hang' }, headers)).toMatchObject({ status: 403, body: { field: 'Origin' } });
    }
    expect(await faultOf('moonpay')).toEqual({ kind: 'none', ms: 0 });
    const read = await service.get('/sandbox/providers', { origin: 'https://evil.example' });
    expect(read.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('400 and 404 name what is wrong', async () => {
    const own = { origin: service.url };
    expect(await put({ kind: 'explode' }, own)).toMatchObject({ status: 400, body: { field: 'kind' } });
    expect(await put({}, own)).toMatchObject({ status: 400, body: { field: 'kind' } });
    expect(await put({ kind: 'slow', ms: 60_001 }, own)).toMatchObject({
      status: 400,
      body: { field: 'ms' },
    });
    expect(await put({ kind: 'slow' }, own, 'nobody')).toMatchObject({
      status: 404,
      body: { field: 'provider' },
    });
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
    const env = { PUBLIC_URL: 'https://ramps.example/api/' };
    const instance = await startInstance({ databaseUrl: url, env, sandboxUrl: service.sandbox.url });
    try {
      // Its own URL is the public one; only the log says where it listens.
      const [, address = ''] = /listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(instance.logged()) ?? [];
      const get = getter(address);
      const { text } = await get('/supported');
      const links = text.match(/https?:\/\/[^"]+/g) ?? [];
      expect(links.length).toBeGreaterThan(50);
      expect(links.filter(link => !link.startsWith('https://ramps.example/api/icons/'))).toEqual([]);
      const page = (await get('/docs/webhooks')).text;
      expect(linksOf(page).filter(link => !link.startsWith('/api/docs'))).toEqual([]);
      expect(page).toContain('https://ramps.example/api/webhooks');
      const root = await get('/');
      expect([root.status, root.headers.get('location')]).toEqual([302, '/api/docs']);
      expect((await get('/sandbox/providers')).status).toBe(404);
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

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
