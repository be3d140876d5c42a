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

/** The lines of the table; with what was measured before beside it, where that is known. */
export function tableOf(rows: readonly Row[], before?: (row: Row) => Row | undefined): string[] {
  const head = [
    'Bench',
    'What',
    'Ours',
    'Baseline',
    'Figure',
    ...(before ? ['Before'] : []),
    'Goal',
    'Verdict',
  ];
  const lines = [head, ...rows.map(row => lineOf(row, before))];
  const widths = head.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0)));
  const write = (line: string[]) =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`;
  return [write(head), rule, ...lines.slice(1).map(write)];
}

/** Whether a ratio has moved away from its goal by more than a busy machine explains. */
export function isWorse(row: Row, before: Row): boolean {
  if (!row.goal || row.unit || row.doubtful || before.doubtful) return false;
  const growth = row.figure / before.figure;
  return row.goal.most === undefined ? growth < 1 / NOISE : growth > NOISE;
}

const NOISE = 1.1;

export function verdictOf({ figure, goal, doubtful }: Row): string {
  if (!goal) return '';
  const met = figure <= (goal.most ?? Number.POSITIVE_INFINITY) && figure >= (goal.least ?? -Infinity);
  const word = met ? 'met' : goal.stretch ? 'not yet' : 'missed';
  return doubtful ? `${word} ?` : word;
}

function lineOf(row: Row, before?: (row: Row) => Row | undefined): string[] {
  const { bench, what, ours, baseline, figure, unit = '', goal } = row;
  const figures = [`${short(figure)}${unit}`];
  const last = before?.(row);
  if (before) figures.push(last ? `${short(last.figure)}${unit}` : '');
  const verdict = last && isWorse(row, last) ? `${verdictOf(row)}, worse than before` : verdictOf(row);
  return [bench, what, ours, baseline, ...figures, goalText(goal, unit), verdict];
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
