/** Stripe's orders: onramp sessions, made once, and what it says of one when asked and by event. */
import type { Amount } from '../../domain/money.ts';
import type { Decline } from '../../domain/offer.ts';
import type { Instant } from '../../domain/words.ts';
import { isAbout, type NativeOrder, type Notice, type Page, type Webhook } from '../contract.ts';
import { amountIfAny, BadAnswer, type Context, exchange, type Work } from '../exchange.ts';
import { readSeconds } from '../moments.ts';
import { wordIfAny } from '../plain.ts';
import { authorized, type Figures, findSource } from './prices.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

const SESSIONS = '/v1/crypto/onramp_sessions';

/** A session that is known is only opened again: its amount was right at the time, and would be another one now. */
export function checkout(order: NativeOrder, context: Context): Work<Page | Decline> {
  const headers = authorized(context);
  if (order.theirs) {
    return exchange<Page | Decline>(
      { method: 'GET', host: 'api', path: `${SESSIONS}/${encodeURIComponent(order.theirs)}`, headers },
      ({ body }) => pageOf(body),
    );
  }
  const { native, amount } = order;
  const next = (figures: Figures) =>
    exchange<Page | Decline>(
      {
        method: 'POST',
        host: 'api',
        path: SESSIONS,
        headers: { ...headers, 'idempotency-key': order.id },
        form: formOf(order, figures.source),
      },
      ({ body }) => pageOf(body),
    );
  return findSource<Page | Decline>({ native, whole: amount, context, next });
}

/** "Create an OnrampSession". The lists lock the choice; no parameter says where the person goes back to. */
function formOf(order: NativeOrder, source: Amount): Record<string, string | undefined> {
  const { native, wallet } = order;
  const key = words.keyOf(native.network);
  return {
    source_currency: native.fiat,
    source_amount: source.toString(),
    destination_currency: native.asset,
    destination_network: native.network,
    'destination_currencies[]': native.asset,
    'destination_networks[]': native.network,
    // Which of its two spellings Base has here is not shown; the one that it has as a key everywhere else.
    [`wallet_addresses[${key}]`]: wallet?.address,
    [`wallet_addresses[destination_tags][${key}]`]: wallet?.memo,
    lock_wallet_address: wallet ? 'true' : undefined,
    'metadata[reference]': order.id,
  };
}

/** `redirect_url` may be null: then there is only their script, which needs a page of ours. */
function pageOf(body: unknown): Page {
  const { id, redirect_url: url } = wire.readSession(body);
  if (!url) throw new BadAnswer('a session without a page');
  return { kind: 'page', url, theirs: id };
}

/** Sessions are found by our reference only by looking through those made since. */
export function status(order: NativeOrder, context: Context): Work<Notice[] | undefined> {
  const { theirs } = order;
  if (!theirs) return look(order, context, { left: MOST_PAGES });
  const request = { method: 'GET', host: 'api', headers: authorized(context) } as const;
  return exchange({ ...request, path: `${SESSIONS}/${encodeURIComponent(theirs)}` }, ({ body }) =>
    [noticeOf(wire.readSession(body))].filter(isAbout(order)),
  );
}

const MOST_PAGES = 3;
/** Their clock may be behind ours. */
const LEEWAY_S = 60;

interface Leaf {
  left: number;
  after?: string | undefined;
}

/** What is not among as many as we go through may be among the rest. */
function look(order: NativeOrder, context: Context, { left, after }: Leaf): Work<Notice[] | undefined> {
  const query = {
    'created[gte]': String(Math.floor(order.createdAt / 1000) - LEEWAY_S),
    destination_currency: order.native.asset,
    destination_network: order.native.network,
    limit: '100',
    starting_after: after,
  };
  const headers = authorized(context);
  const request = { method: 'GET', host: 'api', path: SESSIONS, query, headers } as const;
  return exchange<Notice[] | undefined>(request, ({ body }) => {
    const { data, has_more } = wire.readSessions(body);
    const found = data.map(session => noticeOf(session)).filter(isAbout(order));
    const last = data.at(-1)?.id;
    if (found.length || !has_more || !last) return found;
    return left > 1 ? look(order, context, { left: left - 1, after: last }) : undefined;
  });
}

/** "t=…,v1=…": several v1 stand in it while a secret is being changed, and other schemes do not count. */
const HEADER = /^t=(\d{1,12})((?:,v\d{1,2}=[\w+/=-]{1,200}){1,8})$/;
const MOST_SIGNATURES = 3;

export const webhook: Webhook = {
  claims({ headers, raw }) {
    const [, seconds, schemes = ''] = HEADER.exec(headers['stripe-signature'] ?? '') ?? [];
    const at = readSeconds(seconds);
    const found = [...schemes.matchAll(/,v1=([0-9a-f]{64})(?=,|$)/g)];
    if (at === undefined || found.length > MOST_SIGNATURES) return [];
    const signed = [`${seconds}.`, raw];
    const how = 'hmac-sha256-hex' as const;
    return found.map(([, signature = '']) => ({ how, secret: 'webhookSecret', signed, signature, at }));
  },
  /** The guide and the reference spell the event differently. Events of other kinds are not about the onramp. */
  read({ body }) {
    const { type, created } = wire.readEvent(body);
    if (!/^crypto\.onramp_session[._]updated$/.test(type)) return [];
    return [noticeOf(wire.readDelivered(body).data.object, readSeconds(created))];
  },
};

/** Amounts count once they have moved; a session does not say when it came to where it is, its event does. */
function noticeOf(session: wire.Session, at?: Instant): Notice {
  const { status, transaction_details: details } = session;
  const isDone = status === 'fulfillment_complete';
  return {
    reference: wordIfAny(session.metadata?.reference),
    theirs: session.id,
    word: status,
    at: at ?? (status === 'initialized' ? readSeconds(session.created) : undefined),
    hash: wordIfAny(details?.transaction_id),
    fiat: wordIfAny(details?.source_currency),
    paid: isDone || status === 'fulfillment_processing' ? paidIn(details) : undefined,
    received: isDone ? amountIfAny(details?.destination_amount) : undefined,
  };
}

/** `source_amount` leaves out the fees. */
function paidIn(details: wire.Session['transaction_details']): Amount | undefined {
  const source = amountIfAny(details?.source_amount);
  const network = amountIfAny(details?.fees?.network_fee_amount);
  const transaction = amountIfAny(details?.fees?.transaction_fee_amount);
  return source && network && transaction ? source.plus(network).plus(transaction) : undefined;
}
