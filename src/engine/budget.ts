/** A budget of requests: a bucket that refills with time, so that we never ask a provider more than it allows. */

export interface Budget {
  /**
   * Takes one; false when none is left beside the `keep` that are left to others. `ticks` is a clock that only goes
   * forward, in milliseconds.
   */
  take(ticks: number, keep?: number): boolean;
}

export function createBudget(perSecond: number, burst: number): Budget {
  let left = burst;
  let filledAt: number | undefined;
  return {
    take(ticks, keep = 0) {
      left = Math.min(burst, left + (Math.max(0, ticks - (filledAt ?? ticks)) / 1000) * perSecond);
      filledAt = ticks;
      if (left < 1 + keep) return false;
      left--;
      return true;
    },
  };
}
