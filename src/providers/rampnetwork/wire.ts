/** Ramp Network's JSON, as far as we rely on it ("REST API v3 reference", "Webhooks"). */
import { type Static, type TSchema, Type } from 'typebox';
import { Numeric, wire } from '../exchange.ts';
import { Id, Word } from '../plain.ts';

/** Numbers arrive as text. */
const Decimals = Type.String({ pattern: '^\\d{1,2}$' });

const AssetInfo = Type.Object({
  symbol: Word,
  chain: Word,
  decimals: Decimals,
  type: maybe(Type.String()),
  address: maybe(Type.String({ maxLength: 200 })),
  enabled: maybe(Type.Boolean()),
  hidden: maybe(Type.Boolean()),
  currencyCode: maybe(Type.String()),
  price: maybe(Type.Record(Type.String(), Numeric)),
  minPurchaseAmount: maybe(Numeric),
  maxPurchaseAmount: maybe(Numeric),
  minPurchaseCryptoAmount: maybe(Numeric),
  networkFee: maybe(Numeric),
});

const AssetsConfig = Type.Object({
  assets: Type.Array(Type.Unknown()),
  currencyCode: Type.String(),
  minPurchaseAmount: maybe(Numeric),
  maxPurchaseAmount: maybe(Numeric),
});

const Currency = Type.Object({
  fiatCurrency: Type.String({ minLength: 1 }),
  onrampAvailable: Type.Boolean(),
  offrampAvailable: Type.Boolean(),
});

const Method = Type.Object({
  name: Type.String({ minLength: 1 }),
  currencies: Type.Array(Type.String()),
  countries: Type.Array(Type.String()),
});

/** One price a payment method, and the asset among them under a name of its own. */
const Quotes = Type.Intersect([
  Type.Object({ asset: AssetInfo }),
  Type.Record(Type.String(), Type.Unknown()),
]);

const Quote = Type.Object({
  fiatCurrency: Type.String(),
  cryptoAmount: Numeric,
  fiatValue: Numeric,
  appliedFee: Numeric,
});

const Coin = Type.Object({ chain: maybe(Type.String()), symbol: maybe(Type.String()) });

const Purchase = Type.Object({
  id: Id,
  purchaseViewToken: maybe(Type.String()),
  status: maybe(Word),
  asset: maybe(Type.Object({ ...Coin.properties, decimals: maybe(Decimals) })),
  fiatCurrency: maybe(Type.String()),
  receiverAddress: maybe(Type.String()),
  cryptoAmount: maybe(Numeric),
  fiatValue: maybe(Numeric),
  finalTxHash: maybe(Type.String()),
  updatedAt: maybe(Type.String()),
});

const Sale = Type.Object({
  id: Id,
  saleViewToken: maybe(Type.String()),
  status: maybe(Word),
  transactionHash: maybe(Type.String()),
  updatedAt: maybe(Type.String()),
  crypto: maybe(Type.Object({ status: maybe(Type.String({ maxLength: 60 })), assetInfo: maybe(Coin) })),
  fiat: maybe(Type.Object({ amount: maybe(Numeric), currencySymbol: maybe(Type.String()) })),
});

export type AssetInfo = Static<typeof AssetInfo>;
export type AssetsConfig = Static<typeof AssetsConfig>;
export type Currency = Static<typeof Currency>;
export type Method = Static<typeof Method>;
export type Quote = Static<typeof Quote>;
export type Coin = Static<typeof Coin>;
export type Purchase = Static<typeof Purchase>;
export type Sale = Static<typeof Sale>;

export const readAssets = wire(AssetsConfig);
export const readAsset = wire(AssetInfo);
export const readCurrency = wire(Currency);
export const readMethod = wire(Method);
export const readQuotes = wire(Quotes);
export const readQuote = wire(Quote);
export const readPurchase = wire(Purchase);
export const readSale = wire(Sale);
export const readEvent = wire(
  Type.Object({
    type: Word,
    mode: maybe(Type.String()),
    purchase: Type.Optional(Type.Unknown()),
    payload: Type.Optional(Type.Unknown()),
  }),
);

/** A field they leave out or send as null. */
function maybe<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}
