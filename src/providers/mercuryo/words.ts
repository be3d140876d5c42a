/** Mercuryo's words: for methods, networks and statuses, and how it says no. */
import { type Decline, decline } from '../../domain/offer.ts';
import type { Status } from '../../domain/transaction.ts';
import type { MethodId, NetworkId } from '../../domain/words.ts';

/** `config.networks`; NEWTON is their word for TON. */
export const NETWORKS = {
  ALGORAND: 'algorand',
  ARBITRUM: 'arbitrum',
  AVALANCHE: 'avaxc',
  BASE: 'base',
  BINANCESMARTCHAIN: 'bsc',
  BITCOIN: 'bitcoin',
  BITCOINCASH: 'bitcoincash',
  CARDANO: 'cardano',
  CELESTIA: 'celestia',
  COSMOS: 'cosmos',
  DOGECOIN: 'dogecoin',
  ETHEREUM: 'ethereum',
  FANTOM: 'fantom',
  INJECTIVE: 'injective',
  KASPA: 'kaspa',
  KUSAMA: 'kusama',
  LINEA: 'linea',
  LITECOIN: 'litecoin',
  MONAD: 'monad',
  NEAR_PROTOCOL: 'near',
  NEWTON: 'ton',
  OPTIMISM: 'optimism',
  POLKADOT: 'polkadot',
  POLYGON: 'polygon',
  RIPPLE: 'ripple',
  SOLANA: 'solana',
  SONIC: 'sonic',
  STELLAR: 'stellar',
  SUI: 'sui',
  TEZOS: 'tezos',
  TRON: 'tron',
  WEMIX: 'wemix',
  ZKSYNC: 'zksync',
} as Record<string, string> as Readonly<Record<string, NetworkId>>;

/** `fiat_payment_methods`; the four Indonesian banks are virtual accounts, Volt is open banking over SEPA. */
export const METHODS = {
  card: ['creditcard', 'debitcard'],
  apple: ['applepay'],
  google: ['googlepay'],
  revolut_pay: ['revolutpay'],
  volt_banktransfer_eur: ['sepabanktransfer'],
  unlimint_pix_brl: ['pix'],
  interac_gk: ['interacetransfer'],
  blik_direct: ['blik'],
  EightBWorld_mandiri: ['banktransfer'],
  EightBWorld_bni: ['banktransfer'],
  EightBWorld_bri: ['banktransfer'],
  EightBWorld_permata: ['banktransfer'],
  EightBWorld_qris: ['qris'],
  EightBWorld_dana: ['dana'],
  EightBWorld_ovo: ['ovo'],
  EightBWorld_instapay: ['instapay'],
} as Record<string, readonly string[]> as Readonly<Record<string, readonly MethodId[]>>;

/** Their types of an operation, and how we call them: the ways to pay for a buy are all one to us. */
export const OPERATIONS: Readonly<Record<string, 'buy' | 'sell' | 'withdraw' | 'deposit'>> = {
  buy: 'buy',
  buy_acquirer: 'buy',
  mobile_pay: 'buy',
  sell: 'sell',
  withdraw: 'withdraw',
  deposit: 'deposit',
};

/** "Transaction status types", by operation. A buy ends when coins have gone out, a sell when money has. */
export const STATUSES: Readonly<Record<string, Status>> = {
  'buy.new': 'new',
  'buy.pending': 'pending',
  // The money is held until the person is verified.
  'buy.order_scheduled': 'pending',
  'buy.paid': 'paid',
  'buy.completed': 'paid',
  'buy.cancelled': 'canceled',
  'buy.order_failed': 'failed',
  'buy.descriptor_failed': 'failed',
  'buy.failed': 'failed',
  // Not documented; one integrator reports it.
  'buy.refunded': 'refunded',
  'withdraw.new': 'pending',
  'withdraw.pending': 'pending',
  'withdraw.order_scheduled': 'pending',
  'withdraw.completed': 'completed',
  'withdraw.failed': 'failed',
  'deposit.new': 'new',
  'deposit.pending': 'pending',
  'deposit.completed': 'paid',
  'deposit.succeeded': 'paid',
  'deposit.failed': 'failed',
  'sell.new': 'pending',
  'sell.pending': 'paid',
  'sell.succeeded': 'completed',
  'sell.failed': 'failed',
  'sell.refunded': 'refunded',
};

export const NO_COUNTRY = decline('country', 'Country is not served');

/** What a text of theirs is about, first match first. Codes and words for a refused price are not published. */
export const REASONS: readonly [RegExp, Decline][] = [
  [/\bcountr|\bregion/i, NO_COUNTRY],
  [/payment.?method/i, decline('method', 'Payment method is not supported')],
  [
    /\b(min|max)(imum|imal)?\b|amount.*\b(between|least|most|limit|small|large|low|high)/i,
    decline('limit', 'Amount is outside the limits'),
  ],
  [/\b(currenc|network|pair)/i, decline('pair', 'Pair is not supported')],
];

/** The one code of theirs that is documented for a country. */
export const COUNTRY_CODE = '400005';

/** Troubles with tokens, access and pace are ours, 5xx theirs: none of them is about the ask. */
export const TROUBLE = /^(401|403|429|5..)$/;
