/** A deadline: one timer that ends everything hung on it at the same moment. */
import { createRoll, nowhere, type Register } from './roll.ts';
import { Upstream } from './upstream.ts';

/** Whoever is added has to give up then, or at once if it has passed. */
export interface Deadline extends Register {
  /** Milliseconds left; never negative. */
  remaining(): number;
  /** Ends the timer; nobody is told any more. */
  clear(): void;
}

/** Made once: whoever makes an error walks the stack, and of these there are hundreds when every provider hangs. */
const LATE = new Upstream('late', 'no answer before the deadline');

export function createDeadline(milliseconds: number): Deadline {
  const waiting = createRoll();
  const end = performance.now() + milliseconds;
  let expired = false;
  const timer = setTimeout(() => {
    expired = true;
    waiting.dismiss(LATE)();
  }, milliseconds);
  return {
    // A timer may fire a little early: what has expired has no time left, whatever the clock says.
    remaining: () => (expired ? 0 : Math.max(0, end - performance.now())),
    add(waiter) {
      if (!expired) return waiting.add(waiter);
      waiter.giveUp(LATE);
      return nowhere();
    },
    strike: waiting.strike,
    clear() {
      clearTimeout(timer);
      waiting.clear();
    },
  };
}
