/** What the service is asked and what it answers; written by `node scripts/generate-client-types.mjs` from its schemas. */

/** Money and rates: decimal text, exact to the last place, such as `0.015`; never a float. */
export type Amount = string;

/** An amount to send: decimal text, or a number for those who have one. */
export type AmountInput = string | number;

export type Side = 'buy' | 'sell';

export type TransactionStatus =
  | 'new'
  | 'pending'
  | 'paid'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'expired'
  | 'refunded';

export type DeclineType =
  | 'LimitMismatch'
  | 'QuoteParameterMismatch'
  | 'NoSupportedPaymentFound'
  | 'ProviderUnavailable'
  | 'ProviderValidation';

export type Recommendation = 'BestPrice' | 'SuccessRate' | 'LowKyc' | 'ClientPreferred';

export interface AssetAvailability {
  fiat: string | string[];
  paymentMethods: string[];
  crypto: string | string[];
}

export interface Assets {
  assets: AssetAvailability[];
  country: string;
}

export interface AssetsQuery {
  /** Source currency; all when absent. */
  source?: string | undefined;
  /** ISO 3166-1 alpha-2; taken from the caller’s address when absent. */
  country?: string | undefined;
  /** Two letters of a state, with country US only; some providers do not serve every state. */
  state?: string | undefined;
  /** Transaction type. */
  type?: Side | undefined;
}

export interface Checkout {
  validationInformation: boolean;
  status: 'in_progress';
  sessionInformation: {
    onramp: string;
    source: string;
    destination: string;
    amount: Amount;
    type: Side;
    paymentMethod: string;
    network: string;
    uuid?: string;
    originatingHost?: string;
    /** As in the request; empty when there was none. */
    wallet: {
      address?: string;
      memo?: string;
    };
    supportedParams: {
      theme: Theme;
    };
    /** Upper-case country code. */
    country: string;
    /** Unix time in seconds. */
    expiringTime: number;
    sessionId: string;
  };
  transactionInformation: {
    transactionId: string;
    /** The page to present to the person. */
    url: string;
    /** How to present it. */
    type: 'iframe' | 'redirect';
    params: {
      /** What the frame must allow: `camera; payment`. */
      permissions: string;
    };
  };
}

/** Other members are ignored. */
export interface CheckoutBody {
  /** Provider id. */
  onramp: string;
  /** What is handed over: a currency code or id. */
  source: string;
  /** What is received: a currency code or id. */
  destination: string;
  /** Of the source currency; a number without exponent, with no more places than the currency. */
  amount: AmountInput;
  /** Must agree with the currencies. */
  type?: Side | undefined;
  paymentMethod?: string | undefined;
  /** Of the crypto; must agree with it when its id names one. */
  network?: string | undefined;
  /** The widget’s id of its user. */
  uuid?: string | undefined;
  /** The client’s own order reference; comes back in transactions and events. */
  partnerContext?: string | undefined;
  /** Host name of the page; no port. */
  originatingHost?: string | undefined;
  metaData?: {
    /** That of a quote for the same order, whose figures our page then shows; the provider prices the order anew. */
    quoteId?: string | undefined;
  };
  /** Where the coins go: required for a buy. For a sell, where they may come back to. */
  wallet?: {
    /** Checked by the rules of its chain, checksums included, and never altered. */
    address: string;
    /** Memo or tag, where the chain has them. */
    memo?: string | undefined;
  };
  supportedParams?: {
    theme?: ThemeInput | undefined;
    partnerData?: {
      redirectUrl?: {
        /** The way back, URL-encoded or plain: https to a host registered for the account. */
        success?: string | undefined;
      };
    };
  };
  /** The canonical text of this checkout, where it is signed. */
  signContent?: string | undefined;
  /** The signature of `signContent`. */
  signature?: string | undefined;
}

export interface CheckoutQuery {
  /** ISO 3166-1 alpha-2; taken from the caller’s address when absent. */
  country?: string | undefined;
  /** Two letters of a state, with country US only; some providers do not serve every state. */
  state?: string | undefined;
}

export interface Country {
  countryCode: string;
  countryName: string;
}

export interface CryptoAsset {
  id: string;
  code: string;
  name: string;
  symbol: string;
  network: string;
  decimals: number;
  /** Token contract; the zero address for a native coin. */
  address: string;
  /** EVM chain id; 0 where the network has none. */
  chainId: number;
  icon: string;
  networkDisplayName: string;
}

export interface Declined {
  message: string;
  errorId: number;
  errorCode: number;
  errorMessage: string;
  /** The parameter at fault. */
  field?: string;
  requestId: string;
  type?: DeclineType;
  /** Of the source currency. */
  minAmount?: Amount;
  /** Of the source currency. */
  maxAmount?: Amount;
}

export interface Defaults {
  recommended: {
    source: string;
    target: string;
    amount: Amount;
    paymentMethod: string;
    provider: string;
    country: string;
  } | null;
  defaults: Record<string, DefaultsEntry>;
}

export interface DefaultsEntry {
  source: string;
  target: string;
  amount: Amount;
  paymentMethod: string;
  provider: string;
}

export interface DefaultsQuery {
  /** ISO 3166-1 alpha-2; taken from the caller’s address when absent. */
  country?: string | undefined;
  /** Two letters of a state, with country US only; some providers do not serve every state. */
  state?: string | undefined;
  /** Transaction type. */
  type?: Side | undefined;
}

export interface DeliveriesQuery {
  /** Only these; all when absent. */
  state?: 'due' | 'delivered' | 'dead' | undefined;
  /** At most 50; above, it is held to 50. */
  limit?: string | undefined;
}

export interface FiatCurrency {
  id: string;
  code: string;
  name: string;
  symbol: string;
  decimals: number;
  icon: string;
}

export interface OnrampsQuery {
  /** Source currency. */
  source: string;
  /** Destination currency. */
  destination: string;
  /** ISO 3166-1 alpha-2; taken from the caller’s address when absent. */
  country?: string | undefined;
  /** Two letters of a state, with country US only; some providers do not serve every state. */
  state?: string | undefined;
  /** Whether entries carry recommendations. */
  recommendations?: boolean | undefined;
}

export interface PaymentType {
  paymentTypeId: string;
  name: string;
  icon: string;
}

export interface PaymentTypeWithLimits extends PaymentType {
  details: {
    currencyStatus: 'SourceAndDestSupported';
    /** By provider id, and `aggregatedLimit` over all; in the source currency. */
    limits: Record<
      string,
      {
        min?: Amount;
        max?: Amount;
      }
    >;
  };
}

export interface PaymentTypesQuery {
  /** ISO 3166-1 alpha-2; taken from the caller’s address when absent. */
  country?: string | undefined;
  /** Two letters of a state, with country US only; some providers do not serve every state. */
  state?: string | undefined;
  /** Transaction type. */
  type?: Side | undefined;
  /** The other currency. */
  destination?: string | undefined;
}

export interface Provider {
  id: string;
  displayName: string;
  icon: string;
  icons: {
    svg: string;
    png: {
      '32x32': string;
      '160x160': string;
    };
  };
}

export interface ProviderAvailability {
  onramp: string;
  icon: string;
  icons: {
    svg: string;
    png: {
      '32x32': string;
      '160x160': string;
    };
  };
  displayName: string;
  /** Upper-case country code. */
  country: string;
  paymentMethods: string[];
  recommendedPaymentMethod: string;
  recommendations?: {
    type: string;
    paymentMethods: string[];
  }[];
}

export interface Quote {
  rate: Amount;
  networkFee: Amount;
  transactionFee: Amount;
  payout: Amount;
  /** What is handed over; with `input=destination` only. */
  sourceAmount?: Amount;
  availablePaymentMethods?: PaymentTypeWithLimits[];
  ramp: string;
  quoteId: string;
  paymentMethod: string;
  recommendations: Recommendation[];
}

export interface QuoteError {
  ramp: string;
  paymentMethod: string;
  quoteId: string;
  errors: {
    type: DeclineType;
    errorId: number;
    message: string;
    minAmount?: Amount;
    maxAmount?: Amount;
  }[];
}

export interface QuotesQuery {
  /** Decimal text, greater than zero. */
  amount: string;
  paymentMethod?: string | undefined;
  /** When sent, must agree with the path. */
  type?: Side | undefined;
  /** ISO 3166-1 alpha-2; taken from the caller’s address when absent. */
  country?: string | undefined;
  /** Two letters of a state, with country US only; some providers do not serve every state. */
  state?: string | undefined;
  /** Network of the crypto, when its code alone does not say. */
  network?: string | undefined;
  walletAddress?: string | undefined;
  /** Whether `amount` is what is handed over or what is to be received. */
  input?: 'source' | 'destination' | undefined;
  /** Also list the providers that could not quote, and why. */
  errors?: 'all' | undefined;
  /** The widget’s id of its user. */
  uuid?: string | undefined;
  clientName?: string | undefined;
}

/** One of the three. */
export interface ReplayBody {
  /** All that were given up. */
  state?: 'dead' | undefined;
  /** Their `webhook-id`, with or without `msg_`. */
  eventIds?: string[] | undefined;
  /** All of this moment and later, delivered or not. */
  since?: string | undefined;
}

export interface Supported {
  crypto: CryptoAsset[];
  fiat: FiatCurrency[];
}

export interface SupportedQuery {
  /** Transaction type. */
  type?: Side | undefined;
}

export interface Theme {
  isDark?: boolean | null;
  themeName?: string | null;
  /** A colour such as `#1a2b3c` or `rgb(26, 43, 60)`. */
  primaryColor?: string | null;
  /** A colour such as `#1a2b3c` or `rgb(26, 43, 60)`. */
  secondaryColor?: string | null;
  /** A colour such as `#1a2b3c` or `rgb(26, 43, 60)`. */
  primaryTextColor?: string | null;
  /** A colour such as `#1a2b3c` or `rgb(26, 43, 60)`. */
  secondaryTextColor?: string | null;
  /** A colour such as `#1a2b3c` or `rgb(26, 43, 60)`. */
  cardColor?: string | null;
  /** Pixels, or a length such as `8px` or `0.5rem`. */
  borderRadius?: Amount | string | null;
}

export interface ThemeInput {
  isDark?: boolean | undefined;
  themeName?: string | undefined;
  /** A colour such as `#1a2b3c` or `rgb(26, 43, 60)`. */
  primaryColor?: string | undefined;
  /** A colour such as `#1a2b3c` or `rgb(26, 43, 60)`. */
  secondaryColor?: string | undefined;
  /** A colour such as `#1a2b3c` or `rgb(26, 43, 60)`. */
  primaryTextColor?: string | undefined;
  /** A colour such as `#1a2b3c` or `rgb(26, 43, 60)`. */
  secondaryTextColor?: string | undefined;
  /** A colour such as `#1a2b3c` or `rgb(26, 43, 60)`. */
  cardColor?: string | undefined;
  /** Pixels, or a length such as `8px` or `0.5rem`. */
  borderRadius?: AmountInput | string | undefined;
}

export interface TransactionPage {
  transactions: TransactionRecord[];
  /** The limit in force. */
  limit: number;
  /** Leads to the next page; absent on the last one. */
  cursor?: string;
}

export interface TransactionRecord {
  /** Public key of the account. */
  apiKey: string;
  /** Lower-case country code. */
  country: string;
  /** What was paid; what was ordered until that is known. */
  inAmount: Amount;
  /** What was received; 0 until that is known. */
  outAmount: Amount;
  onramp: string;
  /** The provider’s own id; empty until it is known. */
  onrampTransactionId: string;
  paymentMethod: string;
  sourceCurrency: string;
  targetCurrency: string;
  status: TransactionStatus;
  statusDate: string;
  transactionId: string;
  transactionType: Side;
  /** Empty until there is one on the chain. */
  transactionHash: string;
  walletAddress: string;
  partnerContext: string;
  /** Why it is so, in words; may be empty. */
  statusReason: string;
}

export interface TransactionsQuery {
  /** ISO 8601 with time and zone; records of this moment and later. */
  startDateTime?: string | undefined;
  /** ISO 8601 with time and zone; records before this moment. */
  endDateTime?: string | undefined;
  /** At most 50; above, it is held to 50. */
  limit?: string | undefined;
  /** At most 50, separated by commas. */
  transactionIds?: string | undefined;
  /** That of the page before; all else but `limit` must be asked for as it was there. */
  cursor?: string | undefined;
}

export interface WebhookDelivery {
  /** Sent as `webhook-id`, after `msg_`. */
  eventId: string;
  transactionId: string;
  /** Which change of its transaction it tells of. */
  sequence: number;
  state: 'due' | 'delivered' | 'dead';
  attempts: number;
  /** The last answer; absent when there was none. */
  lastStatus?: number;
  /** Why the last attempt failed. */
  lastError?: string;
  /** When it happened. */
  createdAt: string;
  /** When it is due. */
  nextAttemptAt?: string;
  /** When it was delivered or given up. */
  doneAt?: string;
}

export interface WebhookEndpoint {
  id: string;
  url: string;
  /** When it was made. */
  createdAt: string;
  /** Whether events are sent there. */
  enabled: boolean;
  /** When it was disabled. */
  disabledAt?: string;
  disabledReason?: string;
  /** Whether events are signed with the previous secret as well. */
  rotating: boolean;
}

export interface WebhookEndpointWithSecret extends WebhookEndpoint {
  /** `whsec_` and 32 bytes in base64; shown this once. */
  secret: string;
}

export interface WebhookTest {
  /** Whether the endpoint answered with a 2xx. */
  accepted: boolean;
  /** Its answer; absent when there was none. */
  status?: number;
  /** Why it was not accepted. */
  error?: string;
  milliseconds: number;
}

/** Members that are whole numbers and no money. */
export const INTEGERS: ReadonlySet<string> = new Set([
  'attempts',
  'chainId',
  'decimals',
  'errorCode',
  'errorId',
  'expiringTime',
  'lastStatus',
  'limit',
  'milliseconds',
  'replayed',
  'sequence',
  'status',
]);
