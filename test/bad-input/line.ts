/** Lines to a service: kept connections that say exactly the bytes they are told, and how long each answer took. */
import { connect, type Socket } from 'node:net';
import { type Answer, readAnswer } from '../contract/wire.ts';

export interface Reply extends Answer {
  ms: number;
}

export interface Line {
  /** Throws when the connection is closed without an answer, or none comes. */
  ask(bytes: Buffer): Promise<Reply>;
  close(): void;
}

const LONGEST_MS = 15_000;

/** One connection, opened again when the service has closed it; for one question at a time. */
export function openLine(url: string): Line {
  const { hostname, port } = new URL(url);
  let socket: Socket | undefined;

  function open(): Socket {
    if (socket && !socket.destroyed && socket.writable) return socket;
    socket = connect(Number(port), hostname)
      .setNoDelay(true)
      .on('error', () => {});
    return socket;
  }

  return {
    ask: bytes =>
      new Promise((resolve, reject) => {
        const own = open();
        const began = performance.now();
        let received: Buffer = Buffer.alloc(0);
        const timer = setTimeout(() => finish(undefined, 'no answer'), LONGEST_MS);
        const finish = (answer: Answer | undefined, why: string) => {
          clearTimeout(timer);
          own.off('data', read).off('close', end);
          if (!answer || answer.headers.connection === 'close') own.destroy();
          if (answer) resolve({ ...answer, ms: performance.now() - began });
          else reject(new Error(why));
        };
        const read = (chunk: Buffer) => {
          received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
          const answer = readAnswer(received);
          if (answer) finish(answer, '');
        };
        const end = () => finish(readAnswer(received, true), `closed after ${received.length} bytes`);
        own.on('data', read).on('close', end).write(bytes);
      }),
    close: () => void socket?.destroy(),
  };
}
