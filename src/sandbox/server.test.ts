/** The sandbox over HTTP: providers' paths, and every fault doing what it says. */
import { type IncomingMessage, request } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { decimal } from '../domain/money.ts';
import type { ProviderId } from '../domain/words.ts';
import { currencies } from '../main.ts';
import type { Standin } from '../providers/world.ts';
import { FAULT_KINDS, NO_FAULT } from './faults.ts';
import { type Sandbox, startSandbox } from './server.ts';

const ACME = 'acme' as ProviderId;
const standin: Standin = {
  settings: {},
  routes: [
    {
      method: 'GET',
      host: 'api',
      path: '/v1/coins/:code/quote',
      answer: ({ params, query, headers }, world) => ({
        status: 200,
        headers: { 'x-now': String(world.now) },
        body: {
          ...params,
          ...query,
          mark: headers['x-mark'],
          price: decimal('0.10'),
          euro: world.market.perEuro('EUR'),
        },
      }),
    },
    {
      method: 'POST',
      host: 'api',
      path: '/v1/orders',
      answer: ({ body, rawBody }) => ({ status: 201, body: { body, rawBody } }),
    },
    {
      method: 'GET',
      host: 'api',
      path: '/v1/price',
      answer: (_request, { market, currencies: known }) => {
        const found = known.findAsset('btc');
        return {
          status: 200,
          body: { price: found && 'asset' in found ? market.price(found.asset, 'EUR') : null },
        };
      },
    },
    {
      method: 'GET',
      host: 'page',
      path: '/',
      answer: ({ search, ip }, world) => ({
        status: 200,
        headers: { 'content-type': 'text/html' },
        body: `${search} ${ip} ${world.base('page')}`,
      }),
    },
    {
      method: 'POST',
      host: 'page',
      path: '/flow/:id',
      answer: ({ params, form, body }) => ({
        status: 200,
        body: { params, form, isJson: body !== undefined },
      }),
    },
    {
      method: 'POST',
      host: 'page',
      path: '/notes/:note',
      answer({ params }, world) {
        const { note = '' } = params;
        world.notes.put(note, `${world.notes.get(note) ?? ''}${note}`);
        world.later(1, () => {
          throw new Error('nobody waits for this');
        });
        return { status: 200, body: world.notes.find(() => true) };
      },
    },
    {
      method: 'GET',
      host: 'api',
      path: '/v1/bug',
      answer: () => {
        throw new Error('a stand-in broke');
      },
    },
  ],
};

let sandbox: Sandbox;
const troubles: unknown[] = [];

beforeAll(async () => {
  sandbox = await startSandbox({
    standins: new Map([[ACME, standin]]),
    currencies,
    host: '127.0.0.1',
    port: 0,
    now: () => 1_800_000_000_000,
    onError: error => troubles.push(error),
  });
});
afterEach(() => sandbox.fault(ACME, NO_FAULT));
afterAll(() => sandbox.close());

interface Reply {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
}

/** One request on a connection of its own, cut after `most` bytes. */
function call(
  path: string,
  options: { method?: string; body?: string; most?: number; headers?: Record<string, string> } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${sandbox.url}${path}`,
      { method: options.method ?? 'GET', agent: false, headers: options.headers },
      response => {
        let text = '';
        const finish = () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        response.setEncoding('utf8');
        response.on('data', chunk => {
          text += chunk;
          if (text.length < (options.most ?? 10_000_000)) return;
          finish();
          sent.destroy();
        });
        response.on('end', finish);
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(options.body);
  });
}

describe('routes', () => {
  it('are the provider’s own paths below its name and host, with parameters decoded', async () => {
    const reply = await call('/acme/api/v1/coins/btc%20x/quote?a=1%2B1', { headers: { 'x-mark': 'm' } });
    expect(JSON.parse(reply.text)).toEqual({ code: 'btc x', a: '1+1', mark: 'm', price: 0.1, euro: 1 });
    expect([reply.status, reply.headers['x-now']]).toEqual([200, '1800000000000']);
    expect(reply.text).toContain('"price":0.1,');
  });

  it('read JSON with its numbers as text, and see no body where it is none', async () => {
    const replies = await Promise.all(
      ['{"n":1.10}', 'not json'].map(body => call('/acme/api/v1/orders', { method: 'POST', body })),
    );
    expect(replies.map(({ text }) => JSON.parse(text).body)).toEqual([{ n: '1.10' }, undefined]);
  });

  it.each([
    '/acme/api/v1/nothing',
    '/acme/other/v1/price',
    '/nobody/api/v1/price',
    '/__proto__/api/v1/price',
    '/acme/api/v1/coins/a/b/quote',
    '/',
  ])('there are no others: %s', async path => {
    expect((await call(path)).status).toBe(404);
  });

  it('that break are told from a provider’s own trouble', async () => {
    expect(await call('/acme/api/v1/bug')).toMatchObject({
      status: 599,
      text: expect.stringContaining('a stand-in broke'),
    });
    expect((await call('/acme/api/v1/coins/%E0%A4%A/quote')).status).not.toBe(200);
  });
});

describe('pages', () => {
  it('stand at the root of a host, with or without a slash, and see the query string as it came', async () => {
    const base = `${sandbox.url}/acme/page`;
    for (const path of ['/acme/page', '/acme/page/']) {
      const reply = await call(`${path}?b=%2b+x&a=1`);
      expect([reply.status, reply.text]).toEqual([200, `?b=%2b+x&a=1 127.0.0.1 ${base}`]);
      expect(reply.headers['content-type']).toBe('text/html');
    }
    expect((await call('/acme/page')).text).toBe(` 127.0.0.1 ${base}`);
  });

  it('read forms, and take nothing else for one', async () => {
    const send = (type: string, body: string) =>
      call('/acme/page/flow/f%201', { method: 'POST', body, headers: { 'content-type': type } });
    const form = await send('application/x-www-form-urlencoded', 'name=J%C3%BCrgen+M&code=1');
    expect(JSON.parse(form.text)).toEqual({
      params: { id: 'f 1' },
      form: { name: 'Jürgen M', code: '1' },
      isJson: false,
    });
    expect(JSON.parse((await send('application/json', '{"name":"x"}')).text)).toMatchObject({
      form: {},
      isJson: true,
    });
  });

  it('remember, and survive what breaks later', async () => {
    await call('/acme/page/notes/a', { method: 'POST' });
    await call('/acme/page/notes/b', { method: 'POST' });
    expect(JSON.parse((await call('/acme/page/notes/a', { method: 'POST' })).text)).toEqual(['aa', 'b']);
    await expect.poll(() => troubles.length).toBe(3);
    expect(String(troubles[0])).toContain('nobody waits for this');
  });
});

describe('faults', () => {
  const price = () => call('/acme/api/v1/price', { most: 300_000 });

  it.each([
    ['error', 500],
    ['limited', 429],
    ['unauthorized', 401],
  ] as const)('%s answers %i', async (kind, status) => {
    sandbox.fault(ACME, { kind, ms: 0 });
    const reply = await price();
    expect(reply.status).toBe(status);
    if (kind === 'limited') expect(reply.headers['retry-after']).toBe('30');
  });

  it('garbage is a page, truncated is half the answer', async () => {
    const whole = await price();
    sandbox.fault(ACME, { kind: 'garbage', ms: 0 });
    expect(await price()).toMatchObject({ status: 200, text: expect.stringMatching(/^<!doctype html>/) });
    sandbox.fault(ACME, { kind: 'truncated', ms: 0 });
    const half = await price();
    expect(whole.text.startsWith(half.text) && half.text.length < whole.text.length).toBe(true);
    expect(() => JSON.parse(half.text)).toThrow(SyntaxError);
  });

  it('slow takes as long as it is told', async () => {
    sandbox.fault(ACME, { kind: 'slow', ms: 150 });
    const began = performance.now();
    expect((await price()).status).toBe(200);
    expect(performance.now() - began).toBeGreaterThanOrEqual(140);
  });

  it('huge goes on and on', async () => {
    sandbox.fault(ACME, { kind: 'huge', ms: 0 });
    expect((await price()).text.length).toBeGreaterThanOrEqual(300_000);
  });

  it('drip sends byte by byte', async () => {
    sandbox.fault(ACME, { kind: 'drip', ms: 0 });
    const reply = await call('/acme/api/v1/price', { most: 3 });
    expect([reply.status, reply.text.length]).toEqual([200, 3]);
  });

  it('reset breaks the connection', async () => {
    sandbox.fault(ACME, { kind: 'reset', ms: 0 });
    await expect(price()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('hang says nothing', async () => {
    sandbox.fault(ACME, { kind: 'hang', ms: 0 });
    const answered = await Promise.race([
      price().then(
        () => true,
        () => true,
      ),
      new Promise(resolve => setTimeout(resolve, 150, false)),
    ]);
    expect(answered).toBe(false);
  });

  it.each(FAULT_KINDS.filter(kind => kind.startsWith('webhooks-')))('%s leaves answers alone', async kind => {
    const { text } = await price();
    sandbox.fault(ACME, { kind, ms: 0 });
    expect(await price()).toMatchObject({ status: 200, text });
  });

  it('lie sees another market', async () => {
    const truth = JSON.parse((await price()).text).price;
    sandbox.fault(ACME, { kind: 'lie', ms: 0 });
    expect(JSON.parse((await price()).text).price / truth).toBeCloseTo(0.001, 6);
  });
});

describe('the switch', () => {
  const put = (path: string, body: unknown) =>
    call(path, { method: 'PUT', body: typeof body === 'string' ? body : JSON.stringify(body) });

  it('sets a fault, lists it, and takes it back', async () => {
    expect((await put('/_faults/acme', { kind: 'error' })).status).toBe(200);
    expect(JSON.parse((await call('/_faults')).text)).toEqual({
      faults: { acme: { kind: 'error', ms: 3_000 } },
      kinds: [...FAULT_KINDS],
    });
    expect((await call('/acme/api/v1/price')).status).toBe(500);
    await put('/_faults/acme', { kind: 'none' });
    expect((await call('/acme/api/v1/price')).status).toBe(200);
  });

  it('refuses what it does not know, and changes nothing', async () => {
    const replies = await Promise.all([
      put('/_faults/acme', { kind: 'explode' }),
      put('/_faults/acme', 'not json'),
      put('/_faults/acme', 'null'),
      put('/_faults/nobody', { kind: 'error' }),
      put('/_faults', { kind: 'error' }),
      call('/_faults/acme', { method: 'DELETE' }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([400, 400, 400, 404, 405, 405]);
    expect((await call('/acme/api/v1/price')).status).toBe(200);
  });

  it.each([
    [{ kind: 'slow', ms: 10 ** 9 }, 60_000],
    [{ kind: 'webhooks-late', ms: 500 }, 500],
    [{ kind: 'slow', ms: -5 }, 0],
    [{ kind: 'slow', ms: 'x' }, 3_000],
    [{ kind: 'slow', ms: 12.7 }, 12],
  ])('keeps the time within bounds: %j', async (body, ms) => {
    expect(JSON.parse((await put('/_faults/acme', body)).text)).toMatchObject({ ms });
  });
});
