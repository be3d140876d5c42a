/** MoonPay's words: for methods, networks and statuses, where each method goes, and how it says no. */
import type { DeclineReason } from '../../domain/offer.ts';
import type { Status } from '../../domain/transaction.ts';
import type { MethodId, NetworkId } from '../../domain/words.ts';

/** Their word for a payment or payout method, and ours. */
export const METHODS = {
  credit_debit_card: ['creditcard', 'debitcard'],
  apple_pay: ['applepay'],
  google_pay: ['googlepay'],
  mobile_wallet: ['applepay', 'googlepay'],
  ach_bank_transfer: ['ach'],
  sepa_bank_transfer: ['sepabanktransfer'],
  gbp_bank_transfer: ['fasterpaybank', 'banktransfer'],
  gbp_open_banking_payment: ['openbanking', 'fasterpayopen'],
  pix_instant_payment: ['pix'],
  paypal: ['paypal'],
  venmo: ['venmo'],
  revolut_pay: ['revolutpay'],
  interac: ['interacetransfer'],
  moonpay_balance: ['moonpaybalance'],
  yellow_card_bank_transfer: ['banktransfer'],
} as Record<string, string[]> as Record<string, MethodId[]>;

/** Their word for a network (`metadata.networkCode`), and ours. Where they have two, the usual one stands first. */
export const NETWORKS: Readonly<Record<string, NetworkId>> = {
  ...sameInBoth(
    'ethereum solana arbitrum base optimism polygon tron aptos bitcoin dogecoin litecoin ripple sui ton cosmos osmosis near',
  ),
  ...sameInBoth(
    'linea zksync celo stellar algorand polkadot berachain sonic celestia noble worldchain injective cardano monad hedera tezos',
  ),
  binance_smart_chain: 'bsc' as NetworkId,
  bnb_chain: 'bsc' as NetworkId,
  avalanche_c_chain: 'avaxc' as NetworkId,
  bitcoin_cash: 'bitcoincash' as NetworkId,
  s_sonic: 'sonic' as NetworkId,
};

const EU = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');
const EEA = [...EU, 'IS', 'LI', 'NO'];
const PAYPAL_EUROPE = EEA.filter(country => !['HR', 'HU', 'IS'].includes(country));

interface Reach {
  method: string;
  /** The one fiat it goes with; absent when it goes with all. */
  fiat?: string;
  onlyIn?: readonly string[];
  paysOut?: true;
}

/**
 * Which method goes with which fiat, where, and whether it pays out too. No public list says so (the endpoint's path
 * was not found): this is "MoonPay's supported payment methods" and "PayPal FAQs" of their help centre, each method in
 * its region's own currency. `yellow_card_bank_transfer` has no place there and is not listed.
 */
export const REACH: readonly Reach[] = [
  { method: 'credit_debit_card', paysOut: true },
  { method: 'apple_pay' },
  { method: 'google_pay' },
  { method: 'ach_bank_transfer', fiat: 'usd', onlyIn: ['US'], paysOut: true },
  { method: 'sepa_bank_transfer', fiat: 'eur', onlyIn: EEA, paysOut: true },
  { method: 'gbp_bank_transfer', fiat: 'gbp', onlyIn: ['GB'], paysOut: true },
  { method: 'gbp_open_banking_payment', fiat: 'gbp', onlyIn: ['GB'] },
  { method: 'pix_instant_payment', fiat: 'brl', onlyIn: ['BR'] },
  { method: 'interac', fiat: 'cad', onlyIn: ['CA'] },
  { method: 'venmo', fiat: 'usd', onlyIn: ['US'], paysOut: true },
  { method: 'paypal', fiat: 'usd', onlyIn: ['US'], paysOut: true },
  { method: 'paypal', fiat: 'gbp', onlyIn: ['GB'], paysOut: true },
  { method: 'paypal', fiat: 'eur', onlyIn: PAYPAL_EUROPE, paysOut: true },
  { method: 'revolut_pay', fiat: 'usd', onlyIn: ['US'] },
  { method: 'revolut_pay', fiat: 'gbp', onlyIn: ['GB'] },
  { method: 'revolut_pay', fiat: 'eur', onlyIn: EEA },
  { method: 'moonpay_balance', fiat: 'usd', onlyIn: ['US'] },
  { method: 'moonpay_balance', fiat: 'gbp', onlyIn: ['GB'] },
  { method: 'moonpay_balance', fiat: 'eur', onlyIn: EEA },
];

/** Phone wallets carry cards and are quoted as such; "Get buy quote" does not name them. */
export const QUOTED_AS_CARD: ReadonlySet<string> = new Set(['apple_pay', 'google_pay', 'mobile_wallet']);

/** Their status by side, told apart further where more of the transaction has to be looked at. */
export const STATUSES: Readonly<Record<string, Status>> = {
  'buy.waitingPayment': 'new',
  'buy.waitingAuthorization': 'pending',
  // Any other word that opens with `waiting`.
  'buy.waiting*': 'pending',
  'buy.pending': 'pending',
  'buy.pending.transferred': 'paid',
  'buy.completed': 'completed',
  'buy.failed': 'failed',
  'buy.failed.timeout': 'expired',
  'sell.waitingForDeposit': 'new',
  'sell.waiting*': 'pending',
  'sell.pending': 'pending',
  'sell.pending.deposited': 'paid',
  'sell.completed': 'completed',
  'sell.failed': 'failed',
  'sell.failed.timeout': 'expired',
  'sell.failed.refunded': 'refunded',
};

/** The reasons for a failure that mean nobody paid in time. */
export const TIMEOUT = /^((deposit|bank transfer) timeout|timeout_(deposit|bank_transfer))$/i;

/** The reason for a failure that means the coins were sent back. */
export const REFUND = 'refund';

/** The networks of ours whose coins they name as having a tag; of others nobody knows whether it would be heeded. */
export const TAGGED: ReadonlySet<string> = new Set(['ripple', 'stellar']);

/** The reason a text of theirs gives, first match first. Their wordings are not published, so these are loose. */
export const REASONS: readonly [RegExp, DeclineReason][] = [
  [/\b(minimum|maximum|at least|at most|(less|lower|greater|more) than|exceeds?|limits?)\b/i, 'limit'],
  [/\b(payment|payout) ?method|not supported for/i, 'method'],
  [/\b(country|countries|region|state)\b/i, 'country'],
  [/\b(currency|currencies|asset|token)\b/i, 'pair'],
];

/** Refusals that are about our key, not about the ask. */
export const ABOUT_US = /\bapi ?key\b/i;

function sameInBoth(words: string): Record<string, NetworkId> {
  return Object.fromEntries(words.split(' ').map(word => [word, word as NetworkId]));
}
