/** Alchemy Pay's JSON, as far as we rely on it ("Crypto Query", "Fiat Query", "Price Query", "Query Order", "Webhook"). */
import { type Static, type TSchema, Type } from 'typebox';
import { Numeric, wire } from '../exchange.ts';
import { Word } from '../plain.ts';

const Envelope = Type.Object({
  returnCode: Type.String({ maxLength: 20 }),
  returnMsg: maybe(Type.String()),
  data: Type.Optional(Type.Unknown()),
});

const Coin = Type.Object({
  crypto: Type.String({ minLength: 1 }),
  network: Type.String({ minLength: 1 }),
  buyEnable: maybe(Type.String()),
  sellEnable: maybe(Type.String()),
  minSellAmount: maybe(Numeric),
  maxSellAmount: maybe(Numeric),
  address: maybe(Type.String()),
});

const Way = Type.Object({
  currency: Type.String({ minLength: 1 }),
  country: Type.String({ pattern: '^[A-Z]{2}$' }),
  payWayCode: Type.String({ minLength: 1 }),
  payWayName: maybe(Type.String()),
  payMin: maybe(Numeric),
  payMax: maybe(Numeric),
});

const Quote = Type.Object({ network: maybe(Type.String()), cryptoPrice: Numeric, rampFee: Numeric });

/** What is priced is documented as a part of the answer for buys only. */
const Bought = Type.Intersect([
  Quote,
  Type.Object({ crypto: Type.String(), fiat: Type.String(), cryptoQuantity: Numeric, networkFee: Numeric }),
]);
const Sold = Type.Intersect([
  Quote,
  Type.Object({ crypto: maybe(Type.String()), fiat: maybe(Type.String()), fiatQuantity: Numeric }),
]);
const Exact = Type.Intersect([Bought, Type.Object({ fiatAmount: Numeric })]);

/** Two names are spelled in two ways. More is about the person and their account, and is not read. */
const Order = Type.Object({
  orderNo: maybe(Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$' })),
  merchantOrderNo: maybe(Type.String()),
  status: Word,
  network: maybe(Type.String()),
  address: maybe(Type.String()),
  amount: maybe(Numeric),
  cryptoQuantity: maybe(Numeric),
  cryptoAmount: maybe(Numeric),
  cryptoActualAmount: maybe(Numeric),
  cryptoacturalAmount: maybe(Numeric),
  fiatAmount: maybe(Numeric),
  rampFee: maybe(Numeric),
  rampfee: maybe(Numeric),
  txHash: maybe(Type.String()),
  message: maybe(Type.String()),
  returnMsg: maybe(Type.String()),
});

export type Envelope = Static<typeof Envelope>;
export type Coin = Static<typeof Coin>;
export type Way = Static<typeof Way>;
export type Order = Static<typeof Order>;

export const readEnvelope = wire(Envelope);
export const readCoin = wire(Coin);
export const readWay = wire(Way);
export const readBought = wire(Bought);
export const readSold = wire(Sold);
export const readExact = wire(Exact);
export const readOrder = wire(Order);

/** A field they leave out or send as null. */
function maybe<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}
