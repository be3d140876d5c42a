/** BTC Direct's JSON, as far as we rely on it ("Retrieving currencies", "Requesting a quote", "Tracking orders", "Authentication"). */
import { type Static, type TSchema, Type } from 'typebox';
import { Numeric, wire } from '../exchange.ts';
import { Id } from '../plain.ts';

const Bound = Type.Object({ amount: Numeric, currencyCode: Type.String() });

const Side = Type.Object({ status: Type.String(), min: maybe(Bound), max: maybe(Bound) });

const Pair = Type.Object({
  currencyPair: Type.String(),
  baseCurrency: Type.Object({ code: Type.String(), ticker: Type.String(), caip19: maybe(Type.String()) }),
  quoteCurrency: Type.Object({ code: Type.String() }),
  buy: maybe(Side),
});

/** What stands in the list of countries was not seen: a code, or something that has one. */
const Country = Type.Union([Type.String(), Type.Object({ code: Type.String() })]);

/** Each entry is read for itself. */
const Methods = Type.Object({
  paymentMethods: Type.Array(Type.Unknown()),
  countries: Type.Array(Type.Unknown()),
});

const Quote = Type.Object({
  currencyPair: Type.String(),
  fiatAmount: maybe(Numeric),
  totalCost: maybe(Numeric),
  cryptoAmount: Numeric,
  paymentMethodCost: maybe(Numeric),
  networkFeeCost: maybe(Numeric),
  btcdirectFee: maybe(Numeric),
  partnerFee: maybe(Numeric),
  singleCoinEstimate: maybe(Numeric),
  expiryDate: maybe(Type.String()),
});

/** Their names for amounts and for the transfer could not be read, so that neither is. */
const Order = Type.Object({
  id: Id,
  status: Type.String({ pattern: '^[A-Za-z_ ]{1,60}$' }),
  partnerOrderIdentifier: maybe(Type.String()),
});

const Failure = Type.Object({
  code: maybe(Type.String()),
  message: maybe(Type.String()),
});

/** It goes into a header as it is. */
const Bearer = Type.String({ pattern: '^[!-~]{1,4096}$' });

export type Quote = Static<typeof Quote>;
export type Order = Static<typeof Order>;

export const readPair = wire(Pair);
export const readMethods = wire(Methods);
export const readMethod = wire(Type.Object({ code: Type.String() }));
export const readCountry = wire(Country);
export const readReasons = wire(Type.Object({ quoteUnconfirmableReasons: maybe(Type.Array(Type.String())) }));
export const readQuote = wire(Quote);
export const readOrder = wire(Order);
export const readToken = wire(Type.Object({ token: Bearer }));
export const readFailures = wire(Type.Object({ errors: Type.Record(Type.String(), Failure) }));

/** A field they leave out or send as null. */
function maybe<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}
