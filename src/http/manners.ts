/** Manners: what every answer carries, and how trouble is told, on either surface. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CrowdFault } from '../domain/fault.ts';
import { writeJson } from '../domain/json.ts';
import { corsHeaders } from './cors.ts';
import { describeEarlierProblem, describeProblem } from './problem.ts';
import type { IsEarlier } from './surface.ts';

type Reply = Parameters<FastifyInstance['errorHandler']>[2];

export function createManners(isEarlier: IsEarlier, isReadable: (request: FastifyRequest) => boolean) {
  function addCommonHeaders(request: FastifyRequest, reply: Reply): void {
    reply.header('x-request-id', request.id);
    // Also where no page asks: a cache would give one the answer without its headers.
    reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined) return;
    const cors = isReadable(request) ? corsHeaders(origin, isEarlier(request.url)) : [];
    for (let at = 0; at < cors.length; at += 2) reply.header(cors[at] as string, cors[at + 1]);
  }

  function sendProblem(error: unknown, request: FastifyRequest, reply: Reply) {
    const { status, body } = isEarlier(request.url)
      ? describeEarlierProblem(error)
      : describeProblem(error, request.id);
    // What the framework refuses on its own passes no hook.
    addCommonHeaders(request, reply);
    if (error instanceof CrowdFault) turnedAway.add(request);
    if (isUnread(request)) reply.header('connection', 'close');
    if (status === 500) request.log.error({ requestId: request.id, err: error }, 'unexpected error');
    if (status === 503 || status === 429) reply.header('retry-after', '1');
    reply
      .code(status)
      .header('cache-control', 'no-store')
      .header('content-type', 'application/json; charset=utf-8');
    return reply.send(writeJson(body));
  }

  return { addCommonHeaders, sendProblem };
}

/** Whether there is a body still to come: should it turn out to be none, the request of somebody else behind it would be lost. */
function isUnread({ raw }: FastifyRequest): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length = '0' } = raw.headers;
  return !raw.complete && (encoding !== undefined || length !== '0');
}

const turnedAway = new WeakSet<FastifyRequest>();

/** Whether a request was refused for there being too many. */
export function isTurnedAway(request: FastifyRequest): boolean {
  return turnedAway.has(request);
}
