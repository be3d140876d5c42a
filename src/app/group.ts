/** Group writes: what comes while writes are under way goes into the next one, or where much has come, half of it at a time. */

export interface GroupOptions<T, R> {
  /** The most that one write takes. */
  most: number;
  /** So many go together. Of more, half: those who are answered come again while the other half is written. */
  few?: number;
  /** How many writes may be under way at once; another begins only when one takes long. */
  atOnce?: number;
  /** Writes them all; a result for each, in their order. */
  write(items: readonly T[]): Promise<readonly R[]>;
}

/** A write costs much by itself, so that all who come wait for the one under way; but no longer than this. */
const PATIENCE_MS = 20;
/** Whoever has waited longer than this for a write that failed is told so too: the next one might take as long again. */
const LONG_MS = 200;

export function createGroup<T, R>(options: GroupOptions<T, R>): (item: T) => Promise<R> {
  const { most, few = most, atOnce = 1, write } = options;
  interface Waiting {
    item: T;
    since: number;
    resolve(result: R): void;
    reject(error: unknown): void;
  }
  const waiting: Waiting[] = [];
  let writing = 0;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const half = Math.ceil(waiting.length / 2);
      const group = waiting.splice(0, Math.min(most, Math.max(few, half)));
      try {
        const results = await write(group.map(({ item }) => item));
        for (const [at, { resolve }] of group.entries()) resolve(results[at] as R);
      } catch (error) {
        const longAgo = performance.now() - LONG_MS;
        const late = waiting.findIndex(({ since }) => since > longAgo);
        group.push(...waiting.splice(0, late < 0 ? waiting.length : late));
        for (const { reject } of group) reject(error);
      }
    }
    writing--;
  }

  function begin(): void {
    if (writing === atOnce || waiting.length === 0) return;
    writing++;
    // After this tick, so that what came with it is in the first write already.
    setImmediate(() => void writeAll());
  }

  return item =>
    new Promise((resolve, reject) => {
      waiting.push({ item, since: performance.now(), resolve, reject });
      if (writing === 0) begin();
      else if (waiting.length === 1 && writing < atOnce) setTimeout(begin, PATIENCE_MS);
    });
}
