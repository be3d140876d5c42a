/** Load: clients over keep-alive sockets, in a closed loop or at a constant rate, whatever the server does. */
import { connect, type Socket } from 'node:net';

export interface Reply {
  status: number;
  body: Buffer;
}

export interface Connection {
  /** One request at a time. Rejects when the connection ends before the answer does. */
  get(path: string, header?: string): Promise<Reply>;
  /** The same with a request that was written before, byte for byte. */
  send(request: Buffer): Promise<Reply>;
  isOpen(): boolean;
  close(): void;
}

export interface ClosedLoop {
  url: string;
  connections: number;
  milliseconds: number;
  /** Sends the next request; undefined when there is none left. */
  ask(connection: Connection): Promise<Reply> | undefined;
  /** Sees every answer. */
  onReply(reply: Reply): void;
}

export interface ClosedResult {
  requests: number;
  seconds: number;
  /** Milliseconds of each request. */
  times: number[];
}

export interface OpenLoop<Told = Reply> {
  url: string;
  perSecond: number;
  requests: number;
  /** Connections to have before the first request; more are opened when none is free. */
  kept?: number;
  /** What each of them asks for at once: one that says nothing is ended before long. */
  greeting?: string;
  /** When the first request leaves, by the clock of the machine; otherwise as soon as it can. */
  beginAt?: number | undefined;
  /** Sends the request of this number, counted from 0; what is to be kept of the answer. */
  ask(connection: Connection, at: number): Promise<Told>;
}

export interface OpenSample<Told = Reply> {
  /** When it was to be sent, in milliseconds after the first. */
  intended: number;
  /** From that moment to the end of the answer, so that a stall cannot hide behind late sending. */
  ms: number;
  /** How much of that had passed when it was sent: the load's own lateness, whatever the server does. */
  late: number;
  reply: Told;
}

const OPENED_AT_ONCE = 20;
const OPENING_MS = 20;

/** Every connection asks again as soon as it is answered, until the time is up. */
export async function runClosedLoop(loop: ClosedLoop): Promise<ClosedResult> {
  const connections = Array.from({ length: loop.connections }, () => openConnection(loop.url));
  const times: number[] = [];
  const began = performance.now();
  const end = began + loop.milliseconds;
  try {
    await Promise.all(
      connections.map(async connection => {
        for (let sent = performance.now(); sent < end; ) {
          const asked = loop.ask(connection);
          if (!asked) return;
          loop.onReply(await asked);
          const now = performance.now();
          times.push(now - sent);
          sent = now;
        }
      }),
    );
  } finally {
    for (const connection of connections) connection.close();
  }
  return { requests: times.length, seconds: (performance.now() - began) / 1000, times };
}

/** Requests leave at their moments; a connection is free again when its answer is complete. */
export async function runOpenLoop<Told = Reply>({
  url,
  perSecond,
  requests,
  kept = 0,
  greeting,
  beginAt = 0,
  ask,
}: OpenLoop<Told>): Promise<OpenSample<Told>[]> {
  const free = await openConnections(url, kept);
  if (greeting) await Promise.all(free.map(connection => connection.get(greeting)));
  const opened = new Set(free);
  const began = performance.now() + Math.max(5, beginAt - Date.now());
  const samples: Promise<OpenSample<Told>>[] = [];
  try {
    for (let at = 0; at < requests; at++) {
      const intended = (at * 1000) / perSecond;
      const wait = began + intended - performance.now();
      if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait));
      const connection = takeOpen(free) ?? openConnection(url);
      opened.add(connection);
      const late = performance.now() - began - intended;
      samples.push(
        ask(connection, at).then(reply => {
          free.push(connection);
          return { intended, ms: performance.now() - began - intended, late, reply };
        }),
      );
    }
    return await Promise.all(samples);
  } finally {
    for (const connection of opened) connection.close();
  }
}

/** A free connection that the server has not closed meanwhile. */
export function takeOpen(free: Connection[]): Connection | undefined {
  const connection = free.pop();
  return !connection || connection.isOpen() ? connection : takeOpen(free);
}

/** One after another: a crowd at the door is not what is to be measured. */
export async function openConnections(url: string, count: number): Promise<Connection[]> {
  const opened: Connection[] = [];
  while (opened.length < count) {
    opened.push(openConnection(url));
    if (opened.length % OPENED_AT_ONCE === 0) await new Promise(resolve => setTimeout(resolve, OPENING_MS));
  }
  return opened;
}

/** The same request on as many connections at once. */
export async function runBurst(url: string, path: string, connections: number): Promise<Reply[]> {
  const opened = Array.from({ length: connections }, () => openConnection(url));
  try {
    return await Promise.all(opened.map(connection => connection.get(path)));
  } finally {
    for (const connection of opened) connection.close();
  }
}

export function openConnection(url: string): Connection {
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let waiting: { resolve(reply: Reply): void; reject(error: Error): void } | undefined;
  readReplies(socket, reply => {
    const { resolve } = waiting ?? {};
    waiting = undefined;
    resolve?.(reply);
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => waiting?.reject(new Error(`${url} hung up`)));
  const send = (request: Buffer | string) =>
    new Promise<Reply>((resolve, reject) => {
      if (!socket.writable) return reject(new Error(`${url} hung up`));
      waiting = { resolve, reject };
      socket.write(request, 'latin1');
    });
  return {
    get(path, header) {
      const more = header ? `${header}\r\n` : '';
      return send(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${more}\r\n`);
    },
    send,
    isOpen: () => socket.writable,
    close: () => void socket.destroy(),
  };
}

/** A request with a body of JSON, ready to be sent to wherever. */
export function writePost(path: string, headers: readonly string[], body: string): Buffer {
  const head = [`POST ${path} HTTP/1.1`, 'host: bench', 'content-type: application/json', ...headers];
  return Buffer.from(`${head.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** Every server here states the length of its answers. */
function readReplies(socket: Socket, onReply: (reply: Reply) => void): void {
  let chunks: Buffer[] = [];
  let size = 0;
  let head: { status: number; start: number; end: number } | undefined;
  socket.on('data', chunk => {
    chunks.push(chunk);
    size += chunk.length;
    if (!head) {
      const received = chunks.length === 1 ? chunk : Buffer.concat(chunks);
      chunks = [received];
      head = readHead(received);
    }
    if (!head || size < head.end) return;
    const received = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    const { status, start, end } = head;
    chunks = [];
    size = 0;
    head = undefined;
    onReply({ status, body: received.subarray(start, end) });
  });
}

function readHead(received: Buffer): { status: number; start: number; end: number } | undefined {
  const blank = received.indexOf('\r\n\r\n');
  if (blank < 0) return undefined;
  const text = received.toString('latin1', 0, blank);
  const length = Number(/content-length: *(\d+)/i.exec(text)?.[1] ?? 0);
  return { status: Number(text.slice(9, 12)), start: blank + 4, end: blank + 4 + length };
}
