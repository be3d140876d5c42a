/** Swapped's orders: the signed link to its widget, and what it says of an order by webhook and, if wished, when asked. */
import { writeJson } from '../../domain/json.ts';
import { cut } from '../../domain/money.ts';
import { type Decline, decline } from '../../domain/offer.ts';
import type { Side } from '../../domain/words.ts';
import {
  type Absence,
  isAbout,
  type NativeOrder,
  type Notice,
  type Page,
  type Wanted,
  type Webhook,
} from '../contract.ts';
import { amountIfAny, type Context, exchange, type HttpAnswer, type Work } from '../exchange.ts';
import { writeSearch } from '../links.ts';
import { placeIfAny, wordIfAny } from '../plain.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

/** Coins sent without their memo are lost, and no parameter for one is documented. */
const NO_MEMO = decline('refused', 'Swapped takes no memo or tag with an address');
/** These signs would make several addresses of one. */
const NO_ADDRESS = decline('refused', 'Swapped cannot be given this address');

export function refuses({ side, wallet }: Wanted): Decline | undefined {
  if (side === 'sell' || !wallet) return undefined;
  if (wallet.memo) return NO_MEMO;
  return /[:,]/.test(wallet.address) ? NO_ADDRESS : undefined;
}

/** "iFrame initialization": the query string is signed from `?` on as it stands, and the signature appended last. */
export function checkout(order: NativeOrder, context: Context): Page | Decline {
  const refusal = refuses(order);
  if (refusal) return refusal;
  const { side } = order;
  const search = writeSearch({
    apiKey: context.settings.publicKey,
    ...(side === 'buy' ? buying(order) : selling(order)),
    // The only id that comes back.
    externalCustomerId: order.id,
    baseCountry: order.country.slice(0, 2),
    responseUrl: order.hookUrl,
  });
  const signature = encodeURIComponent(context.sign('hmac-sha256-base64', 'secretKey', search));
  const page = side === 'buy' ? `${context.base('buy')}/` : context.base('sell');
  return { kind: 'page', url: `${page}${search}&signature=${signature}` };
}

const MONEY_PLACES = 2;

function buying({ native, wallet, amount, returnUrl }: NativeOrder) {
  return {
    currencyCode: native.asset,
    walletAddress: wallet?.address,
    method: native.method,
    baseCurrencyCode: native.fiat,
    baseCurrencyAmount: cut(amount, MONEY_PLACES).toString(),
    lockBaseCurrency: 'true',
    redirectUrl: returnUrl,
  };
}

/** The person sends the coins. No parameter says where they go back to, nor where coins do. */
function selling({ native, amount }: NativeOrder) {
  return {
    method: native.method,
    userSendsFunds: 'true',
    cryptoCurrencyCode: native.asset,
    cryptoCurrencyAmount: amount.toString(),
    fiatCurrencyCode: native.fiat,
  };
}

const MOST_LISTED = 100;

/** "Get transactions": how it is signed could not be verified by anyone, so that it has to be switched on. */
export function status(order: NativeOrder, context: Context): Work<Notice[] | undefined> | undefined {
  const { publicKey, statusPolling } = context.settings;
  if (statusPolling !== 'on') return undefined;
  const asked = {
    apiKey: publicKey,
    timestamp: new Date(context.now).toISOString(),
    limit: MOST_LISTED,
    start_date: new Date(order.createdAt).toISOString(),
  };
  const signature = context.sign('hmac-sha256-base64', 'secretKey', writeJson(asked));
  const path = '/api/v1/merchant/get_transactions';
  const request = { method: 'POST', host: 'api', path, body: { ...asked, signature } } as const;
  return exchange<Notice[] | undefined>(request, ({ body }) => noticesIn(body, order));
}

/** Only a list that did not fail, and has room left, can tell that an order is not in it. */
function noticesIn(body: unknown, order: NativeOrder): Notice[] | undefined {
  if (wire.failureIn(body) !== undefined) return undefined;
  const { orders } = wire.readOrders(body).data;
  const ours = orders
    .map(listed => ({ ...noticeOf(listed, wordInList(listed)), ...paidIn(listed, order) }))
    .filter(isAbout(order));
  return ours.length || orders.length < MOST_LISTED ? ours : undefined;
}

/** All orders are asked for at once: a refusal says nothing of one of them. */
export function absence({ status }: HttpAnswer): Absence | undefined {
  return status === 400 || status === 404 ? 'untold' : undefined;
}

export const webhook: Webhook = {
  /** No moment is signed. */
  claims({ headers, raw }) {
    const { signature = '' } = headers;
    if (!/^[A-Za-z0-9+/]{43}=$/.test(signature)) return [];
    return [{ how: 'hmac-sha256-base64', secret: 'secretKey', signed: [raw], signature }];
  },
  /** What has no status of an order is about something else. */
  read({ body }) {
    if (wire.readSaid(body).order_status === undefined) return [];
    const order = wire.readOrder(body);
    return [noticeOf(order, wordOf(order))];
  },
};

function sideOf({ order_type }: wire.Order): Side {
  return order_type === 'sell' ? 'sell' : 'buy';
}

function wordOf(order: wire.Order): string {
  return `${sideOf(order)}.${order.order_status}`;
}

/** The list has no word for coins that are out. */
function wordInList(order: wire.Order): string {
  const word = wordOf(order);
  return word === 'buy.order_completed' && wordIfAny(order.transaction_id) ? `${word}.sent` : word;
}

/** Coins count once they have moved; in which money an order was made is not in it. */
function noticeOf(order: wire.Order, word: string): Notice {
  const isSell = sideOf(order) === 'sell';
  const ours = words.STATUSES[word];
  const coins = amountIfAny(order.order_crypto_amount);
  return {
    reference: wordIfAny(order.external_customer_id),
    theirs: order.order_id,
    word,
    hash: wordIfAny(order.transaction_id),
    paid: isSell && (ours === 'paid' || ours === 'completed') ? coins : undefined,
    received: !isSell && ours === 'completed' ? coins : undefined,
    deposit: word === 'sell.payment_pending' ? depositIn(order) : undefined,
  };
}

/** Two currencies are named, and who looks an order up knows whether it is one of them. */
function paidIn(listed: wire.Order, { side, fiat }: NativeOrder): Pick<Notice, 'paid'> {
  const ours = words.STATUSES[wordInList(listed)];
  if (side === 'sell' || (ours !== 'paid' && ours !== 'completed')) return {};
  if (fiat.code === 'EUR') return { paid: amountIfAny(listed.order_amount_eur_plus_fees) };
  return fiat.code === 'USD' ? { paid: amountIfAny(listed.order_amount_usd_plus_fees) } : {};
}

function depositIn(order: wire.Order): Notice['deposit'] {
  const place = placeIfAny(order.order_crypto_address, order.order_crypto_tag);
  return (
    place && {
      ...place,
      amount: amountIfAny(order.order_crypto_amount),
      asset: wordIfAny(order.order_crypto),
    }
  );
}
