/** Mercuryo's orders: the link to its page, and what it says of an order's operations when asked and by callback. */
import { parseJson } from '../../domain/json.ts';
import { type Decline, decline } from '../../domain/offer.ts';
import { member } from '../../domain/words.ts';
import { isAbout, type NativeOrder, type Notice, type Page, type Wanted, type Webhook } from '../contract.ts';
import { amountIfAny, BadAnswer, type Context, exchange, type Work } from '../exchange.ts';
import { writeSearch } from '../links.ts';
import { readSeconds, readUtc } from '../moments.ts';
import { wordIfAny } from '../plain.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

/** Coins sent without their memo are lost, and no parameter for one is documented. */
const NO_MEMO = decline('refused', 'Mercuryo takes no memo or tag with an address');
const NO_IP = decline(
  'unavailable',
  'Mercuryo has to be told the network address of the person, which is not known',
);

export function refuses({ wallet }: Wanted): Decline | undefined {
  return wallet?.memo ? NO_MEMO : undefined;
}

/** "Get parameters": `fix_` locks. Neither `theme` nor `payment_method` has published values that fit, so both stay out. */
export function checkout(order: NativeOrder, context: Context): Page | Decline {
  const refusal = refuses(order);
  if (refusal) return refusal;
  const { side, native, wallet } = order;
  const signsIp = context.settings.signatureVersion === 'v2';
  const isSigned = side === 'buy' && wallet !== undefined && context.has('secretKey');
  if (isSigned && signsIp && !order.clientIp) return NO_IP;

  const search = writeSearch({
    widget_id: context.settings.widgetId,
    type: side,
    currency: native.asset,
    network: native.network,
    fix_currency: 'true',
    fiat_currency: native.fiat,
    fix_fiat_currency: 'true',
    ...(side === 'buy' ? buying(order) : selling(order)),
    signature: isSigned ? signatureOf(order, context) : undefined,
    merchant_transaction_id: order.id,
    return_url: order.returnUrl,
  });
  return { kind: 'page', url: `${context.base('widget')}/${search}` };
}

function buying({ amount, wallet }: NativeOrder) {
  return { fiat_amount: amount.toString(), fix_fiat_amount: 'true', address: wallet?.address };
}

function selling({ amount, wallet }: NativeOrder) {
  return { amount: amount.toString(), fix_amount: 'true', refund_address: wallet?.address };
}

/** "Signature Generation": for buys only, and only demanded where the widget says so. */
function signatureOf({ id, wallet, clientIp }: NativeOrder, { settings, secret, sign }: Context): string {
  const text = `${wallet?.address}${secret('secretKey')}`;
  return settings.signatureVersion === 'v2'
    ? `v2:${sign('sha512-hex', 'secretKey', `${text}${clientIp}${id}`)}`
    : sign('sha512-hex', 'secretKey', text);
}

/** Only partners with a token of their own can ask; the others have to rely on callbacks. */
export function status(order: NativeOrder, context: Context): Work<Notice[]> | undefined {
  if (!context.has('partnerToken')) return undefined;
  return exchange(
    {
      method: 'GET',
      host: 'api',
      path: '/v1.6/sdk-partner/transactions',
      query: { merchant_transaction_id: order.id },
      headers: { 'Sdk-Partner-Token': context.secret('partnerToken') },
    },
    ({ body }) => wire.readTransactions(body).data.flatMap(noticesOf).filter(isAbout(order)),
  );
}

function noticesOf(row: Readonly<Record<string, unknown>>): Notice[] {
  return Object.keys(words.OPERATIONS).flatMap(type =>
    row[type] ? noticeOf(type, wire.readOperation(row[type])) : [],
  );
}

export const webhook: Webhook = {
  /** Of two pages about callbacks one has the body signed as it is, the other without any white space. */
  claims({ headers, raw, text }) {
    const signature = headers['x-signature'] ?? '';
    if (!/^[0-9a-f]{64}$/.test(signature)) return [];
    const stripped = withoutBlanks(text);
    const forms = stripped === text ? [raw] : [raw, stripped];
    return forms.map(form => ({ how: 'hmac-sha256-hex', secret: 'signKey', signed: [form], signature }));
  },
  /** Blanks may be unsigned, so none of them counts: nothing that is read here has any but its dates. */
  read({ text }) {
    const { data } = wire.readCallback(jsonOf(withoutBlanks(text)));
    return noticeOf(data.type, data);
  },
};

function withoutBlanks(text: string): string {
  return text.replace(/[ \t\n\v\f\r]+/g, '');
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new BadAnswer('not JSON');
  }
}

/**
 * As nothing or one: what names no order of ours is left out. An order has two operations under our reference; the id
 * of the exchange stands for the order, the one of the transfer before or after it does not. Where to send what is
 * sold is not documented to be in it.
 */
function noticeOf(type: string, operation: wire.Operation): Notice[] {
  const kind = member(words.OPERATIONS, type) ?? type;
  const word = `${kind}.${operation.status}`;
  const reference = wordIfAny(operation.merchant_transaction_id);
  const theirs = kind === 'buy' || kind === 'sell' ? operation.id : undefined;
  if (!reference && !theirs) return [];
  const notice = {
    reference,
    theirs,
    word,
    // What is signed may be no more than an address, so that any order can be named with it.
    wallet: kind === 'withdraw' ? known(operation.address) : undefined,
    asset: wordIfAny(operation.currency),
    fiat: wordIfAny(operation.fiat_currency),
    at: readSeconds(operation.updated_at_ts) ?? readUtc(operation.updated_at),
    hash: kind === 'buy' ? undefined : hashIfAny(operation),
    returns: word === 'sell.failed' ? true : undefined,
  };
  return [{ ...notice, ...amountsOf(kind, operation) }];
}

function hashIfAny({ tx, hash }: wire.Operation): string | undefined {
  return known(tx?.id ?? hash);
}

/** Before there is one, their sample has `0x` in its place. */
function known(text: string | null | undefined): string | undefined {
  const word = wordIfAny(text);
  return word === '0x' ? undefined : word;
}

/**
 * Amounts count once they have moved. On a buy `fiat_amount` is all that is paid; on a sell a recorded payload has it
 * after the fee, which no document says.
 */
function amountsOf(
  kind: string,
  { status, amount, fiat_amount }: wire.Operation,
): Pick<Notice, 'paid' | 'received'> {
  const isDone = status === 'completed' || status === 'succeeded';
  if (kind === 'buy' && (isDone || status === 'paid')) return { paid: amountIfAny(fiat_amount) };
  if (kind === 'deposit' && isDone) return { paid: amountIfAny(amount) };
  if (kind === 'withdraw' && isDone) return { received: amountIfAny(amount) };
  if (kind === 'sell' && isDone) return { received: amountIfAny(fiat_amount) };
  return {};
}
