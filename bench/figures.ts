/** Figures: middles and percentiles of what was measured. */

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The smallest value that at least `share` percent do not exceed; NaN for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * share) / 100) - 1)] ?? Number.NaN;
}

/** The entries in turn order, each round beginning one later, so that none always comes first. */
export function rotate<T>(entries: readonly T[], round: number): T[] {
  const start = round % entries.length;
  return [...entries.slice(start), ...entries.slice(0, start)];
}
