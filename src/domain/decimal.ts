/** Exact decimals: a whole number of units and how many places they have after the point. Nothing is ever lost but by division. */
import {
  endsWithZero,
  lengthOf,
  longQuotient,
  negative,
  product,
  quotient,
  sum,
  tenTo,
  type Whole,
  wholeOf,
} from './whole.ts';

/** What can be reckoned with beside a decimal: a whole number, or the text of a number. */
export type Operand = Decimal | number | string;

/** `toString()` never uses an exponent. What was divided by nothing is no number: it is not finite, and equal to nothing. */
export class Decimal {
  /** Never a multiple of ten where there are places: equal decimals are equal in both. */
  readonly units: Whole;
  readonly places: number;
  /** As it is written: one amount stands in many places. */
  #text: string | undefined;

  constructor(units: Whole, places: number, text?: string) {
    this.units = units;
    this.places = places;
    this.#text = text;
  }

  plus(other: Operand): Decimal {
    const that = decimalOf(other);
    const places = Math.max(this.places, that.places);
    if (Number.isNaN(places)) return NO_NUMBER;
    if (that.units === 0) return this;
    return shortest(sum(unitsAt(this, places), unitsAt(that, places)), places);
  }

  minus(other: Operand): Decimal {
    const that = decimalOf(other);
    const places = Math.max(this.places, that.places);
    if (Number.isNaN(places)) return NO_NUMBER;
    return shortest(sum(unitsAt(this, places), negative(unitsAt(that, places))), places);
  }

  times(other: Operand): Decimal {
    const that = decimalOf(other);
    const places = this.places + that.places;
    return Number.isNaN(places) ? NO_NUMBER : shortest(product(this.units, that.units), places);
  }

  /** To so many significant digits, the last one rounded to the nearest. */
  div(other: Operand, digits = DIGITS): Decimal {
    const that = decimalOf(other);
    if (that.units === 0 || !this.isFinite()) return NO_NUMBER;
    // One digit more than is wanted tells how to round.
    const shift = Math.max(0, digits + 1 + lengthOf(that.units) - lengthOf(this.units));
    return rounded(longQuotient(this.units, shift, that.units), shift + this.places - that.places, digits);
  }

  /** Multiplied with itself so many times. */
  pow(exponent: number): Decimal {
    return this.isFinite()
      ? shortest(wholeOf(BigInt(this.units) ** BigInt(exponent)), this.places * exponent)
      : this;
  }

  neg(): Decimal {
    return new Decimal(negative(this.units), this.places);
  }

  abs(): Decimal {
    return this.units < 0 ? this.neg() : this;
  }

  /** Negative, zero or positive, as this is less than, equal to or greater than the other. */
  cmp(other: Operand): number {
    const that = decimalOf(other);
    const places = Math.max(this.places, that.places);
    if (Number.isNaN(places)) return Number.NaN;
    const a = unitsAt(this, places);
    const b = unitsAt(that, places);
    return a < b ? -1 : a > b ? 1 : 0;
  }

  eq(other: Operand): boolean {
    return this.cmp(other) === 0;
  }

  lt(other: Operand): boolean {
    return this.cmp(other) < 0;
  }

  lte(other: Operand): boolean {
    return this.cmp(other) <= 0;
  }

  gt(other: Operand): boolean {
    return this.cmp(other) > 0;
  }

  gte(other: Operand): boolean {
    return this.cmp(other) >= 0;
  }

  isFinite(): boolean {
    return !Number.isNaN(this.places);
  }

  isInteger(): boolean {
    return this.places === 0;
  }

  isZero(): boolean {
    return this.units === 0 && this.isFinite();
  }

  isNegative(): boolean {
    return this.units < 0;
  }

  isPositive(): boolean {
    return this.units > 0;
  }

  decimalPlaces(): number {
    return this.places;
  }

  /** The power of ten that its first digit stands for; that of zero is 0. */
  magnitude(): number {
    return lengthOf(this.units) - 1 - this.places;
  }

  /** With at most so many places: what is more is cut off, or makes the last place one more. */
  toPlaces(places: number, rest: 'cut' | 'raise'): Decimal {
    if (!(this.places > places)) return this;
    const whole = quotient(this.units, tenTo(this.places - places));
    // What was cut off was not nothing: there was a digit other than 0 in the last place.
    return shortest(rest === 'cut' ? whole : sum(whole, this.units < 0 ? -1 : 1), places);
  }

  /** Rounded to the nearest with so many significant digits. */
  toSignificantDigits(digits: number): Decimal {
    return this.isFinite() ? rounded(this.units, this.places, digits) : this;
  }

  toString(): string {
    this.#text ??= write(this);
    return this.#text;
  }

  toJSON(): string {
    return this.toString();
  }
}

function write(value: Decimal): string {
  const { units, places } = value;
  if (places === 0) return units.toString();
  if (!value.isFinite()) return 'NaN';
  if (units < 0) return `-${write(value.neg())}`;
  const digits = units.toString();
  const point = digits.length - places;
  return point > 0 ? `${digits.slice(0, point)}.${digits.slice(point)}` : `0.${digits.padStart(places, '0')}`;
}

/** Of a quotient. */
const DIGITS = 50;
const NO_NUMBER = new Decimal(0, Number.NaN);

const NUMBER_TEXT = /^(-?)([0-9]{1,160})(?:\.([0-9]{1,160}))?(?:[eE]([+-]?[0-9]{1,2}))?$/;
/** What is read can be written, and read again without an exponent. */
const MOST_DIGITS = 160;

/** Undefined when the text is not a plain finite number, or a longer one than anybody needs. */
export function parseDecimal(text: string): Decimal | undefined {
  return parseShort(text) ?? parseAny(text);
}

const ZERO_CHAR = 48;
const POINT = 46;
/** Another digit behind fewer units than this, and they are still counted without loss by any number. */
const FEW_UNITS = 1e14;

/** Longer pieces of a text keep all of it. */
const SHORT = 12;

/** Before its other digits. */
function hasIdleZero(text: string, point: number): boolean {
  return point > 1 && text.charCodeAt(0) === ZERO_CHAR;
}

/** Most numbers are a few digits, perhaps with a point between them; undefined when this is not one. */
function parseShort(text: string): Decimal | undefined {
  let units = 0;
  let point = text.length;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    const digit = char - ZERO_CHAR;
    if (digit >= 0 && digit <= 9 && units < FEW_UNITS) units = units * 10 + digit;
    else if (char === POINT && point === text.length) point = at;
    else return undefined;
  }
  if (point === 0 || point === text.length - 1) return undefined;
  let places = Math.max(0, text.length - 1 - point);
  if (places > MOST_DIGITS || point > MOST_DIGITS) return undefined;
  const isWritten = text.length <= SHORT && !(places > 0 && endsWithZero(units)) && !hasIdleZero(text, point);
  for (; places > 0 && endsWithZero(units); places--) units /= 10;
  return new Decimal(units, places, isWritten ? text : undefined);
}

function parseAny(text: string): Decimal | undefined {
  const match = NUMBER_TEXT.exec(text);
  if (!match) return undefined;
  const [, sign, whole, fraction = '', exponent] = match;
  const units = wholeOf(BigInt(`${sign}${whole}${fraction}`));
  const read = shortest(units, fraction.length - (exponent === undefined ? 0 : Number(exponent)));
  return read.places <= MOST_DIGITS && lengthOf(read.units) - read.places <= MOST_DIGITS ? read : undefined;
}

function decimalOf(value: Operand): Decimal {
  if (typeof value === 'object') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return new Decimal(value + 0, 0);
  const read = parseDecimal(String(value));
  if (!read) throw new Error(`not a decimal: ${value}`);
  return read;
}

function unitsAt({ units, places }: Decimal, more: number): Whole {
  return places === more ? units : product(units, tenTo(more - places));
}

/** Without zeros at the end that say nothing. `places` may be negative. */
function shortest(units: Whole, places: number): Decimal {
  if (places < 0) return new Decimal(product(units, tenTo(-places)), 0);
  let [short, left] = [units, places];
  while (left > 0 && endsWithZero(short)) {
    short = quotient(short, 10);
    left--;
  }
  return new Decimal(short, left);
}

/** Rounded to the nearest, halves away from zero. */
function rounded(units: Whole, places: number, digits: number): Decimal {
  const excess = lengthOf(units) - digits;
  if (excess <= 0) return shortest(units, places);
  const half = product(units < 0 ? -5 : 5, tenTo(excess - 1));
  return shortest(quotient(sum(units, half), tenTo(excess)), places - excess);
}
