/** The route of the checkout: how its body comes in, and what is made of it. */
import { hash } from 'node:crypto';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { Checkout, Wish } from '../../app/checkout.ts';
import type { SignedCheckouts } from '../../app/signed-checkout.ts';
import type { Currencies } from '../../domain/currency.ts';
import { badInput } from '../../domain/fault.ts';
import { writeJson } from '../../domain/json.ts';
import { canonicalJson } from '../../domain/json-strict.ts';
import { strictBodies } from '../strict-body.ts';
import { aroundOf } from '../widget/around.ts';
import { readCheckout } from './checkout-read.ts';
import { checkoutSchemas } from './checkout-schema.ts';
import { viewIntent } from './checkout-view.ts';
import { readPlace, readState } from './read.ts';

export interface CheckoutRoutes {
  currencies: Currencies;
  checkout: Pick<Checkout, 'intend'>;
  signed: SignedCheckouts;
  /** Whether there is a provider of this id at all. */
  isProvider(id: string): boolean;
  /** Country of the caller's address. */
  locate(request: FastifyRequest): string | undefined;
  /** The caller's address itself. */
  clientIp(request: FastifyRequest): string | undefined;
  publicUrl(): string;
}

const CONFIG = { account: true, keyed: true, origins: true };

export function checkoutRoutes(options: CheckoutRoutes): FastifyPluginAsyncTypebox {
  const { currencies, checkout, signed, isProvider, locate, clientIp, publicUrl } = options;

  function readWish(request: FastifyRequest, body: unknown) {
    const { account } = request;
    const sent = { country: readOnce(request.query, 'country'), state: readOnce(request.query, 'state') };
    const country = readPlace(currencies, sent.country, () => locate(request));
    const { order, spelled, ...form } = readCheckout(body, { account, currencies, isProvider });
    const vouched = signed.check(account, form.signed, form.signature);
    const wish: Wish = {
      account,
      origin: 'current',
      contextIsObject: false,
      country,
      state: readState(sent.state, country),
      idempotency: readIdempotency(request.raw.rawHeaders, [sent.country ?? null, ...statesIn(sent), body]),
      signNonce: vouched?.nonce,
      stale: vouched?.stale,
      clientIp: clientIp(request),
      around: aroundOf(request, account, publicUrl()),
      // Last, as what follows a spread costs more than all the reading.
      ...order,
    };
    return { wish, spelled };
  }

  return async app => {
    strictBodies(app);

    app.post(
      '/checkout/intent',
      {
        schema: checkoutSchemas.intent,
        config: CONFIG,
        // The reader checks everything, and says where in our words.
        validatorCompiler: () => () => true,
      },
      async (request, reply) => {
        const { wish, spelled } = readWish(request, request.body);
        const answer = await checkout.intend(wish, intent => writeJson(viewIntent(intent, wish, spelled)));
        reply.header('content-type', 'application/json; charset=utf-8').header('cache-control', 'no-store');
        return reply.send(answer);
      },
    );
  };
}

function readOnce(query: unknown, name: 'country' | 'state'): string | undefined {
  const sent = (query as Record<string, unknown>)[name];
  if (sent === undefined || typeof sent === 'string') return sent;
  throw badInput(name, `${name} must be sent once`);
}

/** Nothing at all without one, as it was before there were any: keys that were used then hold. */
function statesIn({ state }: { state: string | undefined }): string[] {
  return state === undefined ? [] : [state];
}

const HEADER = 'idempotency-key';
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

/** The key, and what it was sent with: the same again is the same wish. */
function readIdempotency(rawHeaders: readonly string[], content: unknown): Wish['idempotency'] {
  let key: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length !== HEADER.length || name.toLowerCase() !== HEADER) continue;
    if (key !== undefined) throw badInput('Idempotency-Key', 'The Idempotency-Key header must be sent once');
    key = rawHeaders[at + 1];
  }
  if (key === undefined) return undefined;
  if (!IDEMPOTENCY_KEY.test(key))
    throw badInput('Idempotency-Key', 'Idempotency-Key must be 1 to 255 printable ASCII characters');
  return { key, digest: hash('sha256', canonicalJson(content), 'hex') };
}
