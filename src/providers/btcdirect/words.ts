/** BTC Direct's words: for methods, chains and statuses, and how it says no. */
import type { DeclineReason } from '../../domain/offer.ts';
import type { Status } from '../../domain/transaction.ts';
import type { MethodId, NetworkId } from '../../domain/words.ts';

/** Their word for a payment method, and ours. */
export const METHODS = {
  creditCard: ['creditcard', 'debitcard'],
  iDeal: ['ideal'],
  bancontact: ['bancontact'],
  bankTransfer: ['sepabanktransfer'],
  applepay: ['applepay'],
  googlepay: ['googlepay'],
  paypal: ['paypal'],
  eps: ['eps'],
  giropay: ['giropay'],
  sofort: ['sofort'],
} as Record<string, string[]> as Record<string, MethodId[]>;

/** Chains as CAIP-2 names them, and ours; a coin is known by its CAIP-19 name, which opens with the chain's. */
export const NETWORKS = {
  'bip122:000000000019d6689c085ae165831e93': 'bitcoin',
  'bip122:12a765e31ffd4059bada1e25190f6e98': 'litecoin',
  'bip122:000000000000000000651ef99cb9fcbe': 'bitcoincash',
  'bip122:1a91e3dace36e2be3bf030a65679fe82': 'dogecoin',
  'eip155:1': 'ethereum',
  'eip155:10': 'optimism',
  'eip155:56': 'bsc',
  'eip155:137': 'polygon',
  'eip155:8453': 'base',
  'eip155:42161': 'arbitrum',
  'eip155:43114': 'avaxc',
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': 'solana',
  'xrpl:0': 'ripple',
  'stellar:pubnet': 'stellar',
  'polkadot:91b171bb158e2d3848fa23a9f1c25182': 'polkadot',
  'cosmos:cosmoshub-4': 'cosmos',
  'tezos:NetXdQprcVkpaWU': 'tezos',
} as Record<string, string> as Record<string, NetworkId>;

/** Where orders stand, in the words of an order, and in those of webhooks, which only make us look as long as they cannot be proven. */
export const STATUSES: Readonly<Record<string, Status>> = {
  pending: 'pending',
  'in progress': 'paid',
  // Held after it was paid.
  blocked: 'paid',
  completed: 'completed',
  cancelled: 'canceled',
  refunded: 'refunded',
  order_created: 'new',
  order_paid: 'paid',
  order_deposit_detected: 'pending',
  order_deposit_confirmed: 'paid',
  order_sent: 'paid',
  order_completed: 'completed',
  order_payment_failed: 'failed',
  order_cancelled: 'canceled',
  order_payment_delivery_failed: 'failed',
  order_payment_chargeback: 'refunded',
};

/** What makes a quote one that nobody could confirm; others are about the person, who is not known yet. */
export const OUT_OF_LIMITS: ReadonlySet<string> = new Set([
  'currencyLimitExceeded',
  'paymentMethodLimitExceeded',
]);

/** "Authorization token has expired", of the partner or of a user. */
export const EXPIRED: ReadonlySet<string> = new Set(['ER801', 'ER701']);

/** The reason a text of theirs gives, first match first. Few wordings are published, so these are loose. */
export const REASONS: readonly [RegExp, DeclineReason][] = [
  [/\b(minimum|maximum|min|max|limits?|at least|at most|too (low|small|high|large))\b/i, 'limit'],
  [/\b(country|countries|nationality)\b/i, 'country'],
  [/\bpayment ?method/i, 'method'],
  [/\b(currency|currencies|pair|coin)\b/i, 'pair'],
];
