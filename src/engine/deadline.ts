/** A deadline: one timer that ends everything hung on it at the same moment. */

export interface Deadline {
  /** Milliseconds left; never negative. */
  remaining(): number;
  /** Calls back at the deadline (at once if it has passed) unless the returned function is called first. */
  onExpire(callback: () => void): () => void;
  /** Ends the timer; nothing is called any more. */
  clear(): void;
}

export function createDeadline(milliseconds: number): Deadline {
  const waiting = new Set<() => void>();
  const end = performance.now() + milliseconds;
  let expired = false;
  const timer = setTimeout(() => {
    expired = true;
    for (const callback of waiting) callback();
    waiting.clear();
  }, milliseconds);
  return {
    remaining: () => Math.max(0, end - performance.now()),
    onExpire(callback) {
      if (expired) {
        callback();
        return () => {};
      }
      waiting.add(callback);
      return () => waiting.delete(callback);
    },
    clear() {
      clearTimeout(timer);
      waiting.clear();
    },
  };
}
