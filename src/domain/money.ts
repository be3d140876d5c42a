/** Amounts: exact decimals from the first character read to the last one written. */
import { Decimal, parseDecimal } from './decimal.ts';

/** An exact decimal number. `toString()` never uses an exponent. */
export type Amount = Decimal;

export const ZERO: Amount = new Decimal(0, 0);

/** Finer amounts cannot be asked for, whatever places a coin has. */
export const MOST_PLACES = 18;
const AMOUNT_TEXT = /^(0|[1-9][0-9]{0,14})(\.[0-9]{1,18})?$/;

/** Reads a number some other program wrote; undefined when it is not a plain finite number. */
export function readDecimal(text: unknown): Amount | undefined {
  return typeof text === 'string' ? parseDecimal(text) : undefined;
}

/** A decimal we wrote ourselves: constants, rows, tests. */
export function decimal(text: string | number): Amount {
  const value = readDecimal(String(text));
  if (!value) throw new Error(`not a decimal: ${text}`);
  return value;
}

/** The smallest sum there is with so many places. */
export function leastOf(places: number): Amount {
  return new Decimal(1, places);
}

/** Why an amount a client sent cannot be taken. */
export type AmountFlaw = 'malformed' | 'zero' | 'tooPrecise';

/** Reads an amount a client sent: digits and at most one dot, above zero, no more places than the currency has. */
export function parseAmount(text: string, places: number): Amount | AmountFlaw {
  if (text.length > 32 || !AMOUNT_TEXT.test(text)) return 'malformed';
  const amount = decimal(text);
  if (amount.isZero()) return 'zero';
  return amount.decimalPlaces() > places ? 'tooPrecise' : amount;
}

/** Cuts to `places`: what is received is never overstated. */
export function cut(amount: Amount, places: number): Amount {
  return amount.toPlaces(places, 'cut');
}

/** Rounds up to `places`: what must be paid, or a least amount, is never understated. */
export function raise(amount: Amount, places: number): Amount {
  return amount.toPlaces(places, 'raise');
}

/** `a / b` to twelve significant digits: a rate, which is informative, not money. */
export function ratio(a: Amount, b: Amount): Amount {
  return a.div(b, 12);
}

/** Rounds to `digits` significant digits. */
export function significant(amount: Amount, digits: number): Amount {
  return amount.toSignificantDigits(digits);
}

export function isAmount(value: unknown): value is Amount {
  return value instanceof Decimal;
}

export function isAboveZero(amount: Amount): boolean {
  return amount.isPositive();
}

/** The larger of two, either of which may be missing. */
export function largest(a: Amount | undefined, b: Amount | undefined): Amount | undefined {
  if (!a || !b) return a ?? b;
  return a.gte(b) ? a : b;
}

/** The smaller of two, either of which may be missing. */
export function smallest(a: Amount | undefined, b: Amount | undefined): Amount | undefined {
  if (!a || !b) return a ?? b;
  return a.lte(b) ? a : b;
}

/** The middle of the values (the lower one of two middles); undefined for none. */
export function median(values: readonly Amount[]): Amount | undefined {
  const sorted = [...values].sort((a, b) => a.cmp(b));
  return sorted[(sorted.length - 1) >> 1];
}
