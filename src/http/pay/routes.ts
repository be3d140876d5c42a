/** Routes of the pay page: our own page between a shop's checkout and the provider's. */
import { randomBytes } from 'node:crypto';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Pay, PayView } from '../../app/pay.ts';
import type { Currencies } from '../../domain/currency.ts';
import { Fault } from '../../domain/fault.ts';
import { writeJson } from '../../domain/json.ts';
import { assetSchema, readAssets } from '../assets.ts';
import type { Language } from '../languages.ts';
import { describeProblem } from '../problem.ts';
import { isOwn, wantsPage } from '../security.ts';
import { isFramed, payHeaders, returnHeaders, troubleHeaders } from './headers.ts';
import { type PageOptions, payPage, returnPage, troublePage } from './page.ts';
import { inLanguage, keepLanguage, keptLanguage, type Reader, readerOf } from './reader.ts';
import { speechOf, troubleSaying } from './speech.ts';
import { stateOf } from './state.ts';
import { createStreams } from './streams.ts';

export interface PayPages {
  pay: Pick<Pay, 'view' | 'open' | 'follow' | 'again'>;
  /** Path of a file under `web/pay`; undefined when there is none of that name. */
  files(name: string): string | undefined;
  /** Address of the person's device. */
  clientIp(request: FastifyRequest): string | undefined;
  publicUrl(): string;
  /** Names of methods and places of fiats; without them ids and plain digits are shown. */
  currencies?: Currencies | undefined;
  now?(): number;
}

const tags = ['Pay page'];
const ASSETS = ['pay.js', 'handover.js', 'return.js', 'pay.css'];
const params = Type.Object({ token: Type.String({ maxLength: 1_024 }) });
const querystring = Type.Object({
  lang: Type.Optional(
    Type.String({ description: 'The language to answer in; otherwise the browser’s own, or English.' }),
  ),
});
const page = (description: string) => ({ description, content: { 'text/html': { schema: {} } } });
/** As JSON, or as a page for whoever reads pages. */
const refusals = {
  '4xx': { description: 'It has ended, is not there, or was not asked for by its page.' },
  '5xx': { description: 'The provider, or the service, cannot serve it at the moment.' },
};
const json = (description: string) => ({ description, content: { 'application/json': { schema: {} } } });

export function payPages(options: PayPages): FastifyPluginAsyncTypebox {
  const { pay, clientIp, currencies, now = Date.now } = options;
  const state = (view: PayView, language: Language) =>
    stateOf(view, { now: now(), speech: speechOf(language), currencies });

  async function find(token: string): Promise<PayView> {
    const view = await pay.view(token);
    if (!view) throw new Fault('notFound', 'There is no such order', 'token');
    return view;
  }

  return async app => {
    const assets = await readAssets(ASSETS, options.files);
    const streams = createStreams(pay);

    function placeOf(token: string, { language, asked }: Reader): PageOptions {
      const { origin, pathname } = new URL(options.publicUrl());
      const base = pathname.replace(/(?<!\/)\/+$/, '');
      return {
        base,
        origin,
        query: asked === undefined ? '' : `?lang=${asked}`,
        speech: speechOf(language),
        path: `${base}/pay/${encodeURIComponent(token)}`,
        nonce: randomBytes(16).toString('base64'),
        asset: name => `${base}/pay/assets/${assets.nameOf(name)}`,
        currencies,
      };
    }

    // Only the page itself talks to these: what other sites may read elsewhere they may not read here.
    app.addHook('onRequest', (_request, reply, done) => {
      reply.removeHeader('access-control-allow-origin');
      reply.removeHeader('access-control-expose-headers');
      done();
    });
    app.addHook('preClose', done => {
      streams.close();
      done();
    });
    app.setErrorHandler((error, request, reply) => {
      reply.header('cache-control', 'no-store').header('referrer-policy', 'origin');
      // The server says it in JSON, as everywhere.
      if (!wantsPage(request)) throw error;
      return sendTrouble(error, request, reply);
    });
    // A form without fields still names a type for its empty body.
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 1_024 },
      (_request, _body, done) => done(null, undefined),
    );

    function sendTrouble(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
      const { status, body } = describeProblem(error, request.id);
      if (status === 500) request.log.error({ requestId: request.id, err: error }, 'unexpected error');
      const { token } = (request.params ?? {}) as { token?: string };
      const place = placeOf(token ?? '', readerOf(request));
      const retry = token === undefined || status === 404 ? undefined : `${place.path}${place.query}`;
      const saying = troubleSaying(place.speech, status, body.message);
      reply.code(status).headers(troubleHeaders(place.nonce));
      return reply.send(troublePage({ ...saying, retry, requestId: request.id }, place));
    }

    /** JSON for our script; for a plain form the way itself. */
    function lead(request: FastifyRequest, reply: FastifyReply, answer: Way): FastifyReply {
      if (wantsPage(request)) return reply.header('referrer-policy', 'origin').redirect(answer.url, 303);
      return sendJson(reply, answer);
    }

    function refuseStrangers(request: FastifyRequest): void {
      if (!isOwn(request, new URL(options.publicUrl()).origin)) {
        throw new Fault('forbidden', 'Only the pay page itself may do this', 'Origin');
      }
    }

    app.get(
      '/pay/:token',
      {
        schema: {
          tags,
          params,
          querystring,
          summary: 'The page where a person pays',
          response: { 200: page('What is bought or sold, the way to the provider, and progress.') },
        },
      },
      async (request, reply) => {
        const view = await find(request.params.token);
        const reader = readerOf(request);
        const place = placeOf(request.params.token, reader);
        if (reader.asked !== undefined) reply.header('set-cookie', keepLanguage(reader.asked, place));
        reply.headers(payHeaders(view, place));
        return reply.send(payPage(view, state(view, reader.language), place));
      },
    );

    app.post(
      '/pay/:token/open',
      {
        schema: {
          tags,
          params,
          querystring,
          summary: 'Leads to the provider’s page',
          description: 'For the pay page only. The address is signed anew each time.',
          response: {
            200: json('The provider’s page, and whether it is framed or opened.'),
            303: { description: 'To the provider’s page, for a plain form.' },
            ...refusals,
          },
        },
      },
      async (request, reply) => {
        const { token } = request.params;
        refuseStrangers(request);
        const view = await find(token);
        const { url } = await pay.open(token, clientIp(request));
        // Nobody is sent anywhere but to the page that was promised.
        if (!URL.canParse(url) || new URL(url).origin !== view.pageOrigin) {
          request.log.error({ requestId: request.id, provider: view.provider.id }, 'page of another origin');
          throw new Fault('providerFailed', `${view.provider.name} gave an address we do not know`);
        }
        const opens = isFramed(view, new URL(options.publicUrl()).origin) ? 'iframe' : 'redirect';
        return lead(request, reply, { url, opens });
      },
    );

    app.post(
      '/pay/:token/again',
      {
        schema: {
          tags,
          params,
          querystring,
          summary: 'Starts an order over that came to nothing',
          description: 'For the pay page only.',
          response: {
            200: json('The new pay page.'),
            303: { description: 'To the new pay page, for a plain form.' },
            ...refusals,
          },
        },
      },
      async (request, reply) => {
        refuseStrangers(request);
        await find(request.params.token);
        const { url } = await pay.again(request.params.token, clientIp(request));
        const { asked } = readerOf(request);
        return lead(request, reply, { url: asked === undefined ? url : inLanguage(url, asked) });
      },
    );

    app.get(
      '/pay/:token/state',
      {
        schema: {
          tags,
          params,
          querystring,
          summary: 'Where an order stands, for its page',
          response: { 200: json('The state, with the words for it.'), ...refusals },
        },
      },
      async (request, reply) => {
        const view = await find(request.params.token);
        return sendJson(reply, state(view, readerOf(request).language));
      },
    );

    app.get(
      '/pay/:token/events',
      {
        // A stream has no head of its own.
        exposeHeadRoute: false,
        schema: {
          tags,
          params,
          querystring,
          summary: 'Where an order stands, live, for its page',
          response: {
            200: {
              description:
                'Server-sent events named `status`, each with the whole state, and `beat` every 15 seconds.',
              content: { 'text/event-stream': { schema: {} } },
            },
          },
        },
      },
      async (request, reply) => {
        const { language } = readerOf(request);
        return streams.open(request.params.token, reply, view => state(view, language));
      },
    );

    app.get(
      '/pay/:token/return',
      {
        schema: {
          tags,
          params,
          summary: 'Where the provider’s page leads back to',
          response: { 200: page('Tells the pay page, or leads to it.') },
        },
      },
      async (request, reply) => {
        const view = await find(request.params.token);
        // What stands in the address here is the provider's.
        const place = placeOf(request.params.token, { language: keptLanguage(request), asked: undefined });
        reply.headers(returnHeaders(view, place));
        return reply.send(returnPage(view, place));
      },
    );

    app.get(
      '/pay/assets/:file',
      {
        schema: { ...assetSchema, tags, summary: 'A part of the pay page' },
      },
      async (request, reply) => assets.send(request, reply),
    );
  };
}

interface Way {
  url: string;
  opens?: 'iframe' | 'redirect';
}

function sendJson(reply: FastifyReply, body: object): FastifyReply {
  return reply
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .send(writeJson(body));
}
