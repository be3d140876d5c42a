/** Transport: one bounded connection pool per provider host, and single requests that end by the deadline. */
import { type Dispatcher, Pool } from 'undici';
import type { Deadline } from './deadline.ts';
import { Upstream } from './upstream.ts';

export interface Outgoing {
  method: 'GET' | 'POST' | 'PUT';
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  body?: string | undefined;
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
  let inFlight = 0;

  async function send(request: Outgoing, options: SendOptions): Promise<Incoming> {
    if (inFlight >= connections * (1 + WAITING_PER_CONNECTION)) {
      throw new Upstream('busy', 'too many requests to this provider are under way');
    }
    inFlight++;
    try {
      const full = { ...request, path: prefix + request.path };
      try {
        return await once(pool, full, options);
      } catch (error) {
        // A kept-alive connection may have been closed under us: try once more, when nothing can have happened.
        if (!(error instanceof Upstream && error.kind === 'reset' && request.method === 'GET')) throw error;
        return await once(pool, full, options);
      }
    } finally {
      inFlight--;
    }
  }

  return { send, close: () => pool.destroy() };
}

function once(pool: Pool, request: Outgoing, options: SendOptions): Promise<Incoming> {
  return new Promise((resolve, reject) => {
    const { deadline, bodyLimit } = options;
    const chunks: Buffer[] = [];
    let size = 0;
    let status = 0;
    let headers: Record<string, string> = {};
    let abort: (() => void) | undefined;
    let settled = false;

    let stopClock: (() => void) | undefined;
    let stopListening: (() => void) | undefined;
    const settle = (finish: () => void) => {
      if (settled) return;
      settled = true;
      stopClock?.();
      stopListening?.();
      finish();
    };
    const give = (fault: Upstream) => {
      settle(() => reject(fault));
      abort?.();
    };
    stopClock = deadline.onExpire(() => give(new Upstream('late', 'no answer before the deadline')));
    if (settled) return;
    stopListening = options.onAbort?.(() =>
      give(new Upstream('withdrawn', 'the provider stopped answering')),
    );

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        abort = () => controller.abort(new Error('given up'));
        if (settled) abort();
      },
      onResponseStart(_controller, statusCode, rawHeaders) {
        status = statusCode;
        headers = rawHeaders as Record<string, string>;
      },
      onResponseData(_controller, chunk) {
        size += chunk.length;
        if (size > bodyLimit) return give(new Upstream('tooLarge', `body is larger than ${bodyLimit} bytes`));
        chunks.push(chunk);
      },
      onResponseEnd() {
        settle(() => resolve({ status, headers, text: readText(chunks) }));
      },
      onResponseError(_controller, error) {
        settle(() => reject(classify(error, status !== 0)));
      },
    };
    pool.dispatch(
      { method: request.method, path: request.path, headers: request.headers, body: request.body ?? null },
      handler,
    );
  });
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
