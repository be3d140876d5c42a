/** Topper's words: for methods, networks, tokens and events, and how it says no. */
import type { DeclineReason } from '../../domain/offer.ts';
import type { Status } from '../../domain/transaction.ts';
import type { MethodId, NetworkId } from '../../domain/words.ts';

/** Their type of a payment method, and ours. */
export const METHODS = {
  'credit-card': ['creditcard'],
  'debit-card': ['debitcard'],
  'apple-pay': ['applepay'],
  'google-pay': ['googlepay'],
  paypal: ['paypal'],
  venmo: ['venmo'],
  pix: ['pix'],
  sepa: ['sepabanktransfer'],
  // The network both kinds of cards are asked for by, for a list that names no type.
  card: ['creditcard', 'debitcard'],
} as Record<string, string[]> as Record<string, MethodId[]>;

/** Networks they call as we do, as far as is known: theirs are full names in lower case. */
const SAME =
  `bitcoin ethereum arbitrum dash solana polygon base optimism litecoin dogecoin stellar cardano polkadot cosmos tezos
  algorand hedera tron near aptos sui filecoin zcash`.split(/\s+/);

/** Their word for a network, and ours. A wrong one finds nothing: a network's own coin must have the right ticker. */
export const NETWORKS = Object.fromEntries([
  ...SAME.map(word => [word, word]),
  ['xrp-ledger', 'ripple'],
  ['xrp', 'ripple'],
  ['bitcoin-cash', 'bitcoincash'],
  ['avalanche', 'avaxc'],
]) as Readonly<Record<string, NetworkId>>;

/** Their lists have no contracts: of tokens those are known that have one and the same on Ethereum for everyone. */
const TOKENS: ReadonlySet<string> = new Set(
  'USDC USDT DAI PYUSD WBTC LINK UNI AAVE MKR LDO CRV GRT SHIB PEPE ENS COMP SAND MANA BAT'.split(' '),
);

/** Our id of a token; undefined for one that cannot be told for certain, and for a network's own coin. */
export function tokenOf(ticker: string, network: string): string | undefined {
  return network === 'ethereum' && TOKENS.has(ticker) ? `${ticker.toLowerCase()}_ethereum` : undefined;
}

/** What they call the tag of an address; only the one of XRP is known. */
export const TAGS: Readonly<Record<string, string>> = {
  'xrp-ledger': 'destination-tag',
  xrp: 'destination-tag',
};

/** By the event's name: the status inside is not the same for the same in sells. */
export const STATUSES: Readonly<Record<string, Status>> = {
  'order:crypto-onramp:committed': 'pending',
  'order:crypto-onramp:charged': 'paid',
  'order:crypto-onramp:crypto-sent': 'paid',
  'order:crypto-onramp:completed': 'completed',
  'order:crypto-onramp:expired': 'expired',
  'order:crypto-onramp:failed': 'failed',
  'order:crypto-onramp:refund:completed': 'refunded',
  'order:crypto-offramp:committed': 'pending',
  'order:crypto-offramp:funds-sent': 'pending',
  'order:crypto-offramp:funds-received': 'paid',
  'order:crypto-offramp:completed': 'completed',
  'order:crypto-offramp:expired': 'expired',
  'order:crypto-offramp:failed': 'failed',
  'order:crypto-offramp:refund:completed': 'refunded',
};

/** Events about orders; all others are about people. */
export const ABOUT_ORDERS = /^order:crypto-(on|off)ramp:/;

/** The reason a text of theirs gives, first match first. Their wordings are not published, so these are loose. */
export const REASONS: readonly [RegExp, DeclineReason][] = [
  [
    /\b(minimum|maximum|limits?|at least|at most|(less|lower|greater|more) than|exceeds?|too (small|large))\b/i,
    'limit',
  ],
  [/\b(country|countries|region|state)\b/i, 'country'],
  [/\bpayment ?method/i, 'method'],
  [/\b(currency|currencies|asset|token|network|pair)\b/i, 'pair'],
];

/** Refusals that are about our widget or our key, not about the ask. */
export const ABOUT_US = /\b(bootstrap|jwt|signature|widget|unauthori[sz]ed|kid|rate limit)\b/i;
