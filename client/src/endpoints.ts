/** Webhook endpoints of the account: where it hears of changes, and what became of telling it. */
import type { DeliveryFilter, ReplayWish } from './asks.ts';
import type { Call, Caller, CallOptions } from './call.ts';
import { momentText, pathPart } from './inputs.ts';
import type { WebhookDelivery, WebhookEndpoint, WebhookEndpointWithSecret, WebhookTest } from './types.ts';

/** Only what reads is tried again by itself: an endpoint that was added twice is two endpoints. */
export interface Webhooks {
  /** The oldest first. */
  list(options?: CallOptions): Promise<WebhookEndpoint[]>;
  /** Its secret is shown this once. */
  add(url: string, options?: CallOptions): Promise<WebhookEndpointWithSecret>;
  remove(id: string, options?: CallOptions): Promise<void>;
  /** A new secret; events are signed with the previous one as well, until `endRotation`. */
  rotate(id: string, options?: CallOptions): Promise<WebhookEndpointWithSecret>;
  endRotation(id: string, options?: CallOptions): Promise<void>;
  enable(id: string, options?: CallOptions): Promise<WebhookEndpoint>;
  /** Sends a test event now, and says what came of it. */
  test(id: string, options?: CallOptions): Promise<WebhookTest>;
  /** The newest event first. */
  deliveries(id: string, filter?: DeliveryFilter, options?: CallOptions): Promise<WebhookDelivery[]>;
  /** Sends events again; how many are due. */
  replay(id: string, wish: ReplayWish, options?: CallOptions): Promise<number>;
}

export function createWebhooks(caller: Caller): Webhooks {
  function ask(call: Omit<Call, 'safe' | 'secret'>, options: CallOptions | undefined): Promise<unknown> {
    return caller.ask({ ...call, secret: true, safe: call.method === undefined }, options);
  }
  const below = (id: string, rest = '') => `/webhooks/${pathPart('id', id)}${rest}`;

  return {
    async list(options) {
      const { webhooks } = (await ask({ path: '/webhooks' }, options)) as { webhooks: WebhookEndpoint[] };
      return webhooks;
    },
    async add(url, options) {
      const body = JSON.stringify({ url });
      return (await ask({ method: 'POST', path: '/webhooks', body }, options)) as WebhookEndpointWithSecret;
    },
    async remove(id, options) {
      await ask({ method: 'DELETE', path: below(id) }, options);
    },
    async rotate(id, options) {
      return (await ask(
        { method: 'POST', path: below(id, '/secret') },
        options,
      )) as WebhookEndpointWithSecret;
    },
    async endRotation(id, options) {
      await ask({ method: 'DELETE', path: below(id, '/secret/previous') }, options);
    },
    async enable(id, options) {
      return (await ask({ method: 'POST', path: below(id, '/enable') }, options)) as WebhookEndpoint;
    },
    async test(id, options) {
      return (await ask({ method: 'POST', path: below(id, '/test') }, options)) as WebhookTest;
    },
    async deliveries(id, query, options) {
      const answer = await ask({ path: below(id, '/deliveries'), query }, options);
      return (answer as { deliveries: WebhookDelivery[] }).deliveries;
    },
    async replay(id, wish, options) {
      const sent = 'since' in wish ? { since: momentText('since', wish.since) } : wish;
      const body = JSON.stringify(sent, withoutPrefix);
      const call = { method: 'POST', path: below(id, '/replay'), body } as const;
      return ((await ask(call, options)) as { replayed: number }).replayed;
    },
  };
}

/** Events arrive as `msg_…`; the service itself knows them by what comes after. */
function withoutPrefix(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/^msg_/, '') : value;
}
