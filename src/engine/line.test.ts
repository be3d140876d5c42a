/** A line: the only thing that sends. Secrets go out and nowhere else, chains end, refusals are told from trouble. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { silentAdapter } from '../../test/silent-adapter.ts';
import {
  BadAnswer,
  type Context,
  exchange,
  type HttpAnswer,
  type HttpRequest,
  type Work,
} from '../providers/exchange.ts';
import { createDeadline } from './deadline.ts';
import { type Line, openLine, type RunOptions } from './line.ts';
import { sign } from './sign.ts';
import { Upstream } from './upstream.ts';

const SECRET = 'sk_live_5f3a"\\$&é';
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Received {
  method: string | undefined;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

interface Site {
  line: Line;
  received: Received[];
}

async function connect(handle: (response: ServerResponse, received: Received) => void): Promise<Site> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method, url = '', headers } = request;
    const one = { method, url, headers, body };
    received.push(one);
    handle(response, one);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const line = openLine({
    adapter,
    environment: 'test',
    bases: { api: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` },
    settings: { apiKey: 'pk_test_1', signingKey: SECRET, headerKey: 'sk_plain' },
    now: () => 1_800_000_000_000,
  });
  closers.push(() => {
    server.closeAllConnections();
    return new Promise(resolve => server.close(resolve));
  });
  closers.push(() => line.close());
  return { line, received };
}

const adapter = silentAdapter({
  hosts: { api: { live: 'https://api.acme.example', test: 'https://test.acme.example' } },
  settings: [
    { name: 'apiKey', label: '', secret: false, required: true },
    { name: 'signingKey', label: '', secret: true, required: true },
    { name: 'headerKey', label: '', secret: true, required: true },
    { name: 'version', label: '', secret: false, required: false, fallback: 'v2' },
    { name: 'missing', label: '', secret: true, required: false },
  ],
});

const ok = (response: ServerResponse) => void response.end('{"fine":true}');

function run<T>(
  line: Line,
  work: (context: Context) => Work<T>,
  options: Partial<RunOptions<T>> = {},
): Promise<T> {
  const deadline = createDeadline(20_000);
  return line
    .run(work, { deadline, bodyLimit: 10_000, id: 'w1', ...options })
    .finally(() => deadline.clear());
}

function ask(request: Partial<HttpRequest> = {}): Work<HttpAnswer> {
  return exchange({ method: 'GET', host: 'api', path: '/x', ...request }, answer => answer);
}

async function errorOf(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) expect.fail('it should have failed');
  return error;
}

describe('sending', () => {
  it('asks for plain JSON at the named host, with query and body', async () => {
    const { line, received } = await connect(ok);
    await run(line, () =>
      ask({
        method: 'POST',
        query: { a: '1 & 2', gone: undefined, 'b/c': 'é' },
        headers: { 'x-mark': '7' },
        body: { amount: '1.50' },
      }),
    );
    expect(received).toMatchObject([
      {
        method: 'POST',
        url: '/v1/x?a=1%20%26%202&b%2Fc=%C3%A9',
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          'content-type': 'application/json',
          'x-mark': '7',
        },
        body: '{"amount":"1.50"}',
      },
    ]);
  });

  it('refuses a host the manifest does not name, and calls nobody', async () => {
    const { line, received } = await connect(ok);
    for (const host of ['evil', 'http://evil.example', '__proto__', 'constructor', '']) {
      expect((await errorOf(run(line, () => ask({ host })))).message).toContain('no host is named');
    }
    expect(received).toEqual([]);
  });

  it('tells the adapter the time, an id and the settings that are no secrets, and no others', async () => {
    const { line } = await connect(ok);
    let seen: Context | undefined;
    await run(line, context => {
      seen = context;
      return 'done';
    });
    expect(seen).toMatchObject({
      now: 1_800_000_000_000,
      id: 'w1',
      settings: { apiKey: 'pk_test_1', version: 'v2' },
    });
    expect(JSON.stringify(seen)).not.toContain('sk_');
  });
});

describe('secrets', () => {
  it('reach the provider in header, query and body although the adapter never sees them', async () => {
    const { line, received } = await connect(ok);
    let request: HttpRequest | undefined;
    await run(line, context => {
      const secret = context.secret('signingKey');
      request = {
        method: 'POST',
        host: 'api',
        path: '/x',
        query: { key: secret },
        headers: { authorization: `Bearer ${context.secret('headerKey')}` },
        body: { nested: [{ secret }] },
      };
      return exchange(request, answer => answer);
    });
    expect(JSON.stringify(request)).not.toContain('sk_');
    const [one] = received;
    expect(one?.headers.authorization).toBe('Bearer sk_plain');
    expect(new URL(one?.url ?? '', 'http://x').searchParams.get('key')).toBe(SECRET);
    expect(JSON.parse(one?.body ?? '')).toEqual({ nested: [{ secret: SECRET }] });
  });

  it('sign without being shown', async () => {
    const { line } = await connect(ok);
    const signature = await run(line, context => context.sign('hmac-sha256-hex', 'headerKey', 'text'));
    expect(signature).toBe(sign('hmac-sha256-hex', 'sk_plain', 'text'));
  });

  it('are put into a text that is signed where the adapter placed them', async () => {
    const { line } = await connect(ok);
    const sum = (text: (context: Context) => string) =>
      run(line, context => context.sign('sha512-hex', 'headerKey', text(context)));
    const placed = await sum(context => `a${context.secret('headerKey')}b`);
    expect(placed).toBe(await sum(() => 'ask_plainb'));
  });

  it('stay out of every error', async () => {
    const { line } = await connect((response, { url }) => {
      if (url.startsWith('/v1/reset')) response.destroy();
      else response.writeHead(url.startsWith('/v1/no') ? 400 : 500).end('{"echo":"sk_plain"}');
    });
    const withSecret = (path: string) => (context: Context) =>
      ask({
        path,
        query: { key: context.secret('headerKey') },
        headers: { 'x-key': context.secret('signingKey').replace('é', 'e') },
      });
    const errors = await Promise.all([
      errorOf(run(line, withSecret('/trouble'))),
      errorOf(run(line, withSecret('/no'))),
      errorOf(run(line, withSecret('/reset'))),
      errorOf(
        run(line, context => {
          throw new BadAnswer(`cannot use ${context.secret('headerKey')}`);
        }),
      ),
      errorOf(run(line, context => ask({ host: context.secret('headerKey') }))),
    ]);
    for (const error of errors) {
      expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toMatch(/sk_plain|sk_live/);
    }
  });

  it('are not swapped into text of a user that looks like a placeholder', async () => {
    const { line, received } = await connect(ok);
    const guesses = [
      '[[0123456789abcdef01234567:headerKey]]',
      '[[headerKey]]',
      '{{headerKey}}',
      '[[:headerKey]]',
    ];
    for (const guess of guesses) {
      await run(line, () =>
        ask({ method: 'POST', query: { guess }, headers: { 'x-guess': guess }, body: { guess } }),
      );
    }
    expect(received.map(({ headers }) => headers['x-guess'])).toEqual(guesses);
    expect(received.map(({ body }) => JSON.parse(body).guess)).toEqual(guesses);
    expect(JSON.stringify(received)).not.toContain('sk_plain');
  });

  it('have placeholders nobody can carry over from another line', async () => {
    const [one, other] = [await connect(ok), await connect(ok)];
    const stolen = await run(one.line, context => context.secret('headerKey'));
    await run(other.line, () => ask({ query: { stolen } }));
    expect(other.received[0]?.url).not.toContain('sk_plain');
  });

  it('that are not set or not named cannot be used', async () => {
    const { line, received } = await connect(ok);
    for (const name of ['missing', 'nobody', 'apiKey', 'key_2']) {
      const error = await errorOf(run(line, context => ask({ headers: { 'x-key': context.secret(name) } })));
      expect(error.message).toContain('no secret is named');
    }
    expect(received).toEqual([]);
  });
});

describe('reading', () => {
  it('gives every number as its own text', async () => {
    const { line } = await connect(
      response => void response.end('{"price":0.10000000000000000001,"n":[1e3]}'),
    );
    const answer = await run(line, () => ask());
    expect(answer.body).toEqual({ price: '0.10000000000000000001', n: ['1e3'] });
  });

  it.each(['<!doctype html>', '{"cut":', '', '\ufeff{}', 'NaN'])('gives no body for %j', async text => {
    const { line } = await connect(response => void response.end(text));
    expect((await run(line, () => ask())).body).toBeUndefined();
  });

  it('refuses a compressed answer, so that no bomb is ever unpacked', async () => {
    const { line } = await connect(response => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"a":1}'));
    });
    expect(await errorOf(run(line, () => ask()))).toMatchObject({ kind: 'garbage' });
  });

  it('stops at the body limit', async () => {
    const { line } = await connect(response => void response.end(`"${'x'.repeat(20_000)}"`));
    expect(await errorOf(run(line, () => ask()))).toMatchObject({ kind: 'tooLarge' });
  });
});

describe('chains', () => {
  const chain = (links: number): Work<string> =>
    links === 0 ? 'end' : exchange({ method: 'GET', host: 'api', path: '/x' }, () => chain(links - 1));

  it('of twelve exchanges come to their end', async () => {
    const { line, received } = await connect(ok);
    expect(await run(line, () => chain(12))).toBe('end');
    expect(received).toHaveLength(12);
  });

  it('that lead to no end are cut after twelve', async () => {
    const { line, received } = await connect(ok);
    expect(await errorOf(run(line, () => chain(1_000)))).toBeInstanceOf(BadAnswer);
    expect(received).toHaveLength(12);
  });

  it('share one deadline', async () => {
    const { line } = await connect(response => void setTimeout(() => ok(response), 60));
    const deadline = createDeadline(300);
    closers.push(() => deadline.clear());
    expect(await errorOf(run(line, () => chain(12), { deadline }))).toMatchObject({ kind: 'late' });
  });
});

describe('refusals', () => {
  const answering = (status: number, headers: Record<string, string> = {}) =>
    connect(response => void response.writeHead(status, headers).end('{"message":"no"}'));

  it('are read by the decline function, with the answer as it came', async () => {
    const { line } = await answering(422);
    const decline = (answer: HttpAnswer) => ({ ...answer, headers: {} });
    const declined = await run<HttpAnswer>(line, () => ask(), { decline });
    expect(declined).toEqual({ status: 422, headers: {}, body: { message: 'no' } });
  });

  it.each([400, 404, 409, 422, 451])('are trouble when nothing can read them (%i)', async status => {
    const { line } = await answering(status);
    expect(await errorOf(run(line, () => ask()))).toMatchObject({ kind: 'status' });
    expect(await errorOf(run<unknown>(line, () => ask(), { decline: () => undefined }))).toMatchObject({
      kind: 'status',
    });
  });

  it.each([
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [429, 'limited'],
    [500, 'status'],
    [503, 'status'],
  ])('with %i are %s, and nobody is asked to read them', async (status, kind) => {
    const { line } = await answering(status);
    let asked = 0;
    const decline = () => void asked++;
    expect(await errorOf(run<unknown>(line, () => ask(), { decline }))).toMatchObject({ kind });
    expect(asked).toBe(0);
  });

  it.each([
    ['30', 30_000, 30_000],
    ['0', 0, 0],
    [new Date(Date.now() + 120_000).toUTCString(), 60_000, 120_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0, 0],
    ['soon', undefined, undefined],
    ['-5', undefined, undefined],
    ['9'.repeat(40), undefined, undefined],
  ])('with 429 say how long to wait: %s', async (header, least, most) => {
    const { line } = await answering(429, { 'retry-after': header });
    const error = (await errorOf(run(line, () => ask()))) as Upstream;
    expect(error).toBeInstanceOf(Upstream);
    if (least === undefined || most === undefined) return expect(error.retryAfterMs).toBeUndefined();
    expect(error.retryAfterMs).toBeGreaterThanOrEqual(least);
    expect(error.retryAfterMs).toBeLessThanOrEqual(most);
  });
});

describe('health', () => {
  it('ends what is under way when the breaker opens', async () => {
    let arrived: (() => void) | undefined;
    const arrival = new Promise<void>(resolve => {
      arrived = resolve;
    });
    const { line } = await connect(() => arrived?.());
    const waiting = errorOf(run(line, () => ask()));
    await arrival;
    for (let failure = 0; failure < 5; failure++) line.health.failed(new Upstream('late', ''), 0);
    expect(await waiting).toMatchObject({ kind: 'withdrawn' });
  });
});
