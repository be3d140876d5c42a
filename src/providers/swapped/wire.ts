/** Swapped's JSON, as far as we rely on it ("Get payment methods", "Get current price", "Order notifications"). */
import { type Static, type TSchema, Type } from 'typebox';
import { Numeric, wire } from '../exchange.ts';
import { Id, Word } from '../plain.ts';

const Method = Type.Object({
  slug: maybe(Type.String()),
  payment_group: maybe(Type.String()),
  currency: Type.Array(Type.String()),
  disabled: maybe(Type.Boolean()),
  min_amount: maybe(Numeric),
  max_amount: maybe(Numeric),
});

/** Read entry by entry. */
const List = Type.Array(Type.Unknown());

/** By country, as it is answered, or one list for all, as it is documented. */
const Methods = Type.Union([Type.Record(Type.String(), Type.Unknown()), List]);
const Place = Type.Tuple([Type.String(), List]);

/** Figures without `_local` are in euros, and those that have no such twin are not read. */
const Pricing = Type.Object({
  crypto_currency: Type.String(),
  crypto_amount: Numeric,
  fiat_currency: Type.String(),
  fiat_amount_incl_fees_local: Numeric,
  fiat_amount_excl_fees_local: Numeric,
  network_fee_local: maybe(Numeric),
});

const Failure = Type.Object({ success: Type.Literal(false), message: maybe(Type.String()) });

/** Amounts of money are in dollars and euros, whatever was paid in. */
const Order = Type.Object({
  order_id: Id,
  order_status: Word,
  order_type: maybe(Type.String()),
  order_crypto: maybe(Type.String()),
  order_crypto_amount: maybe(Numeric),
  order_crypto_address: maybe(Type.String()),
  order_crypto_tag: Type.Optional(Type.Unknown()),
  order_amount_usd_plus_fees: maybe(Numeric),
  order_amount_eur_plus_fees: maybe(Numeric),
  transaction_id: maybe(Type.String()),
  external_customer_id: maybe(Type.String()),
});

export type Pricing = Static<typeof Pricing>;
export type Order = Static<typeof Order>;

export const readMethods = wire(Type.Object({ data: Methods }));
export const readPlace = wire(Place);
export const readMethod = wire(Method);
export const readPricing = wire(Type.Object({ data: Pricing }));
export const readOrder = wire(Order);
export const readOrders = wire(Type.Object({ data: Type.Object({ orders: Type.Array(Order) }) }));

/** Webhooks about other things have no status of an order. */
export const readSaid = wire(Type.Object({ order_status: Type.Optional(Type.Unknown()) }));

const readFailed = wire(Failure);

/** What they say when they fail, with whatever status; undefined when they do not. */
export function failureIn(body: unknown): string | undefined {
  const { success } = (body ?? {}) as { success?: unknown };
  return success === false ? (readFailed(body).message ?? 'Refused') : undefined;
}

/** A field they leave out or send as null. */
function maybe<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}
