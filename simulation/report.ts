/** The report: what a run has reached, what it has broken, and how quickly it went. */
import { KINDS, type Kind } from './kinds.ts';
import type { Outcome } from './seed.ts';

export interface Run {
  /** How many seeds were asked for. */
  seeds: number;
  ms: number;
  /** How much processor time the workers used. */
  cpuMs: number;
}

/** Fewer seeds than this cannot be expected to reach everything. */
const ENOUGH_SEEDS = 100;

/** Prints it all; false when something was violated, when a seed did not end, or when a long run has missed a kind. */
export function print(outcomes: readonly Outcome[], { seeds, ms, cpuMs }: Run): boolean {
  const names = Object.keys(KINDS) as Kind[];
  const times = (kind: Kind) => sum(outcomes, ({ reached }) => reached[kind] ?? 0);
  console.log('\n| Fault | Reached | Times |\n|---|---|---|');
  for (const kind of names) console.log(`| ${KINDS[kind]} | ${kind} | ${times(kind).toLocaleString('en')} |`);
  const missed = names.filter(kind => times(kind) === 0);
  const violations = sum(outcomes, one => one.violations.length);
  const transactions = sum(outcomes, one => one.transactions);
  const hours = sum(outcomes, one => one.virtualMs) / 3_600_000;
  const each = (total: number) => (total / Math.max(1, transactions)).toFixed(1);
  console.log(
    `\n${outcomes.length.toLocaleString('en')} seeds, ${transactions.toLocaleString('en')} transactions, ` +
      `${violations} violations, ${names.length - missed.length} of ${names.length} kinds reached`,
  );
  console.log(
    `${(ms / 1000).toFixed(0)} s: ${((transactions / ms) * 1000).toFixed(1)} transactions a second, ` +
      `${((hours / ms) * 60_000).toFixed(0)} simulated hours a minute; a transaction took ` +
      `${each(sum(outcomes, one => one.statements))} statements and ${each(cpuMs)} ms of processor`,
  );
  if (outcomes.length < seeds) console.log(`only ${outcomes.length} of ${seeds} seeds came to an end`);
  if (missed.length > 0) console.log(`never reached: ${missed.join('; ')}`);
  const isVacuous = seeds >= ENOUGH_SEEDS && missed.length > 0;
  return violations === 0 && outcomes.length === seeds && !isVacuous;
}

function sum(outcomes: readonly Outcome[], of: (outcome: Outcome) => number): number {
  return outcomes.reduce((total, outcome) => total + of(outcome), 0);
}
