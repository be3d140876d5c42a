/** Gathering: what comes of many things at once, by one promise for all of them, where one for each costs time. */

/** What each item called back with, in the order of the items, once all have; what goes wrong on the way is thrown. */
export function gather<T, R>(
  items: readonly T[],
  begin: (item: T, done: (result: R) => void) => Promise<void> | void,
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
      begin(item, done)?.catch(reject);
    });
  });
}
