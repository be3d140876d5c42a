/** Stripe's words: for coins, networks and statuses, where each coin is not offered, and how it says no. */
import type { DeclineReason } from '../../domain/offer.ts';
import type { Status } from '../../domain/transaction.ts';
import type { MethodId, NetworkId } from '../../domain/words.ts';

/** Their page chooses the method and none is ever sent, so that these words are ours; they are what their pages name. */
export const METHODS = {
  card: ['creditcard', 'debitcard'],
  apple_pay: ['applepay'],
  google_pay: ['googlepay'],
  us_bank_account: ['ach'],
} as Record<string, string[]> as Record<string, MethodId[]>;

/** Their word for a network as `destination_network` has it, and ours. */
export const NETWORKS = {
  bitcoin: 'bitcoin',
  ethereum: 'ethereum',
  base: 'base',
  solana: 'solana',
  polygon: 'polygon',
  avalanche: 'avaxc',
  stellar: 'stellar',
  // Seen as keys of wallet addresses only.
  optimism: 'optimism',
  worldchain: 'worldchain',
} as Record<string, string> as Record<string, NetworkId>;

/** Where networks are keys (of quotes, of wallet addresses) Base is spelled otherwise. */
export function keyOf(network: string): string {
  return network === 'base' ? 'base_network' : network;
}

/** Their old word for Polygon's coin is still theirs. */
export const SYMBOLS: Readonly<Record<string, string>> = { matic: 'POL' };

/** They name no contracts. These are Circle's own for its USDC; on any other network we could not be certain. */
export const USDC: Readonly<Record<string, string>> = {
  ethereum: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  base: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  polygon: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  solana: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  avalanche: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E',
  stellar: 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
};

const EU = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');

/** "The United States, excluding Hawaii, and the European Union". */
export const COUNTRIES: readonly string[] = ['US', ...EU];
const NOT_IN_HAWAII = 'US-HI';

/** "Standalone onramp guide", by coin and network; what it does not name is not offered in the Union. */
const IN_THE_UNION = new Set([
  'btc bitcoin',
  'eth ethereum',
  'sol solana',
  'xlm stellar',
  'usdc ethereum',
  'usdc stellar',
]);
const NOT_IN_NEW_YORK = new Set(['xlm stellar', 'usdc polygon', 'usdc avalanche', 'usdc stellar']);

/** Where a coin is not offered, although others are. */
export function notOffered(currency: string, network: string): string[] {
  const pair = `${currency} ${network}`;
  return [
    NOT_IN_HAWAII,
    ...(NOT_IN_NEW_YORK.has(pair) ? ['US-NY'] : []),
    ...(IN_THE_UNION.has(pair) ? [] : EU),
  ];
}

/** "The OnrampSession object". No word for an order that was left, expired or refunded exists. */
export const STATUSES: Readonly<Record<string, Status>> = {
  initialized: 'new',
  // A payment that failed stays here, and may be tried again.
  requires_payment: 'pending',
  fulfillment_processing: 'paid',
  fulfillment_complete: 'completed',
  rejected: 'failed',
};

/** What the codes of errors mean; `ours` is a mistake in the request or the account, of which no client can be told. */
export const REASONS: Readonly<Record<string, DeclineReason | 'ours'>> = {
  crypto_onramp_amount_below_minimum: 'limit',
  crypto_onramp_amount_above_maximum: 'limit',
  crypto_onramp_limit_exceeded: 'limit',
  crypto_onramp_unsupported_country: 'country',
  crypto_onramp_unsupportable_customer: 'country',
  crypto_onramp_unsupported_region: 'country',
  crypto_onramp_currency_not_available_in_region: 'country',
  crypto_onramp_invalid_destination_currency_and_network_pair: 'pair',
  crypto_onramp_invalid_destination_currencies_and_networks: 'pair',
  crypto_onramp_wallet_addresses_not_all_networks_supported: 'pair',
  crypto_onramp_wallet_address_invalid: 'refused',
  crypto_onramp_transaction_blocked: 'refused',
  crypto_onramp_quote_expired: 'refused',
  crypto_onramp_invalid_source_amount: 'refused',
  crypto_onramp_invalid_destination_amount: 'refused',
  crypto_onramp_disabled: 'unavailable',
  crypto_onramp_service_error: 'unavailable',
  crypto_onramp_merchant_not_properly_setup: 'ours',
  crypto_onramp_invalid_source_destination_pair: 'ours',
  crypto_onramp_incomplete_destination_currency_and_network_pair: 'ours',
  crypto_onramp_missing_source_currency: 'ours',
  crypto_onramp_missing_destination_currency: 'ours',
  crypto_onramp_conflicting_destination_currency: 'ours',
  crypto_onramp_conflicting_destination_network: 'ours',
  crypto_onramp_no_wallet_address_to_lock: 'ours',
};
