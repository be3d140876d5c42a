/** Guardarian's JSON, as far as we rely on it: its currencies, countries, estimates, transactions and errors. */
import { type Static, type TSchema, Type } from 'typebox';
import { BadAnswer, Numeric, readable, wire } from '../exchange.ts';
import { Word } from '../plain.ts';

const Text = Type.String({ minLength: 1, maxLength: 200 });
const Flag = maybe(Type.Boolean());

/** Deposits and withdrawals are seen from their side: coins they can withdraw are coins a person can buy. */
const Method = Type.Object({
  payment_category: maybe(Type.String()),
  deposit_enabled: Flag,
  withdrawal_enabled: Flag,
});

const Methods = maybe(Type.Array(Method));

const Fiat = Type.Object({ ticker: Text, enabled: Flag, is_available: Flag, payment_methods: Methods });

const Coin = Type.Object({
  ticker: Text,
  enabled: Flag,
  is_available: Flag,
  networks: Type.Array(
    Type.Object({
      network: maybe(Type.String()),
      token_contract: maybe(Type.String({ maxLength: 200 })),
      payment_methods: Methods,
    }),
  ),
});

const Country = Type.Object({
  code_iso_alpha_2: Type.String({ pattern: '^[A-Z]{2}$' }),
  supported: Type.Boolean(),
});

const Money = Type.Object({ amount: Numeric, currency: Text });

const Estimate = Type.Object({
  from_currency: Text,
  to_currency: Text,
  from_network: maybe(Type.String()),
  to_network: maybe(Type.String()),
  value: Numeric,
  service_fees: Type.Array(Money),
  converted_amount: Money,
  network_fee: maybe(Money),
});

/** A number or a text; it may stand in a path. */
const TransactionId = Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$' });

const Made = Type.Object({ id: TransactionId, redirect_url: maybe(Type.String({ maxLength: 8192 })) });

/** Addresses and what else is about the person stand beside it and are not read. */
const Transaction = Type.Object({
  id: TransactionId,
  status: Word,
  external_partner_link_id: maybe(Type.Unknown()),
  from_amount: maybe(Numeric),
  to_amount: maybe(Numeric),
  output_hash: maybe(Type.Unknown()),
  updated_at: maybe(Type.String()),
  errors: maybe(Type.Array(Type.Unknown())),
});

export type Method = Static<typeof Method>;
export type Fiat = Static<typeof Fiat>;
export type Coin = Static<typeof Coin>;
export type Money = Static<typeof Money>;
export type Estimate = Static<typeof Estimate>;
export type Transaction = Static<typeof Transaction>;

export const read = {
  currencies: wire(
    Type.Object({
      fiat_currencies: Type.Array(Type.Unknown()),
      crypto_currencies: Type.Array(Type.Unknown()),
    }),
  ),
  fiat: wire(Fiat),
  coin: wire(Coin),
  countries: wire(Type.Array(Type.Unknown())),
  country: wire(Country),
  estimate: wire(Estimate),
  made: wire(Made),
  transaction: wire(Transaction),
};

/** A list of which nothing can be read is no list. */
export function listOf<T>(entries: readonly unknown[], readEntry: (entry: unknown) => T): T[] {
  const read = readable(entries, readEntry);
  if (!read.length) throw new BadAnswer('no entry is as documented');
  return read;
}

/** What an error body says. */
export function errorText(body: unknown): string | undefined {
  const text = memberOf(body, 'message');
  return typeof text === 'string' && text.trim() ? text : undefined;
}

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** A field they leave out or send as null. */
function maybe<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}
