/** Timers that end together: what was to be done later is not done any more once they are stopped. */

/** Does something after a while; what it returns prevents that. */
export type Later = (ms: number, act: () => void) => () => void;

export interface Timers {
  later(ms: number, act: () => void): void;
  stop(): void;
}

/** A process does not live on for what is due later. */
const byTheClock: Later = (ms, act) => {
  const timer = setTimeout(act, ms).unref();
  return () => clearTimeout(timer);
};

/** Whoever opens pages without end shall not fill the memory: what would come on top of these does not happen. */
const MOST = 100_000;

export function createTimers(wait: Later = byTheClock): Timers {
  const waiting = new Set<() => void>();
  let stopped = false;
  return {
    later(ms, act) {
      if (stopped || waiting.size >= MOST) return;
      const prevent = wait(ms, () => {
        waiting.delete(prevent);
        act();
      });
      waiting.add(prevent);
    },
    stop() {
      stopped = true;
      for (const prevent of waiting) prevent();
      waiting.clear();
    },
  };
}
