/** A small generator with a seed, so that a failure can be looked at. */

/** A whole number from nought up to, and without, the one given. */
export type Random = (below: number) => number;

export function seeded(seed: number): Random {
  let state = seed;
  return below => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export function pick<T>(random: Random, from: Iterable<T>): T {
  const all = [...from];
  const one = all[random(all.length)];
  if (one === undefined) throw new Error('nothing to choose from');
  return one;
}
