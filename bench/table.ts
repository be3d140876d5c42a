/** The table: one row for each thing measured, with what it was held against and whether the goal is met. */
import { median } from './figures.ts';

export interface Row {
  bench: string;
  what: string;
  /** Figures with their unit, as they are shown. */
  ours: string;
  baseline: string;
  /** What is judged: a ratio, or a difference where the goal is one. */
  figure: number;
  unit?: string;
  goal?: Goal;
  /** The machine was too busy for this figure to be trusted. */
  doubtful?: boolean;
}

export interface Goal {
  /** Its name in the speed goals. */
  id: string;
  most?: number;
  least?: number;
  /** Worth reaching, but not promised: never "missed". */
  stretch?: boolean;
}

export function printTable(rows: readonly Row[]): void {
  const head = ['Bench', 'What', 'Ours', 'Baseline', 'Figure', 'Goal', 'Verdict'];
  const lines = [head, ...rows.map(lineOf)];
  const widths = head.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0)));
  const write = (line: string[]) =>
    console.log(`| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  write(head);
  console.log(`|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`);
  for (const line of lines.slice(1)) write(line);
}

export function verdictOf({ figure, goal, doubtful }: Row): string {
  if (!goal) return '';
  const met = figure <= (goal.most ?? Number.POSITIVE_INFINITY) && figure >= (goal.least ?? -Infinity);
  const word = met ? 'met' : goal.stretch ? 'not yet' : 'missed';
  return doubtful ? `${word} ?` : word;
}

function lineOf(row: Row): string[] {
  const { bench, what, ours, baseline, figure, unit = '', goal } = row;
  return [bench, what, ours, baseline, `${short(figure)}${unit}`, goalText(goal, unit), verdictOf(row)];
}

function goalText(goal: Goal | undefined, unit: string): string {
  if (!goal) return '';
  const bound = goal.most === undefined ? `≥ ${goal.least}` : `≤ ${goal.most}`;
  return `${goal.id} ${goal.stretch ? 'stretch ' : ''}${bound}${unit}`;
}

/** Three digits or so; whole numbers as they are. */
export function short(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const places = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(places);
}

/** The middle of several rounds, and how far they lay apart. */
export function spreadOf(values: readonly number[]): string {
  const middle = short(median(values));
  return values.length < 2
    ? middle
    : `${middle} (${short(Math.min(...values))}–${short(Math.max(...values))})`;
}
