/** Banxa's JSON, as far as we rely on it: the lists, quotes, orders, webhooks and errors of version 2. */
import { type Static, type TSchema, Type } from 'typebox';
import { Numeric, wire } from '../exchange.ts';
import { Id, Word } from '../plain.ts';

const Text = Type.String({ minLength: 1, maxLength: 200 });

/** `unsupportedCountries` is a map of countries to states, and an empty list when there are none. */
const Blockchain = Type.Object({
  id: Text,
  address: maybe(Type.String({ maxLength: 200 })),
  unsupportedCountries: maybe(
    Type.Union([Type.Array(Type.Unknown()), Type.Record(Type.String(), maybe(Type.Array(Type.String())))]),
  ),
});

const Coin = Type.Object({ id: Text, blockchains: Type.Array(Type.Unknown()) });

const Method = Type.Object({ id: Text, minimum: maybe(Numeric), maximum: maybe(Numeric) });

const Fiat = Type.Object({ id: Text, supportedPaymentMethods: Type.Array(Type.Unknown()) });

/** One of their pages has `id`, their SDK has `code`. */
const Country = Type.Object({ id: maybe(Type.String()), code: maybe(Type.String()) });

const Quote = Type.Object({
  paymentMethodId: Type.String(),
  fiatAmount: Numeric,
  cryptoAmount: Numeric,
  processingFee: Numeric,
  networkFee: Numeric,
});

const Made = Type.Object({ id: Id, checkoutUrl: Type.String({ maxLength: 8192 }) });

/** "Get order". Addresses and what else is about the person stand beside it and are not read. */
const Order = Type.Object({
  id: Id,
  status: Word,
  externalOrderId: maybe(Type.Unknown()),
  externalId: maybe(Type.Unknown()),
  orderType: maybe(Type.Unknown()),
  fiatAmount: maybe(Numeric),
  cryptoAmount: maybe(Numeric),
  transactionHash: maybe(Type.Unknown()),
  txHash: maybe(Type.Unknown()),
  updatedAt: maybe(Type.Unknown()),
});

/** "Webhooks": an order, told in other letters than when it is asked for. */
const Told = Type.Object({
  order_id: Id,
  status: Word,
  external_id: maybe(Type.Unknown()),
  order_type: maybe(Type.Unknown()),
  fiat_amount: maybe(Numeric),
  crypto_amount: maybe(Numeric),
  transaction_hash: maybe(Type.Unknown()),
  status_date: maybe(Type.Unknown()),
});

export type Blockchain = Static<typeof Blockchain>;
export type Coin = Static<typeof Coin>;
export type Method = Static<typeof Method>;
export type Fiat = Static<typeof Fiat>;
export type Quote = Static<typeof Quote>;
export type Order = Static<typeof Order>;
export type Told = Static<typeof Told>;

export const read = {
  blockchain: wire(Blockchain),
  coin: wire(Coin),
  method: wire(Method),
  fiat: wire(Fiat),
  country: wire(Country),
  quote: wire(Quote),
  made: wire(Made),
  order: wire(Order),
  told: wire(Told),
  /** Whether a webhook is about an order, and says how it stands. */
  event: wire(Type.Object({ order_id: maybe(Type.Unknown()), status: maybe(Type.Unknown()) })),
};

/** What an answer holds, which may be wrapped. */
export function inside(body: unknown): unknown {
  return memberOf(body, 'data') ?? body;
}

/** What an error body says: a list of errors in version 2, one in version 1; undefined for an answer without any. */
export function errorText(body: unknown): string | undefined {
  const errors = memberOf(body, 'errors');
  const first = Array.isArray(errors) ? errors[0] : errors;
  const text = memberOf(first, 'message') ?? memberOf(first, 'title');
  return typeof text === 'string' && text.trim() ? text : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** A field they leave out or send as null. */
function maybe<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}
