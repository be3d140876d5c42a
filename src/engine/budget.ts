/** A budget of requests: a bucket that refills with time, so that we never ask a provider more than it allows. */

export interface Budget {
  /**
   * Takes one; false when none is left beside the `keep` that are left to others. `ticks` is a clock that only goes
   * forward, in milliseconds.
   */
  take(ticks: number, keep?: number): boolean;
  /** Takes a part of one, or what is there of it. */
  pay(part: number): void;
  /** In how many milliseconds there is one to take; 0 when there is one now. */
  waitMs(ticks: number, keep?: number): number;
}

export function createBudget(perSecond: number, burst: number): Budget {
  let left = burst;
  let filledAt: number | undefined;

  function fill(ticks: number): void {
    left = Math.min(burst, left + (Math.max(0, ticks - (filledAt ?? ticks)) / 1000) * perSecond);
    filledAt = ticks;
  }

  return {
    waitMs(ticks, keep = 0) {
      fill(ticks);
      return Math.max(0, Math.ceil(((1 + keep - left) / perSecond) * 1000));
    },
    take(ticks, keep = 0) {
      fill(ticks);
      if (left < 1 + keep) return false;
      left--;
      return true;
    },
    pay(part) {
      left = Math.max(0, left - part);
    },
  };
}
