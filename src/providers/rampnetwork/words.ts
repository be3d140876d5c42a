/** Ramp Network's words: for methods, chains and statuses, what its widget calls a method, and how it says no. */
import type { DeclineReason } from '../../domain/offer.ts';
import type { Status } from '../../domain/transaction.ts';
import type { MethodId, NetworkId } from '../../domain/words.ts';

/** Their word for a payment or payout method, and ours: those of quotes and lists first, those of the widget after. */
export const METHODS = {
  MANUAL_BANK_TRANSFER: ['sepabanktransfer', 'banktransfer'],
  AUTO_BANK_TRANSFER: ['openbanking', 'banktransfer'],
  OPEN_BANKING: ['openbanking', 'banktransfer'],
  CARD_PAYMENT: ['creditcard', 'debitcard'],
  APPLE_PAY: ['applepay'],
  GOOGLE_PAY: ['googlepay'],
  PIX: ['pix'],
  AMERICAN_BANK_TRANSFER: ['ach'],
  CARD: ['debitcard', 'creditcard'],
  SEPA: ['sepabanktransfer', 'sepainstant'],
  SPEI: ['spei'],
  APPLEPAY: ['applepay'],
  GOOGLEPAY: ['googlepay'],
  PISP: ['openbanking'],
  SOFORT: ['sofort'],
} as Record<string, string[]> as Record<string, MethodId[]>;

/** What the widget calls a payment method of the lists (`paymentMethodType`); the others are left to the person. */
export const IN_WIDGET: Readonly<Record<string, string>> = {
  CARD_PAYMENT: 'CARD',
  APPLE_PAY: 'APPLEPAY',
  GOOGLE_PAY: 'GOOGLEPAY',
  MANUAL_BANK_TRANSFER: 'SEPA',
  AUTO_BANK_TRANSFER: 'PISP',
  OPEN_BANKING: 'PISP',
  PIX: 'PIX',
};

/** Their word for a chain, and ours. */
export const NETWORKS = {
  ETH: 'ethereum',
  SOLANA: 'solana',
  OPTIMISM: 'optimism',
  MATIC: 'polygon',
  XRP: 'ripple',
  TRON: 'tron',
  ARBITRUM: 'arbitrum',
  BASE: 'base',
  LTC: 'litecoin',
  AVAX: 'avaxc',
  BSC: 'bsc',
  COSMOS: 'cosmos',
  BTC: 'bitcoin',
  DOGE: 'dogecoin',
  FANTOM: 'fantom',
  TON: 'ton',
  XDAI: 'gnosis',
  NEAR: 'near',
  ZKSYNCERA: 'zksync',
  LINEA: 'linea',
  CELO: 'celo',
  POLKADOT: 'polkadot',
  DOT: 'polkadot',
  WORLDCHAIN: 'worldchain',
  CARDANO: 'cardano',
  BCH: 'bitcoincash',
  MONAD: 'monad',
} as Record<string, string> as Readonly<Record<string, NetworkId>>;

/** The old ticker of a chain's own coin, and the one it has now. */
export const RENAMED: Readonly<Record<string, string>> = { MATIC: 'POL' };

/** The status of a purchase, or the type of the event about it where that says more; a sale has the types only. */
export const STATUSES: Readonly<Record<string, Status>> = {
  'buy.CREATED': 'new',
  'buy.INITIALIZED': 'new',
  'buy.PAYMENT_STARTED': 'pending',
  'buy.PAYMENT_IN_PROGRESS': 'pending',
  'buy.FIAT_PENDING': 'pending',
  'buy.FIAT_SENT': 'pending',
  'buy.PAYMENT_EXECUTED': 'paid',
  'buy.FIAT_RECEIVED': 'paid',
  'buy.RELEASING': 'paid',
  'buy.RELEASED': 'completed',
  'buy.PAYMENT_FAILED': 'failed',
  'buy.REVIEW_REJECTED': 'failed',
  // The event of older documents, when it comes without a status.
  'buy.ERROR': 'failed',
  'buy.CANCELLED': 'canceled',
  'buy.EXPIRED': 'expired',
  'buy.RETURNED': 'refunded',
  'buy.FIAT_RETURNED': 'refunded',
  'sell.CREATED': 'new',
  // Its coins are on their way.
  'sell.CREATED.moved': 'pending',
  'sell.RELEASED': 'completed',
  'sell.EXPIRED': 'expired',
};

/** The status of a leg that nothing has happened to. */
export const NOT_STARTED = 'not-started';

/** `SERVICES.HOST_API.<CONDITION>` */
export const CODE = /^SERVICES\.HOST_API\.([A-Z0-9_]{1,100})$/;

/** What a condition is about, first match first. Only the one about a currency and its method is published. */
export const REASONS: readonly [RegExp, DeclineReason][] = [
  [/PAYMENT_METHOD|PAYOUT_METHOD/, 'method'],
  [/COUNTRY|REGION/, 'country'],
  [/AMOUNT|LIMIT|_MIN_|_MAX_|TOO_(LOW|HIGH|SMALL|LARGE)/, 'limit'],
  [/CURRENCY|ASSET|CHAIN/, 'pair'],
];

/** Conditions that are about us, not about the ask. */
export const ABOUT_US = /API_KEY|HOST_NOT|UNAUTHORI[SZ]ED|FORBIDDEN/;
