/** The fault runs: `npm run faults [webhooks|checkout|forged] [--small] [--seed N]`; exit code 1 when anything broke. */
import { parseArgs } from 'node:util';
import { endProcesses } from './bed/processes.ts';
import { runCheckout } from './checkout/run.ts';
import { runForged } from './forged/run.ts';
import { isGood, keep, print, type Section } from './report.ts';
import { runWebhooks } from './webhooks/run.ts';

const RUNS: Record<string, (small: boolean, seed: number) => Promise<Section>> = {
  webhooks: runWebhooks,
  checkout: runCheckout,
  forged: runForged,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { small: { type: 'boolean', default: false }, seed: { type: 'string', default: '20260101' } },
});
const unknown = positionals.filter(name => !RUNS[name]);
const seed = Number(values.seed);
if (unknown.length > 0 || !Number.isInteger(seed)) {
  console.error(`usage: npm run faults -- [${Object.keys(RUNS).join('|')}] [--small] [--seed N]`);
  process.exit(2);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void endProcesses().finally(() => process.exit(130)));

for (const [name, run] of Object.entries(RUNS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const section = await run(values.small, seed);
  print(section);
  if (!values.small) keep(section);
  if (!section.lines.every(isGood)) process.exitCode = 1;
}
