/** Alchemy Pay's orders: the signed link to its page, and what it says of an order when asked and by webhook. */
import type { Amount } from '../../domain/money.ts';
import { type Decline, decline } from '../../domain/offer.ts';
import type { Deposit } from '../../domain/transaction.ts';
import type { Instant, Side } from '../../domain/words.ts';
import {
  type Absence,
  type Delivery,
  isAbout,
  type NativeOrder,
  type Notice,
  type Page,
  type Wanted,
  type Webhook,
} from '../contract.ts';
import {
  amountIfAny,
  type Context,
  exchange,
  type HttpAnswer,
  Unauthorized,
  type Work,
} from '../exchange.ts';
import { readMilliseconds } from '../moments.ts';
import { reasonIfAny, wordIfAny } from '../plain.ts';
import { signedBody, signedRequest, signedSearch } from './signing.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

/** Values are signed as they are, so that one which looks like more than one parameter could mean something else. */
const AMBIGUOUS = /[&=\r\n]/;
const NOT_PLAIN = decline('refused', 'Alchemy Pay cannot be given this address');
const NOT_WHOLE = decline('refused', 'Alchemy Pay takes whole amounts of this currency only');

export function refuses({ side, wallet, fiat, amount }: Wanted): Decline | undefined {
  if (AMBIGUOUS.test(`${wallet?.address ?? ''}${wallet?.memo ?? ''}`)) return NOT_PLAIN;
  return side === 'buy' && words.WHOLE.has(fiat.code) && !amount.isInteger() ? NOT_WHOLE : undefined;
}

/** "On-ramp custom parameters", "Off-ramp custom parameters": what is sent is locked. No parameter names the method. */
export function checkout(order: NativeOrder, context: Context): Page | Decline {
  const refusal = refuses(order);
  if (refusal) return refusal;
  const { side } = order;
  const parameters = {
    appId: context.settings.appId,
    timestamp: String(context.now),
    merchantOrderNo: order.id,
    crypto: order.native.asset,
    network: order.native.network,
    fiat: order.native.fiat,
    callbackUrl: order.hookUrl,
    showTable: side,
    ...(side === 'buy' ? buying(order) : selling(order)),
  };
  const path = side === 'buy' ? '/index/rampPageBuy' : '/index/rampPageSell';
  return { kind: 'page', url: `${context.base('page')}${signedSearch(path, parameters, context)}` };
}

function buying({ amount, wallet, returnUrl }: NativeOrder) {
  const { address, memo } = wallet ?? {};
  return { fiatAmount: amount.toString(), address, memo, redirectUrl: returnUrl };
}

/** Fiat and country go together; neither a way back nor an address for refunds is documented. */
function selling({ amount, country }: NativeOrder) {
  return { type: 'sell', cryptoAmount: amount.toString(), country: country.slice(0, 2) };
}

/** Nothing is known before the person has begun, and by which code that is said was not found. */
export function status(order: NativeOrder, context: Context): Work<Notice[] | undefined> {
  const query = { side: order.side.toUpperCase(), merchantOrderNo: order.id };
  const request = signedRequest({ path: '/open/api/v4/merchant/query/trade', query }, context);
  return exchange<Notice[] | undefined>(request, ({ body }) => {
    const { returnCode, data } = wire.readEnvelope(body);
    if (returnCode === words.GOOD && data) return [noticeOf(wire.readOrder(data))].filter(isAbout(order));
    return absenceOf(body) === 'none' ? [] : undefined;
  });
}

/** Failures mostly come with a status of 200, but not always. */
export function absence({ status, body }: HttpAnswer): Absence | undefined {
  if (status !== 400 && status !== 404) return undefined;
  return typeof membersOf(body).returnCode === 'string' ? absenceOf(body) : 'untold';
}

/** Only a text that says so of the order means that there is none. Any other failure may be about an order nobody began. */
function absenceOf(body: unknown): Absence {
  const { returnCode, returnMsg } = wire.readEnvelope(body);
  if (returnCode === words.BAD_SIGN) throw new Unauthorized('our signature is refused');
  return words.NO_ORDER.test(returnMsg ?? '') ? 'none' : 'untold';
}

export const webhook: Webhook = {
  /** Where only the deprecated signature is there, as in their sample of a sell, nothing is claimed. */
  claims({ headers, path, body }) {
    const { timestamp } = headers;
    const at = readMilliseconds(timestamp);
    const { newSignature } = membersOf(body);
    if (at === undefined || typeof newSignature !== 'string') return [];
    if (!/^[A-Za-z0-9+/]{43}=$/.test(newSignature)) return [];
    const signed = [`${timestamp}POST${path}${signedBody(membersOf(body))}`];
    return [{ how: 'hmac-sha256-base64', secret: 'appSecret', signed, signature: newSignature, at }];
  },
  /** What names the state of a person's identity is not about an order. Only the moment it was signed has a known zone. */
  read({ headers, body }) {
    if ('kycStatus' in membersOf(body)) return [];
    return [noticeOf(wire.readOrder(body), readMilliseconds(headers.timestamp))];
  },
  hints,
};

/** Whoever it is from, the order it names can be looked up. */
function hints({ body }: Delivery) {
  const { merchantOrderNo, orderNo } = membersOf(body);
  const hint = { reference: wordIfAny(merchantOrderNo), theirs: wordIfAny(orderNo) };
  return hint.reference || hint.theirs ? [hint] : [];
}

function membersOf(body: unknown): Record<string, unknown> {
  return typeof body === 'object' && body !== null && !Array.isArray(body)
    ? (body as Record<string, unknown>)
    : {};
}

/** Sells have numbers for where they stand. */
function noticeOf(order: wire.Order, at?: Instant): Notice {
  const { status } = order;
  const side: Side = /^\d{1,2}$/.test(status) ? 'sell' : 'buy';
  const word = `${side}.${status}`;
  const ours = words.STATUSES[word];
  const isDone = ours === 'completed';
  const amounts = side === 'buy' ? boughtIn(order) : soldIn(order);
  return {
    reference: wordIfAny(order.merchantOrderNo),
    theirs: wordIfAny(order.orderNo),
    word,
    at,
    reason: ours === 'failed' ? (reasonIfAny(order.message) ?? reasonIfAny(order.returnMsg)) : undefined,
    hash: wordIfAny(order.txHash),
    paid: isDone || ours === 'paid' ? amounts.paid : undefined,
    received: isDone ? amounts.received : undefined,
    deposit: side === 'sell' && ours === 'new' ? depositIn(order) : undefined,
    sent: (side === 'sell' && ours === 'pending') || undefined,
  };
}

interface Amounts {
  paid: Amount | undefined;
  received: Amount | undefined;
}

function boughtIn({ amount, cryptoQuantity }: wire.Order): Amounts {
  return { paid: amountIfAny(amount), received: amountIfAny(cryptoQuantity) };
}

/** `fiatAmount` contains their fee. */
function soldIn(order: wire.Order): Amounts {
  const actual = order.cryptoActualAmount ?? order.cryptoacturalAmount;
  const fee = amountIfAny(order.rampFee ?? order.rampfee);
  const gross = amountIfAny(order.fiatAmount);
  return {
    paid: amountIfAny(actual) ?? amountIfAny(order.cryptoAmount),
    received: fee && gross?.minus(fee),
  };
}

/** Where to send what is sold. A memo is in none of their tables: where one may be needed, their page tells. */
function depositIn({ address, network, cryptoAmount }: wire.Order): Deposit | undefined {
  const known = wordIfAny(address);
  if (!known || !network || words.WITH_MEMO.has(network)) return undefined;
  return { address: known, memo: undefined, amount: amountIfAny(cryptoAmount) };
}
