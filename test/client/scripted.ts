/** A `fetch` that answers from a script, and remembers what it was asked. */

export type Scripted =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  /** Bytes as they come, and whether the connection breaks after them. */
  | { chunks: (string | Uint8Array)[]; breaks?: boolean; hangs?: boolean }
  /** No connection at all. */
  | 'refused'
  /** A connection that never answers. */
  | 'hangs';

export interface Asked {
  url: URL;
  method: string;
  headers: Headers;
  body: string | undefined;
  signal: AbortSignal;
}

export interface Script {
  fetch: typeof fetch;
  asked: Asked[];
}

/** One answer per request, the last one over and over. */
export function script(...answers: Scripted[]): Script {
  const asked: Asked[] = [];
  const scriptedFetch = async (input: string, init: RequestInit) => {
    const request = {
      url: new URL(input),
      method: init.method ?? 'GET',
      headers: new Headers(init.headers),
      body: init.body as string | undefined,
      signal: init.signal as AbortSignal,
    };
    asked.push(request);
    request.signal.throwIfAborted();
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    if (answer === undefined || answer === 'refused') throw new TypeError('fetch failed');
    if (answer === 'hangs') return untilAborted(request.signal);
    if ('chunks' in answer) return new Response(grow(answer, request.signal), { status: 200 });
    const { status, body, headers } = answer;
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    return new Response(text ?? null, { status, ...(headers && { headers }) });
  };
  return { fetch: scriptedFetch as typeof fetch, asked };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function grow(
  { chunks, breaks, hangs }: Extract<Scripted, { chunks: unknown }>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const left = [...chunks];
  return new ReadableStream({
    async pull(controller) {
      const chunk = left.shift();
      if (chunk !== undefined)
        return controller.enqueue(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk);
      if (hangs) return untilAborted(signal);
      if (breaks) controller.error(new TypeError('terminated'));
      else controller.close();
    },
  });
}
