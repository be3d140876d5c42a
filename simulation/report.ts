/** The report: what a run has reached, what it has broken, and how quickly it went. */
import { KINDS, type Kind } from './kinds.ts';
import type { Totals } from './totals.ts';

/** Fewer seeds than this cannot be expected to reach everything. */
const ENOUGH_SEEDS = 100;

/** Prints it all; false when something was violated, when a seed did not end, or when a long run has missed a kind. */
export function print(totals: Totals, wanted: number): boolean {
  const { transactions, violations, statements, cpuMs, wallMs } = totals;
  const names = Object.keys(KINDS) as Kind[];
  const times = (kind: Kind) => totals.reached[kind] ?? 0;
  console.log('\n| Fault | Reached | Times |\n|---|---|---|');
  for (const kind of names) console.log(`| ${KINDS[kind]} | ${kind} | ${times(kind).toLocaleString('en')} |`);
  const missed = names.filter(kind => times(kind) === 0);
  const seeds = totals.done.size;
  const hours = totals.virtualMs / 3_600_000;
  const each = (total: number) => (total / Math.max(1, transactions)).toFixed(1);
  console.log(
    `\n${seeds.toLocaleString('en')} seeds, ${transactions.toLocaleString('en')} transactions, ` +
      `${violations} violations, ${names.length - missed.length} of ${names.length} kinds reached`,
  );
  console.log(
    `${(wallMs / 1000).toFixed(0)} s: ${((transactions / wallMs) * 1000).toFixed(1)} transactions a second, ` +
      `${((hours / wallMs) * 60_000).toFixed(0)} simulated hours a minute; a transaction took ` +
      `${each(statements)} statements and ${each(cpuMs)} ms of processor`,
  );
  if (seeds < wanted) console.log(`only ${seeds} of ${wanted} seeds came to an end`);
  if (missed.length > 0) console.log(`never reached: ${missed.join('; ')}`);
  const isVacuous = wanted >= ENOUGH_SEEDS && missed.length > 0;
  return violations === 0 && seeds >= wanted && !isVacuous;
}
