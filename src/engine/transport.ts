/** Transport: one bounded connection pool per provider host, and single requests that end by the deadline. */
import { type Dispatcher, Pool } from 'undici';
import type { Deadline } from './deadline.ts';
import { Upstream } from './upstream.ts';

export interface Outgoing {
  method: 'GET' | 'POST' | 'PUT';
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
}

export interface Incoming {
  status: number;
  headers: Record<string, string>;
  text: string;
}

export interface SendOptions {
  deadline: Deadline;
  /** Most bytes of body that are read; the connection is cut beyond. */
  bodyLimit: number;
  /** Hands out the means to end the request early. */
  onAbort?(abort: () => void): () => void;
}

export interface Channel {
  send(request: Outgoing, options: SendOptions): Promise<Incoming>;
  close(): Promise<void>;
}

/** Requests waiting for a connection beyond this many per connection are refused: a queue to death helps nobody. */
const WAITING_PER_CONNECTION = 8;

/** A channel to one base URL; the base may carry a path of its own. */
export function openChannel(base: string, connections: number): Channel {
  const url = new URL(base);
  const prefix = url.pathname.replace(/\/$/, '');
  const pool = new Pool(url.origin, {
    connections,
    pipelining: 1,
    // The deadline of the whole piece of work is the only clock; idle timeouts would be a second one.
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: 3_000,
    keepAliveTimeout: 30_000,
    maxHeaderSize: 16_384,
  });
  const most = connections * (1 + WAITING_PER_CONNECTION);
  let inFlight = 0;

  return {
    send(request, options) {
      if (inFlight >= most) {
        return Promise.reject(new Upstream('busy', 'too many requests to this provider are under way'));
      }
      inFlight++;
      const full = { ...request, path: prefix + request.path };
      return new Promise((resolve, reject) => {
        const fail = (fault: Upstream) => {
          inFlight--;
          reject(fault);
        };
        const succeed = (answer: Incoming) => {
          inFlight--;
          resolve(answer);
        };
        exchange(pool, full, options, {
          succeed,
          // A kept-alive connection may have been closed under us: try once more, when nothing can have happened.
          fail: fault =>
            fault.kind === 'reset' && request.method === 'GET'
              ? exchange(pool, full, options, { succeed, fail })
              : fail(fault),
        });
      });
    },
    close: () => pool.destroy(),
  };
}

interface Ending {
  succeed(answer: Incoming): void;
  fail(fault: Upstream): void;
}

/** Sends one request; exactly one ending is called, by the deadline at the latest. */
function exchange(pool: Pool, request: Outgoing, options: SendOptions, ending: Ending): void {
  let chunks: Buffer[] = [];
  let size = 0;
  let status = 0;
  let headers: Record<string, string> = {};
  let abort: (() => void) | undefined;
  let settled = false;
  let stopClock: (() => void) | undefined;
  let stopListening: (() => void) | undefined;

  const settle = (): boolean => {
    if (settled) return false;
    settled = true;
    stopClock?.();
    stopListening?.();
    return true;
  };
  const giveUp = (fault: Upstream) => {
    if (!settle()) return;
    chunks = [];
    ending.fail(fault);
    // After the answers that this lets go: cutting many connections at once takes time.
    if (abort) setImmediate(abort);
  };
  stopClock = options.deadline.onExpire(() => giveUp(new Upstream('late', 'no answer before the deadline')));
  if (settled) return;
  stopListening = options.onAbort?.(() =>
    giveUp(new Upstream('withdrawn', 'the provider stopped answering')),
  );

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(controller) {
      abort = () => controller.abort(new Error('given up'));
      if (settled) abort();
    },
    onResponseStart(_controller, statusCode, received) {
      status = statusCode;
      headers = received as Record<string, string>;
    },
    onResponseData(_controller, chunk) {
      if (settled) return;
      size += chunk.length;
      if (size <= options.bodyLimit) return void chunks.push(chunk);
      giveUp(new Upstream('tooLarge', `body is larger than ${options.bodyLimit} bytes`));
      // At once: more of it arrives with every moment.
      abort?.();
    },
    onResponseEnd() {
      if (settle()) ending.succeed({ status, headers, text: readText(chunks) });
    },
    onResponseError(_controller, error) {
      if (settle()) ending.fail(classify(error, status !== 0));
    },
  };
  const { method, path, body = null } = request;
  pool.dispatch({ method, path, headers: request.headers, body }, handler);
}

function readText(chunks: Buffer[]): string {
  const [first] = chunks;
  if (!first) return '';
  return (chunks.length === 1 ? first : Buffer.concat(chunks)).toString('utf8');
}

/** A reset before the first byte may be retried; everything else is final. */
function classify(error: Error & { code?: string }, answered: boolean): Upstream {
  const closed = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(error.code ?? '');
  if (closed && !answered) return new Upstream('reset', 'connection closed before an answer');
  const unreadable = error.name === 'HTTPParserError' || error.code === 'UND_ERR_HEADERS_OVERFLOW';
  if (closed || answered || unreadable)
    return new Upstream('garbage', 'the answer was cut short or malformed');
  return new Upstream('unreachable', `no connection (${error.code ?? 'unknown'})`);
}
