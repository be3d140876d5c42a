/** A pipe: bytes to and from one process of PostgreSQL, written and read on the spot, without a turn of the event loop. */
import { once } from 'node:events';
import { readSync, writeSync } from 'node:fs';
import { connect } from 'node:net';

export interface Pipe {
  write(bytes: Buffer): void;
  /** Reads what there is, or waits for something; 0 when nothing has come for so long, in milliseconds. */
  read(into: Buffer, at: number, patienceMs?: number): number;
}

/** As much of Node's own handle as is used here. */
interface Handle {
  fd: number;
  setBlocking(isBlocking: boolean): number;
}

/** Opens the Unix socket at a path. Nothing happens in a simulated world meanwhile, so nobody is kept waiting by waiting. */
export async function openPipe(path: string): Promise<Pipe> {
  const socket = connect(path);
  // Node must not read what is ours.
  socket.pause();
  await once(socket, 'connect');
  socket.on('error', () => {});
  const handle = (socket as unknown as { _handle: Handle })._handle;
  let isBlocking = false;
  const block = (wanted: boolean) => {
    if (wanted !== isBlocking) handle.setBlocking(wanted);
    isBlocking = wanted;
  };
  return {
    write(bytes) {
      block(true);
      for (let at = 0; at < bytes.length; ) at += writeSync(handle.fd, bytes, at);
    },
    read(into, at, patienceMs) {
      block(patienceMs === undefined);
      const count = patienceMs === undefined ? readAt(handle.fd, into, at) : poll(into, at, patienceMs);
      if (count === 0 && patienceMs === undefined) throw new Error('PostgreSQL has ended a connection');
      return count;
    },
  };

  function poll(into: Buffer, at: number, patienceMs: number): number {
    for (let waited = 0, pauseMs = SHORTEST_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_MS)) {
      const count = tryToRead(handle.fd, into, at);
      if (count > 0 || waited >= patienceMs) return count;
      rest(pauseMs);
      waited += pauseMs;
    }
  }
}

const SHORTEST_MS = 0.03;
const LONGEST_MS = 1;
const NOBODY = new Int32Array(new SharedArrayBuffer(4));

/** Lets others work for so long. */
export function rest(ms: number): void {
  Atomics.wait(NOBODY, 0, 0, ms);
}

function tryToRead(fd: number, into: Buffer, at: number): number {
  try {
    return readAt(fd, into, at);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}

function readAt(fd: number, into: Buffer, at: number): number {
  return readSync(fd, into, at, into.length - at, null);
}
