/** Paybis' orders: a request for its page, and what it says of the transaction when asked and by webhook. */
import { type Decline, decline } from '../../domain/offer.ts';
import { type Instant, member } from '../../domain/words.ts';
import type { NativeOrder, Notice, Page, Webhook } from '../contract.ts';
import { amountIfAny, type Context, type Exchange, exchange, type Work } from '../exchange.ts';
import { writeSearch } from '../links.ts';
import { readUtc } from '../moments.ts';
import { reasonIfAny, wordIfAny } from '../plain.ts';
import { authorization, priceIn, signedPost, signedQuote } from './quotes.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

const NO_IP = decline(
  'unavailable',
  'Paybis has to be told the network address of the person, which is not known',
);

/** "Create request v3": the amount is that of a quote, which is asked for first. Whoever was there before goes on there. */
export function checkout(order: NativeOrder, context: Context): Work<Page | Decline> {
  if (order.theirs) return pageOf(order, { requestId: order.theirs }, context);
  if (!order.clientIp) return NO_IP;
  return exchange<Page | Decline>(signedQuote(order, context), ({ body }) => {
    const quote = wire.read.quote(body);
    const price = priceIn(quote, order, context.now);
    if ('kind' in price) return price;
    return exchange(signedPost('/v3/request', requestOf(order, quote.id), context), ({ body: made }) =>
      pageOf(order, wire.read.request(made), context),
    );
  });
}

/** The form of an address for refunds is not documented: the person names it on their page. */
function requestOf(order: NativeOrder, quoteId: string): object {
  const { side, native, wallet } = order;
  const isBuy = side === 'buy';
  return {
    // Their name for the person must tell nothing of them; ours of the order does not.
    partnerUserId: order.id,
    partnerTransactionId: order.id,
    userIp: order.clientIp,
    locale: 'en',
    email: order.email,
    quoteId,
    flow: isBuy ? 'buyCrypto' : 'sellCrypto',
    currencyCodeFrom: isBuy ? native.fiat : native.asset,
    currencyCodeTo: isBuy ? native.asset : native.fiat,
    [isBuy ? 'paymentMethod' : 'payoutMethod']: native.method,
    cryptoWalletAddress:
      isBuy && wallet
        ? { address: wallet.address, currencyCode: native.asset, destinationTag: wallet.memo }
        : undefined,
  };
}

interface Made {
  requestId: string;
  oneTimeToken?: string | null | undefined;
}

/** "Web direct URL": the token counts at the first opening only. */
function pageOf({ returnUrl }: NativeOrder, { requestId, oneTimeToken }: Made, { base }: Context): Page {
  const search = writeSearch({
    requestId,
    oneTimeToken: oneTimeToken ?? undefined,
    successReturnURL: returnUrl,
    failureReturnURL: returnUrl,
  });
  return { kind: 'page', url: `${base('widget')}/${search}`, theirs: requestId };
}

const DAY_MS = 24 * 3_600_000;
const PAGE_SIZE = '50';
/** The list is gone through so far and no further: it is all there is to ask, and every order asks. */
const MOST_PAGES = 4;

/** There is no look-up of one: the list of transactions is gone through for the request. */
export function status(order: NativeOrder, context: Context): Work<Notice[]> | undefined {
  return order.theirs ? lookThrough(order, context, { page: 1 }) : undefined;
}

function lookThrough(
  order: NativeOrder,
  context: Context,
  { page, cursor }: { page: number; cursor?: string },
): Exchange<Notice[]> {
  const query = { ...rangeOf(order, context.now), limit: PAGE_SIZE, cursor };
  const path = '/v2/transactions';
  return exchange(
    { method: 'GET', host: 'api', path, query, headers: authorization(context) },
    ({ body }) => {
      const { data, meta } = wire.read.rows(body);
      const own = data.filter(row => wire.requestOf(row) === order.theirs);
      if (own.length) return own.map(row => noticeOfRow(wire.read.row(row), order.theirs));
      const next = meta?.nextCursor;
      if (!next) return unseen(order, context.now);
      return page < MOST_PAGES ? lookThrough(order, context, { page: page + 1, cursor: next }) : [];
    },
  );
}

/** From the day it was made on: `from` may not be later than the beginning of today. */
function rangeOf({ createdAt }: NativeOrder, now: Instant): { from: string; to: string } {
  const today = now - (now % DAY_MS);
  return { from: iso(Math.min(createdAt, today)), to: iso(now) };
}

function iso(at: Instant): string {
  return new Date(at).toISOString();
}

/** A request nobody made anything of is in no list, and they have no word for its end. */
function unseen({ theirs, createdAt }: NativeOrder, now: Instant): Notice[] {
  return now - createdAt > DAY_MS ? [{ theirs, word: 'unseen', at: createdAt + DAY_MS }] : [];
}

/** Amounts count once they have moved. The hash is that of coins which go out. */
function noticeOfRow(row: wire.Row, theirs: string | undefined): Notice {
  const { status, gateway, amounts } = row;
  const isDone = member(words.STATUSES, status) === 'completed';
  return {
    theirs,
    word: status,
    at: readUtc(isDone ? row.completedAt : status === 'created' ? row.createdAt : undefined),
    hash: gateway === 'fiat_to_crypto' ? wordIfAny(row.hash) : undefined,
    paid: isDone ? amountIfAny(amounts?.spentOriginal?.amount) : undefined,
    received: isDone ? amountIfAny(amounts?.receivedOriginal?.amount) : undefined,
  };
}

const SIGNATURE = /^[A-Za-z0-9+/]{340,700}={0,2}$/;

export const webhook: Webhook = {
  /** That the digest is signed, as in our requests, is implied but not said of webhooks: either form is taken. */
  claims({ headers, raw }) {
    const signature = headers['x-request-signature'] ?? '';
    if (!SIGNATURE.test(signature)) return [];
    const kinds = ['rsa-pss-sha512-digest-base64', 'rsa-pss-sha512-base64'] as const;
    return kinds.map(how => ({ how, secret: 'webhookKey', signed: [raw], signature }));
  },
  /** Other events are about people; exchanges of coins for coins are none of ours. */
  read({ body }) {
    if (wire.read.event(body).event !== 'TRANSACTION_STATUS_CHANGED') return [];
    const { data } = wire.read.told(body);
    return data.transaction.flow === 'swapCrypto' ? [] : [noticeOfTold(data)];
  },
};

function noticeOfTold(told: wire.Told): Notice {
  const { status, rejectReason, flow, statusUpdatedAt } = told.transaction;
  const ours = member(words.STATUSES, status);
  const isDone = ours === 'completed';
  return {
    reference: wordIfAny(told.partnerTransactionId),
    theirs: told.requestId,
    word: status,
    at: readUtc(statusUpdatedAt),
    reason: reasonIfAny(rejectReason) ?? reasonIfAny(told.payment?.errorCode),
    hash: flow === 'buyCrypto' ? wordIfAny(told.payout?.transaction_hash) : undefined,
    paid: isDone || ours === 'paid' ? amountIfAny(told.amountFrom?.amount) : undefined,
    received: isDone ? amountIfAny(told.amountTo?.amount) : undefined,
  };
}
