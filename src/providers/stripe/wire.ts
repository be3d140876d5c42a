/** Stripe's JSON, as far as we rely on it ("Crypto onramp quotes", "The OnrampSession object", "Events"). */
import { type Static, type TSchema, Type } from 'typebox';
import { Numeric, wire } from '../exchange.ts';
import { Id, Word } from '../plain.ts';

const Code = Type.String({ pattern: '^[a-z0-9_]{1,40}$' });

const Line = Type.Object({
  destination_currency: Code,
  destination_network: Code,
  destination_amount: Numeric,
  fees: Type.Object({ network_fee_monetary: Numeric, transaction_fee_monetary: Numeric }),
  source_total_amount: Numeric,
});

const Quotes = Type.Object({
  source_currency: Code,
  destination_network_quotes: Type.Record(Type.String(), Type.Unknown()),
});

/** More is about the person's wallets, and its `client_secret` opens them: neither is read. */
const Session = Type.Object({
  id: Id,
  status: Word,
  created: maybe(Numeric),
  redirect_url: maybe(Type.String({ maxLength: 8192 })),
  metadata: maybe(Type.Record(Type.String(), Type.Unknown())),
  transaction_details: maybe(
    Type.Object({
      source_currency: maybe(Type.String()),
      source_amount: maybe(Numeric),
      destination_amount: maybe(Numeric),
      transaction_id: maybe(Type.String()),
      fees: maybe(
        Type.Object({ network_fee_amount: maybe(Numeric), transaction_fee_amount: maybe(Numeric) }),
      ),
    }),
  ),
});

const Sessions = Type.Object({ data: Type.Array(Session), has_more: Type.Boolean() });

const Failure = Type.Object({
  error: Type.Object({ code: maybe(Type.String()), message: maybe(Type.String()) }),
});

export type Line = Static<typeof Line>;
export type Session = Static<typeof Session>;

const readNetworks = wire(Quotes);

/** The lines of all networks, each to be read for itself; a network without a match has an empty list, or none. */
export function readQuotes(body: unknown): { source_currency: string; lines: unknown[] } {
  const { source_currency, destination_network_quotes } = readNetworks(body);
  return { source_currency, lines: Object.values(destination_network_quotes).flatMap(lines => lines ?? []) };
}

export const readLine = wire(Line);
export const readSession = wire(Session);
export const readSessions = wire(Sessions);
export const readFailure = wire(Failure);
export const readEvent = wire(Type.Object({ type: Type.String(), created: maybe(Numeric) }));
export const readDelivered = wire(Type.Object({ data: Type.Object({ object: Session }) }));

/** A field they leave out or send as null. */
function maybe<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}
