/** MoonPay's words and its JSON as far as the adapter relies on it ("Get currencies", "Get buy quote", "Get sell quote"). */
import { type Static, type TSchema, Type } from 'typebox';
import type { MethodId, NetworkId } from '../../domain/words.ts';
import { Numeric, wire } from '../contract.ts';

/** Their word for a payment or payout method, and ours. */
export const METHODS = {
  credit_debit_card: ['creditcard', 'debitcard'],
  apple_pay: ['applepay'],
  google_pay: ['googlepay'],
  mobile_wallet: ['applepay', 'googlepay'],
  ach_bank_transfer: ['ach'],
  sepa_bank_transfer: ['sepabanktransfer'],
  gbp_bank_transfer: ['fasterpaybank', 'banktransfer'],
  gbp_open_banking_payment: ['openbanking', 'fasterpayopen'],
  pix_instant_payment: ['pix'],
  paypal: ['paypal'],
  venmo: ['venmo'],
  revolut_pay: ['revolutpay'],
  interac: ['interacetransfer'],
  moonpay_balance: ['moonpaybalance'],
  yellow_card_bank_transfer: ['banktransfer'],
} as Record<string, string[]> as Record<string, MethodId[]>;

/** Their word for a network (`metadata.networkCode`), and ours. Where they have two, the usual one stands first. */
export const NETWORKS: Readonly<Record<string, NetworkId>> = {
  ...sameInBoth(
    'ethereum solana arbitrum base optimism polygon tron aptos bitcoin dogecoin litecoin ripple sui ton cosmos osmosis near',
  ),
  ...sameInBoth(
    'linea zksync celo stellar algorand polkadot berachain sonic celestia noble worldchain injective cardano monad hedera tezos',
  ),
  binance_smart_chain: 'bsc' as NetworkId,
  bnb_chain: 'bsc' as NetworkId,
  avalanche_c_chain: 'avaxc' as NetworkId,
  bitcoin_cash: 'bitcoincash' as NetworkId,
  s_sonic: 'sonic' as NetworkId,
};

const EU = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');
const EEA = [...EU, 'IS', 'LI', 'NO'];
const PAYPAL_EUROPE = EEA.filter(country => !['HR', 'HU', 'IS'].includes(country));

interface Reach {
  method: string;
  /** The one fiat it goes with; absent when it goes with all. */
  fiat?: string;
  onlyIn?: readonly string[];
  paysOut?: true;
}

/**
 * Which method goes with which fiat, where, and whether it pays out too. No public list says so (the endpoint's path
 * was not found): this is "MoonPay's supported payment methods" and "PayPal FAQs" of their help centre, each method in
 * its region's own currency. `yellow_card_bank_transfer` has no place there and is not listed.
 */
export const REACH: readonly Reach[] = [
  { method: 'credit_debit_card', paysOut: true },
  { method: 'apple_pay' },
  { method: 'google_pay' },
  { method: 'ach_bank_transfer', fiat: 'usd', onlyIn: ['US'], paysOut: true },
  { method: 'sepa_bank_transfer', fiat: 'eur', onlyIn: EEA, paysOut: true },
  { method: 'gbp_bank_transfer', fiat: 'gbp', onlyIn: ['GB'], paysOut: true },
  { method: 'gbp_open_banking_payment', fiat: 'gbp', onlyIn: ['GB'] },
  { method: 'pix_instant_payment', fiat: 'brl', onlyIn: ['BR'] },
  { method: 'interac', fiat: 'cad', onlyIn: ['CA'] },
  { method: 'venmo', fiat: 'usd', onlyIn: ['US'], paysOut: true },
  { method: 'paypal', fiat: 'usd', onlyIn: ['US'], paysOut: true },
  { method: 'paypal', fiat: 'gbp', onlyIn: ['GB'], paysOut: true },
  { method: 'paypal', fiat: 'eur', onlyIn: PAYPAL_EUROPE, paysOut: true },
  { method: 'revolut_pay', fiat: 'usd', onlyIn: ['US'] },
  { method: 'revolut_pay', fiat: 'gbp', onlyIn: ['GB'] },
  { method: 'revolut_pay', fiat: 'eur', onlyIn: EEA },
  { method: 'moonpay_balance', fiat: 'usd', onlyIn: ['US'] },
  { method: 'moonpay_balance', fiat: 'gbp', onlyIn: ['GB'] },
  { method: 'moonpay_balance', fiat: 'eur', onlyIn: EEA },
];

const Currency = Type.Object({
  type: Type.String(),
  code: Type.String({ minLength: 1 }),
  minBuyAmount: maybe(Numeric),
  maxBuyAmount: maybe(Numeric),
  minSellAmount: maybe(Numeric),
  maxSellAmount: maybe(Numeric),
  isSellSupported: maybe(Type.Boolean()),
  isSuspended: maybe(Type.Boolean()),
  isBaseAsset: maybe(Type.Boolean()),
  isSupportedInUS: maybe(Type.Boolean()),
  supportsTestMode: maybe(Type.Boolean()),
  supportsLiveMode: maybe(Type.Boolean()),
  notAllowedCountries: maybe(Type.Array(Type.String())),
  metadata: maybe(Type.Object({ networkCode: maybe(Type.String()), contractAddress: maybe(Type.String()) })),
});

const Region = Type.Object({
  isAllowed: Type.Boolean(),
  isBuyAllowed: Type.Boolean(),
  isSellAllowed: Type.Boolean(),
});

const Country = Type.Intersect([
  Region,
  Type.Object({ alpha2: Type.String({ minLength: 2, maxLength: 2 }), states: maybe(Type.Array(Region)) }),
]);

/** A moment with its zone, so that reading it does not depend on ours. */
const Moment = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z$' });

const Quote = Type.Object({
  baseCurrencyCode: Type.String(),
  quoteCurrencyCode: Type.String(),
  quoteCurrencyAmount: Numeric,
  feeAmount: Numeric,
  extraFeeAmount: maybe(Numeric),
  expiresAt: maybe(Moment),
});

const BuyQuote = Type.Intersect([
  Quote,
  Type.Object({ totalAmount: Numeric, networkFeeAmount: Numeric, quoteCurrencyPrice: maybe(Numeric) }),
]);

const SellQuote = Type.Intersect([
  Quote,
  Type.Object({ baseCurrencyAmount: Numeric, baseCurrencyPrice: maybe(Numeric) }),
]);

export type Currency = Static<typeof Currency>;
export type Region = Static<typeof Region>;
export type Country = Static<typeof Country>;
export type Quote = Static<typeof Quote>;

export const readCurrencies = wire(Type.Array(Currency));
export const readCountries = wire(Type.Array(Country));
export const readBuyQuote = wire(BuyQuote);
export const readSellQuote = wire(SellQuote);

/** A field they leave out or send as null. */
function maybe<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}

function sameInBoth(words: string): Record<string, NetworkId> {
  return Object.fromEntries(words.split(' ').map(word => [word, word as NetworkId]));
}
