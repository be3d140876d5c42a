/** Decimal text: compared, subtracted and read as people type it; no amount is ever a float. */
import { Decimal, parseDecimal } from '../../src/domain/decimal.ts';
import type { Unit } from './figures.ts';

/** Less than, equal to or greater than zero, as `a` is to `b`. */
export function compareAmounts(a: string, b: string): number {
  return decimalOf(a).cmp(b);
}

/** How much `a` is above `b`, in whole hundredths of a percent of `b`. */
export function excessOf(a: string, b: string): number {
  const share = decimalOf(a).minus(b).times(10_000).div(b);
  return share.isFinite() ? Number(share.toPlaces(0, 'cut')) : 0;
}

/** The largest of the amounts; undefined when there are none. */
export function largest(amounts: readonly string[]): string | undefined {
  return amounts.toSorted(compareAmounts).at(-1);
}

export function smallest(amounts: readonly string[]): string | undefined {
  return amounts.toSorted(compareAmounts)[0];
}

/** So many times an amount, with so many digits that tell something and no more places than its currency has. */
export function scaled(
  amount: string,
  factor: string,
  { digits, places, rest }: { digits: number; places: number; rest: 'cut' | 'raise' },
): string {
  const exact = decimalOf(amount).times(factor);
  const step = decimalOf(`1e${Math.max(exact.magnitude() - digits + 1, -places)}`);
  return exact.div(step).toPlaces(0, rest).times(step).toString();
}

export type Typed =
  | { amount: string }
  | { flaw: 'missing' | 'wrong' | 'places' }
  /** Thousands, or so it seems; `whole` is what they would be. */
  | { flaw: 'grouped'; whole: string };

/** What an amount is read by. */
export interface Reading {
  /** How many places the currency has. */
  places: number;
  language: string;
}

/**
 * An amount as it was typed. A dot and a comma both mark the decimals, whatever the language: people have only one of
 * them on their phone. What is written like thousands is read so where it can be nothing else; what may as well be
 * decimals is no amount. Digits of other scripts are digits.
 */
export function readTyped(text: string, { places, language }: Reading): Typed {
  const typed = text
    .replace(/[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g, digit => String(digitOf(digit)))
    .replace(/[\s\u00a0\u202f]/g, '');
  const plain = typed.replace(/[\u066b\uff0e,]/g, '.');
  if (plain === '' || plain === '.') return { flaw: 'missing' };
  if (isGrouped(typed, language)) {
    const whole = typed.replace(/[.,]/g, '');
    return places < 3 ? { amount: whole } : { flaw: 'grouped', whole };
  }
  const [, whole = '', rest = ''] = /^(\d{0,15})(?:\.(\d{0,30}))?$/.exec(plain) ?? [];
  if (whole === '' && rest === '') return { flaw: 'wrong' };
  if (rest.length > places) return { flaw: 'places' };
  const decimals = rest.replace(/0+$/, '');
  const amount = `${whole.replace(/^0+(?=\d)/, '') || '0'}${decimals && `.${decimals}`}`;
  return amount === '0' ? { flaw: 'missing' } : { amount };
}

/** An amount of ours as people of the language would type it; money that is not whole has all its places. */
export function typedAs(amount: string, { isFiat, decimals }: Omit<Unit, 'code'>, language: string): string {
  const [whole = '', rest = ''] = decimalOf(amount).toString().split('.');
  const places = isFiat ? rest.padEnd(decimals, '0') : rest;
  return rest === '' ? whole : `${whole}${signsOf(language).decimal}${places}`;
}

/** Whether it is written like thousands of the language: `1,500` in English, `1.500.000` in German. */
function isGrouped(typed: string, language: string): boolean {
  const [, sign] = /^[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})*$/.exec(typed) ?? [];
  return sign !== undefined && sign === signsOf(language).group;
}

/** What a language puts between thousands and before decimals. */
function signsOf(language: string): { group: string | undefined; decimal: string | undefined } {
  const text = (12_345.5).toLocaleString(`${language}-u-nu-latn`);
  return { group: text[2], decimal: text.at(-2) };
}

/** Digits of a script stand in a row, zero first. */
function digitOf(digit: string): number {
  const code = digit.charCodeAt(0);
  return code - (code >= 0xff10 ? 0xff10 : code >= 0x06f0 ? 0x06f0 : 0x0660);
}

/** Amounts are the service's, or were read by us. */
function decimalOf(amount: string): Decimal {
  return parseDecimal(amount) ?? new Decimal(0n, 0);
}
