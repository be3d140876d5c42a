/** Coinbase's orders: a session for its page, and what it says of a transaction when asked and by webhook. */
import type { Amount } from '../../domain/money.ts';
import { type Decline, decline } from '../../domain/offer.ts';
import type { Deposit } from '../../domain/transaction.ts';
import type { Instant, Side } from '../../domain/words.ts';
import {
  type Claim,
  type Delivery,
  isAbout,
  type NativeOrder,
  type Notice,
  type Page,
  type Webhook,
} from '../contract.ts';
import { amountIfAny, type Context, exchange, type Work } from '../exchange.ts';
import { writeSearch } from '../links.ts';
import { readSeconds, readUtc } from '../moments.ts';
import { reasonIfAny, wordIfAny } from '../plain.ts';
import { signed } from './requests.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

const NO_WALLET = decline('refused', 'Coinbase has to be told the wallet before its page is opened');
/** Coins sent without their memo are lost, and no parameter for one is documented. */
const NO_MEMO = decline('refused', 'Coinbase takes no memo or tag with an address');
const NO_IP = decline(
  'unavailable',
  'Coinbase has to be told the network address of the person, which is not known',
);

/** "Session token": good for one page, within five minutes. */
export function checkout(order: NativeOrder, context: Context): Work<Page | Decline> {
  const { side, native, wallet, clientIp } = order;
  if (!wallet) return NO_WALLET;
  if (side === 'buy' && wallet.memo) return NO_MEMO;
  if (!clientIp) return NO_IP;
  const request = signed(
    {
      method: 'POST',
      path: '/onramp/v1/token',
      body: {
        addresses: [{ address: wallet.address, blockchains: [native.network] }],
        assets: [native.asset],
        clientIp,
      },
    },
    context,
  );
  return exchange<Page | Decline>(request, ({ body }) => {
    const search = writeSearch({
      sessionToken: wire.readToken(body).token,
      partnerUserRef: order.id,
      redirectUrl: order.returnUrl,
      defaultNetwork: native.network,
      defaultAsset: native.asset,
      fiatCurrency: native.fiat,
      ...(side === 'buy' ? buying(order) : selling(order)),
    });
    return { kind: 'page', url: `${context.base(side)}${search}` };
  });
}

type Parameters = Record<string, string | undefined>;

/** Only some fiats can be preset; in the others the person enters the amount again. */
function buying({ native, amount }: NativeOrder): Parameters {
  return {
    defaultExperience: 'buy',
    defaultPaymentMethod: native.method,
    presetFiatAmount: words.PRESETS.has(native.fiat) ? amount.toString() : undefined,
  };
}

function selling({ native, amount }: NativeOrder): Parameters {
  return {
    presetCryptoAmount: amount.toString(),
    defaultCashoutMethod: words.CASHOUTS.has(native.method) ? native.method : undefined,
    disableEdit: 'true',
  };
}

/** Our reference is the person's with them: what was made under it is this order. */
export function status(order: NativeOrder, context: Context): Work<Notice[]> {
  const path = `/onramp/v1/${order.side}/user/${encodeURIComponent(order.id)}/transactions`;
  return exchange(signed({ method: 'GET', path }, context), ({ body }) =>
    wire
      .readTransactions(body)
      .transactions.map(one => {
        const said = order.side === 'buy' ? saidOfBuy(wire.readBought(one)) : saidOfSell(wire.readSold(one));
        return noticeOf(order.side, { ...said, reference: said.reference ?? order.id });
      })
      .filter(isAbout(order)),
  );
}

/** `X-Hook0-Signature`, in the order it is documented in; older deliveries come without the first signature. */
const SIGNED = /^t=(\d{1,12})(?:,v0=([0-9a-f]{64}))?(?:,h=([a-z0-9 -]{1,300}),v1=([0-9a-f]{64}))?$/;

export const webhook: Webhook = {
  /** "Verify signatures": either will do, and the second one is over some headers too. */
  claims({ headers, raw }) {
    const [, seconds, v0, names = '', v1] = SIGNED.exec(headers['x-hook0-signature'] ?? '') ?? [];
    const at = readSeconds(seconds);
    if (at === undefined) return [];
    const claim = (signature: string, head: string): Claim => {
      const signed = [`${seconds}.${head}`, raw];
      return { how: 'hmac-sha256-hex', secret: 'webhookSecret', signed, signature, at };
    };
    const values = valuesOf(names, headers);
    return [
      ...(v0 ? [claim(v0, '')] : []),
      ...(v1 && values !== undefined ? [claim(v1, `${names}.${values}.`)] : []),
    ];
  },
  /** Events of other kinds are about accounts. */
  read({ body }) {
    const [, kind] = /^(on|off)ramp\.transaction\./.exec(wire.readEventType(body).eventType) ?? [];
    if (!kind) return [];
    return [noticeOf(kind === 'on' ? 'buy' : 'sell', saidByEvent(wire.readEvent(body)))];
  },
};

/** The values of the headers that are signed too, in their order; undefined when one of them is not there. */
function valuesOf(names: string, headers: Delivery['headers']): string | undefined {
  const values = names.split(' ').map(name => headers[name]);
  return values.includes(undefined) ? undefined : values.join('.');
}

/** What is said of a transaction, in whichever of their three forms. */
interface Said {
  reference: string | undefined;
  theirs: string | undefined;
  word: string;
  at: Instant | undefined;
  /** When a sale was made. */
  since: Instant | undefined;
  pays: wire.Sum;
  gets: wire.Sum;
  wallet: unknown;
  asset: unknown;
  fiat: unknown;
  hash: unknown;
  reason: unknown;
  deposit: unknown;
}

function saidOfBuy(bought: wire.Bought): Said {
  return {
    reference: wordIfAny(bought.partner_user_ref),
    theirs: bought.transaction_id,
    word: bought.status,
    at: momentOf(bought.completed_at),
    since: undefined,
    pays: bought.payment_total,
    gets: bought.purchase_amount,
    wallet: bought.wallet_address,
    asset: currencyOf(bought.purchase_amount),
    fiat: currencyOf(bought.payment_total),
    hash: bought.tx_hash,
    reason: bought.failure_reason,
    deposit: undefined,
  };
}

function saidOfSell(sold: wire.Sold): Said {
  return {
    reference: wordIfAny(sold.partner_user_ref),
    theirs: sold.transaction_id ?? sold.id,
    word: sold.status,
    at: momentOf(sold.updated_at),
    since: momentOf(sold.created_at),
    pays: inCoins(sold.sell_amount, sold.asset),
    gets: sold.total,
    wallet: undefined,
    asset: sold.asset,
    fiat: currencyOf(sold.total),
    hash: sold.tx_hash,
    reason: undefined,
    deposit: sold.to_address ?? sold.toAddress,
  };
}

/** Guests' orders have an id of another name. */
function saidByEvent(event: wire.Event): Said {
  return {
    reference: wordIfAny(event.partnerUserRef),
    theirs: event.orderId ?? event.transactionId,
    word: event.status,
    at: momentOf(event.updatedAt ?? event.completedAt),
    since: momentOf(event.createdAt),
    pays: event.paymentTotal ?? inCoins(event.sellAmount, event.asset),
    gets: event.purchaseAmount ?? event.total,
    wallet: event.walletAddress ?? event.destinationAddress,
    asset: event.asset ?? currencyOf(event.purchaseAmount) ?? event.purchaseCurrency,
    fiat: event.paymentCurrency ?? currencyOf(event.paymentTotal ?? event.total),
    hash: event.txHash,
    reason: event.failureReason,
    deposit: event.toAddress,
  };
}

/** Amounts count once they have moved. */
function noticeOf(side: Side, said: Said): Notice {
  const hash = said.hash === words.NO_HASH ? undefined : wordIfAny(said.hash);
  // A sale is started as soon as the person has agreed to it, before any coins are sent.
  const word = said.word === words.STARTED && !hash ? words.UNSENT : said.word;
  const standing = words.STATUSES[word];
  const isDone = standing === 'completed';
  return {
    reference: said.reference,
    theirs: said.theirs,
    // A page is bound to a wallet and a coin by its token, and to an order of ours by nothing.
    wallet: wordIfAny(said.wallet),
    asset: wordIfAny(said.asset),
    fiat: wordIfAny(said.fiat),
    word,
    at: said.at,
    reason: said.reason === words.NO_REASON ? undefined : reasonIfAny(said.reason),
    hash,
    paid: isDone || standing === 'paid' ? figureOf(said.pays) : undefined,
    received: isDone ? figureOf(said.gets) : undefined,
    deposit: side === 'sell' && (standing === 'new' || standing === 'pending') ? depositOf(said) : undefined,
  };
}

/** "Onramp FAQ": what is sent later fails the sale, and is credited all the same. */
const SEND_WITHIN_MS = 30 * 60_000;

/** Where the coins are to be sent, and until when; the half hour is counted from the making of the sale. */
function depositOf({ deposit, pays, since }: Said): Deposit | undefined {
  const address = wordIfAny(deposit);
  const until = since === undefined ? undefined : since + SEND_WITHIN_MS;
  return address ? { address, memo: undefined, amount: figureOf(pays), until } : undefined;
}

function currencyOf(sum: wire.Sum): string | undefined {
  return typeof sum === 'object' ? sum?.currency : undefined;
}

/** What is sold, unless it is told in something else. */
function inCoins(sum: wire.Sum, asset: unknown): wire.Sum {
  const currency = currencyOf(sum);
  return currency && asset && currency !== asset ? undefined : sum;
}

function figureOf(sum: wire.Sum): Amount | undefined {
  if (!sum || typeof sum === 'string') return amountIfAny(sum);
  return amountIfAny(sum.value ?? sum.amount);
}

/** The first moment of the first year is none. */
function momentOf(text: string | null | undefined): Instant | undefined {
  return text?.startsWith('0001-') ? undefined : readUtc(text);
}
