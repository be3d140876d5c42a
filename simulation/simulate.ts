/** `npm run simulate`: as many worlds as are asked for, a worker for each core, and one table in the end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { startCluster } from './cluster.ts';
import { print } from './report.ts';
import { TELLS } from './tells.ts';
import type { Orders, Told } from './worker.ts';

const { values } = parseArgs({
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
  },
});
const [first, seeds, purchases] = [Number(values.seed), Number(values.seeds), Number(values.purchases)];
const workers = Math.min(Number(values.workers), seeds);

/** A world makes much that is soon forgotten. */
const FLAGS = ['--max-semi-space-size=64'];
const cluster = await startCluster();
const children: ChildProcess[] = [];
const told: Told[] = [];
let isOver = false;
const began = performance.now();
// Whoever breaks it off still wants to know how far it came.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void finish());
await Promise.all(Array.from({ length: workers }, (_, number) => work(number)));
await finish();

async function finish(): Promise<void> {
  if (isOver) return;
  isOver = true;
  await end();
  const cpuMs = told.reduce((total, one) => total + one.cpuMs, 0);
  process.exit(print(told, { seeds, ms: performance.now() - began, cpuMs }) ? 0 : 1);
}

async function end(): Promise<void> {
  for (const child of children) child.kill('SIGKILL');
  await cluster.stop();
}

function work(number: number): Promise<void> {
  const orders: Orders = {
    cluster: cluster.url,
    from: first + number,
    step: workers,
    count: Math.ceil((seeds - number) / workers),
    purchases,
    twice: values.twice,
    log: values.log,
  };
  const child = spawn(process.execPath, [...FLAGS, 'dist/simulate-worker.js', JSON.stringify(orders)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  createInterface({ input: child.stdout }).on('line', line => {
    if (line.startsWith(TELLS)) note(JSON.parse(line.slice(TELLS.length)) as Told);
    else console.log(line);
  });
  return new Promise(resolve => child.once('close', () => resolve()));
}

/** A seed that failed is told of at once, with the way to see it again. */
function note(one: Told): void {
  told.push(one);
  if (one.violations.length > 0) {
    console.log(`\nseed ${one.seed}: ${one.violations.length} violations`);
    for (const violation of one.violations.slice(0, 5)) console.log(`  ${violation}`);
    console.log(`  again: npm run simulate -- --seed ${one.seed} --seeds 1 --purchases ${purchases} --log`);
  }
  if (told.length % 50 === 0) console.error(`simulate: ${told.length} of ${seeds} seeds`);
}
