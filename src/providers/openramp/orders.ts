/** Openramp's orders: made once for each reference of ours, looked up by either id, told of by Standard Webhooks. */
import { type Decline, decline } from '../../domain/offer.ts';
import { isAbout, type NativeOrder, type Notice, type Page, type Webhook } from '../contract.ts';
import { amountIfAny, BadAnswer, type Context, exchange, type Work } from '../exchange.ts';
import { readSeconds, readUtc } from '../moments.ts';
import { reasonIfAny, wordIfAny } from '../plain.ts';
import * as wire from './wire.ts';

/** The same reference gives the same order, so that this may be asked again at every opening. */
export function checkout(order: NativeOrder, context: Context): Work<Page | Decline> {
  return exchange(make(order, context, false), ({ body }) => pageOf(readOwn(order, body)));
}

/** Makes the order, or gets the one that was made before. */
export function make(order: NativeOrder, context: Context, steps: boolean) {
  const { side, native, country, wallet, email, returnUrl, hookUrl, theme } = order;
  const { asset, network, fiat, method } = native;
  const body = {
    reference: order.id,
    ...{ side, asset, network, fiat, method, country },
    amount: order.amount.toString(),
    wallet,
    email,
    returnUrl,
    webhookUrl: hookUrl,
    theme: { dark: theme.isDark, color: theme.primaryColor },
    steps,
  };
  return wire.call(context, { method: 'POST', path: '/orders', body });
}

/** The order as the ramp answers it; one of somebody else's is no answer. */
export function readOwn({ id }: NativeOrder, body: unknown): wire.Order {
  const order = wire.readOrder(body);
  if (order.reference !== id) throw new BadAnswer('an order of another reference');
  return order;
}

export function pageOf({ id, page }: wire.Order): Page {
  return { kind: 'page', url: page, theirs: id };
}

/** Of an order that came to nothing there is nothing more to do. */
export function endOf({ status, reason }: wire.Order): Decline | undefined {
  if (!['failed', 'canceled', 'expired', 'refunded'].includes(status)) return undefined;
  return { ...decline('refused', reasonIfAny(reason) ?? `The order is ${status}`), isOver: true };
}

export function status(order: NativeOrder, context: Context): Work<Notice[]> {
  return exchange(find(order, context), ({ body }) =>
    [noticeOf(wire.readOrder(body))].filter(isAbout(order)),
  );
}

/** By their id once it is known, by ours before. */
export function find({ id, theirs }: NativeOrder, context: Context) {
  return theirs === undefined
    ? wire.call(context, { method: 'GET', path: '/orders', query: { reference: id } })
    : wire.call(context, { method: 'GET', path: `/orders/${encodeURIComponent(theirs)}` });
}

/** While a secret is being changed there are two signatures, with a space between them. */
const SIGNATURES = /^v1,([A-Za-z0-9+/]{43}=)(?: v1,([A-Za-z0-9+/]{43}=))?$/;

export const webhook: Webhook = {
  /** "Standard Webhooks": the id, the moment and the body, with dots between them. */
  claims({ headers, raw }) {
    const id = headers['webhook-id'] ?? '';
    const seconds = headers['webhook-timestamp'];
    const at = readSeconds(seconds);
    const [, ...signatures] = SIGNATURES.exec(headers['webhook-signature'] ?? '') ?? [];
    if (at === undefined || !/^[\w-]{1,100}$/.test(id)) return [];
    const signed = [`${id}.${seconds}.`, raw];
    return signatures
      .filter(signature => signature !== undefined)
      .map(signature => ({ how: 'standard-webhooks', secret: 'webhookSecret', signed, signature, at }));
  },
  /** Events of other types are not about orders. */
  read({ body }) {
    const { type, data } = wire.readEvent(body);
    return type === 'order.updated' ? [noticeOf(wire.readOrder(data))] : [];
  },
};

function noticeOf(order: wire.Order): Notice {
  const { deposit, bank } = order;
  return {
    reference: order.reference,
    theirs: order.id,
    word: order.status,
    at: readUtc(order.at),
    reason: reasonIfAny(order.reason),
    hash: wordIfAny(order.hash),
    paid: amountIfAny(order.paid),
    received: amountIfAny(order.received),
    deposit: deposit && {
      address: deposit.address,
      memo: deposit.memo,
      amount: amountIfAny(deposit.amount),
    },
    bank: bank && wire.bankOf(bank),
  };
}
