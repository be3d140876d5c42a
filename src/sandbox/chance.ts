/** Chance with a seed: the same seed, the same luck. */

/** A whole number below the given one. */
export type Chance = (below: number) => number;

/** Mulberry32. */
export function createChance(seed: number): Chance {
  let state = seed | 0;
  return below => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** The same things in another order. */
export function shuffle<T>(things: readonly T[], chance: Chance): T[] {
  const left = [...things];
  const drawn: T[] = [];
  while (left.length) drawn.push(...left.splice(chance(left.length), 1));
  return drawn;
}
