/** Guardarian's words: for payment categories, networks and statuses, and how it says no. */
import type { DeclineReason } from '../../domain/offer.ts';
import type { Status } from '../../domain/transaction.ts';
import type { MethodId, NetworkId } from '../../domain/words.ts';

/** `payment_category`, and ours. `CRYPTO` is the leg of the coins, and no way to pay. */
export const METHODS = {
  VISA_MC: ['creditcard', 'debitcard'],
  APPLE_PAY: ['applepay'],
  GOOGLE_PAY: ['googlepay'],
  SEPA: ['sepabanktransfer'],
  SWIFT: ['wire', 'banktransfer'],
  FASTERPAYMENTS: ['fasterpaybank'],
  PIX: ['pix'],
  REVOLUT_PAY: ['revolutpay'],
  SPEI: ['spei'],
  PSE: ['pse'],
  // Virtual accounts at an Indonesian bank, for which there is no narrower word.
  MANDIRI_VA: ['banktransfer'],
} as Record<string, string[]> as Record<string, MethodId[]>;

/** Their word for a network, and ours: six were seen, the others are the tickers of chains as everyone has them. */
export const NETWORKS = {
  BTC: 'bitcoin',
  ETH: 'ethereum',
  SOL: 'solana',
  TRX: 'tron',
  MATIC: 'polygon',
  BSC: 'bsc',
  XRP: 'ripple',
  LTC: 'litecoin',
  BCH: 'bitcoincash',
  DOGE: 'dogecoin',
  ADA: 'cardano',
  XLM: 'stellar',
  DOT: 'polkadot',
  ATOM: 'cosmos',
  NEAR: 'near',
  ALGO: 'algorand',
  XTZ: 'tezos',
  TON: 'ton',
  SUI: 'sui',
  APT: 'aptos',
  AVAXC: 'avaxc',
  ARBITRUM: 'arbitrum',
  OP: 'optimism',
  BASE: 'base',
} as Record<string, string> as Readonly<Record<string, NetworkId>>;

/** The words of a transaction, older ones and both spellings of a cancelled one among them. */
export const STATUSES: Readonly<Record<string, Status>> = {
  new: 'new',
  waiting_for_customer: 'new',
  waiting_for_deposit: 'pending',
  waiting: 'pending',
  confirmed: 'paid',
  exchanging: 'paid',
  // Held for a check by a person, with the money in.
  on_hold: 'paid',
  sending: 'paid',
  finished: 'completed',
  failed: 'failed',
  expired: 'expired',
  cancelled: 'canceled',
  canceled: 'canceled',
  refunded: 'refunded',
};

/** The reason a text of theirs gives, first match first. Their wordings are not published, so these are loose. */
export const REASONS: readonly [RegExp, DeclineReason][] = [
  [
    /\b(minimum|minimal|maximum|maximal|min|max|limits?|at least|at most|less than|greater than|too (low|high|small|large|big))\b|out of (min|max|range)/i,
    'limit',
  ],
  [/\b(country|countries|region|jurisdiction)\b/i, 'country'],
  [/\bpayment[ _]?(method|category|type)|deposit[ _](category|type)|payout[ _]type/i, 'method'],
  [/\b(currency|currencies|pair|network|ticker)\b/i, 'pair'],
];

/** Refusals that are about our key, our signature or our pace, not about the ask. */
export const ABOUT_US =
  /\b(api.?key|token|partner|signature)\b|unauthori[sz]ed|forbidden|rate limit|too many/i;
