/** Routes of an account's webhook endpoints: where it hears of changes, and what became of telling it. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  type Delivery,
  type Endpoint,
  type Endpoints,
  eventIdOf,
  type Receipt,
  type ReplayWish,
} from '../../app/endpoints.ts';
import { badInput } from '../../domain/fault.ts';
import { strictBodies } from '../strict-body.ts';
import { readMoment } from './moment.ts';
import { webhookSchemas } from './webhooks-schema.ts';

export interface WebhookRoutes {
  endpoints: Endpoints;
}

const CONFIG = { account: true, keyed: true, secret: true, origins: true };
const MOST_DELIVERIES = 50;

export function webhookRoutes({ endpoints }: WebhookRoutes): FastifyPluginAsyncTypebox {
  return async app => {
    strictBodies(app);
    app.addHook('onRequest', (_request, reply, done) => {
      reply.header('cache-control', 'no-store');
      done();
    });

    app.get('/webhooks', { schema: webhookSchemas.list, config: CONFIG }, async request => {
      const all = await endpoints.list(request.account.id);
      return { webhooks: all.map(viewEndpoint) };
    });

    app.post('/webhooks', { schema: webhookSchemas.add, config: CONFIG }, async (request, reply) => {
      const { endpoint, secret } = await endpoints.add(request.account.id, request.body.url);
      reply.code(201);
      return { ...viewEndpoint(endpoint), secret };
    });

    app.delete('/webhooks/:id', { schema: webhookSchemas.remove, config: CONFIG }, async (request, reply) => {
      await endpoints.remove(request.account.id, request.params.id);
      return reply.code(204).send();
    });

    app.post('/webhooks/:id/secret', { schema: webhookSchemas.rotate, config: CONFIG }, async request => {
      const { endpoint, secret } = await endpoints.rotate(request.account.id, request.params.id);
      return { ...viewEndpoint(endpoint), secret };
    });

    app.delete(
      '/webhooks/:id/secret/previous',
      { schema: webhookSchemas.endRotation, config: CONFIG },
      async (request, reply) => {
        await endpoints.endRotation(request.account.id, request.params.id);
        return reply.code(204).send();
      },
    );

    app.post('/webhooks/:id/enable', { schema: webhookSchemas.enable, config: CONFIG }, async request =>
      viewEndpoint(await endpoints.enable(request.account.id, request.params.id)),
    );

    app.post('/webhooks/:id/test', { schema: webhookSchemas.test, config: CONFIG }, async request =>
      viewReceipt(await endpoints.test(request.account.id, request.params.id)),
    );

    app.get(
      '/webhooks/:id/deliveries',
      { schema: webhookSchemas.deliveries, config: CONFIG },
      async request => {
        const { state, limit: sent } = request.query;
        const limit = Math.min(Number(sent ?? MOST_DELIVERIES), MOST_DELIVERIES);
        const found = await endpoints.deliveries(request.account.id, request.params.id, { state, limit });
        return { deliveries: found.map(viewDelivery) };
      },
    );

    app.post('/webhooks/:id/replay', { schema: webhookSchemas.replay, config: CONFIG }, async request => {
      const wish = readReplay(request.body);
      return { replayed: await endpoints.replay(request.account.id, request.params.id, wish) };
    });
  };
}

interface SentReplay {
  state?: 'dead';
  eventIds?: string[];
  since?: string;
}

function readReplay({ state, eventIds, since }: SentReplay): ReplayWish {
  if ([state, eventIds, since].filter(one => one !== undefined).length !== 1)
    throw badInput('state', 'one of state, eventIds and since must be sent');
  if (eventIds) return { eventIds: eventIds.map(eventIdOf) };
  return since === undefined ? { state: 'dead' } : { since: readMoment('since', since) };
}

function viewEndpoint({ id, url, createdAt, disabledAt, disabledReason, previousSecret }: Endpoint) {
  return {
    id,
    url,
    createdAt: createdAt.toISOString(),
    enabled: disabledAt === undefined,
    ...(disabledAt && { disabledAt: disabledAt.toISOString(), disabledReason }),
    rotating: previousSecret !== undefined,
  };
}

function viewReceipt({ accepted, status, error, milliseconds }: Receipt) {
  return { accepted, ...(status !== undefined && { status }), ...(error && { error }), milliseconds };
}

function viewDelivery(delivery: Delivery) {
  const { eventId, transactionId, sequence, state, attempts, lastStatus, lastError } = delivery;
  const { createdAt, dueAt, doneAt } = delivery;
  return {
    eventId,
    transactionId,
    sequence,
    state,
    attempts,
    ...(lastStatus !== null && { lastStatus }),
    ...(lastError && { lastError }),
    createdAt: createdAt.toISOString(),
    ...(state === 'due' && { nextAttemptAt: dueAt.toISOString() }),
    ...(doneAt && { doneAt: doneAt.toISOString() }),
  };
}
