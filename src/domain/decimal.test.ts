/** Exact decimals, held against another library that reckons with them. */
import { Decimal as Library } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal, parseDecimal } from './decimal.ts';

/** Exact where ours is, and rounding where ours does. */
const Exact = Library.clone({ precision: 400, toExpNeg: -400, toExpPos: 400 });
const rounding = (digits: number) =>
  Library.clone({ precision: digits, rounding: Library.ROUND_HALF_UP, toExpNeg: -400, toExpPos: 400 });

const text = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.stringMatching(/^[0-9]{1,25}$/),
    fc.stringMatching(/^(\.[0-9]{1,25})?$/),
    fc.stringMatching(/^(e-?[0-9]{1,2})?$/),
  )
  .map(parts => parts.join(''));

function read(written: string): Decimal {
  const value = parseDecimal(written);
  if (!value) throw new Error(`not read: ${written}`);
  return value;
}

/** Their text, without the zero that is negative. */
const told = (value: Library) => value.toString().replace(/^-0$/, '0');

describe('a decimal', () => {
  it('is read and written as the number it is, at its shortest', () => {
    fc.assert(fc.property(text, a => read(a).toString() === told(new Exact(a))));
  });

  it('is read from nothing but the text of a number', () => {
    const near = fc.array(fc.constantFrom(...'0159.-+e '), { maxLength: 18 }).map(parts => parts.join(''));
    fc.assert(
      fc.property(near, a => {
        const isNumber = /^-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]{1,2})?$/.test(a);
        expect(parseDecimal(a)?.toString()).toBe(isNumber ? told(new Exact(a)) : undefined);
      }),
      { numRuns: 2_000 },
    );
    for (const a of ['', '.', '.5', '5.', '1..2', '1.2.3', '１']) expect(parseDecimal(a)).toBeUndefined();
  });

  it('that was read is read again from what it is written as, however long', () => {
    const long = fc
      .tuple(
        fc.stringMatching(/^-?[0-9]{1,170}$/),
        fc.stringMatching(/^(\.[0-9]{1,170})?$/),
        fc.stringMatching(/^(e[+-]?[0-9]{1,2})?$/),
      )
      .map(parts => parts.join(''));
    fc.assert(
      fc.property(long, a => {
        const value = parseDecimal(a);
        return value === undefined || parseDecimal(value.toString())?.eq(value) === true;
      }),
    );
    expect(parseDecimal('1.157920892373162e+77')?.toString()).toHaveLength(78);
    expect(parseDecimal(`${'9'.repeat(160)}e1`)).toBeUndefined();
  });

  it('adds, subtracts, multiplies and compares exactly', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [ours, theirs] = [read(a), new Exact(a)];
        expect(ours.plus(b).toString()).toBe(told(theirs.plus(b)));
        expect(ours.minus(b).toString()).toBe(told(theirs.minus(b)));
        expect(ours.times(b).toString()).toBe(told(theirs.times(b)));
        expect(ours.cmp(b)).toBe(theirs.cmp(b));
        expect([ours.lt(b), ours.lte(b), ours.eq(b), ours.gte(b), ours.gt(b)]).toEqual([
          ...[theirs.lt(b), theirs.lte(b), theirs.eq(b), theirs.gte(b), theirs.gt(b)],
        ]);
      }),
    );
  });

  it('divides to as many digits as are asked for, the last one rounded', () => {
    const digits = fc.constantFrom(1, 2, 12, 50);
    fc.assert(
      fc.property(text, text, digits, (a, b, wanted) => {
        fc.pre(!read(b).isZero());
        const Rounding = rounding(wanted);
        expect(read(a).div(b, wanted).toString()).toBe(told(new Rounding(a).div(b)));
      }),
      { numRuns: 500 },
    );
    expect(read('2').div('3').toString()).toBe(`0.${'6'.repeat(49)}7`);
  });

  it('is cut, raised and rounded in either direction', () => {
    fc.assert(
      fc.property(text, fc.nat(30), (a, places) => {
        const theirs = new Exact(a);
        const down = theirs.toDecimalPlaces(places, Library.ROUND_DOWN);
        expect(read(a).toPlaces(places, 'cut').toString()).toBe(told(down));
        const up = theirs.toDecimalPlaces(places, Library.ROUND_UP);
        expect(read(a).toPlaces(places, 'raise').toString()).toBe(told(up));
        const near = theirs.toSignificantDigits(places + 1, Library.ROUND_HALF_UP);
        expect(
          read(a)
            .toSignificantDigits(places + 1)
            .toString(),
        ).toBe(told(near));
      }),
    );
  });

  it('knows its sign, its size and its places', () => {
    fc.assert(
      fc.property(text, a => {
        const [ours, theirs] = [read(a), new Exact(a)];
        expect(ours.abs().toString()).toBe(told(theirs.abs()));
        expect(ours.neg().toString()).toBe(told(theirs.neg()));
        expect(ours.pow(3).toString()).toBe(told(theirs.pow(3)));
        expect([ours.decimalPlaces(), ours.isInteger()]).toEqual([
          theirs.decimalPlaces(),
          theirs.isInteger(),
        ]);
        expect([ours.isZero(), ours.isNegative(), ours.isPositive()]).toEqual([
          ...[theirs.isZero(), theirs.lt(0), theirs.gt(0)],
        ]);
        expect(ours.magnitude()).toBe(theirs.e);
      }),
    );
  });

  it('is equal in all its parts to another that is the same number', () => {
    expect(read('1.50')).toEqual(read('15e-1'));
    expect(read('100')).toEqual(read('1e2'));
    expect(read('-0.0')).toEqual(read('0'));
    expect(JSON.stringify({ a: read('0.10') })).toBe('{"a":"0.1"}');
  });

  it.each(['', '.', '.5', '5.', '+1', '1e', '1e100', '0x1', '1_0', ' 1', '1\n', 'NaN', 'Infinity', '٣'])(
    'is not %j',
    word => expect(parseDecimal(word)).toBeUndefined(),
  );

  it('that was divided by nothing is no number, and makes none of what it touches', () => {
    const none = read('1').div('0');
    const made = [none, none.plus('1'), read('1').minus(none), none.times('0'), none.div('2'), none.pow(2)];
    const turned = [none.neg(), none.abs(), none.toPlaces(2, 'cut'), none.toSignificantDigits(2)];
    for (const value of [...made, ...turned]) {
      expect([value.isFinite(), value.isZero(), value.isPositive(), value.isNegative()]).toEqual([
        ...[false, false, false, false],
      ]);
      expect([value.eq(value), value.lt('1'), value.gt('1'), value.lte('1'), value.gte('1')]).toEqual([
        ...[false, false, false, false, false],
      ]);
      expect(value.toString()).toBe('NaN');
    }
  });

  it('takes no operand that is no number', () => {
    expect(() => read('1').plus('one')).toThrow();
    expect(() => read('1').times(Number.NaN)).toThrow();
    expect(new Decimal(5n, 1).plus(2).toString()).toBe('2.5');
  });
});
