/** Whole numbers of any size, each in one form: a number as long as that counts them without loss, a bigint beyond. */

/** Numbers take a fraction of a bigint's time, and nearly every sum of money is few enough units for one. */
export type Whole = number | bigint;

const MOST = Number.MAX_SAFE_INTEGER;

/** What is not exact comes out larger than that: no number below it is ever a rounded one. */
function isExact(result: number): boolean {
  return result <= MOST && result >= -MOST;
}

/** In the form it is to have. */
export function wholeOf(value: bigint): Whole {
  const number = Number(value);
  return isExact(number) ? number : value;
}

export function sum(a: Whole, b: Whole): Whole {
  if (typeof a === 'number' && typeof b === 'number') {
    const result = a + b;
    if (isExact(result)) return result;
  }
  return wholeOf(BigInt(a) + BigInt(b));
}

export function negative(a: Whole): Whole {
  return typeof a === 'number' ? 0 - a : -a;
}

export function product(a: Whole, b: Whole): Whole {
  if (typeof a === 'number' && typeof b === 'number') {
    const result = a * b;
    // Nothing has a sign: zero times a negative number is zero.
    if (isExact(result)) return result + 0;
  }
  return wholeOf(BigInt(a) * BigInt(b));
}

/** Without what is left over. */
export function quotient(a: Whole, b: Whole): Whole {
  // Below 2^53 no quotient that is not whole is rounded to one that is.
  if (typeof a === 'number' && typeof b === 'number') return Math.trunc(a / b) + 0;
  return wholeOf(BigInt(a) / BigInt(b));
}

/** The quotient of `a` with so many zeros behind it. */
export function longQuotient(a: Whole, zeros: number, b: Whole): Whole {
  if (typeof a === 'number' && typeof b === 'number') {
    const lengthOfB = lengthOf(b);
    if (lengthOfB < FULL && lengthOf(a) + zeros - lengthOfB < FULL)
      return inSteps(a, { zeros, b, step: FULL - lengthOfB });
  }
  return quotient(product(a, tenTo(zeros)), b);
}

/** Every number of so many digits is exact. */
const FULL = 15;

/** As on paper, a few zeros at a time: what is left over never gets so large that it would not be exact. */
function inSteps(a: number, { zeros, b, step }: { zeros: number; b: number; step: number }): number {
  let result = Math.trunc(a / b);
  let rest = a - result * b;
  for (let left = zeros; left > 0; left -= step) {
    const power = SMALL_POWERS[Math.min(left, step)] as number;
    const next = Math.trunc((rest * power) / b);
    rest = rest * power - next * b;
    result = result * power + next;
  }
  return result + 0;
}

/** Whether it ends with a zero. */
export function endsWithZero(a: Whole): boolean {
  return typeof a === 'number' ? Number.isInteger(a / 10) : a % 10n === 0n;
}

/** How many digits it has. */
export function lengthOf(a: Whole): number {
  if (typeof a !== 'number') return (a < 0n ? -a : a).toString().length;
  const size = Math.abs(a);
  let length = 1;
  for (let power = 10; size >= power; power *= 10) length++;
  return length;
}

/** Those that are numbers. */
const SMALL_POWERS = Array.from({ length: FULL + 1 }, (_, exponent) => 10 ** exponent);
const POWERS = Array.from({ length: 128 }, (_, exponent) => wholeOf(10n ** BigInt(exponent)));

export function tenTo(exponent: number): Whole {
  return POWERS[exponent] ?? 10n ** BigInt(exponent);
}
