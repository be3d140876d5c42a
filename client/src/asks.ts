/** What is asked of the client, and what it hands back where that is more than an answer's own shape. */
import type {
  AmountInput,
  CheckoutBody,
  CheckoutQuery,
  DeliveriesQuery,
  PaymentTypesQuery,
  Quote,
  QuoteError,
  QuotesQuery,
  TransactionsQuery,
} from './types.ts';

/** Fiat to crypto buys, crypto to fiat sells. */
export interface QuoteAsk extends Omit<QuotesQuery, 'amount'> {
  /** What is handed over: a currency code or id. */
  source: string;
  /** What is received: a currency code or id. */
  destination: string;
  /** Decimal text, or a number. */
  amount: AmountInput;
}

/** A provider's price, or why there is none. */
export type QuoteOutcome = Quote | QuoteError;

/** A provider's price the moment it comes in: it has no id yet, so that it can be shown but not be ordered by. */
export type EarlyQuote = Pick<
  Quote,
  'ramp' | 'paymentMethod' | 'rate' | 'networkFee' | 'transactionFee' | 'payout' | 'sourceAmount'
>;
export type EarlyOutcome = EarlyQuote | Omit<QuoteError, 'quoteId'>;

export type QuoteEvent =
  | { kind: 'outcome'; outcome: EarlyOutcome }
  /** The last one: what `quotes` would have given. */
  | { kind: 'done'; quotes: QuoteOutcome[] };

/** Whether it is a price, rather than a reason why there is none. */
export function isQuote<T extends EarlyOutcome>(
  outcome: T,
): outcome is Exclude<T, Pick<QuoteError, 'errors'>> {
  return !('errors' in outcome);
}

/** With `type: 'sell'`, `fiat` names the crypto that is sold, and `destination` the fiat. */
export interface PaymentTypesAsk extends PaymentTypesQuery {
  fiat?: string | undefined;
}

/** The order, and where the person is. */
export interface CheckoutIntent extends CheckoutBody, CheckoutQuery {}

export interface TransactionFilter
  extends Omit<TransactionsQuery, 'startDateTime' | 'endDateTime' | 'limit' | 'transactionIds'> {
  /** Records of this moment and later. */
  startDateTime?: Date | string | undefined;
  /** Records before this moment. */
  endDateTime?: Date | string | undefined;
  /** Records on a page, 50 at most. */
  limit?: number | undefined;
  /** At most 50. */
  transactionIds?: readonly string[] | undefined;
}

export interface DeliveryFilter extends Omit<DeliveriesQuery, 'limit'> {
  /** At most 50. */
  limit?: number | undefined;
}

/** Which events are sent again; their ids may be those that `verifyWebhook` gives, or those of `deliveries`. */
export type ReplayWish = { state: 'dead' } | { eventIds: readonly string[] } | { since: Date | string };
