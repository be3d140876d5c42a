/** The courier, against real servers: signed as receivers expect, bounded in time and size, and never led astray. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { selfSigned } from '../../test/certificate.ts';
import { type Courier, createCourier, type Letter } from './courier.ts';
import { createGuard, type Guard } from './guard.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const PREVIOUS = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const BODY = JSON.stringify({ transactionId: '01J', status: 'completed', partnerContext: 'Grüße 🍀 "x"' });

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Got {
  method: string | undefined;
  url: string | undefined;
  headers: Record<string, string>;
  body: string;
}

interface Site {
  port: number;
  got: Got[];
  connections(): number;
}

type Answer = (response: ServerResponse, request: IncomingMessage, count: number) => void;

async function serve(
  answer: Answer,
  make: (listener: Parameters<typeof createServer>[1]) => Server = createServer,
) {
  const got: Got[] = [];
  let connections = 0;
  const server = make(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers } = request;
    got.push({ method, url, headers: headers as Got['headers'], body: Buffer.concat(chunks).toString() });
    answer(response, request, got.length);
  });
  server.on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    return new Promise(resolve => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, got, connections: () => connections } as Site;
}

/** A server that does not speak HTTP; its port. */
async function serveBytes(handle: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createTcpServer(socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    handle(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise(resolve => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** Sends to a server on this machine, which the operator allows by name. */
function courierTo(
  port: number,
  options: { deadlineMs?: number; guard?: Guard; now?: () => number } = {},
): Courier {
  const courier = createCourier({
    guard: createGuard({ allowedHosts: [`127.0.0.1:${port}`] }),
    now: () => Date.now(),
    ...options,
  });
  closers.push(() => courier.close());
  return courier;
}

const letter = (port: number, more: Partial<Letter> = {}): Letter => ({
  url: `http://127.0.0.1:${port}/hooks?shop=1`,
  id: 'msg_01J-3',
  body: BODY,
  sequence: 3,
  secrets: [SECRET],
  ...more,
});

const ok: Answer = response => void response.writeHead(200).end('ok');

describe('what is sent', () => {
  it('is the body byte by byte, to the very path, with the headers receivers know', async () => {
    const site = await serve(ok);
    const at = Date.now();
    const receipt = await courierTo(site.port, { now: () => at }).send(letter(site.port));
    expect(receipt).toEqual({
      accepted: true,
      status: 200,
      error: '',
      interrupted: false,
      milliseconds: expect.any(Number),
    });
    expect(site.got).toEqual([
      {
        method: 'POST',
        url: '/hooks?shop=1',
        body: BODY,
        headers: expect.objectContaining({
          host: `127.0.0.1:${site.port}`,
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(BODY)),
          'user-agent': 'cloverleaf',
          'webhook-id': 'msg_01J-3',
          'webhook-timestamp': String(Math.floor(at / 1000)),
          'x-cloverleaf-sequence': '3',
        }),
      },
    ]);
  });

  it('is verified by the package receivers use, and refused when anything of it was altered', async () => {
    const site = await serve(ok);
    await courierTo(site.port).send(letter(site.port));
    const { body, headers } = site.got[0] as Got;
    const receiver = new Webhook(SECRET);
    expect(receiver.verify(body, headers)).toEqual(JSON.parse(BODY));
    expect(() => receiver.verify(`${body} `, headers)).toThrow('No matching signature');
    expect(() => receiver.verify(body.replace('completed', 'failed'), headers)).toThrow(
      'No matching signature',
    );
    expect(() => receiver.verify(body, { ...headers, 'webhook-id': 'msg_01J-4' })).toThrow('No matching');
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(() => receiver.verify(body, { ...headers, 'webhook-timestamp': later })).toThrow('No matching');
    expect(() => new Webhook(PREVIOUS).verify(body, headers)).toThrow('No matching signature');
  });

  it('carries for older receivers the hexadecimal signature of the body alone, by the secret as it was shown', async () => {
    const site = await serve(ok);
    await courierTo(site.port).send(letter(site.port));
    expect(site.got[0]?.headers['x-onramper-webhook-signature']).toBe(
      createHmac('sha256', SECRET).update(BODY).digest('hex'),
    );
  });

  it('is signed by both secrets while they change', async () => {
    const site = await serve(ok);
    await courierTo(site.port).send(letter(site.port, { secrets: [SECRET, PREVIOUS] }));
    const { body, headers } = site.got[0] as Got;
    for (const secret of [SECRET, PREVIOUS]) expect(new Webhook(secret).verify(body, headers)).toBeTruthy();
    expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
    expect(headers['x-onramper-webhook-signature']).toBe(
      createHmac('sha256', SECRET).update(BODY).digest('hex'),
    );
  });

  it('names no sequence where there is none', async () => {
    const site = await serve(ok);
    await courierTo(site.port).send(letter(site.port, { sequence: undefined }));
    expect(site.got[0]?.headers).not.toHaveProperty('x-cloverleaf-sequence');
  });
});

describe('what comes of it', () => {
  it.each([200, 201, 202, 204, 299])('%i is accepted', async status => {
    const site = await serve(response => void response.writeHead(status).end());
    expect(await courierTo(site.port).send(letter(site.port))).toMatchObject({ accepted: true, status });
  });

  it.each([400, 401, 404, 410, 429, 500, 503])('%i is not', async status => {
    const site = await serve(response => void response.writeHead(status).end('a secret of theirs'));
    expect(await courierTo(site.port).send(letter(site.port))).toMatchObject({
      accepted: false,
      status,
      error: `answered ${status}`,
    });
  });

  it.each([301, 302, 303, 307, 308])('%i is not, and where it points is not called', async status => {
    const inner = await serve(ok);
    const site = await serve(
      response => void response.writeHead(status, { location: `http://127.0.0.1:${inner.port}/` }).end(),
    );
    const guard = createGuard({ allowedHosts: [`127.0.0.1:${site.port}`, `127.0.0.1:${inner.port}`] });
    expect(await courierTo(site.port, { guard }).send(letter(site.port))).toMatchObject({
      accepted: false,
      status,
      error: `answered ${status}: redirects are not followed`,
    });
    expect([site.got.length, inner.connections()]).toEqual([1, 0]);
  });

  it('an early hint is not an answer', async () => {
    const site = await serve(response => {
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      setTimeout(() => response.writeHead(503).end(), 5);
    });
    expect(await courierTo(site.port).send(letter(site.port))).toMatchObject({ status: 503 });
  });

  it('a server that is not there, hangs up or does not speak HTTP is a failure in a few words', async () => {
    const gone = await serve(ok);
    const { port: closed } = gone;
    await closers.pop()?.();
    expect(await courierTo(closed).send(letter(closed))).toMatchObject({
      accepted: false,
      status: undefined,
      error: 'the connection failed (ECONNREFUSED)',
    });
    for (const rude of [
      (socket: Socket) => socket.destroy(),
      (socket: Socket) => socket.end('SSH-2.0-OpenSSH_9.7 secret banner\r\n\r\n'),
    ]) {
      const port = await serveBytes(rude);
      const { accepted, status, error } = await courierTo(port).send(letter(port));
      expect([accepted, status, error]).toEqual([
        false,
        undefined,
        expect.stringMatching(/^the connection failed \([A-Za-z_]+\)$/),
      ]);
    }
  });
});

describe('limits', () => {
  it('a server that never answers is given up at the deadline', async () => {
    const site = await serve(() => {});
    const { accepted, status, error, milliseconds } = await courierTo(site.port, { deadlineMs: 100 }).send(
      letter(site.port),
    );
    expect([accepted, status, error]).toEqual([false, undefined, 'no answer within 100 ms']);
    expect(milliseconds).toBeGreaterThanOrEqual(95);
    expect(milliseconds).toBeLessThan(2_000);
  });

  it('a name that is never resolved is given up at the deadline', async () => {
    const guard = createGuard({ allowedHosts: [], resolve: () => new Promise(() => {}) });
    const courier = courierTo(1, { guard, deadlineMs: 50 });
    expect(await courier.send(letter(1, { url: 'https://slow.example/' }))).toMatchObject({
      error: 'no answer within 50 ms',
    });
  });

  it('an answer that drips for ever is cut at the deadline; its status counts', async () => {
    let closed = false;
    const site = await serve(response => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), 5);
      response.on('close', () => {
        clearInterval(drip);
        closed = true;
      });
    });
    const receipt = await courierTo(site.port, { deadlineMs: 100 }).send(letter(site.port));
    expect(receipt).toMatchObject({ accepted: true, status: 200 });
    await expect.poll(() => closed).toBe(true);
  });

  it.each(['with its length', 'in chunks'])('an answer of 10 MB %s is cut', async how => {
    let written = 0;
    let closed = false;
    const chunk = Buffer.alloc(65_536, 97);
    const site = await serve(response => {
      response.writeHead(200, how === 'in chunks' ? {} : { 'content-length': String(160 * chunk.length) });
      const pour = () => {
        while (written < 160 * chunk.length && !closed) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', pour);
        }
      };
      response.on('close', () => {
        closed = true;
      });
      pour();
    });
    const receipt = await courierTo(site.port).send(letter(site.port));
    expect(receipt).toMatchObject({ accepted: true, status: 200 });
    await expect.poll(() => closed).toBe(true);
    // What the kernel had taken in before we hung up.
    expect(written).toBeLessThan(160 * chunk.length);
  });

  it('what is under way is broken off when we stop, and nothing is sent after', async () => {
    const site = await serve(() => {});
    const courier = courierTo(site.port);
    const sending = courier.send(letter(site.port));
    await expect.poll(() => site.got.length).toBe(1);
    courier.interrupt();
    const broken = { accepted: false, status: undefined, interrupted: true };
    expect(await sending).toMatchObject(broken);
    expect(await courier.send(letter(site.port))).toMatchObject(broken);
    expect(site.got.length).toBe(1);
  });

  it('headers without end are cut', async () => {
    const port = await serveBytes(socket => {
      socket.write(`HTTP/1.1 200 OK\r\n${'X-A: aaaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(2_000)}`);
    });
    expect(await courierTo(port).send(letter(port))).toMatchObject({
      accepted: false,
      error: expect.stringMatching(/^the connection failed/),
    });
  });
});

describe('where it goes', () => {
  /** A guard that allows a name at a port, and gives it these addresses, one list per question. */
  function named(host: string, port: number, answers: string[][], allowed = true) {
    let asked = 0;
    const guard = createGuard({
      allowedHosts: allowed ? [`${host}:${port}`] : [],
      async resolve() {
        const addresses = answers[Math.min(asked++, answers.length - 1)] ?? [];
        return addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }));
      },
    });
    return { guard, asked: () => asked };
  }

  it('the checked address is connected to, asked for once per attempt, and the name stays in the Host header', async () => {
    const site = await serve(ok);
    const { guard, asked } = named('hooks.internal', site.port, [['127.0.0.1']]);
    const courier = courierTo(site.port, { guard });
    const url = `http://hooks.internal:${site.port}/x`;
    // Nobody else could have told where this name lives.
    for (let count = 1; count <= 3; count++) {
      expect(await courier.send(letter(site.port, { url }))).toMatchObject({ accepted: true });
      expect(asked()).toBe(count);
    }
    expect(site.got.map(({ headers }) => headers.host)).toEqual(Array(3).fill(`hooks.internal:${site.port}`));
  });

  it('a connection is kept for the next event to the same address', async () => {
    const site = await serve(ok);
    const courier = courierTo(site.port);
    for (let count = 0; count < 5; count++) await courier.send(letter(site.port));
    expect(site.got.length).toBe(5);
    // Two when an event comes before the answer to the one before it is quite done with.
    expect(site.connections()).toBeLessThanOrEqual(2);
  });

  it('another address of the host is tried when the first does not answer', async () => {
    const site = await serve(ok);
    const { guard } = named('hooks.internal', site.port, [['127.0.0.9', '127.0.0.1']]);
    const courier = courierTo(site.port, { guard });
    const url = `http://hooks.internal:${site.port}/x`;
    expect(await courier.send(letter(site.port, { url }))).toMatchObject({ accepted: true });
  });

  it('a name that moves to a private address is refused, with a connection still open and without', async () => {
    const site = await serve(ok);
    const url = `https://rebind.example:8443/`;
    const { guard } = named('rebind.example', 8443, [['127.0.0.1']], false);
    expect(await courierTo(site.port, { guard }).send(letter(site.port, { url }))).toEqual({
      accepted: false,
      status: undefined,
      error: 'the URL has a host whose address is not on the public internet',
      interrupted: false,
      milliseconds: expect.any(Number),
    });
    expect(site.connections()).toBe(0);

    // The operator takes a host off the list, or its name begins to lead elsewhere: what is open is not used.
    let refused = false;
    const open = createGuard({ allowedHosts: [`127.0.0.1:${site.port}`] });
    const changing: Guard = {
      read: open.read,
      locate: async text => (refused ? { refused: 'is not allowed any more' } : open.locate(text)),
    };
    const courier = courierTo(site.port, { guard: changing });
    expect(await courier.send(letter(site.port))).toMatchObject({ accepted: true });
    refused = true;
    expect(await courier.send(letter(site.port))).toMatchObject({ accepted: false, status: undefined });
    expect(site.got.length).toBe(1);
  });

  it('a URL that the guard refuses is not connected to', async () => {
    const site = await serve(ok);
    const courier = courierTo(1);
    for (const url of [
      `http://127.0.0.1:${site.port}/`,
      `https://127.0.0.1:${site.port}/`,
      `https://localhost:${site.port}/`,
      `https://[::ffff:127.0.0.1]:${site.port}/`,
      `https://2130706433:${site.port}/`,
    ]) {
      expect(await courier.send(letter(site.port, { url }))).toMatchObject({
        error: expect.stringMatching(/^the URL must/),
      });
    }
    expect(site.connections()).toBe(0);
  });

  it('TLS names the host, though the connection goes to its address', async () => {
    const seen: string[] = [];
    const port = await serveBytes(socket => {
      socket.once('data', hello => {
        seen.push(hello.toString('latin1'));
        socket.destroy();
      });
    });
    const { guard } = named('hooks.internal', port, [['127.0.0.1']]);
    await courierTo(port, { guard }).send(letter(port, { url: `https://hooks.internal:${port}/` }));
    expect(seen).toEqual([expect.stringContaining('hooks.internal')]);
  });

  it('a certificate nobody vouches for is refused, and so is a server without TLS', async () => {
    const site = await serve(ok, listener => createSecureServer(selfSigned('127.0.0.1'), listener));
    expect(
      await courierTo(site.port).send(letter(site.port, { url: `https://127.0.0.1:${site.port}/` })),
    ).toMatchObject({
      accepted: false,
      status: undefined,
      error: expect.stringMatching(/\((DEPTH_ZERO_)?SELF_SIGNED_CERT.*\)$/),
    });
    const plain = await serve(ok);
    const answer = await courierTo(plain.port).send(
      letter(plain.port, { url: `https://127.0.0.1:${plain.port}/` }),
    );
    expect(answer).toMatchObject({
      accepted: false,
      error: expect.stringMatching(/^the connection failed \(E/),
    });
    expect([site.got, plain.got]).toEqual([[], []]);
  });
});
