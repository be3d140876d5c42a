/** Sites for the courier to send to: real servers on this machine, which answer as told and note what they got. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach } from 'vitest';
import { type Courier, createCourier, type Letter } from '../src/engine/courier.ts';
import { createGuard, type Guard } from '../src/engine/guard.ts';

export const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
export const BODY = JSON.stringify({
  transactionId: '01J',
  status: 'completed',
  partnerContext: 'Grüße 🍀 "x"',
});

const closers: (() => unknown)[] = [];

/** Closes after each test of a file all that it opened. */
export function closeSites(): void {
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
}

export interface Got {
  method: string | undefined;
  url: string | undefined;
  headers: Record<string, string>;
  body: string;
}

interface Site {
  port: number;
  got: Got[];
  connections(): number;
  close(): Promise<unknown>;
}

export type Answer = (response: ServerResponse, request: IncomingMessage, count: number) => void;

export async function serve(
  answer: Answer,
  make: (listener: Parameters<typeof createServer>[1]) => Server = createServer,
): Promise<Site> {
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
  const close = () => {
    server.closeAllConnections();
    return new Promise(resolve => server.close(resolve));
  };
  closers.push(close);
  return { port: (server.address() as AddressInfo).port, got, connections: () => connections, close };
}

/** A server that does not speak HTTP; its port. */
export async function serveBytes(handle: (socket: Socket) => void): Promise<number> {
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
export function courierTo(
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

export const letter = (port: number, more: Partial<Letter> = {}): Letter => ({
  url: `http://127.0.0.1:${port}/hooks?shop=1`,
  id: 'msg_01J-3',
  body: BODY,
  sequence: 3,
  secrets: [SECRET],
  ...more,
});

export const ok: Answer = response => void response.writeHead(200).end('ok');
