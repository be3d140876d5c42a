/** Whole numbers, held against bigints: the same, and each in one form, above all where plain numbers end. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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

const LAST = BigInt(Number.MAX_SAFE_INTEGER);

/** Many lie where a plain number is nearly, or just, no longer enough. */
const any = fc.oneof(
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
  fc.bigInt({ min: -1_000n, max: 1_000n }),
  fc.bigInt({ min: -LAST, max: LAST }),
  fc
    .tuple(fc.constantFrom(LAST, -LAST, LAST / 10n, 10n ** 15n, 0n), fc.integer({ min: -12, max: 12 }))
    .map(([near, off]) => near + BigInt(off)),
  fc.integer({ min: 0, max: 30 }).map(exponent => 10n ** BigInt(exponent)),
);
const some = any.filter(value => value !== 0n);

/** Equal, and a number exactly where one counts it without loss; nothing has no sign. */
function expectWhole(found: Whole, wanted: bigint): void {
  expect(found).toBe(wanted >= -LAST && wanted <= LAST ? Number(wanted) : wanted);
}

describe('whole numbers', () => {
  it('are added, turned around, multiplied and divided without loss', () => {
    fc.assert(
      fc.property(any, some, (a, b) => {
        const [x, y] = [wholeOf(a), wholeOf(b)];
        expectWhole(x, a);
        expectWhole(sum(x, y), a + b);
        expectWhole(negative(x), -a);
        expectWhole(product(x, y), a * b);
        expectWhole(quotient(x, y), a / b);
      }),
      { numRuns: 10_000 },
    );
  });

  it('are divided with zeros behind them as they would be in one go', () => {
    fc.assert(
      fc.property(any, some, fc.nat(40), (a, b, zeros) => {
        expectWhole(longQuotient(wholeOf(a), zeros, wholeOf(b)), (a * 10n ** BigInt(zeros)) / b);
      }),
      { numRuns: 10_000 },
    );
  });

  it('tell how many digits they have, and whether the last is a zero', () => {
    fc.assert(
      fc.property(any, a => {
        expect(lengthOf(wholeOf(a))).toBe(String(a).replace('-', '').length);
        expect(endsWithZero(wholeOf(a))).toBe(String(a).endsWith('0'));
      }),
      { numRuns: 5_000 },
    );
  });

  it('are powers of ten, of any size', () => {
    for (const exponent of [0, 1, 15, 16, 22, 23, 127, 128, 300])
      expectWhole(tenTo(exponent), 10n ** BigInt(exponent));
  });
});
