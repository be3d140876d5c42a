/** BTC Direct's orders: the token, a checkout page, and what it says of an order when asked; its webhooks are hints. */
import {
  type Absence,
  type Adapter,
  type Delivery,
  isAbout,
  type NativeOrder,
  type Notice,
  type Page,
  type Webhook,
} from '../contract.ts';
import { BadAnswer, type Context, exchange, type HttpAnswer, Unauthorized, type Work } from '../exchange.ts';
import { wordIfAny } from '../plain.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

/** "Authentication": good for an hour. Asking anew is simpler than the refresh token, which would have to be kept. */
const TOKEN_MS = 3_600_000;

export const token: NonNullable<Adapter['token']> = {
  name: 'accessToken',
  ask: ({ settings: { username }, secret, now }) =>
    exchange(
      {
        method: 'POST',
        host: 'api',
        path: '/api/v1/authenticate',
        body: { username, password: secret('password') },
      },
      ({ body }) => ({ secret: wire.readToken(body).token, until: now + TOKEN_MS }),
    ),
};

function authorized({ secret }: Context): Record<string, string> {
  return { authorization: `Bearer ${secret('accessToken')}` };
}

/** "Unified Checkout": what is fixed cannot be changed on the page. */
export function checkout(order: NativeOrder, context: Context): Work<Page> {
  const { native, wallet } = order;
  return exchange(
    {
      method: 'POST',
      host: 'api',
      path: '/api/v2/buy/checkout',
      headers: authorized(context),
      body: {
        baseCurrency: native.asset,
        quoteCurrency: native.fiat,
        paymentMethod: native.method,
        quoteCurrencyAmount: order.amount,
        walletAddress: wallet?.address,
        walletAddressTag: wallet?.memo,
        returnUrl: order.returnUrl,
        callbackUrl: order.hookUrl,
        partnerOrderIdentifier: order.id,
        fixedAmount: 1,
        fixedCurrency: 1,
        fixedPaymentMethod: 1,
        showWalletAddress: 1,
      },
    },
    ({ body }) => ({ kind: 'page', url: pageIn(body, context.base('page')) }),
  );
}

/**
 * Under which name the page is answered could not be read, so that no name is guessed: it is the only text of the answer,
 * at the top or one step below, that leads to the host of their pages. None, or more than one, is no answer.
 */
function pageIn(body: unknown, base: string): string {
  const texts = valuesOf(body).flatMap(value => [value, ...valuesOf(value)]);
  const pages = texts.filter(text => typeof text === 'string' && isBelow(text, base)) as string[];
  const [page, ...others] = new Set(pages);
  if (!page || others.length) throw new BadAnswer('an answer without one page of theirs');
  return page;
}

function isBelow(text: string, base: string): boolean {
  return text.startsWith(base) && /^[/?#]/.test(text.slice(base.length)) && text.length <= 8192;
}

const MOST_MEMBERS = 100;

function valuesOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).slice(0, MOST_MEMBERS) : [];
}

/** By their id, which only a webhook would tell; by ours otherwise, which their look-up for users takes as well. */
export function status(order: NativeOrder, context: Context): Work<Notice[]> {
  const path = `/api/v2/buy/orders/${encodeURIComponent(order.theirs ?? order.id)}`;
  return exchange({ method: 'GET', host: 'api', path, headers: authorized(context) }, ({ body }) => {
    const { id, status: word, partnerOrderIdentifier } = wire.readOrder(body);
    return [{ reference: wordIfAny(partnerOrderIdentifier), theirs: id, word }].filter(isAbout(order));
  });
}

/**
 * Whether the partner's look-up takes our reference is not documented, nor how it refuses one: by that nothing is told. All
 * errors that are documented come with 400, that of a token that has expired among them.
 */
export function absence({ status, body }: HttpAnswer, { theirs }: NativeOrder): Absence | undefined {
  if (isExpired(body)) throw new Unauthorized('our token is refused');
  if (!theirs) return status === 400 || status === 404 ? 'untold' : undefined;
  return status === 404 ? 'none' : undefined;
}

/** Errors are an object by code, possibly several. */
export function isExpired(body: unknown): boolean {
  const { errors } = (body ?? {}) as { errors?: unknown };
  return Object.keys(errors ?? {}).some(code => words.EXPIRED.has(code));
}

export const webhook: Webhook = {
  /** Where its signature stands, and over what, was not found. */
  claims: () => [],
  /** What it says could it be proven: the event, as whichever member names one that we know. */
  read({ body }) {
    const reference = referenceIn(body);
    const events = valuesOf(body).filter(isEvent);
    return reference ? events.slice(0, 1).map(word => ({ reference, word })) : [];
  },
  hints,
};

function isEvent(value: unknown): value is string {
  return typeof value === 'string' && /^order_/.test(value) && Object.hasOwn(words.STATUSES, value);
}

/** Events about people name no order. */
function hints({ body }: Delivery) {
  const reference = referenceIn(body);
  return reference ? [{ reference }] : [];
}

/** Beside the event or in its data: which of them was not found. */
function referenceIn(body: unknown): string | undefined {
  for (const place of [body, ...valuesOf(body)]) {
    const { partnerOrderIdentifier } = (place ?? {}) as { partnerOrderIdentifier?: unknown };
    const reference = wordIfAny(partnerOrderIdentifier);
    if (reference) return reference;
  }
  return undefined;
}
