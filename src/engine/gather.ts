/** Gathering: what comes of many things at once, by one promise for all of them, where one for each costs time. */

/** What each item called back with, in the order of the items, once all have; the first that fails is thrown. */
export function gather<T, R>(
  items: readonly T[],
  begin: (item: T, done: (result: R) => void, fail: (error: unknown) => void) => void,
): Promise<R[]> {
  return new Promise((resolve, reject) => {
    const results = new Array<R>(items.length);
    let left = items.length;
    if (left === 0) resolve(results);
    items.forEach((item, at) => {
      const done = (result: R) => {
        results[at] = result;
        if (--left === 0) resolve(results);
      };
      begin(item, done, reject);
    });
  });
}
