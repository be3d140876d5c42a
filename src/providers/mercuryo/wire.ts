/** Mercuryo's JSON, as far as we rely on it: its lists, rates, operations and failures. */
import { Type } from 'typebox';
import { type HttpAnswer, Numeric, wire } from '../exchange.ts';
import { Id, Word } from '../plain.ts';

const Text = Type.String({ maxLength: 200 });
const TextIfAny = Type.Optional(Type.Union([Text, Type.Null()]));
const NumericIfAny = Type.Optional(Type.Union([Numeric, Type.Null()]));

const Filled = Type.String({ minLength: 1, maxLength: 200 });
/** A list; each entry is read for itself. */
const Entries = Type.Array(Type.Unknown());

/** `GET /lib/currencies`. */
export const readCurrencies = wire(
  Type.Object({
    data: Type.Object({
      fiat: Entries,
      crypto: Entries,
      config: Type.Object({ crypto_currencies: Entries }),
      fiat_payment_methods: Type.Record(Type.String(), Type.Unknown()),
    }),
  }),
);

export const readCoin = wire(Type.Object({ currency: Filled, network: Filled, contract: TextIfAny }));
export const readFiat = wire(
  Type.Object({
    payment_methods: Type.Optional(Entries),
    limits: Type.Optional(Type.Union([Type.Object({ min: NumericIfAny, max: NumericIfAny }), Type.Null()])),
  }),
);
export const readMethod = wire(Type.Object({ code: Filled }));

/** `GET /public/currencies-buy`, `/public/currencies-sell` and `/public/card-countries`: a flat list of words. */
export const readWords = wire(Type.Object({ data: Entries }));
export const readWord = wire(Filled);

/** Only the figure in the fiat is read, so the others may be as they like. */
const ByCurrency = Type.Unsafe<Readonly<Record<string, unknown>>>(Type.Object({}));

/** `GET /widget/buy/rate` and `/widget/sell/rate`; every figure is a string, the last three by currency. */
export const readRate = wire(
  Type.Object({
    data: Type.Object({
      currency: Text,
      amount: Numeric,
      fiat_currency: Text,
      rate: Numeric,
      fee: ByCurrency,
      subtotal: ByCurrency,
      total: ByCurrency,
      /** Told with a buy. */
      kyc_limit_exceeded: Type.Optional(Type.Unknown()),
    }),
  }),
);

/** One operation of an order. Cards and what else is about the person stand beside it and are not read. */
const Operation = Type.Object({
  id: Id,
  status: Word,
  merchant_transaction_id: TextIfAny,
  amount: NumericIfAny,
  currency: TextIfAny,
  fiat_amount: NumericIfAny,
  fiat_currency: TextIfAny,
  /** Of a transfer of coins, in a look-up: where they go. */
  address: TextIfAny,
  /** The hash on the chain: found by look-up, and told in a callback. */
  hash: TextIfAny,
  tx: Type.Optional(Type.Union([Type.Object({ id: TextIfAny }), Type.Null()])),
  updated_at: TextIfAny,
  updated_at_ts: NumericIfAny,
});

/** `GET /sdk-partner/transactions`: one row per order, its operations by type. */
export const readTransactions = wire(
  Type.Object({ data: Type.Array(Type.Record(Type.String(), Type.Unknown())) }),
);
export const readOperation = wire(Operation);

/** "Callbacks". */
export const readCallback = wire(
  Type.Object({ data: Type.Intersect([Type.Object({ type: Word }), Operation]) }),
);

export type Operation = ReturnType<typeof readOperation>;
export type Coin = ReturnType<typeof readCoin>;
export type Rate = ReturnType<typeof readRate>['data'];

export interface Failure {
  message: string;
  /** The HTTP status, or what the body calls it. */
  status: string;
  /** A number of six digits that opens with the status. */
  code: string | undefined;
}

/** A failure carries `message` in place of `data`, whatever its HTTP status; a success may carry an empty one. */
export function readFailure(answer: HttpAnswer): Failure | undefined {
  const { body } = answer;
  if (typeof body !== 'object' || body === null) return undefined;
  const { data, message, status, code } = body as Record<string, unknown>;
  if (data && (status ?? '200') === '200') return undefined;
  if (typeof message !== 'string' || !message.trim()) return undefined;
  return {
    message: message.slice(0, 500),
    status: textIfAny(status) ?? String(answer.status),
    code: textIfAny(code),
  };
}

function textIfAny(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
