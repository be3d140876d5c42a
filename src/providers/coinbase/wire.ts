/** Coinbase's JSON, as far as we rely on it ("Buy Config", "Buy Options", "Buy Quote", "Transaction Status", "Webhooks"). */
import { type Static, type TSchema, Type } from 'typebox';
import { Numeric, wire } from '../exchange.ts';
import { Id, Word } from '../plain.ts';

const Filled = Type.String({ minLength: 1 });
/** A list of the catalog; each entry is read for itself. */
const Entries = Type.Array(Type.Unknown());

const Method = Type.Object({ id: Filled });
const Country = Type.Object({
  id: Type.String({ minLength: 2, maxLength: 2 }),
  subdivisions: maybe(Entries),
  payment_methods: Entries,
});

const Limit = Type.Object({ id: Filled, min: maybe(Numeric), max: maybe(Numeric) });
const Fiat = Type.Object({ id: Filled, limits: Entries });

const Network = Type.Object({ name: Filled, contract_address: maybe(Type.String({ maxLength: 200 })) });
const Coin = Type.Object({ symbol: Filled, networks: Entries });

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
  created_at: Text,
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
  createdAt: Text,
  completedAt: Text,
  updatedAt: Text,
  failureReason: Text,
});

export type Money = Static<typeof Money>;
export type Sum = Static<typeof Sum> | undefined;
export type Bought = Static<typeof Bought>;
export type Sold = Static<typeof Sold>;
export type Event = Static<typeof Event>;

export const readCountries = unwrapped(Type.Object({ countries: Entries }));
export const readCountry = wire(Country);
export const readMethod = wire(Method);
export const readBuyOptions = unwrapped(
  Type.Object({ payment_currencies: Entries, purchase_currencies: Entries }),
);
export const readSellOptions = unwrapped(
  Type.Object({ cashout_currencies: Entries, sell_currencies: Entries }),
);
export const readFiat = wire(Fiat);
export const readLimit = wire(Limit);
export const readCoin = wire(Coin);
export const readNetwork = wire(Network);
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
