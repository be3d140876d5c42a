/** Transak's JSON, as far as we rely on it: its lists, its quotes and its refusals. */
import { type Static, Type } from 'typebox';
import type { Limits } from '../../domain/listing.ts';
import { type Amount, readDecimal } from '../../domain/money.ts';
import { type Decline, type DeclineReason, decline } from '../../domain/offer.ts';
import type { Side } from '../../domain/words.ts';
import { BadAnswer, Numeric, wire } from '../contract.ts';

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

export type Coin = Static<typeof Coin>;
export type Option = Static<typeof Option>;
export type Fiat = Static<typeof Fiat>;
export type Country = Static<typeof Country>;
export type Quote = Static<typeof Quote>;

export const read = {
  coin: wire(Coin),
  fiat: wire(Fiat),
  option: wire(Option),
  country: wire(Country),
  quote: wire(Type.Object({ response: Quote })),
};

const readList = wire(Type.Object({ response: Type.Array(Type.Unknown()) }));

/** The entries of one of their lists. A list of which nothing can be read is no list. */
export function readEntries<T>(body: unknown, readEntry: (entry: unknown) => T): T[] {
  const entries = readable(readList(body).response, readEntry);
  if (!entries.length) throw new BadAnswer('/response has no entry that is as documented');
  return entries;
}

/** Reads entries one by one, so that an odd one costs only itself. */
export function readable<E, T>(entries: readonly E[], readEntry: (entry: E) => T): T[] {
  return entries.flatMap(entry => {
    try {
      return [readEntry(entry)];
    } catch (error) {
      if (error instanceof BadAnswer) return [];
      throw error;
    }
  });
}

/** Reads a body that says no, which also comes with a status of 200; one about our key or pace is no answer to the ask. */
export function refusal(body: unknown, side?: Side): Decline | undefined {
  const text = errorText(body);
  if (!text || /\b(api|partner) ?(api)? ?key\b|access.?token|unauthori[sz]ed|rate limit/i.test(text))
    return undefined;
  const reason = REASONS.find(([words]) => words.test(text))?.[1] ?? 'refused';
  const message = text.replace(/[\w.-]{32,}/g, '…').slice(0, 200);
  return decline(reason, message, reason === 'limit' ? limitsIn(text, side) : undefined);
}

/** Their wording is not documented, so it is read by its key words, the most telling first. */
const REASONS: readonly [RegExp, DeclineReason][] = [
  [/\b(minimum|maximum|min|max|limits?|at least|at most|less than|greater than|exceeds?)\b/i, 'limit'],
  [/\b(country|countries|region|state)\b/i, 'country'],
  [/\bpayment ?(method|option)/i, 'method'],
  [/\b(crypto|fiat)? ?(currency|currencies|coin|token|network|pair)\b/i, 'pair'],
];

function errorText(body: unknown): string | undefined {
  const { error } = (body ?? {}) as { error?: { message?: unknown } | null };
  return typeof error?.message === 'string' && error.message.trim() ? error.message : undefined;
}

/** Figures in a refusal are fiat, which is what limits are in on a buy only; a text that tells no side tells no limits. */
function limitsIn(text: string, side: Side | undefined): Limits | undefined {
  if (side === 'sell' || (side !== 'buy' && !/\bbuy\b/i.test(text))) return undefined;
  const min = figure(/\bmin(?:(?!\bmax)\D)*\b(\d[\d,]*(?:\.\d+)?)/i.exec(text));
  const max = figure(/\bmax(?:(?!\bmin)\D)*\b(\d[\d,]*(?:\.\d+)?)/i.exec(text));
  const both = /\bmin/i.test(text) && /\bmax/i.test(text);
  return (both ? min && max : (min ?? max)) ? { min, max } : undefined;
}

function figure(found: RegExpExecArray | null): Amount | undefined {
  return readDecimal(found?.[1]?.replaceAll(',', ''));
}
