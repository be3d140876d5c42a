/** Ramp Network's orders: the link to its widget, and what it says of a purchase or a sale when asked and by webhook. */
import { canonicalJson, readStrictJson } from '../../domain/json-strict.ts';
import { type Decline, decline } from '../../domain/offer.ts';
import { isAbout, type NativeOrder, type Notice, type Page, type Wanted, type Webhook } from '../contract.ts';
import { amountIfAny, type Context, exchange, type Work } from '../exchange.ts';
import { writeSearch } from '../links.ts';
import { readUtc } from '../moments.ts';
import { wordIfAny } from '../plain.ts';
import { fromSmallest } from './units.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

/** Coins sent without their memo are lost, and no parameter for one is documented. */
const NO_MEMO = decline('refused', 'Ramp Network takes no memo or tag with an address');

export function refuses({ side, wallet }: Wanted): Decline | undefined {
  return side === 'buy' && wallet?.memo ? NO_MEMO : undefined;
}

/** The widget's parameters by their unified names; amounts are in whole units, not in the smallest. */
export function checkout(order: NativeOrder, context: Context): Page | Decline {
  const refusal = refuses(order);
  if (refusal) return refusal;
  const { side, native, wallet } = order;
  const search = writeSearch({
    hostApiKey: context.settings.hostApiKey,
    hostAppName: context.settings.appName,
    selectedCountryCode: order.country,
    // Where the coins of a sell come from; one with a memo is left to the person, who knows both.
    userAddress: wallet?.memo ? undefined : wallet?.address,
    ...(side === 'buy' ? buying(order) : selling(order)),
    enabledCryptoAssets: native.asset,
    inAssetValue: order.amount.toString(),
    variant: 'hosted-auto',
    finalUrl: order.returnUrl,
  });
  return { kind: 'page', url: `${context.base('app')}/?${signed(search.slice(1), context)}` };
}

type Parameters = Record<string, string | undefined>;

function buying(order: NativeOrder): Parameters {
  const { native } = order;
  return {
    enabledFlows: 'ONRAMP',
    defaultFlow: 'ONRAMP',
    inAsset: native.fiat,
    outAsset: native.asset,
    // A transfer by hand is preselected by the word for SEPA, which is right in euros only.
    paymentMethodType:
      native.method === 'MANUAL_BANK_TRANSFER' && native.fiat !== 'EUR'
        ? undefined
        : words.IN_WIDGET[native.method],
    webhookStatusUrl: hookOf(order),
  };
}

function selling(order: NativeOrder): Parameters {
  return {
    enabledFlows: 'OFFRAMP',
    defaultFlow: 'OFFRAMP',
    inAsset: order.native.asset,
    outAsset: order.native.fiat,
    offrampWebhookV3Url: hookOf(order),
  };
}

/** They keep no reference of ours: the address their webhooks go to has to carry it. */
function hookOf({ hookUrl, id }: NativeOrder): string {
  return `${hookUrl}?order=${encodeURIComponent(id)}`;
}

/** Signed as it stands, without the `?`, with the moment appended; only where there is a key for it. */
function signed(parameters: string, context: Context): string {
  if (!context.has('signingKey')) return parameters;
  const text = `${parameters}&timestamp=${context.now}`;
  return `${text}&signature=${encodeURIComponent(context.sign('ed25519-base64', 'signingKey', text))}`;
}

/** Only who has both its id and its view token can ask about an order; the first webhook brings them. */
export function status(order: NativeOrder, _context: Context): Work<Notice[]> | undefined {
  const { side, theirs, access } = order;
  if (!theirs || !access) return undefined;
  const folder = side === 'buy' ? '/host-api/purchase' : '/host-api/offramp/sale';
  const path = `${folder}/${encodeURIComponent(theirs)}`;
  return exchange({ method: 'GET', host: 'api', path, query: { secret: access } }, ({ body }) => {
    const notice = side === 'buy' ? bought(wire.readPurchase(body)) : sold(wire.readSale(body));
    return [notice].filter(isAbout(order));
  });
}

/** DER in base64. */
const SIGNATURE = /^[A-Za-z0-9+/]{80,100}={0,2}$/;

export const webhook: Webhook = {
  /** Not the bytes are signed, but the JSON written anew: keys in order, no blanks. */
  claims({ headers, text }) {
    const signature = headers['x-body-signature'] ?? '';
    const canonical = SIGNATURE.test(signature) ? canonicalOf(text) : undefined;
    if (canonical === undefined) return [];
    return [{ how: 'secp256k1-base64', secret: 'webhookPublicKey', signed: [canonical], signature }];
  },
  /** The query is ours, and not signed; what it names is in the widget's link, which can be. So coin and wallet must agree. */
  read({ body, search }) {
    const { type, mode, purchase, payload } = wire.readEvent(body);
    const reference = wordIfAny(new URLSearchParams(search).get('order'));
    if (purchase !== undefined) return [{ ...bought(wire.readPurchase(purchase), type), reference }];
    return mode === 'OFFRAMP' ? [{ ...sold(wire.readSale(payload), type), reference }] : [];
  },
};

/** Undefined when it is not JSON that means one thing only. */
function canonicalOf(text: string): string | undefined {
  try {
    return canonicalJson(readStrictJson(text));
  } catch {
    return undefined;
  }
}

/** Events that only say that there is something: the status says what. */
const VAGUE: ReadonlySet<string> = new Set(['CREATED', 'ERROR']);

/** Amounts count once they have moved. */
function bought(purchase: wire.Purchase, type?: string): Notice {
  const status = purchase.status ?? undefined;
  const word = `buy.${type && !VAGUE.has(type) ? type : (status ?? type ?? '')}`;
  const standing = words.STATUSES[word];
  const isDone = standing === 'completed';
  const decimals = purchase.asset?.decimals;
  const coins = purchase.cryptoAmount;
  return {
    theirs: purchase.id,
    access: wordIfAny(purchase.purchaseViewToken),
    wallet: wordIfAny(purchase.receiverAddress),
    ...tradedOf(purchase.asset, purchase.fiatCurrency),
    word,
    at: readUtc(purchase.updatedAt),
    hash: wordIfAny(purchase.finalTxHash),
    paid: isDone || standing === 'paid' ? amountIfAny(purchase.fiatValue) : undefined,
    received: isDone && decimals && coins ? fromSmallest(coins, decimals) : undefined,
  };
}

/** As the catalog and the link name it. */
function tradedOf(coin: wire.Coin | null | undefined, fiat: string | null | undefined) {
  const { chain, symbol } = coin ?? {};
  return { asset: chain && symbol ? `${chain}_${symbol}` : undefined, fiat: wordIfAny(fiat) };
}

/** In which unit a sale states its coins is not documented, so that they are not read; its fiat is as it is. */
function sold(sale: wire.Sale, type?: string): Notice {
  const said = type ?? sale.status ?? 'CREATED';
  const leg = sale.crypto?.status;
  const hasMoved = said === 'CREATED' && !!leg && leg !== words.NOT_STARTED;
  return {
    theirs: sale.id,
    access: wordIfAny(sale.saleViewToken),
    ...tradedOf(sale.crypto?.assetInfo, sale.fiat?.currencySymbol),
    word: `sell.${said}${hasMoved ? '.moved' : ''}`,
    at: readUtc(sale.updatedAt),
    hash: wordIfAny(sale.transactionHash),
    received: said === 'RELEASED' ? amountIfAny(sale.fiat?.amount) : undefined,
  };
}
