/** `npm run simulate`: as many worlds as are asked for, a worker for each core, and one table in the end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { misused, readOptions } from '../bench/options.ts';
import { startCluster } from './cluster.ts';
import { print } from './report.ts';
import { TELLS } from './tells.ts';
import { addToTotals, beginTotals, keepTotals, openTotals } from './totals.ts';
import type { Orders, Told } from './worker.ts';

const USAGE =
  'npm run simulate -- [--seed N] [--seeds N] [--purchases N] [--workers N] [--twice] [--log] [--keep FILE]';

const { values } = readOptions(USAGE, {
  options: {
    /** The first seed, and how many in all. */
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '20' },
    /** How many purchases each of them has. */
    purchases: { type: 'string', default: '100' },
    workers: { type: 'string', default: String(availableParallelism()) },
    /** Runs each seed twice: it must go the same way. */
    twice: { type: 'boolean', default: false },
    /** Prints everything that happens. */
    log: { type: 'boolean', default: false },
    /** Keeps what was done in this file, and leaves out what is kept there already. */
    keep: { type: 'string' },
  },
});
const [first, seeds, purchases, most] = [count('seed'), count('seeds'), count('purchases'), count('workers')];

/** A world makes much that is soon forgotten, and there is one for every core: nobody has one to spare for sweeping. */
const FLAGS = ['--max-semi-space-size=64', '--single-threaded-gc'];
const WORKER = fileURLToPath(new URL('simulate-worker.js', import.meta.url));

// Each version of Node lets things happen in an order of its own.
const build = createHash('sha256')
  .update(readFileSync(WORKER))
  .update(process.version)
  .digest('hex')
  .slice(0, 16);
const totals = values.keep ? openTotals(values.keep, { build, purchases }) : beginTotals(build, purchases);
const wanted = Array.from({ length: seeds }, (_, number) => first + number);
const left = wanted.filter(seed => !totals.done.has(seed));
const workers = Math.min(most, left.length);
if (values.keep) console.error(`simulate: ${left.length} of ${seeds} seeds are left for build ${build}`);

const cluster = await startCluster();
const children: ChildProcess[] = [];
let isOver = false;
let since = performance.now();
// Whoever breaks it off still wants to know how far it came; a terminal tells us, and so does who has started us.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void finish());
await Promise.all(Array.from({ length: workers }, (_, number) => work(number)));
await finish();

function count(name: 'seed' | 'seeds' | 'purchases' | 'workers'): number {
  const number = Number(values[name]);
  return Number.isInteger(number) && number > 0
    ? number
    : misused(USAGE, `--${name} is a whole number from 1`);
}

async function finish(): Promise<void> {
  if (isOver) return;
  isOver = true;
  for (const child of children) child.kill('SIGKILL');
  await cluster.stop();
  process.exit(print(totals, Math.max(seeds, totals.done.size)) ? 0 : 1);
}

/** Has a worker do one seed after another, as long as there are any. */
function work(number: number): Promise<void> {
  const orders: Orders = {
    cluster: cluster.url,
    core: workers > availableParallelism() ? undefined : number,
    purchases,
    twice: values.twice,
    log: values.log,
  };
  const child = spawn(process.execPath, [...FLAGS, WORKER, JSON.stringify(orders)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const next = () => {
    const seed = left.shift();
    if (seed === undefined) child.stdin.end();
    else child.stdin.write(`${seed}\n`);
  };
  createInterface({ input: child.stdout }).on('line', line => {
    if (!line.startsWith(TELLS)) return console.log(line);
    note(JSON.parse(line.slice(TELLS.length)) as Told);
    next();
  });
  child.stdin.on('error', () => {});
  next();
  return new Promise(resolve => child.once('close', () => resolve()));
}

/** A seed that failed is told of at once, with the way to see it again. */
function note(one: Told): void {
  if (isOver) return;
  const now = performance.now();
  totals.wallMs += now - since;
  since = now;
  addToTotals(totals, one);
  if (values.keep) keepTotals(values.keep, totals);
  if (one.violations.length > 0) {
    console.log(`\nseed ${one.seed}: ${one.violations.length} violations`);
    for (const violation of one.violations.slice(0, 5)) console.log(`  ${violation}`);
    console.log(`  again: npm run simulate -- --seed ${one.seed} --seeds 1 --purchases ${purchases} --log`);
  }
  if (totals.done.size % 50 === 0) console.error(`simulate: ${totals.done.size} seeds are done`);
}
