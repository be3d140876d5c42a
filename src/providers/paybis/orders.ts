/** Paybis' orders: a request for its page, and what it says of the transaction when asked and by webhook. */
import { type Decline, decline } from '../../domain/offer.ts';
import { type Instant, member } from '../../domain/words.ts';
import type { NativeOrder, Notice, Page, Webhook } from '../contract.ts';
import { amountIfAny, type Context, exchange, type Work } from '../exchange.ts';
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

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const PAGE_SIZE = '50';
/** The list is gone through so far and no further in one look: it is all there is to ask, and every order asks. */
const MOST_PAGES = 10;
/** How long after the order was made a transaction is looked for, the likeliest time first: most people go on at once. */
const SPANS_MS = [2 * HOUR_MS, 2 * DAY_MS, Number.POSITIVE_INFINITY];

/** There is no look-up of one: the list of transactions is gone through for the request. */
export function status(order: NativeOrder, context: Context): Work<Notice[] | undefined> | undefined {
  if (!order.theirs) return undefined;
  return lookThrough(order, context, { ranges: rangesOf(order, context.now), left: MOST_PAGES });
}

interface Range {
  from: Instant;
  to: Instant;
}

/** Where in the list the next page is, and how many more may be asked for. */
interface Place {
  ranges: readonly Range[];
  left: number;
  cursor?: string | undefined;
}

function lookThrough(
  order: NativeOrder,
  context: Context,
  { ranges, left, cursor }: Place,
): Work<Notice[] | undefined> {
  const [range, ...rest] = ranges;
  if (!range || left === 0) return unseen(order, context.now);
  const query = { ...writeRange(range, context.now), limit: PAGE_SIZE, cursor };
  const path = '/v2/transactions';
  return exchange<Notice[] | undefined>(
    { method: 'GET', host: 'api', path, query, headers: authorization(context) },
    ({ body }) => {
      const { data, meta } = wire.read.rows(body);
      const own = data.filter(row => wire.requestOf(row) === order.theirs).map(wire.read.row);
      if (own.length) return own.filter(isTelling(context.now)).map(row => noticeOfRow(row, order.theirs));
      const next = meta?.nextCursor || undefined;
      return lookThrough(order, context, { ranges: next ? ranges : rest, left: left - 1, cursor: next });
    },
  );
}

/**
 * Each goes on where the one before it ends, so that what is made later makes no earlier one longer. When the transaction
 * was made is known where a webhook has told of it.
 */
function rangesOf({ createdAt, access }: NativeOrder, now: Instant): Range[] {
  const made = readUtc(access);
  const told = made === undefined ? [] : [{ from: made - MINUTE_MS, to: made + MINUTE_MS }];
  const ends = SPANS_MS.map(span => Math.min(createdAt + span, now));
  const spans = ends.map((to, index) => ({ from: ends[index - 1] ?? createdAt, to }));
  return [...told, ...spans.filter(({ from, to }, index) => index === 0 || from < to)];
}

/** `from` may not be later than the beginning of today. */
function writeRange({ from, to }: Range, now: Instant): { from: string; to: string } {
  const today = now - (now % DAY_MS);
  return { from: iso(Math.min(from, today)), to: iso(to) };
}

function iso(at: Instant): string {
  return new Date(at).toISOString();
}

/**
 * A request nobody made anything of is in no list, and they have no word for its end: that nothing was paid is all there is
 * to say, and we give it up in time. One that they have told of is somewhere, and was only not found.
 */
function unseen({ theirs, access }: NativeOrder, now: Instant): Notice[] | undefined {
  return access === undefined || isStale(access, now) ? [{ theirs, word: 'unseen' }] : undefined;
}

/** By bank, money may be on its way for days while the list says `created`: only later does it say that nothing was paid. */
function isTelling(now: Instant): (row: wire.Row) => boolean {
  return ({ status, createdAt, paidAt }) => status !== 'created' || (!paidAt && isStale(createdAt, now));
}

const ON_ITS_WAY_MS = 7 * DAY_MS;

/** Whether a transaction that was made then would have been paid by now. */
function isStale(made: string | null | undefined, now: Instant): boolean {
  return now - (readUtc(made) ?? now) > ON_ITS_WAY_MS;
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
  /** E-mail and IP addresses stand beside it, and with cards a name and where they live. */
  kept: ({ body }) => wire.readIn(body),
};

function noticeOfTold(told: wire.Told): Notice {
  const { status, rejectReason, flow, createdAt, statusUpdatedAt } = told.transaction;
  const ours = member(words.STATUSES, status);
  const isDone = ours === 'completed';
  const made = readUtc(createdAt);
  return {
    reference: wordIfAny(told.partnerTransactionId),
    theirs: told.requestId,
    // Where in their list it stands.
    access: made === undefined ? undefined : iso(made),
    word: status,
    at: readUtc(statusUpdatedAt),
    reason: reasonIfAny(rejectReason) ?? reasonIfAny(told.payment?.errorCode),
    hash: flow === 'buyCrypto' ? wordIfAny(told.payout?.transaction_hash) : undefined,
    paid: isDone || ours === 'paid' ? amountIfAny(told.amountFrom?.amount) : undefined,
    received: isDone ? amountIfAny(told.amountTo?.amount) : undefined,
  };
}
