/** Guardarian's orders: a transaction and its page, what becomes of it, and webhooks, which nothing proves. */
import { writeJson } from '../../domain/json.ts';
import { member } from '../../domain/words.ts';
import {
  type Delivery,
  type Hint,
  isAbout,
  type NativeOrder,
  type Notice,
  type Page,
  type Webhook,
} from '../contract.ts';
import { amountIfAny, type Context, exchange, type Work } from '../exchange.ts';
import { readUtc } from '../moments.ts';
import { reasonIfAny, wordIfAny } from '../plain.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

export function headersOf({ secret }: Context): Record<string, string> {
  return { 'x-api-key': secret('apiKey') };
}

/** A transaction is made once; its page has its id in its address, and is known by it ever after. */
export function checkout(order: NativeOrder, context: Context): Work<Page> {
  if (order.theirs) return { kind: 'page', url: pageOf(order.theirs, context), theirs: order.theirs };
  const body = transactionFor(order);
  return exchange(
    {
      method: 'POST',
      host: 'api',
      path: '/v1/transaction',
      headers: { ...headersOf(context), ...creationHeaders(order, writeJson(body), context) },
      body,
    },
    answer => {
      const { id, redirect_url } = wire.read.made(answer.body);
      const url = isOwnPage(redirect_url, context) ? redirect_url : pageOf(id, context);
      return { kind: 'page', url, theirs: id };
    },
  );
}

/** What leads elsewhere is never opened, and the transaction would be lost with it: it is made by now. */
function isOwnPage(url: string | null | undefined, { base }: Context): url is string {
  const own = base('pages');
  return typeof url === 'string' && url.startsWith(own) && /^[/?#]/.test(url.slice(own.length));
}

function pageOf(id: string, { base }: Context): string {
  return `${base('pages')}/checkout?tid=${encodeURIComponent(id)}`;
}

/** "Signing requests": over the bytes of the body exactly as they are sent. They throttle by the person's address. */
function creationHeaders({ clientIp }: NativeOrder, text: string, context: Context): Record<string, string> {
  return {
    ...(clientIp && { 'x-forwarded-for': clientIp }),
    ...(context.has('privateKey') && {
      'Partner-Signature': context.sign('rsa-sha256-base64', 'privateKey', text),
    }),
  };
}

/** The network of a fiat is its own ticker. On a sell, where the money goes is asked on the page. */
function transactionFor(order: NativeOrder): object {
  const { side, native, returnUrl } = order;
  const isBuy = side === 'buy';
  return {
    from_amount: order.amount,
    from_currency: isBuy ? native.fiat : native.asset,
    from_network: isBuy ? native.fiat : native.network,
    to_currency: isBuy ? native.asset : native.fiat,
    to_network: isBuy ? native.network : native.fiat,
    external_partner_link_id: order.id,
    ...(isBuy && buying(order)),
    redirects: { successful: returnUrl, cancelled: returnUrl, failed: returnUrl },
    customer: order.email ? { contact_info: { email: order.email } } : undefined,
    customer_country: order.country,
    locale: 'en',
  };
}

function buying({ native, wallet }: NativeOrder): object {
  return {
    payout_info: wallet && {
      payout_address: wallet.address,
      extra_id: wallet.memo,
      skip_choose_payout_address: true,
    },
    deposit: { payment_category: native.method, skip_choose_payment_category: true },
  };
}

/** By their id only: the list of transactions is for those who ask for it. */
export function status(order: NativeOrder, context: Context): Work<Notice[]> | undefined {
  if (!order.theirs) return undefined;
  const path = `/v1/transaction/${encodeURIComponent(order.theirs)}`;
  return exchange({ method: 'GET', host: 'api', path, headers: headersOf(context) }, ({ body }) =>
    [noticeOf(wire.read.transaction(body), order)].filter(isAbout(order)),
  );
}

/** Amounts count once they have moved. The hash is that of coins which go out. */
function noticeOf(transaction: wire.Transaction, { side }: NativeOrder): Notice {
  const { id, status, errors } = transaction;
  const ours = member(words.STATUSES, status);
  const isDone = ours === 'completed';
  const [error] = errors ?? [];
  return {
    reference: wordIfAny(transaction.external_partner_link_id),
    theirs: id,
    word: status,
    at: readUtc(transaction.updated_at),
    reason:
      status === 'on_hold'
        ? 'on hold'
        : reasonIfAny(wire.memberOf(error, 'reason') ?? wire.memberOf(error, 'code')),
    hash: side === 'buy' ? wordIfAny(transaction.output_hash) : undefined,
    paid: isDone || ours === 'paid' ? amountIfAny(transaction.from_amount) : undefined,
    received: isDone ? amountIfAny(transaction.to_amount) : undefined,
  };
}

/** "Webhooks": nothing in them is signed, so that they only say which transaction to look at. */
export const webhook: Webhook = { claims: () => [], read: () => [], hints };

function hints({ body }: Delivery): Hint[] {
  const payload = wire.memberOf(body, 'payload');
  const theirs = wordIfAny(wire.memberOf(payload, 'id'));
  const reference = wordIfAny(wire.memberOf(payload, 'external_partner_link_id'));
  return theirs || reference ? [{ reference, theirs }] : [];
}
