/** Topper's orders: the link to its page, and what it tells of an order by webhook, which is all it tells. */
import { type Decline, decline } from '../../domain/offer.ts';
import type { Deposit } from '../../domain/transaction.ts';
import { member } from '../../domain/words.ts';
import type { NativeOrder, Notice, Page, Wanted, Webhook } from '../contract.ts';
import { amountIfAny, type Context } from '../exchange.ts';
import { base64url, readPart } from '../jwt.ts';
import { writeSearch } from '../links.ts';
import { readUtc } from '../moments.ts';
import { placeIfAny, reasonIfAny, wordIfAny } from '../plain.ts';
import { bootstrapToken, referenceIn, tokenId } from './tokens.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

/** Coins sent without their memo are lost, and what they call the memos of other networks is not known. */
const NO_MEMO = decline('refused', 'Topper takes no memo or tag for this network');

export function refuses(order: Wanted): Decline | undefined {
  return order.side === 'buy' && order.wallet?.memo && !tagOf(order) ? NO_MEMO : undefined;
}

/** A token opens one page, once: it is signed anew each time. */
export function checkout(order: NativeOrder, context: Context): Page | Decline {
  const refusal = refuses(order);
  if (refusal) return refusal;
  const { side, theme } = order;
  const token = bootstrapToken(
    side,
    {
      jti: tokenId(order.id, context),
      ...(side === 'buy' ? buying(order) : selling(order)),
      partner: { continueUrl: order.returnUrl, continueUrlTarget: 'same-tab' },
    },
    context,
  );
  const search = writeSearch({ bt: token, theme: theme.isDark ? 'dark' : 'light' });
  return { kind: 'page', url: `${context.base('app')}/${search}` };
}

/** Nothing of it can be changed on the page; without a wallet the person enters theirs. */
function buying(order: NativeOrder) {
  const { native, wallet, amount } = order;
  const recipient = wallet
    ? { address: wallet.address, tag: tagOf(order), recipientEditMode: 'not-editable' }
    : { recipientEditMode: 'only-address-and-tag' };
  return {
    source: { amount: amount.toString(), asset: native.fiat, paymentMethod: { network: native.method } },
    target: { asset: native.asset, network: native.network, ...recipient },
  };
}

/** A wallet whose memo cannot be handed over is left to the person: coins sent back without it would be lost. */
function selling(order: NativeOrder) {
  const { native, wallet, amount } = order;
  const tag = tagOf(order);
  const isWhole = wallet && (!wallet.memo || tag);
  return {
    source: {
      amount: amount.toString(),
      asset: native.asset,
      network: native.network,
      editMode: 'not-editable',
    },
    target: { asset: native.fiat },
    refund: isWhole ? { address: wallet.address, tag } : undefined,
  };
}

function tagOf({ native, wallet }: Wanted): { type: string; value: string } | undefined {
  const type = member(words.TAGS, native.network);
  return type && wallet?.memo ? { type, value: wallet.memo } : undefined;
}

/** A detached JWS: its middle is the body as it came. */
const DETACHED = /^([\w-]{1,500})\.\.([\w-]{86})$/;

/** Each widget's webhook has a key; the off-ramp's proves nothing where it is not set. */
const PUBLIC_KEYS = ['webhookPublicKey', 'sellWebhookPublicKey'];

export const webhook: Webhook = {
  claims({ headers, raw }) {
    const [, header = '', signature = ''] = DETACHED.exec(headers['x-topper-jws-signature'] ?? '') ?? [];
    if (!isEs256(readPart(header))) return [];
    const signed = [`${header}.${base64url(raw)}`];
    return PUBLIC_KEYS.map(secret => ({ how: 'es256-base64url', secret, signed, signature }));
  },
  read({ body }) {
    const { name, bootstrapTokenId, data } = wire.readEvent(body);
    if (!words.ABOUT_ORDERS.test(name)) return [];
    return [noticeOf(name, wire.readOrder(data), wordIfAny(bootstrapTokenId))];
  },
};

/** The one algorithm we agreed on, and nothing in the header that we would have to understand. */
function isEs256(header: unknown): boolean {
  const { alg, crit, b64 } = (header ?? {}) as Record<string, unknown>;
  return alg === 'ES256' && crit === undefined && b64 === undefined;
}

/** Amounts count once they have moved. */
function noticeOf(word: string, order: wire.Order, tokenOf: string | undefined): Notice {
  const standing = words.STATUSES[word];
  const isDone = standing === 'completed';
  return {
    reference: referenceIn(tokenOf),
    theirs: order.id,
    word,
    at: readUtc(order.updatedAt),
    reason: reasonIfAny(order.error?.reason),
    hash: wordIfAny(order.destination?.ledger?.txid),
    paid: isDone || standing === 'paid' ? amountIfAny(order.origin?.amount) : undefined,
    received: isDone ? amountIfAny(order.destination?.amount) : undefined,
    deposit: word.endsWith(':committed') ? depositOf(order) : undefined,
    sent: word.endsWith(':funds-sent') || undefined,
  };
}

/** Where to send what is sold, as long as it is waited for. */
function depositOf({ origin }: wire.Order): Deposit | undefined {
  const { value, tag, expiresAt, expiredAt } = origin?.depositAddress ?? {};
  const place = placeIfAny(value, memoIn(tag));
  const until = readUtc(expiresAt ?? expiredAt);
  return place && { ...place, amount: amountIfAny(origin?.amount), until };
}

/** A tag that is there and has no value must not pass for none: it is handed on as what cannot be read. */
function memoIn(tag: unknown): unknown {
  return tag && ((tag as { value?: unknown }).value || { tag });
}
