/** MoonPay's orders: the signed link to its page, and what it says of a transaction when asked and by webhook. */
import type { Amount } from '../../domain/money.ts';
import { type Decline, decline } from '../../domain/offer.ts';
import type { BankTransfer } from '../../domain/step.ts';
import type { Deposit } from '../../domain/transaction.ts';
import { member, type Side } from '../../domain/words.ts';
import { isAbout, type NativeOrder, type Notice, type Page, type Wanted, type Webhook } from '../contract.ts';
import { amountIfAny, type Context, exchange, type Work } from '../exchange.ts';
import { writeSearch } from '../links.ts';
import { readSeconds, readUtc } from '../moments.ts';
import { placeIfAny, reasonIfAny, wordIfAny } from '../plain.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

/** Coins sent without their memo are lost. */
const NO_MEMO = decline('refused', 'MoonPay takes no memo for this coin');

export function refuses({ side, native, wallet }: Wanted): Decline | undefined {
  return side === 'buy' && wallet?.memo && !words.TAGGED.has(native.network) ? NO_MEMO : undefined;
}

/** "URL signing": the whole query string is signed as it stands, and the signature appended last. */
export function checkout(order: NativeOrder, context: Context): Page | Decline {
  const refusal = refuses(order);
  if (refusal) return refusal;
  const { side, native, theme } = order;
  const search = writeSearch({
    apiKey: context.settings.apiKey,
    ...(side === 'buy' ? buying(order) : selling(order)),
    baseCurrencyAmount: order.amount.toString(),
    lockAmount: 'true',
    paymentMethod: native.method,
    externalTransactionId: order.id,
    redirectURL: order.returnUrl,
    theme: theme.isDark ? 'dark' : 'light',
    colorCode: theme.primaryColor,
  });
  const signature = context.sign('hmac-sha256-base64', 'secretKey', search);
  const url = `${context.base(side)}/${search}&signature=${encodeURIComponent(signature)}`;
  return { kind: 'page', url };
}

type Parameters = Record<string, string | undefined>;

/** `currencyCode` locks the asset; with the fees included the amount is all the customer pays, as it was quoted. */
function buying({ native, wallet }: NativeOrder): Parameters {
  return {
    currencyCode: native.asset,
    walletAddress: wallet?.address,
    walletAddressTag: wallet?.memo,
    baseCurrencyCode: native.fiat,
    areFeesIncluded: 'true',
  };
}

/** A tag for refunds cannot be handed over: then the person names the whole address on their page. */
function selling({ native, wallet }: NativeOrder): Parameters {
  return {
    baseCurrencyCode: native.asset,
    quoteCurrencyCode: native.fiat,
    refundWalletAddress: wallet?.memo ? undefined : wallet?.address,
  };
}

/** Our reference is not unique with them, so that one look-up may find several transactions. */
export function status(order: NativeOrder, { settings: { apiKey } }: Context): Work<Notice[]> {
  const { side, id } = order;
  const folder = side === 'buy' ? '/v1/transactions' : '/v3/sell_transactions';
  const path = `${folder}/ext/${encodeURIComponent(id)}`;
  return exchange({ method: 'GET', host: 'api', path, query: { apiKey } }, ({ body }) =>
    wire
      .readTransactions(body)
      .map(transaction => noticeOf(side, transaction))
      .filter(isAbout(order)),
  );
}

/** `Moonpay-Signature-V2`, exactly as documented: one moment in seconds, one signature. */
const SIGNED = /^t=(\d{1,12}),s=([0-9a-f]{64})$/;

export const webhook: Webhook = {
  claims({ headers, raw }) {
    const [, seconds, signature = ''] = SIGNED.exec(headers['moonpay-signature-v2'] ?? '') ?? [];
    const at = readSeconds(seconds);
    if (at === undefined) return [];
    const signed = [`${seconds}.`, raw];
    return [{ how: 'hmac-sha256-hex', secret: 'webhookKey', signed, signature, at }];
  },
  /** Events of other kinds are about people, swaps and accounts. */
  read({ body }) {
    const event = /^(sell_)?transaction_/.exec(wire.readEvent(body).type);
    return event ? [noticeOf(event[1] ? 'sell' : 'buy', wire.readDelivered(body).data)] : [];
  },
};

/** Amounts count once they have moved: before, they are only what is to be. */
function noticeOf(side: Side, transaction: wire.Transaction): Notice {
  const isDone = transaction.status === 'completed';
  const hash = wordIfAny(side === 'buy' ? transaction.cryptoTransactionId : transaction.depositHash);
  const isPaid = isDone || (side === 'sell' && hash !== undefined);
  const { baseCurrency, currency, quoteCurrency } = transaction;
  const [asset, fiat] = side === 'buy' ? [currency, baseCurrency] : [baseCurrency, quoteCurrency];
  return {
    reference: wordIfAny(transaction.externalTransactionId),
    theirs: transaction.id,
    // Whoever takes the signature out of a link with what it signs may name any order as theirs.
    wallet: side === 'buy' ? wordIfAny(transaction.walletAddress) : undefined,
    asset: wordIfAny(asset?.code),
    fiat: wordIfAny(fiat?.code),
    word: wordOf(side, transaction),
    at: readUtc(transaction.updatedAt),
    reason: reasonIfAny(transaction.failureReason),
    hash,
    paid: isPaid ? paidIn(side, transaction) : undefined,
    received: isDone ? amountIfAny(transaction.quoteCurrencyAmount) : undefined,
    deposit: side === 'sell' ? depositOf(transaction) : undefined,
    sent: (side === 'sell' && transaction.status === 'pending') || undefined,
    bank: side === 'buy' ? bankOf(transaction) : undefined,
  };
}

function wordOf(side: Side, transaction: wire.Transaction): string {
  const { status, failureReason, refundHash, depositHash, bankDepositInformation } = transaction;
  const word = `${side}.${status}`;
  if (status === 'failed') {
    const isRefund = Boolean(refundHash) || failureReason === words.REFUND;
    if (side === 'sell' && isRefund) return `${word}.refunded`;
    return words.TIMEOUT.test(failureReason ?? '') ? `${word}.timeout` : word;
  }
  if (word === 'sell.pending' && depositHash) return `${word}.deposited`;
  // As long as a bank transfer has not been received, they say `waitingPayment`.
  if (word === 'buy.pending' && bankDepositInformation) return `${word}.transferred`;
  const isOther = status.startsWith('waiting') && !member(words.STATUSES, word);
  return isOther ? `${side}.waiting*` : word;
}

/** On a buy `baseCurrencyAmount` leaves out the fees. */
function paidIn(side: Side, transaction: wire.Transaction): Amount | undefined {
  const { baseCurrencyAmount, feeAmount, extraFeeAmount, networkFeeAmount } = transaction;
  const fees = side === 'buy' ? [feeAmount, extraFeeAmount, networkFeeAmount] : [];
  return fees.reduce((sum, fee) => sum?.plus(amountIfAny(fee) ?? 0), amountIfAny(baseCurrencyAmount));
}

/** "Off-ramp overview": what has not arrived so long after the making of the sale fails it. */
const DEPOSIT_WITHIN_MS = 48 * 3_600_000;

/** Where to send what is sold, and until when, as long as it is waited for. */
function depositOf({ status, depositWallet, ...transaction }: wire.Transaction): Deposit | undefined {
  const place = placeIfAny(depositWallet?.walletAddress, depositWallet?.walletAddressTag);
  if (!place || !status.startsWith('waiting')) return undefined;
  const since = readUtc(wordIfAny(transaction.createdAt));
  const until = since === undefined ? undefined : since + DEPOSIT_WITHIN_MS;
  return { ...place, amount: amountIfAny(transaction.baseCurrencyAmount), until };
}

/** Where to transfer the money, as long as it is waited for. */
function bankOf({ status, ...transaction }: wire.Transaction): BankTransfer | undefined {
  const { bankDepositInformation: theirs, bankTransferReference: reference } = transaction;
  const { iban, accountNumber, sortCode } = theirs ?? {};
  if (!theirs || !(iban || accountNumber) || status !== 'waitingPayment') return undefined;
  const account = {
    iban: iban ?? '',
    bic: theirs.bic ?? '',
    bankName: theirs.bankName ?? '',
    bankAddress: theirs.bankAddress ?? '',
    accountName: theirs.accountName ?? '',
    accountAddress: theirs.accountAddress ?? '',
  };
  const local = [accountNumber && `Account number ${accountNumber}`, sortCode && `sort code ${sortCode}`];
  return { account, reference: reference ?? '', hint: iban ? '' : local.filter(Boolean).join(', ') };
}
