/** Connections: how many there may be at once, and which are ended for the sake of the others. */
import { readFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  /** A request has come over a connection; its answer tells when the connection is idle again. */
  used(socket: Socket, response: ServerResponse): void;
  /** A request has come that is answered at once, without Node. */
  reused(socket: Socket): void;
  /** Whether all that was ever asked over a connection is answered, and it can carry more. */
  isIdle(socket: Socket): boolean;
  /** The answer that was last begun on a connection; undefined when nothing was ever asked. */
  last(socket: Socket): ServerResponse | undefined;
  /** Ends those over which nothing was ever asked; Node takes them for busy ones. */
  closeSilent(): void;
}

export interface ConnectionsOptions {
  /** The most there may be. */
  most: number;
  /** How long whoever is answered may take no notice of it. */
  patienceMs?: number;
  /** Told why one was ended or turned away. */
  onCut(reason: 'unread' | 'idle' | 'connections'): void;
}

interface Connection {
  /** The answer that was last begun on it. */
  last: ServerResponse | undefined;
  /** Answers that are begun while others before them are not finished. */
  waiting: ServerResponse[];
  since: number;
  /** Whether it was used since `makeRoom` looked at it. */
  wasUsed: boolean;
}

/** The share of the files a process may have open that callers may take: the rest is for providers, database and files. */
const SHARE = 0.4;
/** Where nothing tells how many files may be open. */
const USUAL_FILES = 1_024;
/** From here on an idle connection is ended for each new one. */
const FULL = 0.9;
/** The oldest so many are looked through for an idle one. */
const LOOKED_AT = 50;
/** Whoever has just come is about to ask. */
const GRACE_MS = 2_000;
const SWEEP_MS = 1_000;
/** Beyond what the kernel takes of it, which is most of any answer of ours. */
const PATIENCE_MS = 30_000;
/** Bytes that must have been taken in that time: whoever takes fewer would hold an answer for ever. */
const LEAST_TAKEN = 16_384;

/** How many connections callers may have, by what the process may have open. */
export function mostConnections(): number {
  return Math.floor(mostFiles() * SHARE);
}

export function keepConnections(server: Server, options: ConnectionsOptions): Connections {
  const { most, patienceMs = PATIENCE_MS, onCut } = options;
  /** Those unused for longest come about first. */
  const open = new Map<Socket, Connection>();
  const unread = new Map<Socket, { taken: number; since: number }>();

  function cut(socket: Socket, reason: 'unread' | 'idle'): void {
    open.delete(socket);
    unread.delete(socket);
    socket.destroy();
    onCut(reason);
  }

  /**
   * Nobody who has just come waits because others keep what they do not use. Whoever was used since the last look is put
   * last: to do that with every request instead would leave V8 with a trail of tables, each kept by the one before.
   */
  function makeRoom(): void {
    const recently = performance.now() - GRACE_MS;
    let looked = 0;
    for (const [socket, connection] of open) {
      const { last, since } = connection;
      const isIdle = last ? isFinished(socket, last) : since < recently;
      if (isIdle && !connection.wasUsed) return void cut(socket, 'idle');
      if (connection.wasUsed) {
        connection.wasUsed = false;
        open.delete(socket);
        open.set(socket, connection);
      }
      if (++looked === LOOKED_AT) return;
    }
  }

  /** Ends those that do not take what they asked for. */
  function sweep(): void {
    const now = performance.now();
    for (const socket of open.keys()) {
      if (socket.writableLength === 0) {
        unread.delete(socket);
        continue;
      }
      const taken = (socket.bytesWritten ?? 0) - socket.writableLength;
      const before = unread.get(socket);
      if (!before || taken - before.taken >= LEAST_TAKEN) unread.set(socket, { taken, since: now });
      else if (now - before.since >= patienceMs) cut(socket, 'unread');
    }
  }

  server.maxConnections = most;
  server.on('connection', (socket: Socket) => {
    const since = performance.now();
    const connection: Connection = { last: undefined, waiting: [], since, wasUsed: false };
    open.set(socket, connection);
    socket.once('close', () => {
      open.delete(socket);
      unread.delete(socket);
      for (const response of connection.waiting.splice(0)) abandon(response);
    });
    if (open.size > most * FULL) makeRoom();
  });
  server.on('drop', () => onCut('connections'));
  const timer = setInterval(sweep, Math.min(SWEEP_MS, patienceMs)).unref();
  server.on('close', () => clearInterval(timer));

  return {
    used(socket, response) {
      const connection = open.get(socket);
      if (!connection) return;
      if (connection.last && !connection.last.writableFinished) enqueue(connection.waiting, response);
      connection.last = response;
      connection.wasUsed = true;
    },
    reused(socket) {
      const connection = open.get(socket);
      if (connection) connection.wasUsed = true;
    },
    isIdle(socket) {
      const last = open.get(socket)?.last;
      return last !== undefined && isFinished(socket, last) && socket.writable;
    },
    last: socket => open.get(socket)?.last,
    closeSilent() {
      for (const [socket, { last }] of open) if (!last && socket.bytesRead === 0) socket.destroy();
    },
  };
}

/** Whether an answer has been sent, and whatever was sent after it. */
function isFinished(socket: Socket, last: ServerResponse): boolean {
  return last.writableFinished && socket.writableLength === 0;
}

/** They are finished in their order, and let go of then: a connection may stay for long. */
function enqueue(waiting: ServerResponse[], response: ServerResponse): void {
  waiting.push(response);
  response.once('close', () => {
    while (waiting[0]?.writableFinished) waiting.shift();
  });
}

/** Node closes the answer whose turn it is, and forgets those behind it: whoever counts on them would count them for ever. */
function abandon(response: ServerResponse): void {
  if (response.socket || response.writableFinished || response.destroyed) return;
  response.destroyed = true;
  response.emit('close');
}

/** As Linux tells it; Node has raised it as far as it may. */
function mostFiles(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return Number(soft ?? USUAL_FILES);
  } catch {
    return USUAL_FILES;
  }
}
