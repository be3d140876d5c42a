/** A worker: runs the seeds that it is told, one after another, on a database of its own, and tells of each in one line. */
import { createInterface } from 'node:readline';
import { seedGlobals } from './machine/chance.ts';
import { chooseCore } from './machine/core.ts';
import { type Outcome, runSeed } from './seed.ts';
import { TELLS } from './tells.ts';
import { makeTemplate } from './template.ts';

/** What a worker is told, as JSON in its first argument. */
export interface Orders {
  cluster: string;
  /** Where it runs, when it has a core of its own. */
  core: number | undefined;
  purchases: number;
  twice: boolean;
  log: boolean;
}

/** What it tells. */
export interface Told extends Outcome {
  cpuMs: number;
}

const { cluster, core, purchases, twice, log } = JSON.parse(process.argv[2] ?? '{}') as Orders;
seedGlobals();
if (core !== undefined) chooseCore(core);
const template = await makeTemplate(cluster, `template_${process.pid}`);
for await (const line of createInterface({ input: process.stdin })) tell(await run(Number(line)));
process.exit(0);

async function run(seed: number): Promise<Told> {
  const print = log ? (line: string) => void process.stdout.write(`${line}\n`) : undefined;
  const began = process.cpuUsage();
  const outcome = await runSeed({ seed, purchases, template, print });
  const again = twice ? await runSeed({ seed, purchases, template }) : outcome;
  const { user, system } = process.cpuUsage(began);
  const differs = again.digest === outcome.digest ? [] : ['determinism: the same seed went another way'];
  return {
    ...outcome,
    violations: [...outcome.violations, ...differs],
    cpuMs: Math.round((user + system) / 1000),
  };
}

function tell(told: Told): void {
  process.stdout.write(`${TELLS}${JSON.stringify(told)}\n`);
}
