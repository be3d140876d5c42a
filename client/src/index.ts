/** The package's one entry: what a page or a server imports. */

export type {
  CheckoutIntent,
  DeliveryFilter,
  EarlyOutcome,
  EarlyQuote,
  PaymentTypesAsk,
  QuoteAsk,
  QuoteEvent,
  QuoteOutcome,
  ReplayWish,
  TransactionFilter,
} from './asks.ts';
export { isQuote } from './asks.ts';
export type { CallOptions } from './call.ts';
export type { CheckoutOptions, Client, ClientOptions, TransactionList } from './client.ts';
export { createClient } from './client.ts';
export type { Webhooks } from './endpoints.ts';
export type { ErrorDetails, ErrorKind } from './error.ts';
export { CloverleafError } from './error.ts';
export type { Signing } from './sign.ts';
export { signCheckout } from './sign.ts';
export type {
  Amount,
  AmountInput,
  AssetAvailability,
  Assets,
  AssetsQuery,
  Checkout,
  Country,
  CryptoAsset,
  DeclineType,
  Defaults,
  DefaultsEntry,
  DefaultsQuery,
  FiatCurrency,
  OnrampsQuery,
  PaymentType,
  PaymentTypeWithLimits,
  Provider,
  ProviderAvailability,
  Quote,
  QuoteError,
  Recommendation,
  Side,
  Supported,
  SupportedQuery,
  Theme,
  ThemeInput,
  TransactionPage,
  TransactionRecord,
  TransactionStatus,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookTest,
} from './types.ts';
export type { CompletedPurchase, WebhookDelivered, WebhookEvent, WebhookHeaders } from './webhook.ts';
export { verifyWebhook } from './webhook.ts';
