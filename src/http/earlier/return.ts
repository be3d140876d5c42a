/** Where a provider's page leads back to in the middle of a flow: tells the page that shows the steps what comes next. */
import { randomBytes } from 'node:crypto';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Flows, Framers } from '../../app/flows.ts';
import { assetSchema, readAssets } from '../assets.ts';
import { hideFromPages } from '../cors.ts';
import { acceptLanguage } from '../languages.ts';
import { addressOf, stepBackHeaders } from '../pay/headers.ts';
import { troublePage } from '../pay/page.ts';
import { speechOf, troubleSaying } from '../pay/speech.ts';
import { describeEarlierProblem } from '../problem.ts';
import { type StepBack, stepBackPage } from './return-page.ts';
import { viewStep } from './step-view.ts';

export interface StepReturns {
  flows: Pick<Flows, 'back' | 'framers'>;
  /** Where the earlier surface is found by the outside world. */
  legacyUrl(): string;
  /** Path of a file under `web/pay`; undefined when there is none of that name. */
  payFiles(name: string): string | undefined;
}

const tags = ['Earlier surface'];
const ASSETS = ['step-back.js', 'handover.js', 'pay.css'];
const params = Type.Object({
  identifier: Type.String({ maxLength: 64 }),
  token: Type.String({ maxLength: 4_096 }),
});

export function stepReturns({ flows, legacyUrl, payFiles }: StepReturns): FastifyPluginAsyncTypebox {
  return async app => {
    const assets = await readAssets(ASSETS, payFiles);
    const newPlace = ({ headers }: FastifyRequest) => ({
      speech: speechOf(acceptLanguage(headers['accept-language']) ?? 'en'),
      nonce: randomBytes(16).toString('base64'),
      asset: (name: string) => `${legacyUrl()}/transaction/assets/${assets.nameOf(name)}`,
    });

    /** The next step, or that there is none any more. What may pass is thrown. */
    async function goOn(token: string, embedder: string | undefined): Promise<StepBack> {
      const listener = addressOf(embedder);
      try {
        const { turn } = await flows.back(token);
        const bank = turn.step.type === 'requestBankTransaction' ? turn.step : undefined;
        return { step: viewStep(turn, legacyUrl()), listener, bank };
      } catch (error) {
        const { body } = describeEarlierProblem(error);
        if (!body.fatal) throw error;
        // A provider's own words are for the page that the order was made on alone.
        const message = listener === '' ? 'The order cannot go on' : body.message;
        return { step: { type: 'error', message, fatal: true }, listener, bank: undefined };
      }
    }

    // Pages are looked at: what other sites may read elsewhere they may not read here.
    app.addHook('onRequest', (_request, reply, done) => {
      hideFromPages(reply);
      done();
    });

    app.setErrorHandler((error, request, reply) => {
      const { status, body } = describeEarlierProblem(error);
      if (status === 500) request.log.error({ requestId: request.id, err: error }, 'unexpected error');
      const place = newPlace(request);
      // The same address again, for what may pass.
      const retry = status >= 500 || status === 429 ? '' : undefined;
      const trouble = { ...troubleSaying(place.speech, status, body.message), retry, requestId: request.id };
      // It says nothing about anybody, and whoever shows the steps may be framing it.
      reply.code(status).headers(stepBackHeaders(ANYONE, place.nonce));
      return reply.send(troublePage(trouble, place));
    });

    app.get(
      '/transaction/:identifier/return/:token',
      {
        schema: {
          tags,
          params,
          summary: 'Where a provider’s page leads back to',
          response: {
            200: {
              description: 'Posts the next step to the page that frames it or opened it.',
              content: { 'text/html': { schema: {} } },
            },
            '4XX': {
              description: 'Says why there is no next step.',
              content: { 'text/html': { schema: {} } },
            },
          },
        },
      },
      async (request, reply) => {
        const { token } = request.params;
        const framers = (await flows.framers(token)) ?? ANYONE;
        const back = await goOn(token, framers.embedder);
        const place = newPlace(request);
        reply.headers(stepBackHeaders(framers, place.nonce));
        return reply.send(stepBackPage(back, place));
      },
    );

    app.get(
      '/transaction/assets/:file',
      { schema: { ...assetSchema, tags, summary: 'A part of our pages' } },
      async (request, reply) => assets.send(request, reply),
    );
  };
}

/** Nobody is known to show the steps, so that anybody may. */
const ANYONE: Framers = { embedder: undefined, around: undefined, registered: [] };
