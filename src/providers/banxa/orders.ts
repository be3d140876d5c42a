/** Banxa's orders: made for each opening of its page, and what it says of them when asked and by webhook. */
import type { Amount } from '../../domain/money.ts';
import { member } from '../../domain/words.ts';
import { isAbout, type NativeOrder, type Notice, type Page, type Webhook } from '../contract.ts';
import { amountIfAny, type Context, exchange, isSameWord, type Work } from '../exchange.ts';
import { readUtc } from '../moments.ts';
import { wordIfAny } from '../plain.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

/** Every path opens with the partner's code. */
export function folderOf({ settings: { partner = '' } }: Context): string {
  return `/${encodeURIComponent(partner)}/v2`;
}

export function headersOf({ secret }: Context): Record<string, string> {
  return { 'x-api-key': secret('apiKey') };
}

/** "Create buy order". */
export function checkout(order: NativeOrder, context: Context): Work<Page> {
  const { native, wallet } = order;
  return exchange(
    {
      method: 'POST',
      host: 'api',
      path: `${folderOf(context)}/buy`,
      headers: headersOf(context),
      body: {
        crypto: native.asset,
        blockchain: native.network,
        fiat: native.fiat,
        fiatAmount: order.amount.toString(),
        paymentMethodId: native.method,
        walletAddress: wallet?.address,
        walletAddressTag: wallet?.memo,
        // Their name for the person must tell nothing of them; ours of the order does not.
        externalCustomerId: order.id,
        externalOrderId: order.id,
        redirectUrl: order.returnUrl,
        email: order.email,
      },
    },
    ({ body }) => {
      const { id, checkoutUrl } = wire.read.made(wire.inside(body));
      return { kind: 'page', url: checkoutUrl, theirs: id };
    },
  );
}

/** "Get order": by their id only; what the list of orders can be asked for was not found. */
export function status(order: NativeOrder, context: Context): Work<Notice[]> | undefined {
  if (!order.theirs) return undefined;
  const path = `${folderOf(context)}/orders/${encodeURIComponent(order.theirs)}`;
  return exchange({ method: 'GET', host: 'api', path, headers: headersOf(context) }, ({ body }) => {
    const found = wire.read.order(wire.inside(body));
    return [noticeOf(factsOf(found))].filter(isAbout(order));
  });
}

/** `Bearer <key>:<signature>:<nonce>`, exactly so; the key is only a name. */
const SIGNED = /^Bearer [!-9;-~]{1,200}:([0-9a-f]{64}):(\d{1,20})$/;

export const webhook: Webhook = {
  /** "Webhooks": the path is the one that was registered. Whether the nonce is a moment is not said, so it is none. */
  claims({ headers, path, raw }) {
    const [, signature = '', nonce] = SIGNED.exec(headers.authorization ?? '') ?? [];
    if (nonce === undefined) return [];
    const signed = [`POST\n${path}\n${nonce}\n`, raw];
    return [{ how: 'hmac-sha256-hex', secret: 'webhookSecret', signed, signature }];
  },
  /** Others are about people; an old form has no status, and its order is heard of when it is looked up. */
  read({ body }) {
    const { order_id, status } = wire.read.event(body);
    if (order_id === undefined || status === undefined) return [];
    return [noticeOf(factsIn(wire.read.told(body)))];
  },
};

/** What is known of an order, however it was told. */
interface Facts {
  theirs: string;
  reference: unknown;
  word: string;
  type: unknown;
  fiat: Amount | undefined;
  crypto: Amount | undefined;
  hash: unknown;
  at: unknown;
}

function factsOf(order: wire.Order): Facts {
  return {
    theirs: order.id,
    reference: order.externalOrderId ?? order.externalId,
    word: order.status,
    type: order.orderType,
    fiat: amountIfAny(order.fiatAmount),
    crypto: amountIfAny(order.cryptoAmount),
    hash: order.transactionHash ?? order.txHash,
    at: order.updatedAt,
  };
}

function factsIn(told: wire.Told): Facts {
  return {
    theirs: told.order_id,
    reference: told.external_id,
    word: told.status,
    type: told.order_type,
    fiat: amountIfAny(told.fiat_amount),
    crypto: amountIfAny(told.crypto_amount),
    hash: told.transaction_hash,
    at: told.status_date,
  };
}

/** Amounts count once they have moved, and those of buys only: we make no other orders. A hash of `0` is none. */
function noticeOf({ theirs, reference, word, type, fiat, crypto, hash, at }: Facts): Notice {
  const [pays, gets] = isSameWord(String(type), 'BUY') ? [fiat, crypto] : [];
  const ours = member(words.STATUSES, word);
  return {
    reference: wordIfAny(reference),
    theirs,
    word,
    at: readUtc(typeof at === 'string' ? at : undefined),
    hash: hash === '0' ? undefined : wordIfAny(hash),
    paid: ours === 'completed' || ours === 'paid' ? pays : undefined,
    received: ours === 'completed' ? gets : undefined,
  };
}
