/** Alchemy Pay's words: for methods, networks and statuses, and how it says no. */
import type { DeclineReason } from '../../domain/offer.ts';
import type { Status } from '../../domain/transaction.ts';
import type { MethodId, NetworkId } from '../../domain/words.ts';

/** Methods are known by their names, since the codes are published in part only; these are our short words for the names. */
export const METHODS = {
  card: ['creditcard', 'debitcard'],
  apple: ['applepay'],
  google: ['googlepay'],
  pix: ['pix'],
  sepa: ['sepabanktransfer'],
  gcash: ['gcash'],
  maya: ['paymaya'],
  grabpay: ['grabpay'],
  promptpay: ['promptpay'],
  upi: ['upi'],
  imps: ['imps'],
  spei: ['spei'],
  qris: ['qris'],
  dana: ['dana'],
  ovo: ['ovo'],
  account: ['banktransfer'],
} as Record<string, string[]> as Record<string, MethodId[]>;

const NAMES: readonly [RegExp, string][] = [
  [/apple/i, 'apple'],
  [/google/i, 'google'],
  [/\bpix\b/i, 'pix'],
  [/\bsepa\b/i, 'sepa'],
  [/gcash/i, 'gcash'],
  [/\b(pay)?maya\b/i, 'maya'],
  [/grab ?pay/i, 'grabpay'],
  [/prompt ?pay/i, 'promptpay'],
  [/\bupi\b/i, 'upi'],
  [/\bimps\b/i, 'imps'],
  [/\bspei\b/i, 'spei'],
  [/\bqris\b/i, 'qris'],
  [/\bdana\b/i, 'dana'],
  [/\bovo\b/i, 'ovo'],
  [/visa|master|\bcards?\b/i, 'card'],
  [/bank|\baccount\b|transfer/i, 'account'],
];

/** The codes that pages of theirs name. Others were seen without a name (53001, 53002, 52004, 10004) and stay out. */
const CODES: Readonly<Record<string, string>> = {
  '10001': 'card',
  '501': 'apple',
  '701': 'google',
  // Seen as the payout of a sell in euros.
  '10010': 'account',
};

/** Our word for a method of theirs: by its name, and by its code where the name says nothing. */
export function kindOf(code: string, name: string | null | undefined): string | undefined {
  return NAMES.find(([pattern]) => pattern.test(name ?? ''))?.[1] ?? CODES[code];
}

/** Their word for a network, and ours; Polygon has two spellings. */
export const NETWORKS = {
  BTC: 'bitcoin',
  ETH: 'ethereum',
  BSC: 'bsc',
  TRX: 'tron',
  SOL: 'solana',
  XRP: 'ripple',
  ADA: 'cardano',
  DOGE: 'dogecoin',
  LTC: 'litecoin',
  DOT: 'polkadot',
  AVAXC: 'avaxc',
  ARBITRUM: 'arbitrum',
  MATIC: 'polygon',
  POLYGON: 'polygon',
} as Record<string, string> as Record<string, NetworkId>;

/** Networks on which an address alone may not be enough. */
export const WITH_MEMO: ReadonlySet<string> = new Set(['XRP']);

/** "These currencies take whole amounts only". */
export const WHOLE: ReadonlySet<string> = new Set('INR CLP COP HUF IDR JPY KRW VND'.split(' '));

/** "List of order status", "Order Status": words for buys, numbers for sells. */
export const STATUSES: Readonly<Record<string, Status>> = {
  'buy.PENDING': 'pending',
  // "The order payment failed, but the user can still proceed with the payment."
  'buy.INTERIM_PAY_FAIL': 'pending',
  // Whether it is final is not stated: under the same number only FINISHED, or a refund, is believed after it.
  'buy.PAY_FAIL': 'failed',
  'buy.PAY_SUCCESS': 'paid',
  'buy.TRANSFER': 'paid',
  'buy.FINISHED': 'completed',
  'buy.CANCEL': 'canceled',
  // Held; whether money was taken is not stated.
  'buy.RISK_CONTROL': 'pending',
  'buy.REFUNDED': 'refunded',
  'buy.INVALID_ADDRESS': 'failed',
  'sell.1': 'new',
  'sell.2': 'pending',
  'sell.3': 'paid',
  'sell.4': 'completed',
  'sell.5': 'failed',
  'sell.6': 'refunded',
  'sell.7': 'expired',
};

/** Their sign of success, and of credentials that are wrong. */
export const GOOD = '0000';
export const BAD_SIGN = '81003';
export const OUT_OF_RANGE = '3102';
/** No code for an order that is not there was found: a text that says so of the order itself, and of nothing else. */
export const NO_ORDER = /order ?(no|number|id)?\W{1,3}(does |do |is |was )?not (exist|found)/i;

/** Codes that are about us: a missing commission, a missing parameter, a parameter of the merchant. */
export const ABOUT_US: ReadonlySet<string> = new Set(['3100', '3108', '81010', BAD_SIGN]);

/** The reason a text of theirs gives, first match first. Few wordings are published, so these are loose. */
export const REASONS: readonly [RegExp, DeclineReason][] = [
  [/\b(min|max|minimum|maximum|limits?|out of (the )?range)\b/i, 'limit'],
  [/\b(country|countries|region)\b/i, 'country'],
  [/\bpay ?way|payment/i, 'method'],
  [/\b(crypto|fiat|coin|token|network|currency)\b/i, 'pair'],
];
