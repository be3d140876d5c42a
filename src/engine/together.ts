/**
 * Together: what comes up in one turn of the loop is done one after the other at its end. A processor does the same thing
 * twelve times in much less than twelve times as long, if nothing else comes in between.
 */
export function together<T>(work: (item: T) => void): (item: T) => void {
  let due: T[] = [];

  function flush(): void {
    const items = due;
    due = [];
    let done = 0;
    try {
      for (const item of items) {
        done++;
        work(item);
      }
    } finally {
      // Whoever comes after one that fails is not forgotten.
      if (done < items.length) {
        if (due.length === 0) setImmediate(flush);
        due = [...items.slice(done), ...due];
      }
    }
  }

  return item => {
    if (due.push(item) === 1) setImmediate(flush);
  };
}
