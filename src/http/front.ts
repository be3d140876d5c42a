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
import type { Admission, Refusal } from './admission.ts';
import { type Connections, keepConnections, mostConnections } from './connections.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import { type Envelope, readEnvelope } from './envelope.ts';
import { createDates, type Head, linesOf } from './head.ts';
import type { Kept, Memory } from './memory.ts';
import { describeEarlierProblem, describeProblem } from './problem.ts';
import { wordingOf } from './refusals.ts';
import { type Asked, createRepeats } from './repeats.ts';
import type { IsEarlier } from './surface.ts';

export interface FrontOptions {
  memory: Memory;
  admission: Pick<Admission, 'limit' | 'shed'>;
  /** Told why somebody was refused, or a connection ended. */
  onRefused(reason: string): void;
  /** Told of each new connection. */
  onConnection(): void;
  isEarlier: IsEarlier;
  /** How paths begin whose answers are kept. */
  catalogPaths: readonly string[];
  /** The country of the caller, which answers depend on. */
  countryOf(request: IncomingMessage): string | undefined;
  newRequestId(): string;
  onRemembered(): void;
  /** Answers what needs no router; false when it does. */
  take(request: IncomingMessage, response: ServerResponse): boolean;
  /** How long a body may take that is not a file. */
  patienceMs?: number;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const PATIENCE_MS = 15_000;
const UPLOAD = /\/transaction\/[^/]+\/file\//;

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']);
const MOST_HEADERS = 100;

/** Limits on slow and greedy clients; Node's own are for friendlier places. */
const SERVER_OPTIONS = {
  // Looked at by `inspect`, which can say what is wrong.
  requireHostHeader: false,
  maxHeaderSize: 8_192,
  headersTimeout: 10_000,
  // For files, which come from phones; whatever else is sent has its own.
  requestTimeout: 120_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 72_000,
};

const STAYS_OPEN = linesOf([
  ...['Connection', 'keep-alive'],
  ...['Keep-Alive', `timeout=${SERVER_OPTIONS.keepAliveTimeout / 1_000}`],
]);

export function createFront(handler: Handler, options: FrontOptions): Server {
  const { memory, isEarlier, catalogPaths, countryOf, newRequestId, onRemembered, take, admission } = options;
  const { patienceMs = PATIENCE_MS } = options;

  function isCatalog({ method, url = '' }: IncomingMessage): boolean {
    return method === 'GET' && catalogPaths.some(path => url.startsWith(path));
  }

  /** Answers from memory; false when nothing is kept there. */
  function recall(request: IncomingMessage, response: ServerResponse, envelope: Envelope): boolean {
    const { url = '' } = request;
    const kept = memory.get(url, envelope.authorization, countryOf(request));
    if (!kept) return false;
    const { status, head, body } = answerOf(kept, envelope);
    const headers = [...head.list, 'x-request-id', newRequestId()];
    if (envelope.origin !== undefined) headers.push(...corsHeaders(envelope.origin, isEarlier(url)));
    response.writeHead(status, headers).end(body);
    onRemembered();
    onAnswered({ request, envelope, kept });
    return true;
  }

  /** The same once more, in the words that Node uses; false when it is for Node. */
  function again({ request, envelope, kept }: Asked): boolean {
    const { socket, url = '' } = request;
    const { authorization, origin } = envelope;
    if (memory.get(url, authorization, countryOf(request)) !== kept) return false;
    if (!server.listening || !connections.isIdle(socket)) return false;
    if (admission.limit(request, authorization)) return false;
    connections.reused(socket);
    const { status, head, body } = answerOf(kept, envelope);
    const cors = origin === undefined ? '' : linesOf(corsHeaders(origin, isEarlier(url)));
    const own = `${head.text}x-request-id: ${newRequestId()}\r\n${cors}Date: ${date()}\r\n`;
    socket.cork();
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${own}${STAYS_OPEN}\r\n`, 'latin1');
    if (body) socket.write(body);
    socket.uncork();
    onRemembered();
    return true;
  }
  const onAnswered = createRepeats({ again, isIdle: socket => connections.isIdle(socket) });
  const date = createDates(Date.now);

  /** Ends a request whose body does not arrive in time; most come in one piece with their head, and nobody waits for them. */
  function hurry(request: IncomingMessage, response: ServerResponse): void {
    if (request.method === 'GET' || UPLOAD.test(request.url ?? '')) return;
    setImmediate(() => {
      if (!request.complete && !request.destroyed) hurryOn(request, response);
    });
  }

  function hurryOn(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const caller = { origin: request.headers.origin, earlier: isEarlier(request.url ?? '') };
    const timer = setTimeout(() => {
      if (!request.complete)
        inTurn(socket, response, () => answerRaw(socket, TOO_SLOW, newRequestId(), caller));
    }, patienceMs);
    request.once('close', () => clearTimeout(timer));
  }

  /** Whether a request is refused for there being too many; it is told so, and may come again over the same connection. */
  function turnAway(
    refusal: Refusal | undefined,
    response: ServerResponse,
    { origin, earlier }: Refused,
  ): boolean {
    if (!refusal) return false;
    options.onRefused(refusal.reason);
    const { status, head, parts } = wordingOf(refusal, earlier);
    const requestId = newRequestId();
    const text = parts.join(requestId);
    const headers = [...head, 'x-request-id', requestId, 'content-length', String(Buffer.byteLength(text))];
    if (origin !== undefined) headers.push(...corsHeaders(origin, earlier), 'vary', 'Origin');
    response.writeHead(status, headers).end(text);
    return true;
  }

  function proceed(
    request: IncomingMessage,
    response: ServerResponse,
    { authorization }: Envelope,
    caller: Refused,
  ): void {
    if (turnAway(admission.shed(response, authorization), response, caller)) return;
    if (!take(request, response)) handler(request, response);
  }

  const server = createServer(SERVER_OPTIONS, (request, response) => {
    if (refused.has(request.socket)) return;
    connections.used(request.socket, response);
    // Clients put a path that begins with a slash after an address that ends with one.
    if (request.url?.startsWith('//')) request.url = request.url.replace(/^\/+/, '/');
    const envelope = readEnvelope(request.rawHeaders);
    const fault = inspect(request, envelope);
    const earlier = isEarlier(request.url ?? '');
    const caller = { origin: envelope.origin, earlier, newRequestId };
    if (fault) return refuse(response, fault, caller);
    if (request.method === 'OPTIONS') {
      return void response.writeHead(204, preflightHeaders(request.headers, earlier)).end();
    }
    hurry(request, response);
    if (turnAway(admission.limit(request, envelope.authorization), response, caller)) return;
    if (!isCatalog(request)) return proceed(request, response, envelope, caller);
    if (recall(request, response, envelope)) return;
    // Many may come in one piece, all before the first is answered: the others are answered by what that one made.
    setImmediate(() => {
      if (!recall(request, response, envelope)) proceed(request, response, envelope, caller);
    });
  });
  const connections = keepConnections(server, { most: mostConnections(), onCut: options.onRefused });
  connectionsOf.set(server, connections);
  server.on('connection', options.onConnection);
  server.on('checkExpectation', (request, response) => {
    refuse(response, new Fault('badInput', 'The expectation cannot be met', 'Expect'), {
      origin: request.headers.origin,
      earlier: isEarlier(request.url ?? ''),
      newRequestId,
    });
  });
  server.on('connect', (_request, socket) => {
    // Node lets go of the socket here, and a reset that nobody hears of would end the process.
    socket.on('error', () => socket.destroy());
    const answer = () => answerRaw(socket as Socket, NO_TUNNEL, newRequestId());
    inTurn(socket as Socket, connections.last(socket as Socket), answer);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // What follows a request that was refused is not looked at any more.
    if (refused.has(socket) || error.code === 'ECONNRESET') return void socket.end();
    const fault = PARSER_FAULTS.get(error.code ?? '') ?? NOT_HTTP;
    inTurn(socket, connections.last(socket), () => answerRaw(socket, fault, newRequestId()));
  });
  return server;
}

const connectionsOf = new WeakMap<Server, Connections>();
const DRAIN_MS = 50;

/** Ends connections as they fall idle for as long as something takes, so that none holds up the end of a server. */
export async function draining(server: Server, work: Promise<unknown>): Promise<void> {
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    connectionsOf.get(server)?.closeSilent();
  }, DRAIN_MS);
  await work.finally(() => clearInterval(sweep));
}

/** Connections that were told to go away. */
const refused = new WeakSet<Socket>();

const TOO_SLOW = new Fault('tooSlow', 'The request took too long to arrive', 'request');
const NO_TUNNEL = new Fault('methodNotAllowed', 'CONNECT is not a method we serve', 'method');
const NOT_HTTP = new Fault('badInput', 'The request is not valid HTTP', 'request');
const PARSER_FAULTS = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    new Fault('headersTooLarge', 'The request line and headers are too large', 'request'),
  ],
  ['ERR_HTTP_REQUEST_TIMEOUT', TOO_SLOW],
]);

/** What a client gets of what is kept: nothing that it has already. */
function answerOf(kept: Kept, { ifNoneMatch }: Envelope): { status: number; head: Head; body?: Buffer } {
  if (isKnownTo(ifNoneMatch, kept.etag)) return { status: 304, head: kept.unchanged };
  return { status: 200, head: kept.full, body: kept.body };
}

/** Whether a client's `If-None-Match` holds the tag: bare, weak, in a list, or any. */
export function isKnownTo(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag || header === '*') return true;
  return header.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag);
}

/** Framing and target rules that Node's parser leaves to us. */
function inspect(request: IncomingMessage, envelope: Envelope): Fault | undefined {
  const { method = '', url = '', rawHeaders, httpVersionMinor } = request;
  const { hosts, keys, transferEncoding, contentLength } = envelope;
  if (!METHODS.has(method))
    return new Fault('methodNotAllowed', `${method} is not a method we serve`, 'method');
  if (url.charCodeAt(0) !== 47) return new Fault('badInput', 'The request target must be a path', 'path');
  if (rawHeaders.length > MOST_HEADERS * 2)
    return new Fault('headersTooLarge', 'There are too many headers', 'headers');
  if (transferEncoding !== undefined && transferEncoding.toLowerCase() !== 'chunked') {
    return new Fault('badInput', 'The transfer encoding is not one we read', 'Transfer-Encoding');
  }
  if (method === 'GET' && (transferEncoding !== undefined || (contentLength ?? '0') !== '0')) {
    return new Fault('badInput', 'A GET takes no body', 'body');
  }
  if (hosts > 1 || (hosts === 0 && httpVersionMinor > 0)) {
    return new Fault('badInput', 'The Host header must be sent once', 'Host');
  }
  if (keys > 1) return new Fault('badInput', 'The Authorization header must be sent once', 'Authorization');
  return undefined;
}

interface Refused {
  origin: string | undefined;
  /** Whether it came to the earlier surface. */
  earlier: boolean;
  newRequestId(): string;
}

/** What follows over the same connection is not looked at any more. */
function refuse(response: ServerResponse, fault: Fault, { origin, earlier, newRequestId }: Refused): void {
  // Where others are still to be answered before it, the response has no socket yet.
  refused.add(response.req.socket);
  const requestId = newRequestId();
  const { status, body } = earlier ? describeEarlierProblem(fault) : describeProblem(fault, requestId);
  const text = JSON.stringify(body);
  response
    .writeHead(status, [
      ...[
        'content-type',
        'application/json; charset=utf-8',
        'content-length',
        String(Buffer.byteLength(text)),
      ],
      ...['x-request-id', requestId, 'cache-control', 'no-store', 'connection', 'close'],
      ...(fault.kind === 'methodNotAllowed' ? ['allow', [...METHODS].join(', ')] : []),
      ...corsHeaders(origin, earlier),
      ...(origin === undefined ? [] : ['vary', 'Origin']),
    ])
    .end(text);
}

/**
 * One answer to each request, in their order: one more would be taken for the answer to the next one, which may be
 * somebody else's where a proxy has them share the connection. `last` is the answer that was begun last, if any.
 */
function inTurn(socket: Socket, last: ServerResponse | undefined, answer: () => void): void {
  // What is wrong may be wrong with that very request, which was answered before all of it was there.
  if (last && !last.req.complete && last.headersSent) socket.destroy();
  else if (last?.req.complete && !last.writableFinished) last.once('finish', answer);
  else answer();
}

/** Answers where there is no request to answer, only a socket; or one of which only the head has come. */
function answerRaw(
  socket: Socket,
  fault: Fault,
  requestId: string,
  { origin, earlier = false }: Partial<Pick<Refused, 'origin' | 'earlier'>> = {},
): void {
  if (!socket.writable) return void socket.destroy();
  refused.add(socket);
  const { status, body } = earlier ? describeEarlierProblem(fault) : describeProblem(fault, requestId);
  const text = JSON.stringify(body);
  const headers = ['content-type', 'application/json; charset=utf-8', ...corsHeaders(origin, earlier)];
  headers.push('content-length', String(Buffer.byteLength(text)), 'connection', 'close');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${linesOf(headers)}\r\n${text}`);
}
