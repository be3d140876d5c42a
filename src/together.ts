/** Together: what comes up in one go is done in one go, while the processor has at hand what the next one needs. */

/**
 * What is returned puts an item by; all that were put by are worked on when `soon` calls back, in their order: at the end
 * of this turn of the loop with `setImmediate`, right after what is being done with `afterwards`.
 */
export function together<T>(
  work: (item: T) => void,
  soon: (flush: () => void) => unknown,
): (item: T) => void {
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
        if (due.length === 0) soon(flush);
        due = [...items.slice(done), ...due];
      }
    }
  }

  return item => {
    if (due.push(item) === 1) soon(flush);
  };
}

/** Calls right after what is being done. By a promise, as Node makes a resource of its own for whatever `queueMicrotask` is given. */
export function afterwards(work: () => void): void {
  DONE.then(work);
}

const DONE = Promise.resolve();
