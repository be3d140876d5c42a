/** The front: what happens to a request before any route, on the bare socket. It refuses what no route may see, and
 * answers catalog requests that were answered before without going any further. */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { Fault } from '../domain/fault.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import type { Memory } from './memory.ts';
import { describeProblem } from './problem.ts';

export interface FrontOptions {
  memory: Memory;
  /** The key under which an answer to this request would be kept. */
  memoryKey(request: IncomingMessage): string;
  newRequestId(): string;
  onRemembered(): void;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']);
const CATALOG_PREFIX = '/supported';
export const CATALOG_CACHE = 'private, max-age=60';

/** Limits on slow and greedy clients; Node's own are for friendlier places. */
const SERVER_OPTIONS = {
  maxHeaderSize: 8_192,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 72_000,
};

export function createFront(handler: Handler, options: FrontOptions): Server {
  const { memory, memoryKey, newRequestId, onRemembered } = options;

  function recall(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== 'GET' || !request.url?.startsWith(CATALOG_PREFIX)) return false;
    const kept = memory.get(memoryKey(request));
    if (!kept) return false;
    const headers = [
      'etag',
      kept.etag,
      'cache-control',
      CATALOG_CACHE,
      'vary',
      'Origin, Authorization',
      'x-request-id',
      newRequestId(),
      ...corsHeaders(request.headers.origin),
    ];
    if (request.headers['if-none-match'] === kept.etag) {
      response.writeHead(304, headers).end();
    } else {
      headers.push(
        'content-type',
        'application/json; charset=utf-8',
        'content-length',
        String(kept.body.length),
      );
      response.writeHead(200, headers).end(kept.body);
    }
    onRemembered();
    return true;
  }

  const server = createServer(SERVER_OPTIONS, (request, response) => {
    const fault = inspect(request);
    if (fault) return refuse(response, request, fault, newRequestId());
    if (request.method === 'OPTIONS') {
      return void response.writeHead(204, preflightHeaders(request.headers)).end();
    }
    if (!recall(request, response)) handler(request, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    answerRaw(socket, error.code, newRequestId());
  });
  return server;
}

/** Framing and target rules that Node's parser leaves to us. */
function inspect(request: IncomingMessage): Fault | undefined {
  const { method = '', url = '', rawHeaders, headers } = request;
  if (!METHODS.has(method)) return new Fault('methodNotAllowed', `${method} is not a method we serve`);
  if (url.charCodeAt(0) !== 47) return new Fault('badInput', 'The request target must be a path', 'path');
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    return new Fault('badInput', 'The transfer encoding is not one we read', 'Transfer-Encoding');
  }
  let hosts = 0;
  let keys = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
    if (name.length === 13 && name.toLowerCase() === 'authorization') keys++;
  }
  if (hosts > 1) return new Fault('badInput', 'The Host header must be sent once', 'Host');
  if (keys > 1) return new Fault('badInput', 'The Authorization header must be sent once', 'Authorization');
  return undefined;
}

function refuse(response: ServerResponse, request: IncomingMessage, fault: Fault, requestId: string): void {
  const { status, body } = describeProblem(fault, requestId);
  response
    .writeHead(status, [
      'content-type',
      'application/json; charset=utf-8',
      'connection',
      'close',
      'x-request-id',
      requestId,
      ...(status === 405 ? ['allow', [...METHODS].join(', ')] : []),
      ...corsHeaders(request.headers.origin),
    ])
    .end(JSON.stringify(body));
}

/** Answers what the parser refused; there is no request to answer on, only a socket. */
function answerRaw(socket: Socket, code: string | undefined, requestId: string): void {
  if (!socket.writable) return void socket.destroy();
  const [status, message] =
    code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'The request line and headers are too large']
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'The request took too long to arrive']
        : [400, 'The request is not valid HTTP'];
  const { body } = describeProblem(new Fault('badInput', message, 'request'), requestId);
  const text = JSON.stringify({ ...body, errorId: status * 10, errorCode: status });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  );
}
