/** Chance from one seed, so that a run can be run again. */

export interface Chance {
  /** From 0 up to, but not, the bound. */
  below(bound: number): number;
  /** A whole number from the first to the last. */
  whole(from: number, to: number): number;
  pick<T>(from: readonly T[]): T;
  shuffle<T>(list: readonly T[]): T[];
  /** So many digits of hexadecimal. */
  hex(digits: number): string;
}

/** Mulberry32: small, quick, and good enough to mix things up. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  function below(bound: number): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return (((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32) * bound;
  }
  const whole = (from: number, to: number) => from + Math.floor(below(to - from + 1));
  return {
    below,
    whole,
    pick: from => from[whole(0, from.length - 1)] as (typeof from)[number],
    shuffle(list) {
      const mixed = [...list];
      for (let at = mixed.length - 1; at > 0; at--) {
        const other = whole(0, at);
        [mixed[at], mixed[other]] = [
          mixed[other] as (typeof mixed)[number],
          mixed[at] as (typeof mixed)[number],
        ];
      }
      return mixed;
    },
    hex: digits => Array.from({ length: digits }, () => whole(0, 15).toString(16)).join(''),
  };
}
