/** A balancer: one address in front of the instances that say they are ready. It tries nothing twice and forgives nothing. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';

export interface Balancer {
  url: string;
  /** Resolves when an instance has been found ready. */
  ready(port: number): Promise<void>;
  /** Answers that were cut off before their end. */
  cuts(): number;
  close(): Promise<void>;
}

interface Backend {
  port: number;
  pool: Pool;
  isReady: boolean;
  /** Looks in a row that nobody answered. */
  misses: number;
}

const LOOK_MS = 100;
const LOOK_PATIENCE_MS = 5_000;
const CONNECTIONS = 64;
const READY_MS = 60_000;

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const backends: Backend[] = ports.map(port => ({
    port,
    pool: new Pool(`http://127.0.0.1:${port}`, {
      ...{ connections: CONNECTIONS, pipelining: 1, headersTimeout: 30_000, bodyTimeout: 0 },
    }),
    isReady: false,
    misses: 0,
  }));
  let turn = 0;
  let cuts = 0;
  let isOpen = true;

  /** Over a connection of its own each time, as balancers look. No answer at all has to happen twice to be believed. */
  async function look(backend: Backend): Promise<void> {
    try {
      const { status } = await fetch(`http://127.0.0.1:${backend.port}/health/ready`, {
        signal: AbortSignal.timeout(LOOK_PATIENCE_MS),
        headers: { connection: 'close' },
      });
      backend.misses = 0;
      backend.isReady = status === 200;
    } catch {
      backend.misses++;
      if (backend.misses > 1) backend.isReady = false;
    }
  }

  async function keepLooking(backend: Backend): Promise<void> {
    while (isOpen) {
      await look(backend);
      await wait(LOOK_MS);
    }
  }

  function choose(): Backend | undefined {
    const ready = backends.filter(({ isReady }) => isReady);
    return ready[++turn % ready.length];
  }

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const backend = choose();
    if (!backend) return void response.writeHead(521).end();
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      const { connection: _, 'transfer-encoding': __, ...headers } = request.headers;
      const {
        statusCode,
        headers: given,
        body,
      } = await backend.pool.request({
        method: request.method as 'GET',
        path: request.url ?? '/',
        headers: headers as Record<string, string>,
        body: request.method === 'GET' ? null : Buffer.concat(await request.toArray()),
        signal: gone.signal,
      });
      const { connection: ___, 'keep-alive': ____, ...kept } = given;
      response.writeHead(statusCode, kept as Record<string, string>);
      await pipeline(body, response);
    } catch {
      if (gone.signal.aborted) return;
      if (response.headersSent) {
        cuts++;
        response.destroy();
      } else response.writeHead(520).end();
    }
  }

  const server = createServer((request, response) => void pass(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const looking = backends.map(keepLooking);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async ready(port) {
      const backend = backends.find(one => one.port === port);
      for (const until = Date.now() + READY_MS; !backend?.isReady; await wait(10))
        if (Date.now() > until) throw new Error('an instance does not become ready');
    },
    cuts: () => cuts,
    async close() {
      isOpen = false;
      await Promise.all(looking);
      server.closeAllConnections();
      server.close();
      for (const { pool } of backends) await pool.destroy();
    },
  };
}
