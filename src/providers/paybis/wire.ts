/** Paybis' JSON, as far as we rely on it: its pairs, quotes, requests, transactions, webhooks and errors. */
import { type Static, type TSchema, Type } from 'typebox';
import { member } from '../../domain/words.ts';
import { Numeric, wire } from '../exchange.ts';
import { Id } from '../plain.ts';

const Text = Type.String({ minLength: 1, maxLength: 200 });
/** Words for where a transaction stands have hyphens or underscores. */
const Word = Type.String({ pattern: '^[A-Za-z0-9_-]{1,60}$' });

/** Read entry by entry. */
const List = Type.Array(Type.Unknown());

const Pairs = Type.Object({ data: List, meta: maybe(Type.Object({ currencies: maybe(List) })) });

/** A currency is a coin if it has a blockchain. */
const Currency = Type.Object({ code: maybe(Type.String()), blockchainName: maybe(Type.String()) });

const Method = Type.Object({ name: Text, displayName: maybe(Type.String()), pairs: List });

const BuyPair = Type.Object({ from: Text, to: List });
/** Limits are in newer answers only, and in the fiat. */
const Bought = Type.Object({ currencyCode: Text, minAmount: maybe(Numeric), maxAmount: maybe(Numeric) });

const SellPair = Type.Object({ fromAssetId: Text, to: List });

const Money = Type.Object({ amount: Numeric, currencyCode: Text });

const MethodPrice = Type.Object({
  id: Text,
  amountFrom: Money,
  amountTo: Money,
  fees: Type.Object({ networkFee: Money, serviceFee: Money }),
  expiresAt: maybe(Type.String()),
});

/** What each method was refused for; the rest of an entry is not relied on. */
const MethodError = Type.Object({
  paymentMethod: maybe(Type.String()),
  payoutMethod: maybe(Type.String()),
  error: maybe(Type.Object({ message: maybe(Type.String()) })),
});

const Quote = Type.Object({
  id: Id,
  currencyCodeFrom: Text,
  currencyCodeTo: Text,
  paymentMethods: maybe(Type.Array(MethodPrice)),
  payoutMethods: maybe(Type.Array(MethodPrice)),
  paymentMethodErrors: maybe(Type.Array(MethodError)),
  payoutMethodErrors: maybe(Type.Array(MethodError)),
  exchangeRateCryptoToFiat: maybe(Type.Object({ rate: maybe(Numeric) })),
});

const Request = Type.Object({
  requestId: Id,
  oneTimeToken: maybe(Type.String({ pattern: '^[!-~]{1,4096}$' })),
});

const Sum = maybe(Type.Object({ amount: maybe(Numeric) }));

/** `GET /v2/transactions`; who the person is stands beside it and is not read. */
const Row = Type.Object({
  status: Word,
  gateway: maybe(Type.String()),
  hash: maybe(Type.Unknown()),
  createdAt: maybe(Type.String()),
  paidAt: maybe(Type.Unknown()),
  completedAt: maybe(Type.String()),
  amounts: maybe(Type.Object({ spentOriginal: Sum, receivedOriginal: Sum })),
  request: maybe(Type.Object({ id: maybe(Type.String()) })),
});

const Rows = Type.Object({
  data: Type.Array(Type.Unknown()),
  meta: maybe(Type.Object({ nextCursor: maybe(Type.String({ maxLength: 2000 })) })),
});

/** "Webhooks"; cards, addresses and names stand beside it and are not read. */
const Told = Type.Object({
  requestId: Id,
  partnerTransactionId: maybe(Type.Unknown()),
  transaction: Type.Object({
    status: Word,
    rejectReason: maybe(Type.Unknown()),
    flow: maybe(Type.String()),
    createdAt: maybe(Type.String()),
    statusUpdatedAt: maybe(Type.String()),
  }),
  payment: maybe(Type.Object({ errorCode: maybe(Type.Unknown()) })),
  payout: maybe(Type.Object({ transaction_hash: maybe(Type.Unknown()) })),
  amountFrom: Sum,
  amountTo: Sum,
});

export type Pairs = Static<typeof Pairs>;
export type Quote = Static<typeof Quote>;
export type MethodPrice = Static<typeof MethodPrice>;
export type Row = Static<typeof Row>;
export type Told = Static<typeof Told>;

export const read = {
  pairs: wire(Pairs),
  currency: wire(Currency),
  method: wire(Method),
  buyPair: wire(BuyPair),
  bought: wire(Bought),
  sellPair: wire(SellPair),
  fiat: wire(Text),
  quote: wire(Quote),
  request: wire(Request),
  rows: wire(Rows),
  row: wire(Row),
  event: wire(Type.Object({ event: Type.String() })),
  told: wire(Type.Object({ data: Told })),
};

/** Whose request a row of the list is of; undefined when it says nothing of one. */
export function requestOf(row: unknown): string | undefined {
  const { request } = (row ?? {}) as { request?: { id?: unknown } | null };
  return typeof request?.id === 'string' ? request.id : undefined;
}

/** The members of a webhook that are read, down to their texts. */
interface Shape {
  readonly [name: string]: Shape | 'text';
}

const SUM = { amount: 'text' } as const;

const TOLD: Shape = {
  event: 'text',
  data: {
    requestId: 'text',
    partnerTransactionId: 'text',
    transaction: {
      ...{ status: 'text', rejectReason: 'text', flow: 'text' },
      ...{ createdAt: 'text', statusUpdatedAt: 'text' },
    },
    payment: { errorCode: 'text' },
    payout: { transaction_hash: 'text' },
    amountFrom: SUM,
    amountTo: SUM,
  },
};

/** What of a webhook is read, and nothing beside it. Of what is not as documented only its kind is left, so that it still is not. */
export function readIn(body: unknown): unknown {
  return only(TOLD, body);
}

function only(shape: Shape | 'text', value: unknown): unknown {
  if (typeof value === 'string') return shape === 'text' ? value : '';
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return [];
  const members = shape === 'text' ? [] : Object.entries(shape);
  return Object.fromEntries(
    members.map(([name, inner]) => [name, only(inner, member(value as Record<string, unknown>, name))]),
  );
}

/** What an error body says. */
export function errorText(body: unknown): string | undefined {
  const { message } = (body ?? {}) as { message?: unknown };
  return typeof message === 'string' && message.trim() ? message : undefined;
}

/** A field they leave out or send as null. */
function maybe<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}
