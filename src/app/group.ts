/** Group writes: everything that comes while one write is under way goes into the next one, and waits for that alone. */

export interface GroupOptions<T, R> {
  /** The most that one write takes. */
  most: number;
  /** Writes them all; a result for each, in their order. */
  write(items: readonly T[]): Promise<readonly R[]>;
}

export function createGroup<T, R>({ most, write }: GroupOptions<T, R>): (item: T) => Promise<R> {
  interface Waiting {
    item: T;
    resolve(result: R): void;
    reject(error: unknown): void;
  }
  const waiting: Waiting[] = [];
  let writing = false;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting.splice(0, most);
      try {
        const results = await write(group.map(({ item }) => item));
        for (const [at, { resolve }] of group.entries()) resolve(results[at] as R);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    writing = false;
  }

  return item =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (writing) return;
      writing = true;
      // After this tick, so that what came with it is in the first write already.
      setImmediate(() => void writeAll());
    });
}
