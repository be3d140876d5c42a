/** A caller over real sockets: sends headers exactly as they are given, twice if need be, from any address of this machine. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

export interface Call {
  method?: string;
  path: string;
  /** Names and values, in this order. */
  headers?: readonly (readonly [name: string, value: string])[];
  body?: string | Buffer;
  /** The address it comes from: another one of loopback, say. */
  from?: string;
}

export interface Heard {
  /** 0 when there was no answer. */
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
  /** From the first byte that was sent to the last one that came. */
  ms: number;
}

export interface Caller {
  url: string;
  call(call: Call): Promise<Heard>;
  close(): void;
}

const PATIENCE_MS = 30_000;
const BODILESS = new Set(['GET', 'HEAD']);
const BUSY = new Set([429, 503]);
const MOST_TRIES = 12;
const PAUSE_MS = 100;

export function openCaller(url: string, connections = 16): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { host, hostname, port } = new URL(url);

  function callOnce({ method = 'GET', path, headers = [], body, from }: Call): Promise<Heard> {
    const isBare = body === undefined && BODILESS.has(method);
    const length = isBare ? [] : [['content-length', String(Buffer.byteLength(body ?? ''))] as const];
    const all = [['host', host] as const, ...headers, ...length];
    const began = performance.now();
    return new Promise(resolve => {
      const asked = request(
        {
          ...{ agent, hostname, port, method, path, headers: all.flat() },
          ...(from !== undefined && { localAddress: from }),
          signal: AbortSignal.timeout(PATIENCE_MS),
        },
        answer => void listen(answer).then(heard => resolve({ ...heard, ms: performance.now() - began })),
      );
      asked.on('error', () => resolve({ status: 0, headers: {}, text: '', ms: performance.now() - began }));
      asked.end(body);
    });
  }

  return {
    url,
    async call(call) {
      for (let tries = 1; ; tries++) {
        const heard = await callOnce(call);
        // Whoever has too much to do says so to everybody, and says no more by it.
        if (!BUSY.has(heard.status) || heard.headers['retry-after'] === undefined || tries === MOST_TRIES)
          return heard;
        await wait(PAUSE_MS * tries);
      }
    },
    close: () => agent.destroy(),
  };
}

async function listen(answer: IncomingMessage): Promise<Omit<Heard, 'ms'>> {
  const { statusCode = 0 } = answer;
  const headers = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
  );
  // A stream has no end; that it began is all there is to know.
  if (headers['content-type']?.startsWith('text/event-stream')) {
    answer.destroy();
    return { status: statusCode, headers, text: '' };
  }
  const chunks = await answer.toArray().catch(() => []);
  return { status: statusCode, headers, text: Buffer.concat(chunks).toString() };
}

export const JSON_BODY = ['content-type', 'application/json'] as const;

/** What an account proves itself by. */
export function proofOf({ publicKey, secret }: { publicKey: string; secret: string }) {
  return [
    ['authorization', publicKey],
    ['x-service-secret', secret],
  ] as const;
}
