/** The report: one line for each fault, printed, and kept in docs/reliability.md for runs of full size. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** What came of one fault. */
export interface Line {
  /** Its number in the list of faults. */
  fault: string;
  what: string;
  /** How often it happened; a fault that never did has shown nothing. */
  count: number;
  violations: number;
  worst: string;
}

export interface Section {
  run: string;
  seed: number;
  seconds: number;
  lines: readonly Line[];
  /** The first few violations, in words. */
  examples: readonly string[];
}

const FILE = 'docs/reliability.md';
const OPENING = `# Reliability

What the service has survived, counted. Every table is written by \`npm run faults\`, which runs real instances, a real
PostgreSQL, real sockets and real kills; \`--small\` runs a twentieth and writes nothing. A line fails when there is a
violation, and also when its fault never happened.
`;

/** Tells whoever waits how far it has come. */
export function say(text: string): void {
  console.error(`faults: ${text}`);
}

export function isGood({ count, violations }: Line): boolean {
  return count > 0 && violations === 0;
}

export function print({ run, seed, seconds, lines, examples }: Section): void {
  console.log(`\n${run}, seed ${seed}, ${seconds} s`);
  for (const line of table(lines)) console.log(line);
  for (const example of examples.slice(0, 10)) console.log(`  ${example}`);
}

/** Puts the section in the place of the last one of its name. */
export function keep(section: Section): void {
  const { run, seed, seconds, lines } = section;
  const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : OPENING;
  const [opening = '', ...others] = text.split(/^(?=## )/m);
  const machine = `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown'}, Node ${process.version}`;
  const date = new Date().toISOString().slice(0, 10);
  const own = `## ${run}\n\n${date}, ${machine}, ${seconds} s, seed ${seed}.\n\n${table(lines).join('\n')}\n`;
  const kept = others.filter(other => !other.startsWith(`## ${run}\n`)).map(other => `${other.trimEnd()}\n`);
  const sections = [...kept, own].sort();
  writeFileSync(FILE, [`${opening.trimEnd()}\n`, ...sections].join('\n'));
}

function table(lines: readonly Line[]): string[] {
  const head = ['Fault', 'What', 'Count', 'Violations', 'Worst', ''];
  const rows = lines.map(line => [
    ...[line.fault, line.what, line.count.toLocaleString('en'), line.violations.toLocaleString('en')],
    ...[line.worst, isGood(line) ? 'ok' : line.count > 0 ? 'BROKEN' : 'NEVER HAPPENED'],
  ]);
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map(row => row[at]?.length ?? 0)));
  const write = (cells: string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [write(head), `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(write)];
}
