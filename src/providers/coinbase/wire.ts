/** Coinbase's JSON, as far as we rely on it ("Buy Config", "Buy Options", "Buy Quote", "Transaction Status", "Webhooks"). */
import { type Static, type TSchema, Type } from 'typebox';
import { Numeric, wire } from '../exchange.ts';
import { Id, Word } from '../plain.ts';

const Country = Type.Object({
  id: Type.String({ minLength: 2, maxLength: 2 }),
  subdivisions: maybe(Type.Array(Type.String())),
  payment_methods: Type.Array(Type.Object({ id: Type.String({ minLength: 1 }) })),
});

const Fiat = Type.Object({
  id: Type.String({ minLength: 1 }),
  limits: Type.Array(
    Type.Object({ id: Type.String({ minLength: 1 }), min: maybe(Numeric), max: maybe(Numeric) }),
  ),
});

const Coin = Type.Object({
  symbol: Type.String({ minLength: 1 }),
  networks: Type.Array(
    Type.Object({
      name: Type.String({ minLength: 1 }),
      contract_address: maybe(Type.String({ maxLength: 200 })),
    }),
  ),
});

/** One of their pages calls the figure `amount`, all else `value`. */
const Money = Type.Object({
  value: Type.Optional(Numeric),
  amount: Type.Optional(Numeric),
  currency: Type.String(),
});

const BuyQuote = Type.Object({
  payment_total: Money,
  purchase_amount: Money,
  coinbase_fee: Money,
  network_fee: Money,
});

const SellQuote = Type.Object({ cashout_total: Money, sell_amount: Money, coinbase_fee: Money });

/** A page of transactions; each of them is read for itself. */
const Transactions = Type.Object({ transactions: Type.Array(Type.Unknown()) });

const Sum = maybe(Type.Union([Money, Numeric]));
const Text = maybe(Type.String());

const Bought = Type.Object({
  transaction_id: Id,
  status: Word,
  partner_user_ref: Text,
  payment_total: Sum,
  purchase_amount: Sum,
  wallet_address: Text,
  tx_hash: Text,
  completed_at: Text,
  failure_reason: Text,
});

const Sold = Type.Object({
  id: Type.Optional(Id),
  transaction_id: Type.Optional(Id),
  status: Word,
  partner_user_ref: Text,
  asset: Text,
  sell_amount: Sum,
  total: Sum,
  to_address: Text,
  toAddress: Text,
  tx_hash: Text,
  updated_at: Text,
});

const Event = Type.Object({
  eventType: Type.String(),
  transactionId: Type.Optional(Id),
  orderId: Type.Optional(Id),
  status: Word,
  partnerUserRef: Text,
  paymentTotal: Sum,
  paymentCurrency: Text,
  purchaseAmount: Sum,
  purchaseCurrency: Text,
  walletAddress: Text,
  destinationAddress: Text,
  asset: Text,
  sellAmount: Sum,
  total: Sum,
  toAddress: Text,
  txHash: Text,
  completedAt: Text,
  updatedAt: Text,
  failureReason: Text,
});

export type Country = Static<typeof Country>;
export type Fiat = Static<typeof Fiat>;
export type Coin = Static<typeof Coin>;
export type Money = Static<typeof Money>;
export type Sum = Static<typeof Sum> | undefined;
export type Bought = Static<typeof Bought>;
export type Sold = Static<typeof Sold>;
export type Event = Static<typeof Event>;

export const readCountries = unwrapped(Type.Object({ countries: Type.Array(Country) }));
export const readBuyOptions = unwrapped(
  Type.Object({ payment_currencies: Type.Array(Fiat), purchase_currencies: Type.Array(Coin) }),
);
export const readSellOptions = unwrapped(
  Type.Object({ cashout_currencies: Type.Array(Fiat), sell_currencies: Type.Array(Coin) }),
);
export const readBuyQuote = unwrapped(BuyQuote);
export const readSellQuote = unwrapped(SellQuote);
export const readToken = unwrapped(Type.Object({ token: Type.String({ pattern: '^[\\w.~-]{1,2000}$' }) }));
export const readTransactions = unwrapped(Transactions);
export const readBought = wire(Bought);
export const readSold = wire(Sold);
export const readEventType = wire(Type.Object({ eventType: Type.String() }));
export const readEvent = wire(Event);

/** Older documents wrap every body in `data`; live ones come without. */
function unwrapped<T extends TSchema>(schema: T): (body: unknown) => Static<T> {
  const read = wire(schema);
  return body => {
    const { data } = (body ?? {}) as { data?: unknown };
    return read(typeof data === 'object' && data !== null ? data : body);
  };
}

/** A field they leave out or send as null. */
function maybe<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}
