/** Webhooks in: where providers tell what happened. The body is taken as it is, byte for byte. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Intake } from '../app/intake.ts';
import { Fault } from '../domain/fault.ts';
import { writeJson } from '../domain/json.ts';
import type { ProviderId } from '../domain/words.ts';
import { together } from '../together.ts';
import { corsHeaders } from './cors.ts';
import { failures } from './current/answers.ts';
import { describeProblem } from './problem.ts';

export interface HookOptions {
  intake: Intake;
  publicUrl(): string;
  newRequestId(): string;
  /** Told of every answer; of the error behind it when that is ours. */
  onServed(served: Served): void;
}

export interface Served {
  requestId: string;
  method: string;
  route: string;
  status: number;
  ms: number;
  err?: unknown;
  /** It was refused for there being too many, which is told of elsewhere. */
  isRefused?: boolean;
}

/** Answers a request if it is for a hook; false when it is not. */
export type TakeHook = (request: IncomingMessage, response: ServerResponse) => boolean;

const ROUTE = '/hooks/:provider';
const TARGET = /^\/hooks\/([a-z0-9-]{1,32})\/?(?:\?|$)/;
const BODY_LIMIT = 256 * 1024;
const RECEIVED = '{"received":true}';

/** Providers send thousands at once and want an answer soon: nothing stands between the socket and the intake. */
export function createHooks({ intake, publicUrl, newRequestId, onServed }: HookOptions): TakeHook {
  const basePath = createBasePath(publicUrl);

  async function receive(provider: string, request: IncomingMessage): Promise<void> {
    const { headers, url = '' } = request;
    const raw = await readBytes(request);
    const at = url.indexOf('?');
    await intake.receive(provider as ProviderId, {
      headers: headers as Record<string, string>,
      // As the provider was told to spell it: a proxy may take a part of the path away.
      path: `${basePath()}/hooks/${provider}`,
      search: at < 0 ? '' : url.slice(at),
      raw,
    });
  }

  return (request, response) => {
    const provider = request.method === 'POST' ? TARGET.exec(request.url ?? '')?.[1] : undefined;
    if (provider === undefined) return false;
    const began = performance.now();
    const requestId = newRequestId();
    const answer = (status: number, body: string, err?: unknown) => {
      send(response, { status, body, requestId, origin: request.headers.origin });
      onServed({ requestId, method: 'POST', route: ROUTE, status, ms: performance.now() - began, err });
    };
    receive(provider, request).then(
      () => answer(200, RECEIVED),
      error => {
        const { status, body } = describeProblem(error, requestId);
        answer(status, writeJson(body), status === 500 ? error : undefined);
      },
    );
    return true;
  };
}

/** Hooks as they are documented. Requests for them do not come this far unless they are spelled as nobody was told to. */
export const hookRoutes: FastifyPluginAsyncTypebox = async app => {
  app.post(
    '/hooks/:provider',
    {
      config: { hook: true },
      schema: {
        tags: ['Operations'],
        summary: 'Where a provider sends its webhooks',
        description: 'Proven by the provider’s own signature, and kept before it is acknowledged.',
        params: Type.Object({ provider: Type.String({ pattern: '^[a-z0-9-]{1,32}$' }) }),
        response: {
          200: { description: 'Kept.', ...Type.Object({ received: Type.Boolean() }) },
          ...failures,
        },
      },
    },
    async () => {
      throw new Fault('notFound', 'There is no such hook', 'provider');
    },
  );
};

/** The path in front of ours, taken from the public address once. */
function createBasePath(publicUrl: () => string): () => string {
  let known = { url: '', path: '' };
  return () => {
    const url = publicUrl();
    if (known.url !== url) known = { url, path: new URL(url).pathname.replace(/(?<!\/)\/+$/, '') };
    return known.path;
  };
}

/** Bodies that came in one turn of the loop are proven one after the other, before any of them is written. */
const handOver = together(({ chunks, resolve }: { chunks: Buffer[]; resolve(body: Buffer): void }) => {
  resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
}, setImmediate);

/** Resolves with all of the body; whoever hangs up before its end is not heard. */
function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_LIMIT) chunks.push(chunk);
      else reject(new Fault('tooLarge', 'The body is too large', 'body'));
    });
    request.on('end', () => handOver({ chunks, resolve }));
  });
}

interface Answer {
  status: number;
  body: string;
  requestId: string;
  origin: string | undefined;
}

function send(response: ServerResponse, { status, body, requestId, origin }: Answer): void {
  const headers = [
    ...['content-type', 'application/json; charset=utf-8', 'content-length', String(Buffer.byteLength(body))],
    ...['x-request-id', requestId, 'cache-control', 'no-store'],
  ];
  if (status === 413) headers.push('connection', 'close');
  if (status === 503) headers.push('retry-after', '1');
  if (origin !== undefined) headers.push(...corsHeaders(origin), 'vary', 'Origin');
  response.writeHead(status, headers).end(body);
}
