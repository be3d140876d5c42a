/** The bench: runs what was chosen, or all of it, and prints one table. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { cpus, loadavg } from 'node:os';
import { keyOf, lastFigures, saveRun } from './archive.ts';
import { benchCatalogue } from './catalogue.ts';
import { benchCheckouts } from './checkouts.ts';
import { benchCrowd } from './crowd.ts';
import { benchGrowth } from './growth.ts';
import { misused, readOptions } from './options.ts';
import { benchFaults, benchHung } from './outages.ts';
import { benchPages } from './pages.ts';
import { benchCost, benchLatency } from './quotes.ts';
import { benchSharing } from './sharing.ts';
import { benchStartup } from './startup.ts';
import { type Row, tableOf } from './table.ts';
import { benchWebhooks } from './webhooks.ts';
import { openWorld, type World } from './world.ts';

const BENCHES: Record<string, (world: World) => Promise<Row[]>> = {
  Bi: benchCatalogue,
  'Bii-a': benchCost,
  'Bii-b': benchLatency,
  'Bii-c': benchHung,
  'Bii-d': benchFaults,
  'Bii-e': benchSharing,
  Biii: benchCheckouts,
  Biv: benchPages,
  Bv: benchWebhooks,
  Bvi: benchCrowd,
  Bvii: benchGrowth,
  Bviii: benchStartup,
};

const USAGE = `npm run bench -- [${Object.keys(BENCHES).join('] [')}] [--quick] [--rounds N] [--rows N] [--save] [--profile DIR]`;

const { values, positionals } = readOptions(USAGE, {
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    // How many transaction records the largest account of Biv has.
    rows: { type: 'string' },
    // Keeps the figures in bench/results, and writes them into docs/speed.md.
    save: { type: 'boolean', default: false },
    // A folder: the services leave CPU profiles there.
    profile: { type: 'string' },
  },
});
const unknown = positionals.filter(name => !BENCHES[name]);
const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));
const records = Number(values.rows ?? (values.quick ? 1e5 : 1e7));
if (unknown.length > 0) misused(USAGE, `no bench is named ${unknown.join(', ')}`);
if (!(rounds >= 1)) misused(USAGE, '--rounds is a number from 1');
if (!(records >= 1e3)) misused(USAGE, '--rows is a number from 1000');

await claimMachine();
const began = performance.now();
const load = loadavg()[0] ?? 0;
const world = await openWorld({ rounds, quick: values.quick, rows: records }, values.profile);
let isLeaving = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (!isLeaving) void world.close().finally(() => process.exit(130));
    isLeaving = true;
  });
}
const rows: Row[] = [];
try {
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (positionals.length && !positionals.includes(name)) continue;
    const start = performance.now();
    try {
      rows.push(...(await bench(world)));
    } catch (error) {
      // The others are worth having all the same.
      console.error(`bench: ${name} failed:`, error);
      process.exitCode = 1;
    }
    console.error(`bench: ${name} took ${((performance.now() - start) / 1000).toFixed(0)} s`);
  }
} finally {
  await world.close();
}

const seconds = Math.round((performance.now() - began) / 1000);
const machine = `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`;
const last = lastFigures(machine);
for (const line of tableOf(rows, row => last.get(keyOf(row)))) console.log(line);
if (rows.some(row => row.doubtful)) console.log('\n? a server did not have its core to itself');
console.log(`\n${machine}, ${rounds} rounds, load before ${load.toFixed(2)}, ${seconds} s`);
if (values.save) {
  console.log(saveRun({ date: new Date().toISOString(), machine, rounds, load, seconds, rows }));
}

/** Two benches at once would measure each other. The name is the kernel's and goes when the process does. */
async function claimMachine(): Promise<void> {
  const claim = createServer().unref();
  try {
    await once(claim.listen('\0cloverleaf-bench'), 'listening');
  } catch {
    console.error('bench: another bench is running on this machine');
    process.exit(1);
  }
}
