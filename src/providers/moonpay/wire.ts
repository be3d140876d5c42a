/** MoonPay's JSON, as far as we rely on it ("Get currencies", "Get buy quote", "Get sell quote", "Buy webhooks"). */
import { type Static, type TSchema, Type } from 'typebox';
import { Numeric, wire } from '../exchange.ts';
import { Id, Word } from '../plain.ts';

/** A list of the catalog; each entry is read for itself. */
const Entries = Type.Array(Type.Unknown());

const Currency = Type.Object({
  type: Type.String(),
  code: Type.String({ minLength: 1 }),
  precision: maybe(Type.String({ pattern: '^\\d{1,3}$' })),
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
  notAllowedUSStates: maybe(Type.Array(Type.String())),
  metadata: maybe(Type.Object({ networkCode: maybe(Type.String()), contractAddress: maybe(Type.String()) })),
});

const Region = Type.Object({
  isAllowed: Type.Boolean(),
  isBuyAllowed: Type.Boolean(),
  isSellAllowed: Type.Boolean(),
});

const Country = Type.Intersect([
  Region,
  Type.Object({ alpha2: Type.String({ minLength: 2, maxLength: 2 }), states: maybe(Entries) }),
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
  Type.Object({
    totalAmount: Numeric,
    baseCurrencyAmount: maybe(Numeric),
    networkFeeAmount: Numeric,
    quoteCurrencyPrice: maybe(Numeric),
  }),
]);

const SellQuote = Type.Intersect([
  Quote,
  Type.Object({ baseCurrencyAmount: Numeric, baseCurrencyPrice: maybe(Numeric) }),
]);

/** Their account for bank transfers; one in pounds has a number and a sort code instead of an IBAN. */
const BankAccount = Type.Object({
  iban: maybe(Type.String()),
  bic: maybe(Type.String()),
  accountNumber: maybe(Type.String()),
  sortCode: maybe(Type.String()),
  bankName: maybe(Type.String()),
  bankAddress: maybe(Type.String()),
  accountName: maybe(Type.String()),
  accountAddress: maybe(Type.String()),
});

const Named = Type.Object({ code: maybe(Type.String()) });

/** A buy or a sell; each has fields of its own, and both have more about the person, which we do not read. */
const Transaction = Type.Object({
  id: Id,
  status: Word,
  externalTransactionId: maybe(Type.String()),
  createdAt: maybe(Type.Unknown()),
  updatedAt: maybe(Type.String()),
  failureReason: maybe(Type.String()),
  baseCurrencyAmount: maybe(Numeric),
  quoteCurrencyAmount: maybe(Numeric),
  feeAmount: maybe(Numeric),
  extraFeeAmount: maybe(Numeric),
  networkFeeAmount: maybe(Numeric),
  walletAddress: maybe(Type.String()),
  currency: maybe(Named),
  baseCurrency: maybe(Named),
  quoteCurrency: maybe(Named),
  cryptoTransactionId: maybe(Type.String()),
  depositHash: maybe(Type.String()),
  refundHash: maybe(Type.String()),
  depositWallet: maybe(
    Type.Object({ walletAddress: maybe(Type.String()), walletAddressTag: maybe(Type.String()) }),
  ),
  bankDepositInformation: maybe(BankAccount),
  bankTransferReference: maybe(Type.String()),
});

export type Currency = Static<typeof Currency>;
export type Region = Static<typeof Region>;
export type Country = Static<typeof Country>;
export type Quote = Static<typeof Quote>;
export type Transaction = Static<typeof Transaction>;

export const readCurrency = wire(Currency);
export const readCountry = wire(Country);
export const readRegion = wire(Region);
export const readState = wire(Type.Object({ code: Type.String({ minLength: 1 }) }));
export const readBuyQuote = wire(BuyQuote);
export const readSellQuote = wire(SellQuote);
export const readTransactions = wire(Type.Array(Transaction));
export const readEvent = wire(Type.Object({ type: Type.String() }));
export const readDelivered = wire(Type.Object({ data: Transaction }));

/** A field they leave out or send as null. */
function maybe<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}
