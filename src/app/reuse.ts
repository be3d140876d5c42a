/** Reuse: what was found out a moment ago, for whoever asks for the same. */

export interface Reuse<T> {
  /** What is kept under a key and is not too old. Who is asked for again is kept before others. */
  find(key: string): T | undefined;
  keep(key: string, value: T): void;
}

export interface ReuseOptions {
  /** So many of the last are kept at least, twice as many at most. */
  most: number;
  forMs: number;
  /** A clock that only goes forward, in milliseconds. */
  ticks(): number;
}

interface Kept<T> {
  value: T;
  until: number;
}

/**
 * Few: most of what a crowd asks for nobody else does, and whatever is kept for long is moved when memory is tidied. In two
 * tables that are dropped whole; one that is deleted from keeps alive what was on it (docs/speed.md).
 */
export function createReuse<T>({ most, forMs, ticks }: ReuseOptions): Reuse<T> {
  let recent = new Map<string, Kept<T>>();
  let earlier = new Map<string, Kept<T>>();

  function put(key: string, kept: Kept<T>): void {
    if (recent.size === most) {
      earlier = recent;
      recent = new Map();
    }
    recent.set(key, kept);
  }

  return {
    find(key) {
      const kept = recent.get(key) ?? earlier.get(key);
      if (!kept || kept.until <= ticks()) return undefined;
      if (!recent.has(key)) put(key, kept);
      return kept.value;
    },
    keep: (key, value) => put(key, { value, until: ticks() + forMs }),
  };
}
