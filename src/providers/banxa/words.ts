/** Banxa's words: for methods, networks and statuses, and how it says no. */
import type { DeclineReason } from '../../domain/offer.ts';
import type { Status } from '../../domain/transaction.ts';
import type { MethodId, NetworkId } from '../../domain/words.ts';

/** Their id of a payment method, and ours: those of version 2 that were seen, and the codes of version 1 for buys. */
export const METHODS = {
  'debit-credit-card': ['creditcard', 'debitcard'],
  'apple-pay': ['applepay'],
  'google-pay': ['googlepay'],
  'sepa-bank-transfer': ['sepabanktransfer'],
  'ach-bank-transfer': ['ach'],
  'payid-bank-transfer': ['payid'],
  PRIMERCC: ['creditcard', 'debitcard'],
  WORLDPAYCREDIT: ['creditcard', 'debitcard'],
  CHECKOUTCREDIT: ['creditcard', 'debitcard'],
  PRIMERAP: ['applepay'],
  WORLDPAYAPPLE: ['applepay'],
  WORLDPAYGOOGLE: ['googlepay'],
  CLEARJUNCTION: ['sepabanktransfer'],
  CLEARJUNCTIONFP: ['fasterpaybank'],
  IDEAL: ['ideal'],
  DCINTERAC: ['interacetransfer'],
  DLOCALPIX: ['pix'],
  // A South African bank's instant transfer and an Australian one, for which there is no narrower word.
  DLOCALZAIO: ['banktransfer'],
  POLI: ['banktransfer'],
  MONOOVAPAYID: ['payid'],
  DIRECTCREDIT: ['banktransfer'],
  MANUALPAYMENT: ['banktransfer'],
} as Record<string, string[]> as Record<string, MethodId[]>;

/** Ids of version 2 that nobody has written down are told by a part of them; the first that fits. */
const KINDS: readonly [RegExp, string][] = [
  [/apple-?pay/, 'apple-pay'],
  [/google-?pay/, 'google-pay'],
  [/card/, 'debit-credit-card'],
  [/pay-?id/, 'payid-bank-transfer'],
  [/sepa/, 'sepa-bank-transfer'],
  [/\bach\b/, 'ach-bank-transfer'],
  [/faster-?payment/, 'CLEARJUNCTIONFP'],
  [/\bideal\b/, 'IDEAL'],
  [/interac/, 'DCINTERAC'],
  [/\bpix\b/, 'DLOCALPIX'],
  [/bank-transfer|direct-credit|manual-payment|\bpoli\b|\beft\b/, 'DIRECTCREDIT'],
];

/** The word in `METHODS` for an id of theirs; undefined for an id of which nothing is known. */
export function kindOf(id: string): string | undefined {
  return Object.hasOwn(METHODS, id) ? id : KINDS.find(([pattern]) => pattern.test(id))?.[1];
}

/** Their id of a blockchain, and ours. Of theirs DGB, QTUM, RVN and THORCHAIN are none of ours. */
export const NETWORKS = {
  BTC: 'bitcoin',
  LTC: 'litecoin',
  ETH: 'ethereum',
  TRON: 'tron',
  BSC: 'bsc',
  BNB: 'bsc',
  SOL: 'solana',
  MATIC: 'polygon',
  ATOM: 'cosmos',
  'AVAX-C': 'avaxc',
  XRP: 'ripple',
  FTM: 'fantom',
  DOGE: 'dogecoin',
  APT: 'aptos',
  TON: 'ton',
  SUI: 'sui',
  NEAR: 'near',
  CELO: 'celo',
  XLM: 'stellar',
  ADA: 'cardano',
  DOT: 'polkadot',
  ALGO: 'algorand',
  ZKSYNC: 'zksync',
  BCH: 'bitcoincash',
  WLD: 'worldchain',
  OPTIMISM: 'optimism',
  LINEA: 'linea',
  UNICHAIN: 'unichain',
  ARB: 'arbitrum',
  BASE: 'base',
  S: 'sonic',
  INJ: 'injective',
  MNT: 'mantle',
  DASH: 'dash',
  ETC: 'etherclassic',
  HBAR: 'hedera',
  XTZ: 'tezos',
  FIL: 'filecoin',
  EOS: 'eos',
  ZEC: 'zcash',
} as Record<string, string> as Readonly<Record<string, NetworkId>>;

/** "Order statuses", the words of version 1 and of their SDK among them. */
export const STATUSES: Readonly<Record<string, Status>> = {
  pendingPayment: 'new',
  waitingPayment: 'pending',
  extraVerification: 'pending',
  paymentReceived: 'paid',
  inProgress: 'paid',
  coinTransferred: 'paid',
  cryptoTransferred: 'paid',
  cryptoTransferInitiated: 'paid',
  cryptoTransferPending: 'paid',
  // The coins have left; the order is complete when the chain has confirmed them.
  cryptoTransferComplete: 'paid',
  complete: 'completed',
  completed: 'completed',
  succeeded: 'completed',
  cancelled: 'canceled',
  declined: 'failed',
  failed: 'failed',
  expired: 'expired',
  refunded: 'refunded',
};

/** The reason a text of theirs gives, first match first. Their wordings and codes are not published, so these are loose. */
export const REASONS: readonly [RegExp, DeclineReason][] = [
  [
    /\b(minimum|maximum|min|max|limits?|at least|at most|less than|greater than|exceeds?|too (low|high|small|large))\b/i,
    'limit',
  ],
  [/\b(country|countries|region|state|jurisdiction)\b/i, 'country'],
  [/\bpayment ?method/i, 'method'],
  [/\b(crypto|fiat|coin|token|blockchain|currency|pair)\b/i, 'pair'],
];

/** Refusals that are about our key, our partner code or our pace, not about the ask. */
export const ABOUT_US = /\bapi.?key\b|\bpartner\b|unauthori[sz]ed|forbidden|rate limit|too many/i;
