/** Connections, against real servers: kept and used again, never beyond their number, never with another's answer. */
import { once } from 'node:events';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { selfSigned } from '../../test/certificate.ts';
import { awaitArrival } from './response.ts';
import { Upstream } from './upstream.ts';
import { type Call, openWires, type Wires } from './wires.ts';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

interface Site {
  port: number;
  sockets: Socket[];
}

/** Listens, and tells of every connection. */
async function listen(server: Server): Promise<Site> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    sockets.push(socket.on('error', () => {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise(resolve => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

/** Answers every request with the same bytes. */
function serve(answer: string): Promise<Site> {
  return listen(createServer(socket => socket.on('data', () => socket.write(answer))));
}

function open(url: string, most = 4, ca?: string): Wires {
  const wires = openWires(new URL(url), { most, ca });
  closers.push(() => wires.close());
  return wires;
}

const plain = ({ port }: Site, most?: number) => open(`http://127.0.0.1:${port}`, most);

interface Asked {
  call: Call;
  /** The text of the answer, or the kind of trouble. */
  outcome: Promise<string>;
}

function ask(wires: Wires): Asked {
  const arrival = awaitArrival(1_000);
  const { promise, resolve } = withResolvers<string>();
  const call: Call = {
    request: 'GET / HTTP/1.1\r\nhost: x\r\n\r\n',
    arrival,
    onEnd: fault => resolve(fault?.kind ?? arrival.text),
    wire: undefined,
  };
  wires.carry(call);
  return { call, outcome: promise };
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>(settle => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe('a connection', () => {
  it('carries one request after another', async () => {
    const site = await serve(OK);
    const wires = plain(site);
    for (let asked = 0; asked < 3; asked++) expect(await ask(wires).outcome).toBe('ok');
    expect(site.sockets).toHaveLength(1);
  });

  it('is not opened beyond their number: the others wait their turn', async () => {
    const site = await serve(OK);
    const wires = plain(site, 2);
    const outcomes = await Promise.all(Array.from({ length: 9 }, () => ask(wires).outcome));
    expect(outcomes).toEqual(Array(9).fill('ok'));
    expect(site.sockets).toHaveLength(2);
  });

  it('is not used again when the server will close it soon', async () => {
    const site = await serve(OK.replace('\r\n\r\n', '\r\nKeep-Alive: timeout=1\r\n\r\n'));
    const wires = plain(site);
    expect([await ask(wires).outcome, await ask(wires).outcome]).toEqual(['ok', 'ok']);
    expect(site.sockets).toHaveLength(2);
  });

  it('is not used again after it was idle for as long as it may be', async () => {
    const site = await serve(OK);
    const wires = openWires(new URL(`http://127.0.0.1:${site.port}`), { most: 4, idleMs: 20 });
    closers.push(() => wires.close());
    expect(await ask(wires).outcome).toBe('ok');
    await new Promise(resolve => setTimeout(resolve, 30));
    expect(await ask(wires).outcome).toBe('ok');
    expect(site.sockets).toHaveLength(2);
  });

  it('leads to the addresses that are given, whatever the name means to others', async () => {
    const site = await serve(OK);
    const addresses = [{ address: '127.0.0.1', family: 4 }];
    const wires = openWires(new URL(`http://nowhere.invalid:${site.port}`), { most: 4, addresses });
    closers.push(() => wires.close());
    expect(await ask(wires).outcome).toBe('ok');
  });

  it('that the server has closed meanwhile is replaced', async () => {
    const site = await serve(OK);
    const wires = plain(site);
    expect(await ask(wires).outcome).toBe('ok');
    const [first] = site.sockets as [Socket];
    first.end();
    await once(first, 'close');
    await expect.poll(() => ask(wires).outcome).toBe('ok');
    expect(site.sockets).toHaveLength(2);
  });

  it('over which something comes unasked is cut: it would be taken for the next answer', async () => {
    const site = await serve(OK);
    const wires = plain(site);
    expect(await ask(wires).outcome).toBe('ok');
    const [first] = site.sockets as [Socket];
    first.write(OK.replace('ok', 'no'));
    await once(first, 'close');
    expect(await ask(wires).outcome).toBe('ok');
    expect(site.sockets).toHaveLength(2);
  });
});

describe('a call that is dropped', () => {
  it('hears nothing more, and whoever waits for its place gets one with an answer of their own', async () => {
    let answered = 0;
    const site = await listen(
      createServer(socket =>
        socket.on('data', () => {
          if (answered++ > 0) socket.write(OK);
        }),
      ),
    );
    const wires = plain(site, 1);
    const dropped = ask(wires);
    const waiting = ask(wires);
    await expect.poll(() => answered).toBe(1);
    wires.drop(dropped.call);
    expect(await waiting.outcome).toBe('ok');
    expect(dropped.call.arrival.status).toBe(0);
    expect(site.sockets).toHaveLength(2);
  });

  it('before it was sent never is', async () => {
    const site = await serve(OK);
    const wires = plain(site, 1);
    expect(await ask(wires).outcome).toBe('ok');
    const dropped = ask(wires);
    wires.drop(dropped.call);
    expect(await ask(wires).outcome).toBe('ok');
    expect(site.sockets.map(socket => socket.bytesRead)).toEqual(Array(2).fill(dropped.call.request.length));
  });

  it('while it waits for a place is forgotten', async () => {
    const site = await serve(OK);
    const wires = plain(site, 1);
    const [first, second, third] = [ask(wires), ask(wires), ask(wires)];
    wires.drop(second.call);
    expect([await first.outcome, await third.outcome]).toEqual(['ok', 'ok']);
    expect(second.call.arrival.status).toBe(0);
  });
});

describe('closing', () => {
  it('ends what is under way, what waits, and what is asked afterwards', async () => {
    const site = await listen(createServer());
    const wires = plain(site, 1);
    const asked = [ask(wires), ask(wires)];
    await wires.close();
    const kinds = await Promise.all([...asked, ask(wires)].map(({ outcome }) => outcome));
    expect(kinds).toEqual([expect.stringMatching(/^(unreachable|reset)$/), 'withdrawn', 'withdrawn']);
  });
});

describe('TLS', () => {
  const secure = async (host: string) => {
    const { key, cert } = selfSigned(host);
    const server = createSecureServer({ key, cert }, (_request, response) => response.end('ok'));
    return { cert, site: await listen(server) };
  };

  it('carries requests over one connection, and over another after that is lost', async () => {
    const { cert, site } = await secure('localhost');
    const wires = open(`https://localhost:${site.port}`, 1, cert);
    expect([await ask(wires).outcome, await ask(wires).outcome]).toEqual(['ok', 'ok']);
    expect(site.sockets).toHaveLength(1);
    (site.sockets[0] as Socket).destroy();
    await expect.poll(() => ask(wires).outcome).toBe('ok');
    expect(site.sockets).toHaveLength(2);
  });

  it.each([
    ['nobody vouches for', 'localhost', false],
    ['is another host’s', 'elsewhere.example', true],
  ])('goes to nobody whose certificate %s', async (_what, host, isTrusted) => {
    const { cert, site } = await secure(host);
    const wires = open(`https://localhost:${site.port}`, 1, isTrusted ? cert : undefined);
    const { call, outcome } = ask(wires);
    expect(await outcome).toBe('unreachable');
    expect(call.arrival.status).toBe(0);
  });

  it('is not spoken with a server that does not', async () => {
    const site = await serve(OK);
    expect(await ask(open(`https://localhost:${site.port}`)).outcome).toBe('unreachable');
  });
});

it('a fault is told as one of the kinds there are', async () => {
  const site = await listen(createServer(socket => socket.once('data', () => socket.end('HTTP/1.1 200'))));
  const wires = plain(site);
  const arrival = awaitArrival(10);
  const fault = await new Promise(resolve =>
    wires.carry({ request: 'GET / HTTP/1.1\r\n\r\n', arrival, onEnd: resolve, wire: undefined }),
  );
  expect(fault).toBeInstanceOf(Upstream);
  expect((fault as Upstream).kind).toBe('garbage');
});
