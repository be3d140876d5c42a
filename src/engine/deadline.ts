/** A deadline: one timer that ends everything hung on it at the same moment. */
import { createRoll } from './roll.ts';

export interface Deadline {
  /** Milliseconds left; never negative. */
  remaining(): number;
  /** Calls back at the deadline (at once if it has passed) unless the returned function is called first. */
  onExpire(callback: () => void): () => void;
  /** Ends the timer; nothing is called any more. */
  clear(): void;
}

export function createDeadline(milliseconds: number): Deadline {
  const waiting = createRoll();
  const end = performance.now() + milliseconds;
  let expired = false;
  const timer = setTimeout(() => {
    expired = true;
    waiting.dismiss()();
  }, milliseconds);
  return {
    // A timer may fire a little early: what has expired has no time left, whatever the clock says.
    remaining: () => (expired ? 0 : Math.max(0, end - performance.now())),
    onExpire(callback) {
      if (!expired) return waiting.add(callback);
      callback();
      return () => {};
    },
    clear() {
      clearTimeout(timer);
      waiting.clear();
    },
  };
}
