/** Calls: requests with a deadline, tried again where that is safe. */
import { CloverleafError, errorOf } from './error.ts';
import { parseExact } from './exact.ts';

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** How long the whole call may take, waits and further tries included; of the client when nothing is said. */
  timeoutMs?: number | undefined;
}

export interface CallerOptions {
  /** Without a slash at its end. */
  url: string;
  key?: string | undefined;
  secret?: string | undefined;
  fetch: typeof fetch;
  timeoutMs: number;
  /** Further tries after the first. */
  retries: number;
  /** From 0 up to 1. */
  random(): number;
}

export interface Call {
  method?: 'GET' | 'POST' | 'DELETE';
  path: string;
  query?: object | undefined;
  headers?: Record<string, string>;
  /** JSON as it is to be sent. */
  body?: string | undefined;
  /** Whether the account's secret goes with it. */
  secret?: boolean;
  /** Whether it does no harm to ask twice. */
  safe: boolean;
}

export interface Caller {
  /** The answer's JSON; undefined when it has none. */
  ask(call: Call, options: CallOptions | undefined): Promise<unknown>;
  /** Hands over the answer while it grows; the request ends when `read` does. */
  follow<T>(
    call: Call,
    options: CallOptions | undefined,
    read: (response: Response) => AsyncIterable<T>,
  ): AsyncGenerator<T, void, undefined>;
}

/** More than any answer of the service holds. */
const MOST_BYTES = 32 * 1024 * 1024;

export function createCaller(options: CallerOptions): Caller {
  /** Sends until there is an answer that can be used, or an error to throw. */
  async function send<T>(call: Call, limit: Limit, use: (response: Response) => Promise<T>): Promise<T> {
    for (let tried = 0, failed = 0; ; tried++) {
      try {
        const response = await sendOnce(call, limit);
        if (!response.ok) throw errorOf(response, parseOrNothing(await readText(response)));
        return await use(response);
      } catch (error) {
        const known = limit.explain(error);
        const waitMs = waitBefore(known, tried);
        // Waited for as long as there is time: it is no failure.
        if (!isRunning(known)) failed++;
        if (failed > options.retries || !call.safe || !isPassing(known) || waitMs >= limit.leftMs())
          throw known;
        await limit.wait(waitMs);
      }
    }
  }

  function sendOnce({ method = 'GET', path, query, headers, body, secret }: Call, { signal }: Limit) {
    return options.fetch(`${options.url}${path}${writeQuery(query)}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(options.key !== undefined && { authorization: options.key }),
        ...(secret && options.secret !== undefined && { 'x-service-secret': options.secret }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
      // Keys say who calls; a page's cookies are nobody's business.
      credentials: 'omit',
      redirect: 'error',
      signal,
    });
  }

  /** As long as the service says, else longer each time; never at the same moment as everybody else. */
  function waitBefore({ retryAfter }: CloverleafError, tried: number): number {
    if (retryAfter !== undefined) return retryAfter * 1_000 + options.random() * FIRST_WAIT_MS;
    return Math.min(FIRST_WAIT_MS * 2 ** tried, LONGEST_WAIT_MS) * (0.5 + options.random() / 2);
  }

  return {
    async ask(call, callOptions) {
      const limit = openLimit(callOptions, options.timeoutMs);
      try {
        return await send(call, limit, readAnswer);
      } catch (error) {
        throw limit.explain(error);
      } finally {
        limit.close();
      }
    },
    async *follow(call, callOptions, read) {
      const limit = openLimit(callOptions, options.timeoutMs);
      try {
        // Once it has begun to be read it is not asked for again: what was handed on cannot be taken back.
        yield* read(await send(call, limit, async response => response));
      } catch (error) {
        throw limit.explain(error);
      } finally {
        // Also where the one who follows has left the loop: nobody reads on.
        limit.abort();
        limit.close();
      }
    },
  };
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;

/** Whether another try may well succeed. */
function isPassing(error: CloverleafError): boolean {
  return ['unreachable', 'busy', 'providerFailed'].includes(error.kind) || isRunning(error);
}

/** Whether it is a checkout that still runs under our key. */
function isRunning({ status, field }: CloverleafError): boolean {
  return status === 409 && field === 'Idempotency-Key';
}

/** The end of a call, whoever sets it: the clock, the caller, or ourselves. */
interface Limit {
  signal: AbortSignal;
  leftMs(): number;
  /** Resolves after a while; rejects when the call ends before. */
  wait(ms: number): Promise<void>;
  /** What an error means: whatever breaks when the call was ended, broke because of that. */
  explain(error: unknown): CloverleafError;
  abort(): void;
  close(): void;
}

/** A timer that is longer ends at once, everywhere. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function openLimit({ signal: callers, timeoutMs: own }: CallOptions = {}, usual: number): Limit {
  const timeoutMs = own ?? usual;
  const controller = new AbortController();
  const end = performance.now() + timeoutMs;
  let isLate = false;
  const endLate = () => {
    isLate = true;
    controller.abort();
  };
  const timer =
    timeoutMs === Infinity ? undefined : setTimeout(endLate, Math.min(timeoutMs, LONGEST_TIMER_MS));
  const abort = () => controller.abort();
  if (callers?.aborted) abort();
  callers?.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    leftMs: () => end - performance.now(),
    wait: ms => pause(ms, controller.signal),
    explain(error) {
      if (error instanceof CloverleafError && (error.kind === 'timeout' || error.kind === 'aborted'))
        return error;
      if (isLate)
        return new CloverleafError('timeout', `There was no answer within ${timeoutMs} ms`, { cause: error });
      if (callers?.aborted)
        return new CloverleafError('aborted', 'The request was broken off', { cause: error });
      if (error instanceof CloverleafError) return error;
      return new CloverleafError('unreachable', 'The service cannot be reached', { cause: error });
    },
    abort,
    close() {
      clearTimeout(timer);
      callers?.removeEventListener('abort', abort);
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** Pieces of an answer as they come in. */
export async function* readChunks(response: Response): AsyncGenerator<string, void, undefined> {
  if (!response.body) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.byteLength;
      if (bytes > MOST_BYTES) throw new CloverleafError('failed', 'The answer is too long');
      yield decoder.decode(value, { stream: true });
    }
    yield decoder.decode();
  } finally {
    // Nothing where it has ended; where it has not, nobody wants the rest.
    reader.cancel().catch(() => {});
  }
}

async function readText(response: Response): Promise<string> {
  let text = '';
  for await (const chunk of readChunks(response)) text += chunk;
  return text;
}

/** What an answer holds; nothing where it is empty. */
async function readAnswer(response: Response): Promise<unknown> {
  const text = await readText(response);
  return text === '' ? undefined : parseAnswer(text, response.status);
}

/** An answer, or an event of one: what is no JSON is not the service's. */
export function parseAnswer(text: string, status: number): unknown {
  try {
    return parseExact(text);
  } catch (cause) {
    throw new CloverleafError('failed', 'The answer is not JSON', { status, cause });
  }
}

function parseOrNothing(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

function writeQuery(query: object = {}): string {
  const sent = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(sent.map(([name, value]): [string, string] => [name, String(value)]));
  return sent.length > 0 ? `?${search}` : '';
}
