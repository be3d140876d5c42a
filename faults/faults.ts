/** The fault runs: those that are named, or all of them; exit code 1 when anything broke. */
import { misused, readOptions } from '../bench/options.ts';
import { runBackup } from './backup/run.ts';
import { endProcesses } from './bed/processes.ts';
import { runCheckout } from './checkout/run.ts';
import { runClock } from './clock/run.ts';
import { runDatabase } from './database/run.ts';
import { runDeliveries } from './deliveries/run.ts';
import { runDisk } from './disk/run.ts';
import { runForged } from './forged/run.ts';
import { runInput } from './input/run.ts';
import { runLeak } from './leak/run.ts';
import { runOverload } from './overload/run.ts';
import { runPairs } from './pairs/run.ts';
import { runProviders } from './providers/run.ts';
import { isGood, keep, print, type Section } from './report.ts';
import { runRolling } from './rolling/run.ts';
import { runSecurity } from './security/run.ts';
import { runUpgrade } from './upgrade/run.ts';
import { runWebhooks } from './webhooks/run.ts';

const RUNS: Record<string, (small: boolean, seed: number) => Promise<Section>> = {
  webhooks: runWebhooks,
  checkout: runCheckout,
  forged: runForged,
  overload: runOverload,
  providers: runProviders,
  database: runDatabase,
  pairs: runPairs,
  rolling: runRolling,
  clock: runClock,
  disk: runDisk,
  deliveries: runDeliveries,
  security: runSecurity,
  input: runInput,
  upgrade: runUpgrade,
  backup: runBackup,
  leak: runLeak,
};

/** Takes as long as all the others together: it is run when it is named. */
const NAMED_ONLY = 'leak';

const USAGE = `npm run faults -- [${Object.keys(RUNS).join('] [')}] [--small] [--seed N]`;

const { values, positionals } = readOptions(USAGE, {
  allowPositionals: true,
  options: { small: { type: 'boolean', default: false }, seed: { type: 'string', default: '20260101' } },
});
const unknown = positionals.filter(name => !RUNS[name]);
const seed = Number(values.seed);
if (unknown.length > 0) misused(USAGE, `no run is named ${unknown.join(', ')}`);
if (!Number.isInteger(seed)) misused(USAGE, '--seed is a whole number');

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => void endProcesses().finally(() => process.exit(130)));

for (const [name, run] of Object.entries(RUNS)) {
  if (positionals.length > 0 ? !positionals.includes(name) : name === NAMED_ONLY) continue;
  const section = await run(values.small, seed);
  print(section);
  if (!values.small) keep(section);
  if (!section.lines.every(isGood)) process.exitCode = 1;
}
