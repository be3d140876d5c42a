/** Transport, against a real server: bounded in time and size, retried only when nothing can have happened. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createDeadline, type Deadline } from './deadline.ts';
import { createRoll, nowhere, type Register, type Waiter } from './roll.ts';
import { type Channel, type Incoming, type Outgoing, openChannel, type SendOptions } from './transport.ts';
import { Upstream } from './upstream.ts';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void;

interface Site {
  url: string;
  requests: string[];
}

async function serve(handle: Handler): Promise<Site> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    handle(request, response, requests.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    return new Promise(resolve => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

function open(url: string, connections = 4, underWay?: Register): Channel {
  const channel = openChannel(url, { most: connections, underWay });
  closers.push(() => channel.close());
  return channel;
}

function deadlineOf(milliseconds: number): Deadline {
  const deadline = createDeadline(milliseconds);
  closers.push(() => deadline.clear());
  return deadline;
}

const LONG = 20_000;
const GET: Outgoing = { method: 'GET', path: '/', headers: {} };
const POST: Outgoing = { method: 'POST', path: '/', headers: {}, body: '{}' };

function send(channel: Channel, request: Outgoing, options: Partial<SendOptions> = {}): Promise<Incoming> {
  return new Promise((resolve, reject) => {
    const sending = { deadline: deadlineOf(LONG), bodyLimit: 1_000, ...options };
    channel.send(request, sending, { done: resolve, fail: reject });
  });
}

/** The kind of trouble a request ends in. */
async function troubleOf(sent: Promise<Incoming>): Promise<string> {
  const error = await sent.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Upstream);
  return (error as Upstream).kind;
}

/** Resolves when the client has gone away from a response. */
const gone = (response: ServerResponse) =>
  new Promise<void>(resolve => response.once('close', () => resolve()));

describe('a plain request', () => {
  it('arrives with method, path below the base, headers and body, and its answer comes back', async () => {
    const site = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      response.writeHead(201, { 'retry-after': String(request.headers['x-mark']) }).end(`got ${body}`);
    });
    const channel = open(`${site.url}/base/`);
    const answer = await send(channel, {
      method: 'PUT',
      path: '/a?b=c',
      headers: { 'x-mark': '7' },
      body: 'text',
    });
    expect(site.requests).toEqual(['PUT /base/a?b=c']);
    expect([answer.status, answer.headers['retry-after'], answer.text]).toEqual([201, '7', 'got text']);
  });

  it('reads UTF-8 that is cut between chunks', async () => {
    const bytes = Buffer.from('zażółć €');
    const site = await serve((_request, response) => {
      response.write(bytes.subarray(0, 4));
      setTimeout(() => response.end(bytes.subarray(4)), 20);
    });
    expect((await send(open(site.url), GET)).text).toBe('zażółć €');
  });

  it('does not follow a redirect', async () => {
    const site = await serve((_request, response) => response.writeHead(302, { location: '/other' }).end());
    expect((await send(open(site.url), GET)).status).toBe(302);
    expect(site.requests).toEqual(['GET /']);
  });
});

describe('limits', () => {
  it('stop reading a body beyond the limit and cut the connection', async () => {
    let closed: Promise<void> | undefined;
    let sent = 0;
    const site = await serve((_request, response) => {
      closed = gone(response);
      const more = () => {
        while (!response.destroyed && sent < 50_000_000) {
          sent += 16_384;
          if (!response.write(Buffer.alloc(16_384, 'x'))) return void response.once('drain', more);
        }
      };
      more();
    });
    expect(await troubleOf(send(open(site.url), GET, { bodyLimit: 100_000 }))).toBe('tooLarge');
    await closed;
    expect(sent).toBeLessThan(50_000_000);
  });

  it('let through a body of exactly the limit', async () => {
    const site = await serve((_request, response) => response.end('x'.repeat(1_000)));
    expect((await send(open(site.url), GET)).text).toHaveLength(1_000);
  });

  it('refuse a request when too many are waiting, and none later', async () => {
    const waiting: ServerResponse[] = [];
    const site = await serve((_request, response) => waiting.push(response));
    const channel = open(site.url, 1);
    const under = Array.from({ length: 9 }, () => send(channel, GET));
    expect(await troubleOf(send(channel, GET))).toBe('busy');
    const answering = setInterval(() => waiting.shift()?.end('done'), 5);
    closers.push(() => clearInterval(answering));
    expect((await Promise.all(under)).map(({ text }) => text)).toEqual(Array(9).fill('done'));
    expect((await send(channel, GET)).text).toBe('done');
  });
});

describe('the deadline', () => {
  it('cuts an answer that drips, however steadily, and the server sees it', async () => {
    let closed: Promise<void> | undefined;
    const site = await serve((_request, response) => {
      closed = gone(response);
      const drip = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(drip));
    });
    const began = performance.now();
    expect(await troubleOf(send(open(site.url), GET, { deadline: deadlineOf(250) }))).toBe('late');
    await closed;
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it('cuts a server that never answers, and the server sees it', async () => {
    let closed: Promise<void> | undefined;
    const site = await serve((_request, response) => {
      closed = gone(response);
    });
    expect(await troubleOf(send(open(site.url), GET, { deadline: deadlineOf(150) }))).toBe('late');
    await closed;
    expect(site.requests).toHaveLength(1);
  });

  it('frees the connection of what it has cut', async () => {
    const site = await serve((_request, response, count) => {
      if (count > 1) response.end('second');
    });
    const channel = open(site.url, 1);
    expect(await troubleOf(send(channel, GET, { deadline: deadlineOf(100) }))).toBe('late');
    expect((await send(channel, GET)).text).toBe('second');
  });

  it('that has passed already ends a request before it is sent', async () => {
    const site = await serve((_request, response) => response.end());
    const deadline = deadlineOf(0);
    await new Promise<unknown>(giveUp => deadline.add({ giveUp }));
    expect(await troubleOf(send(open(site.url), GET, { deadline }))).toBe('late');
    expect(site.requests).toEqual([]);
  });

  it('that calls at once has nothing sent afterwards, and keeps no connection', async () => {
    const site = await serve((request, response) => void (request.method === 'GET' && response.end('next')));
    const channel = open(site.url, 1);
    const add = (waiter: Waiter) => {
      waiter.giveUp(new Upstream('late', 'no answer before the deadline'));
      return nowhere();
    };
    const early = { ...deadlineOf(LONG), add };
    expect(await troubleOf(send(channel, POST, { deadline: early }))).toBe('late');
    expect((await send(channel, GET)).text).toBe('next');
    expect(site.requests).toEqual(['GET /']);
  });

  it('is one for all that hangs on it, and ends nothing that has finished', async () => {
    const site = await serve((request, response) => {
      if (request.url === '/quick') response.end('quick');
    });
    const channel = open(site.url);
    const deadline = deadlineOf(1_000);
    const results = await Promise.all([
      send(channel, { ...GET, path: '/quick' }, { deadline }).then(({ text }) => text),
      troubleOf(send(channel, GET, { deadline })),
      troubleOf(send(channel, GET, { deadline })),
    ]);
    expect(results).toEqual(['quick', 'late', 'late']);
  });
});

describe('giving up', () => {
  it('ends a request under way, and the server sees it', async () => {
    let closed: Promise<void> | undefined;
    const underWay = createRoll();
    const site = await serve((_request, response) => {
      closed = gone(response);
      response.write('half');
      underWay.dismiss(new Upstream('withdrawn', 'broken off'))();
    });
    expect(await troubleOf(send(open(site.url, 1, underWay), GET))).toBe('withdrawn');
    await closed;
  });

  it('is no longer offered once the answer is there', async () => {
    const roll = createRoll();
    const strike = vi.fn(roll.strike);
    const site = await serve((_request, response) => response.end());
    await send(open(site.url, 1, { ...roll, strike }), GET);
    expect(strike.mock.calls).toEqual([[{ waiter: undefined, at: 0 }]]);
  });
});

describe('a connection that breaks', () => {
  const reset: Handler = request => request.socket.resetAndDestroy();

  it('before the first byte is tried once more for a GET, and then succeeds', async () => {
    const site = await serve((request, response, count) => {
      if (count === 1) request.socket.destroy();
      else response.end('again');
    });
    expect((await send(open(site.url), GET)).text).toBe('again');
    expect(site.requests).toHaveLength(2);
  });

  it('before the first byte, again and again, is tried twice in all', async () => {
    const site = await serve(reset);
    expect(await troubleOf(send(open(site.url), GET))).toBe('reset');
    expect(site.requests).toHaveLength(2);
  });

  it('is never tried again for a POST', async () => {
    const site = await serve(reset);
    expect(await troubleOf(send(open(site.url), POST))).toBe('reset');
    expect(site.requests).toEqual(['POST /']);
  });

  it('is tried once more for a POST that only asks', async () => {
    const site = await serve((request, response, count) => {
      if (count === 1) request.socket.destroy();
      else response.end('again');
    });
    expect((await send(open(site.url), POST, { harmless: true })).text).toBe('again');
    expect(site.requests).toEqual(['POST /', 'POST /']);
  });

  it('after the headers is final', async () => {
    const site = await serve((request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"half":');
      setTimeout(() => request.socket.resetAndDestroy(), 20);
    });
    expect(await troubleOf(send(open(site.url), GET))).toBe('garbage');
    expect(site.requests).toHaveLength(1);
  });

  it('by a body shorter than announced is final', async () => {
    const site = await serve((request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('short');
      setTimeout(() => request.socket.end(), 20);
    });
    expect(await troubleOf(send(open(site.url), GET))).toBe('garbage');
    expect(site.requests).toHaveLength(1);
  });
});

describe('a server that is none', () => {
  it('is unreachable when nobody listens', async () => {
    const server = createTcpServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise(resolve => server.close(resolve));
    expect(await troubleOf(send(open(`http://127.0.0.1:${port}`), GET))).toBe('unreachable');
  });

  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
    [
      'headers without end',
      `HTTP/1.1 200 OK\r\n${'x-filler: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(1_000)}`,
    ],
    ['a bad chunk size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
  ])('gives garbage when it speaks %s', async (_what, bytes) => {
    const sockets = new Set<Socket>();
    const server = createTcpServer(socket => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('data', () => socket.write(bytes));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise(resolve => server.close(resolve));
    });
    const { port } = server.address() as AddressInfo;
    expect(await troubleOf(send(open(`http://127.0.0.1:${port}`), GET))).toBe('garbage');
  });

  it('ends every request with trouble, not in silence, when a header cannot be sent', async () => {
    const site = await serve((_request, response) => response.end());
    const bad = send(open(site.url), { ...GET, headers: { 'x-key': 'line\nbreak' } });
    await expect(bad).rejects.toBeInstanceOf(Upstream);
    expect(site.requests).toEqual([]);
  });

  it('ends what is under way when the channel closes', async () => {
    const channel = openChannel((await serve(() => {})).url, { most: 2 });
    const waiting = send(channel, POST);
    const trouble = expect(waiting).rejects.toBeInstanceOf(Upstream);
    await channel.close();
    await trouble;
  });
});
