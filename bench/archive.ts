/** The archive: what every run that was saved has measured, a file each, so that a regression shows and docs/speed.md is true. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Row, tableOf, verdictOf } from './table.ts';

export interface Run {
  date: string;
  machine: string;
  rounds: number;
  /** How busy the machine was before. */
  load: number;
  seconds: number;
  rows: readonly Row[];
}

const FOLDER = join('bench', 'results');
const DOCUMENT = join('docs', 'speed.md');
const FIGURES = '## Figures';

/** The rows of each bench as they were last measured on such a machine, by `keyOf`. */
export function lastFigures(machine: string): Map<string, Row> {
  const newest = new Map<string, Row[]>();
  for (const { rows } of runsOf(machine)) {
    for (const bench of new Set(rows.map(row => row.bench)))
      newest.set(
        bench,
        rows.filter(row => row.bench === bench),
      );
  }
  const benches = [...newest.keys()].sort();
  return new Map(benches.flatMap(bench => newest.get(bench) ?? []).map(row => [keyOf(row), row]));
}

/** Keeps the run, and writes the newest figures into the document. */
export function saveRun(run: Run): string {
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, `${run.date.slice(0, 19).replaceAll(':', '-')}-${commit()}.json`);
  const { rows, ...circumstances } = run;
  const head = Object.entries(circumstances).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  );
  const lines = rows.map(row => `    ${JSON.stringify({ ...row, verdict: verdictOf(row) })}`);
  writeFileSync(file, ['{', ...head, '  "rows": [', lines.join(',\n'), '  ]', '}', ''].join('\n'));
  writeDocument(run.machine);
  return file;
}

export function keyOf({ bench, what, goal }: Row): string {
  return [bench, what, goal?.id, goal?.stretch].join(' ');
}

/** The oldest first. */
function runsOf(machine: string): Run[] {
  if (!existsSync(FOLDER)) return [];
  const files = readdirSync(FOLDER).filter(name => name.endsWith('.json'));
  const runs = files.sort().map(name => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Run);
  return runs.filter(run => run.machine === machine);
}

function writeDocument(machine: string): void {
  const [opening = ''] = readFileSync(DOCUMENT, 'utf8').split(FIGURES);
  const origin = `${machine}, until ${runsOf(machine).at(-1)?.date.slice(0, 10)}. \`?\`: a server did not have its core to itself.`;
  const table = tableOf([...lastFigures(machine).values()]);
  writeFileSync(DOCUMENT, `${opening}${FIGURES}\n\n${origin}\n\n${table.join('\n')}\n`);
}

/** What was measured, as far as it is committed. */
function commit(): string {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--short=7', 'HEAD'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : 'unknown';
}
