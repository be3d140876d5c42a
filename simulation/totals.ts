/** Totals: what many seeds came to, kept in a file, so that a long run may be broken off and gone on with. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Kind } from './kinds.ts';
import type { Told } from './worker.ts';

export interface Totals {
  /** What was run: a digest of the service and the simulation. Of another build nothing is added. */
  build: string;
  /** How many purchases each seed had. */
  purchases: number;
  /** The seeds that came to an end. */
  done: Set<number>;
  transactions: number;
  statements: number;
  virtualMs: number;
  /** Of the workers, and of the clock on the wall. */
  cpuMs: number;
  wallMs: number;
  violations: number;
  /** What was wrong, by seed. */
  failed: Record<string, readonly string[]>;
  reached: Partial<Record<Kind, number>>;
}

export function beginTotals(build: string, purchases: number): Totals {
  return {
    ...{ build, purchases, done: new Set<number>(), transactions: 0, statements: 0, virtualMs: 0 },
    ...{ cpuMs: 0, wallMs: 0, violations: 0, failed: {}, reached: {} },
  };
}

export function addToTotals(totals: Totals, told: Told): void {
  totals.done.add(told.seed);
  totals.transactions += told.transactions;
  totals.statements += told.statements;
  totals.virtualMs += told.virtualMs;
  totals.cpuMs += told.cpuMs;
  totals.violations += told.violations.length;
  if (told.violations.length > 0) totals.failed[told.seed] = told.violations;
  for (const [kind, times] of Object.entries(told.reached) as [Kind, number][])
    totals.reached[kind] = (totals.reached[kind] ?? 0) + times;
}

/** What a file holds of this build, or totals that begin with nothing. */
export function openTotals(path: string, { build, purchases }: Pick<Totals, 'build' | 'purchases'>): Totals {
  const found = readAll(path).find(one => isSame(one, { build, purchases }));
  return found ? { ...found, done: parseRanges(found.done) } : beginTotals(build, purchases);
}

/** Puts them in the place of what the file held of the same build; of others it keeps what it has. */
export function keepTotals(path: string, totals: Totals): void {
  const others = readAll(path).filter(one => !isSame(one, totals));
  const draft = `${path}.new`;
  mkdirSync(dirname(path), { recursive: true });
  const all: Written[] = [...others, { ...totals, done: writeRanges(totals.done) }];
  writeFileSync(draft, `${JSON.stringify(all, undefined, 1)}\n`);
  // Whoever is killed leaves the old file or the new one, whole.
  renameSync(draft, path);
}

interface Written extends Omit<Totals, 'done'> {
  done: string;
}

type Run = Pick<Totals, 'build' | 'purchases'>;

function isSame(one: Run, other: Run): boolean {
  return one.build === other.build && one.purchases === other.purchases;
}

function readAll(path: string): Written[] {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Written[]) : [];
}

/** `1-500 503`: seeds are mostly done one after another. */
function writeRanges(seeds: ReadonlySet<number>): string {
  const ranges: [number, number][] = [];
  for (const seed of [...seeds].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last?.[1] === seed - 1) last[1] = seed;
    else ranges.push([seed, seed]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(' ');
}

function parseRanges(text: string): Set<number> {
  const seeds = new Set<number>();
  for (const range of text.split(' ').filter(Boolean)) {
    const [first = 0, last = first] = range.split('-').map(Number);
    for (let seed = first; seed <= last; seed++) seeds.add(seed);
  }
  return seeds;
}
