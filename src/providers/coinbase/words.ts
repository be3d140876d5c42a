/** Coinbase's words: for methods, networks and statuses, and how it says no. */
import type { DeclineReason } from '../../domain/offer.ts';
import type { Status } from '../../domain/transaction.ts';
import type { MethodId, NetworkId } from '../../domain/words.ts';

/** Their word for a payment or cash-out method, and ours. */
export const METHODS = {
  CARD: ['creditcard', 'debitcard'],
  // Not a word of theirs: no credit cards are taken in the United States.
  'CARD/US': ['debitcard'],
  APPLE_PAY: ['applepay'],
  GOOGLE_PAY: ['googlepay'],
  ACH_BANK_ACCOUNT: ['ach'],
  ACH: ['ach'],
  PAYPAL: ['paypal'],
  RTP: ['banktransfer'],
  FIAT_WALLET: ['coinbasebalance'],
  GUEST_CHECKOUT_CARD: ['debitcard'],
  GUEST_CHECKOUT_APPLE_PAY: ['applepay'],
  GUEST_CHECKOUT_GOOGLE_PAY: ['googlepay'],
} as Record<string, string[]> as Record<string, MethodId[]>;

/**
 * What they list and we do not: guests have not been served on the hosted pages since 30 June 2026 ("Onramp FAQ"), and
 * CRYPTO_ACCOUNT and CRYPTO_WALLET are coins in an account with them, and no fiat.
 */
export const LEFT_OUT = /^(GUEST_CHECKOUT_|CRYPTO_(ACCOUNT|WALLET)$)/;

/** The ways to cash out for fiat that a page can be opened with. */
export const CASHOUTS: ReadonlySet<string> = new Set(['FIAT_WALLET', 'ACH_BANK_ACCOUNT', 'PAYPAL']);

/** The fiats that an amount can be preset in. */
export const PRESETS: ReadonlySet<string> = new Set(['USD', 'CAD', 'GBP', 'EUR']);

/** Their word for a network, and ours. */
export const NETWORKS = {
  ethereum: 'ethereum',
  base: 'base',
  polygon: 'polygon',
  arbitrum: 'arbitrum',
  optimism: 'optimism',
  avacchain: 'avaxc',
  solana: 'solana',
  bitcoin: 'bitcoin',
  ripple: 'ripple',
  stellar: 'stellar',
  eosio: 'eos',
  tezos: 'tezos',
  algorand: 'algorand',
  dash: 'dash',
  cosmos: 'cosmos',
  celo: 'celo',
  filecoin: 'filecoin',
  cardano: 'cardano',
  dfinity: 'internetcomputer',
  zcash: 'zcash',
} as Record<string, string> as Readonly<Record<string, NetworkId>>;

/** Networks whose deposits need a memo, which they state nowhere: what would be sent there without it would be lost. */
export const TAGGED: ReadonlySet<string> = new Set(['ripple', 'stellar', 'eosio', 'cosmos']);

/** Their ticker of a network's own coin, where it is not the usual one. */
export const TICKERS: Readonly<Record<string, string>> = { CGLD: 'CELO', MATIC: 'POL' };

/** Sells whose coins are on the chain, and not a word of theirs: those that wait for them, which are called the same. */
export const STARTED = 'TRANSACTION_STATUS_STARTED';
export const UNSENT = 'TRANSACTION_STATUS_STARTED.unsent';

/** Of buys through a page, of buys by guests, and of sells. What is unspecified changes nothing: `new` is below all. */
export const STATUSES: Readonly<Record<string, Status>> = {
  ONRAMP_TRANSACTION_STATUS_UNSPECIFIED: 'new',
  ONRAMP_TRANSACTION_STATUS_CREATED: 'new',
  ONRAMP_TRANSACTION_STATUS_AWAITING_AUTH: 'new',
  ONRAMP_TRANSACTION_STATUS_AWAITING_PAYMENT: 'pending',
  ONRAMP_TRANSACTION_STATUS_IN_PROGRESS: 'paid',
  ONRAMP_TRANSACTION_STATUS_SUCCESS: 'completed',
  ONRAMP_TRANSACTION_STATUS_FAILED: 'failed',
  ONRAMP_ORDER_STATUS_UNSPECIFIED: 'new',
  ONRAMP_ORDER_STATUS_PENDING_AUTH: 'new',
  ONRAMP_ORDER_STATUS_PENDING_VERIFICATION: 'new',
  ONRAMP_ORDER_STATUS_PENDING_PAYMENT: 'pending',
  ONRAMP_ORDER_STATUS_PROCESSING: 'paid',
  ONRAMP_ORDER_STATUS_COMPLETED: 'completed',
  ONRAMP_ORDER_STATUS_FAILED: 'failed',
  TRANSACTION_STATUS_UNSPECIFIED: 'new',
  TRANSACTION_STATUS_CREATED: 'new',
  [STARTED]: 'paid',
  [UNSENT]: 'pending',
  TRANSACTION_STATUS_SUCCESS: 'completed',
  TRANSACTION_STATUS_FAILED: 'failed',
  TRANSACTION_STATUS_EXPIRED: 'expired',
};

/** No hash, and a failure without a reason, as they spell it. */
export const NO_HASH = '0x';
export const NO_REASON = 'FAILURE_REASON_UNSPECIFIED';

/** The `errorType`s of their newer API that are about an order. */
export const ERROR_TYPES: Readonly<Record<string, DeclineReason>> = {
  network_not_tradable: 'pair',
  guest_region_forbidden: 'country',
  guest_permission_denied: 'refused',
  guest_transaction_limit: 'limit',
  guest_transaction_count: 'refused',
  phone_number_verification_expired: 'refused',
  otp_verification_expired: 'refused',
  otp_verification_invalid: 'refused',
  otp_verification_required: 'refused',
  otp_verification_destination_mismatch: 'refused',
};

/** The reason a text of theirs gives, first match first. Their wordings are not published, so these are loose. */
export const REASONS: readonly [RegExp, DeclineReason][] = [
  [
    /\b(minimum|maximum|limits?|at least|at most|(less|lower|greater|more) than|exceeds?|too (small|large))\b/i,
    'limit',
  ],
  [/\b(country|countries|region|subdivision|state)\b/i, 'country'],
  [/\b(payment|cashout)[ _]?method/i, 'method'],
  [/\b(currency|currencies|asset|token|network|pair)\b/i, 'pair'],
];

/** Whether a refusal is about our key or our pace, and not about the ask. A person may lack a permission too. */
export function isAboutUs(text: string): boolean {
  return TROUBLE.test(text) || NOT_PERMITTED.test(text);
}

const TROUBLE = /\b(api ?key|jwt|unauthori[sz]ed|unauthenticated|rate limit)\b/i;
const NOT_PERMITTED =
  /\b(key|api|project)\b.{0,30}\bpermissions?\b|\bpermissions?\b.{0,30}\b(key|api|project)\b/i;
