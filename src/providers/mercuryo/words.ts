/** Mercuryo's words: for methods and networks, and how it says no. */
import { type Decline, decline } from '../../domain/offer.ts';
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
