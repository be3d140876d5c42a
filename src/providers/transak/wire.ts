/** Transak's JSON, as far as we rely on it: its lists, quotes, sessions, orders and errors. */
import { type Static, Type } from 'typebox';
import { Numeric, wire } from '../exchange.ts';
import { Id, Word } from '../plain.ts';

const Words = Type.Array(Type.String());
const AmountOrNone = Type.Optional(Type.Union([Numeric, Type.Null()]));
const Flag = Type.Optional(Type.Boolean());

const Coin = Type.Object({
  coinId: Type.Optional(Type.String()),
  symbol: Type.String(),
  network: Type.Object({ name: Type.String() }),
  address: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  isAllowed: Type.Boolean(),
  isSuspended: Flag,
  isPayInAllowed: Flag,
  kycCountriesNotSupported: Words,
});

const Option = Type.Object({
  id: Type.String(),
  isActive: Type.Boolean(),
  limitCurrency: Type.Optional(Type.String()),
  minAmount: AmountOrNone,
  maxAmount: AmountOrNone,
  isPayOutAllowed: Flag,
  minAmountForPayOut: AmountOrNone,
  maxAmountForPayOut: AmountOrNone,
  supportedCountryCode: Type.Optional(Words),
  visaPayoutCountries: Type.Optional(Words),
  mastercardPayoutCountries: Type.Optional(Words),
});

const Fiat = Type.Object({
  symbol: Type.String(),
  supportingCountries: Words,
  isAllowed: Type.Boolean(),
  isPayOutAllowed: Flag,
  paymentOptions: Type.Array(Type.Unknown()),
});

const Country = Type.Object({
  alpha2: Type.String({ pattern: '^[A-Z]{2}$' }),
  isAllowed: Type.Boolean(),
  currencyCode: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});

const Quote = Type.Object({
  conversionPrice: Numeric,
  fiatCurrency: Type.String(),
  cryptoCurrency: Type.String(),
  network: Type.String(),
  isBuyOrSell: Type.String(),
  fiatAmount: Numeric,
  cryptoAmount: Numeric,
  totalFee: Numeric,
  feeBreakdown: Type.Array(Type.Object({ id: Type.String(), ids: Type.Optional(Words), value: Numeric })),
});

/** Much more is about the person, also in the messages of its history, and is not read. None may be `false`. */
const Order = Type.Object({
  id: Id,
  status: Word,
  partnerOrderId: Type.Optional(Type.Unknown()),
  isBuyOrSell: Type.Optional(Type.Unknown()),
  fiatAmount: AmountOrNone,
  cryptoAmount: AmountOrNone,
  transactionHash: Type.Optional(Type.Unknown()),
  updatedAt: Type.Optional(Type.Unknown()),
  statusReason: Type.Optional(Type.Unknown()),
});

/** It goes into a header as it is. */
const AccessToken = Type.String({ pattern: '^[!-~]{1,4096}$' });

export type Coin = Static<typeof Coin>;
export type Option = Static<typeof Option>;
export type Fiat = Static<typeof Fiat>;
export type Country = Static<typeof Country>;
export type Quote = Static<typeof Quote>;
export type Order = Static<typeof Order>;

export interface Lists {
  coins: Coin[];
  fiats: Fiat[];
  countries: Country[];
}

export const read = {
  coin: wire(Coin),
  fiat: wire(Fiat),
  option: wire(Option),
  country: wire(Country),
  quote: wire(Type.Object({ response: Quote })),
  token: wire(Type.Object({ data: Type.Object({ accessToken: AccessToken, expiresAt: Numeric }) })),
  session: wire(Type.Object({ data: Type.Object({ widgetUrl: Type.String({ maxLength: 8192 }) }) })),
  order: wire(Order),
  found: wire(Type.Object({ data: Order })),
  list: wire(Type.Object({ data: Type.Array(Order) })),
  /** What a webhook says; the order may also stand alone or under `data`. */
  said: wire(
    Type.Object({
      eventID: Type.Optional(Type.String()),
      webhookData: Type.Optional(Type.Unknown()),
      data: Type.Optional(Type.Unknown()),
    }),
  ),
};

/** One of their lists, as it came. */
export const readList = wire(Type.Object({ response: Type.Unknown() }));

/** What an error body says; a quote has none. */
export function errorText(body: unknown): string | undefined {
  const { error } = (body ?? {}) as { error?: { message?: unknown } | null };
  return typeof error?.message === 'string' && error.message.trim() ? error.message : undefined;
}
