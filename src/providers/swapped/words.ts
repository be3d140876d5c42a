/** Swapped's words: for methods, networks and statuses, which coins its codes mean, and how it says no. */
import type { DeclineReason } from '../../domain/offer.ts';
import type { Status } from '../../domain/transaction.ts';
import type { MethodId, NetworkId } from '../../domain/words.ts';

/** Their `payment_group` of a purchase or slug of a payout, and ours. */
export const METHODS = {
  creditcard: ['creditcard', 'debitcard'],
  'apple-pay': ['applepay'],
  applepay: ['applepay'],
  'google-pay': ['googlepay'],
  googlepay: ['googlepay'],
  'bank-transfer': ['banktransfer'],
  sepa: ['sepabanktransfer'],
  pix: ['pix'],
  upi: ['upi'],
  skrill: ['skrill'],
  blik: ['blik'],
  spei: ['spei'],
  interac: ['interacetransfer'],
  'interac-extra': ['interacetransfer'],
  'mobile-money': ['mobilemoney'],
  astropay: ['astropay'],
  vietqr: ['vietqr'],
  momo: ['momo'],
  zalo: ['zalopay'],
  gcash: ['gcash'],
  maya: ['paymaya'],
  gopay: ['gopay'],
  dana: ['dana'],
  ovo: ['ovo'],
  grabpay: ['grabpay'],
  promptpay: ['promptpay'],
  touchngo: ['touchngo'],
} as Record<string, string[]> as Record<string, MethodId[]>;

/** Their word for a network where a coin is on several, as webhooks write it, and ours. */
export const NETWORKS = {
  bitcoin: 'bitcoin',
  litecoin: 'litecoin',
  ethereum: 'ethereum',
  base: 'base',
  arbitrum: 'arbitrum',
  polygon: 'polygon',
} as Record<string, string> as Record<string, NetworkId>;

/** The codes that were seen, and what they are; the list of all is a page of theirs, which an operator can add from. */
export const KNOWN_ASSETS =
  'BTC=btc_bitcoin ETH=eth_ethereum LTC=ltc_litecoin USDC_ETHEREUM=usdc_ethereum USDC_BASE=usdc_base ' +
  'USDC_ARBITRUM=usdc_arbitrum USDC_POLYGON=usdc_polygon';

/** "Residents of Texas cannot buy stablecoins": all of our catalog, by the tickers of their ids. */
export const STABLE: ReadonlySet<string> = new Set(
  `USDC USDT USDT0 DAI XDAI HONEY EURC EURS PYUSD FDUSD TUSD USDS USDE USD1 USDP RLUSD GUSD LUSD CRVUSD GHO FRAX CUSD
  CEUR`.split(/\s+/),
);
export const NOT_STABLE_IN = 'US-TX';

/** "Order notifications". The list of transactions has no word for coins that are out: their hash says so. */
export const STATUSES: Readonly<Record<string, Status>> = {
  'buy.payment_pending': 'pending',
  'buy.order_completed': 'paid',
  'buy.order_completed.sent': 'completed',
  'buy.order_broadcasted': 'completed',
  // Declined and abandoned alike.
  'buy.order_cancelled': 'canceled',
  'sell.payment_pending': 'pending',
  'sell.payout_pending': 'paid',
  'sell.order_completed': 'completed',
  'sell.order_cancelled': 'canceled',
};

/** The reason a text of theirs gives, first match first. Their wordings were not found, so these are loose. */
export const REASONS: readonly [RegExp, DeclineReason][] = [
  [/\b(min|max|minimum|maximum|limits?|at least|at most|too (small|low|large|high))\b/i, 'limit'],
  [/\b(region|country|countries|state)\b/i, 'country'],
  [/\b(payment|payout)[ _]?(method|group)/i, 'method'],
  [/\b(crypto|fiat|currency|currencies|coin|token)\b/i, 'pair'],
];

/** A refusal that is about our key. */
export const BAD_KEY = /\b(api|public|merchant)[ _]?key\b|unauthori[sz]ed/i;
