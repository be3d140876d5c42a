/** Topper's JSON, as far as we rely on it ("REST API", "Webhooks", "Events"). */
import { type Static, type TSchema, Type } from 'typebox';
import { Numeric, wire } from '../exchange.ts';
import { Id } from '../plain.ts';

const Code = Type.String({ minLength: 1, maxLength: 60 });
/** Read entry by entry. */
const List = Type.Array(Type.Unknown());

/** What goes in and what comes out: money and coins on a buy, the other way round on a sell. */
const Assets = Type.Object({ source: List, target: List });
const Named = Type.Object({ code: Code });
const Coin = Type.Object({ code: Code, networks: List });

const Limit = Type.Object({ asset: Code, minimum: maybe(Numeric), maximum: maybe(Numeric) });

/** One a type and currency of billing, with its limits in every fiat. */
const Method = Type.Object({
  type: Code,
  network: maybe(Code),
  countries: Type.Array(Type.String()),
  limits: List,
});

const Side = Type.Object({ amount: Numeric, asset: Code, rate: maybe(Numeric) });
const Fee = Type.Object({ type: Code, amount: Numeric, asset: Code });

const Simulation = Type.Object({
  simulation: Type.Object({ origin: Side, destination: Side, fees: Type.Array(Fee) }),
});

const Text = maybe(Type.String());
const Any = Type.Optional(Type.Unknown());

/** A buy or a sell; each has fields of its own, and the person is not read. */
const Order = Type.Object({
  id: Id,
  updatedAt: Text,
  origin: maybe(
    Type.Object({
      amount: maybe(Numeric),
      depositAddress: maybe(Type.Object({ value: Text, expiresAt: Text, expiredAt: Text, tag: Any })),
    }),
  ),
  destination: maybe(Type.Object({ amount: maybe(Numeric), ledger: maybe(Type.Object({ txid: Text })) })),
  error: maybe(Type.Object({ reason: Text })),
});

export type Method = Static<typeof Method>;
export type Simulation = Static<typeof Simulation>['simulation'];
export type Order = Static<typeof Order>;

export const readAssets = wire(Type.Object({ assets: Assets }));
export const readMethods = wire(Type.Object({ paymentMethods: List }));
/** A fiat, or a network of a coin. */
export const readNamed = wire(Named);
export const readCoin = wire(Coin);
export const readMethod = wire(Method);
export const readLimit = wire(Limit);
export const readSimulation = wire(Simulation);
export const readEvent = wire(
  Type.Object({
    name: Type.String({ maxLength: 100 }),
    bootstrapTokenId: Text,
    data: Any,
  }),
);
export const readOrder = wire(Order);

/** A field they leave out or send as null. */
function maybe<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}
