/** Refusals: counted one by one, and told of once a second at most. */

export interface RefusalsOptions {
  count(reason: string): void;
  /** Told how many were refused since the last time, by reason. */
  report(counts: Readonly<Record<string, number>>): void;
  /** A clock that only goes forward, in milliseconds. */
  ticks(): number;
}

const EVERY_MS = 1_000;

export function createRefusals({ count, report, ticks }: RefusalsOptions): (reason: string) => void {
  let counts: Record<string, number> = {};
  let reportedAt = Number.NEGATIVE_INFINITY;
  let isDue = false;

  function tell(): void {
    isDue = false;
    reportedAt = ticks();
    report(counts);
    counts = {};
  }

  return reason => {
    count(reason);
    counts[reason] = (counts[reason] ?? 0) + 1;
    if (isDue) return;
    isDue = true;
    setTimeout(tell, Math.max(0, reportedAt + EVERY_MS - ticks())).unref();
  };
}
