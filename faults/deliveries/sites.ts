/** Sites: endpoints that hear events well, and endpoints that are slow, wrong, gone, endless or badly certified. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { type AddressInfo, createServer as createSocket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { selfSigned } from '../../test/certificate.ts';
import { PRIVATE_HOST, PUBLIC_HOST } from '../bed/network.ts';

/** How an endpoint behaves. */
export type Manner = 'slow' | 'silent' | 'error' | 'redirect' | 'gone' | 'huge';

export interface Call {
  /** Which event, by its id. */
  id: string;
  endpoint: string;
  /** Milliseconds since 1970, when it came. */
  at: number;
  /** How long until the other side hung up, or was answered. */
  heldMs: number;
  /** Bytes of the answer that were sent. */
  sent: number;
}

export interface Sites {
  /** As they are written in WEBHOOK_ALLOWED_HOSTS, and their ports. */
  hosts: readonly string[];
  ports: readonly number[];
  /** Where connections to addresses that are not ours arrive. */
  strayPort: number;
  healthy(name: string): string;
  ill(manner: Manner, name: string): string;
  badlyCertified(name: string): string;
  refused(name: string): string;
  /** What came to the healthy ones, and to the others by manner. */
  heard: readonly Call[];
  calls: Readonly<Record<Manner, readonly Call[]>>;
  /** Attempts at TLS that did not come about, and requests over TLS that nobody should have sent. */
  tls: Readonly<{ failed: number; requests: number }>;
  /** Connections that were led astray, to a private network and to the public one. */
  strays: Readonly<{ private: number; public: number }>;
  close(): Promise<void>;
}

const SLOW_MS = 30_000;
const HUGE_BYTES = 10 * 1024 * 1024;
const CHUNK = Buffer.alloc(16_384, 'x');
const CHUNK_MS = 10;

export async function startSites(): Promise<Sites> {
  const heard: Call[] = [];
  const calls: Record<Manner, Call[]> = { slow: [], silent: [], error: [], redirect: [], gone: [], huge: [] };
  const tls = { failed: 0, requests: 0 };
  const strays = { private: 0, public: 0 };

  const stray = await listenBoth(strays);
  const manners: Record<Manner, (response: ServerResponse, call: Call) => void> = {
    slow: response => void setTimeout(() => response.writeHead(204).end(), SLOW_MS).unref(),
    silent: () => {},
    error: response => void response.writeHead(500).end('no'),
    redirect: response => void response.writeHead(302, { location: `http://127.0.0.2:${stray}/` }).end(),
    gone: response => void response.writeHead(410).end(),
    huge: (response, call) => void sendHuge(response, call),
  };

  const server = createServer((request, response) => {
    const [, manner = '', name = ''] = (request.url ?? '').split('/');
    const call = note(request, response, name);
    if (manner === 'healthy') heard.push(call);
    else calls[manner as Manner].push(call);
    request.resume().on('end', () => {
      if (manner === 'healthy') response.writeHead(204).end();
      else manners[manner as Manner](response, call);
    });
  });
  const secure = createSecure(selfSigned('127.0.0.1'), (_request, response) => {
    tls.requests++;
    response.writeHead(204).end();
  }).on('tlsClientError', () => {
    tls.failed++;
  });
  const [port, securePort] = [await listen(server), await listen(secure)];
  const closed = createSocket();
  const closedPort = await listen(closed);
  closed.close();
  const ports = [port, securePort, closedPort];

  return {
    hosts: ports.map(one => `127.0.0.1:${one}`),
    ports,
    strayPort: stray,
    healthy: name => `http://127.0.0.1:${port}/healthy/${name}`,
    ill: (manner, name) => `http://127.0.0.1:${port}/${manner}/${name}`,
    badlyCertified: name => `https://127.0.0.1:${securePort}/${name}`,
    refused: name => `http://127.0.0.1:${closedPort}/${name}`,
    heard,
    calls,
    tls,
    strays,
    async close() {
      for (const one of [server, secure]) {
        one.closeAllConnections();
        one.close();
        await once(one, 'close');
      }
    },
  };

  /** Whoever arrives here has been led where they should not have gone; all are counted, and none is answered. */
  async function listenBoth(counts: { private: number; public: number }): Promise<number> {
    const count = (which: 'private' | 'public') =>
      createSocket(socket => {
        counts[which]++;
        socket.destroy();
      }).unref();
    const inside = count('private');
    const chosen = await listen(inside, PRIVATE_HOST);
    await listen(count('public'), PUBLIC_HOST, chosen);
    for (const host of ['127.0.0.2', '::1']) await listen(count('private'), host, chosen).catch(() => {});
    return chosen;
  }
}

async function listen(
  server: ReturnType<typeof createSocket>,
  host = '127.0.0.1',
  port = 0,
): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function note(request: IncomingMessage, response: ServerResponse, endpoint: string): Call {
  const began = performance.now();
  const call: Call = {
    ...{ id: String(request.headers['webhook-id']), endpoint, at: Date.now(), heldMs: 0, sent: 0 },
  };
  response.once('close', () => {
    call.heldMs = performance.now() - began;
  });
  return call;
}

/** As fast as a network lets it through, so that what the other side leaves unread is not sent. */
async function sendHuge(response: ServerResponse, call: Call): Promise<void> {
  response.on('error', () => {});
  response.writeHead(200, { 'content-length': HUGE_BYTES });
  while (call.sent < HUGE_BYTES && !response.destroyed) {
    response.write(CHUNK);
    call.sent += CHUNK.length;
    await wait(CHUNK_MS);
  }
  response.end();
}
