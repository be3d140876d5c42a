/** Catalog answers: kept as they were written, by what their route reads of a URL, whatever else stands in it. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest, onSendHookHandler, preHandlerHookHandler } from 'fastify';
import { isKnownTo } from './front.ts';
import type { Memory, Reader } from './memory.ts';

export interface CatalogAnswersOptions {
  memory: Memory;
  countryOf(request: IncomingMessage): string | undefined;
}

/** Has catalog routes answer from memory, and remember what they answer. */
export function keepCatalogAnswers(app: FastifyInstance, { memory, countryOf }: CatalogAnswersOptions): void {
  const readerOf = ({ headers, raw }: FastifyRequest): Reader => ({
    authorization: headers.authorization,
    country: countryOf(raw),
  });

  const answer: preHandlerHookHandler = (request, reply, done) => {
    const { authorization, country } = readerOf(request);
    const kept = memory.get(plainUrlOf(request), authorization, country);
    if (!kept) return done();
    reply.type('application/json; charset=utf-8').send(kept.body.toString());
  };

  const keep: onSendHookHandler = (request, reply, payload, done) => {
    if (reply.statusCode !== 200 || typeof payload !== 'string') return done(null, payload);
    const [reader, plainUrl, url = ''] = [readerOf(request), plainUrlOf(request), request.raw.url];
    const known = memory.get(plainUrl, reader.authorization, reader.country);
    const kept = known ?? memory.keep(plainUrl, reader, payload);
    if (url !== plainUrl) memory.link(url, reader, kept);
    const { list } = kept.unchanged;
    for (let at = 0; at < list.length; at += 2) reply.header(list[at] as string, list[at + 1]);
    if (!isKnownTo(request.headers['if-none-match'], kept.etag)) return done(null, payload);
    reply.code(304).removeHeader('content-type');
    // To HEAD the framework tells the length that a 200 would have, which it takes from the body.
    done(null, request.method === 'HEAD' ? payload : null);
  };

  app.addHook('onRoute', route => {
    if (route.config?.catalog) Object.assign(route, { preHandler: answer, onSend: keep });
  });
}

/** The URL with nothing but the parameters that its route reads, each always in the same place. */
function plainUrlOf({ raw, query, routeOptions }: FastifyRequest): string {
  const { properties = {} } = (routeOptions.schema?.querystring ?? {}) as { properties?: object };
  const sent = query as Record<string, string | undefined>;
  const read = Object.keys(properties).flatMap(name => {
    const value = sent[name];
    return value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`];
  });
  const [path = ''] = (raw.url ?? '').split('?', 1);
  return read.length > 0 ? `${path}?${read.join('&')}` : path;
}
