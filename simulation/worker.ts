/** A worker: runs seeds, one after another, on databases of its own, and tells of each in one line. */
import { seedGlobals } from './machine/chance.ts';
import { type Outcome, runSeed } from './seed.ts';
import { TELLS } from './tells.ts';
import { makeTemplate } from './template.ts';

/** What a worker is told, as JSON in its first argument. */
export interface Orders {
  cluster: string;
  from: number;
  step: number;
  count: number;
  purchases: number;
  twice: boolean;
  log: boolean;
}

/** What it tells. */
export interface Told extends Outcome {
  cpuMs: number;
}

const { cluster, from, step, count, purchases, twice, log } = JSON.parse(process.argv[2] ?? '{}') as Orders;
seedGlobals();
const template = await makeTemplate(cluster, `template_${process.pid}`);
for (let number = 0; number < count; number++) tell(await run(from + number * step));
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
