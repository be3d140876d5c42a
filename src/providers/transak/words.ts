/** Transak's words: for methods, networks and statuses, and how it says no. */
import type { DeclineReason } from '../../domain/offer.ts';
import type { Status } from '../../domain/transaction.ts';
import type { MethodId, NetworkId } from '../../domain/words.ts';

/** Their word for a payment option, and ours. */
export const METHODS = {
  credit_debit_card: ['creditcard', 'debitcard'],
  apple_pay: ['applepay'],
  google_pay: ['googlepay'],
  sepa_bank_transfer: ['sepabanktransfer'],
  gbp_bank_transfer: ['fasterpaybank', 'banktransfer'],
  pm_open_banking: ['openbanking'],
  pm_wire: ['wire', 'banktransfer'],
  pm_jwire: ['wire', 'banktransfer'],
  inr_upi: ['upi'],
  upi: ['upi'],
  inr_bank_transfer: ['imps', 'banktransfer'],
  neft_bank_transfer: ['banktransfer'],
  pm_pix: ['pix'],
  pm_astropay: ['astropay'],
  // Accounts at one Philippine bank each, for which there is no narrower word.
  pm_bpi: ['banktransfer'],
  pm_ubp: ['banktransfer'],
  pm_cash_app: ['cashapp'],
  pm_gcash: ['gcash'],
  pm_grabpay: ['grabpay'],
  pm_paymaya: ['paymaya'],
  pm_shopeepay: ['shopeepay'],
  mobikwik_wallet: ['mobikwik'],
} as Record<string, string[]> as Record<string, MethodId[]>;

/** Networks they call as we do. Their `hyperliquid` is left out: HyperCore is another ledger than HyperEVM. */
const SAME =
  `ethereum polygon arbitrum optimism base bsc tron solana ton osmosis fantom injective sei linea zksync celo mantle
  opbnb unichain stellar algorand berachain hyperevm monad plasma aptos sui`.split(/\s+/);

/** Chains with one coin are all called `mainnet` and told apart by the coin, so we know them as `mainnet/<coinId>`. */
const SINGLE_COINS =
  'bitcoin litecoin ripple dogecoin tron cosmos near stellar algorand polkadot cardano'.split(' ');

/** Their word for a network, and ours. */
export const NETWORKS = Object.fromEntries([
  ...SAME.map(word => [word, word]),
  ['avaxcchain', 'avaxc'],
  ...SINGLE_COINS.map(coin => [`mainnet/${coin}`, coin]),
  ['mainnet/bitcoin-cash', 'bitcoincash'],
]) as Readonly<Record<string, NetworkId>>;

/** Their word for a network as they write it, without the coin. */
export function networkWord(word: string): string {
  return word.startsWith('mainnet/') ? 'mainnet' : word;
}

/** "Track order status"; off-ramp orders use the same words. */
export const STATUSES: Readonly<Record<string, Status>> = {
  AWAITING_PAYMENT_FROM_USER: 'new',
  PAYMENT_DONE_MARKED_BY_USER: 'pending',
  ORDER_PAYMENT_VERIFYING: 'pending',
  PROCESSING: 'pending',
  PENDING_DELIVERY_FROM_TRANSAK: 'paid',
  ON_HOLD_PENDING_DELIVERY_FROM_TRANSAK: 'pending',
  COMPLETED: 'completed',
  CANCELLED: 'canceled',
  FAILED: 'failed',
  REFUNDED: 'refunded',
  EXPIRED: 'expired',
};

export const ON_HOLD = 'ON_HOLD_PENDING_DELIVERY_FROM_TRANSAK';

/** The reason a text of theirs gives, first match first. Their wordings are not published, so these are loose. */
export const REASONS: readonly [RegExp, DeclineReason][] = [
  [/\b(minimum|maximum|min|max|limits?|at least|at most|less than|greater than|exceeds?)\b/i, 'limit'],
  [/\b(country|countries|region|state)\b/i, 'country'],
  [/\bpayment ?(method|option)/i, 'method'],
  [/\b(crypto|fiat)? ?(currency|currencies|coin|token|network|pair)\b/i, 'pair'],
];

/** Refusals that are about our key, our domain or our pace, not about the ask. */
export const ABOUT_US =
  /\b(api|partner) ?(api)? ?key\b|access.?token|unauthori[sz]ed|rate limit|referrer|white-?list/i;

/** Of these, what says that our token is worth nothing. */
export const NOT_LET_IN = /access.?token|unauthori[sz]ed/i;
