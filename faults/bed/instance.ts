/** An instance of the service in a process of its own, which may be told to end itself at a point of a checkout. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { closeOnSignals } from '../../src/cli/serve.ts';
import { readConfig } from '../../src/config.ts';
import { type ServiceOptions, startService } from '../../src/main.ts';
import { registry } from '../../src/providers/registry.ts';
import { type Cast, plansOf as plansOfCast } from '../providers/cast.ts';
import { enterClock, setClock } from './clock.ts';
import { watchLoop } from './loop.ts';
import { enterNetwork, type NetworkOrder } from './network.ts';
import { orderPlan } from './order-adapter.ts';
import { PROVIDERS } from './wire.ts';

/** What an instance is told, as JSON in its first argument. */
export interface InstanceOrder {
  sandboxUrl: string;
  /** Where the provider that makes orders is; it then stands in mercuryo's place. */
  ordersUrl?: string | undefined;
  /** Other providers than the usual ones. */
  cast?: Cast | undefined;
  /** A network that is not the machine's. */
  network?: NetworkOrder | undefined;
  /** How far its clock is ahead at the start; lines that it is told set it anew. */
  aheadMs?: number | undefined;
  /** Where it writes how long its loop is held up. */
  loopFile?: string | undefined;
  /** At the n-th arrival at the point, and after so many milliseconds. */
  death?: { point: string; nth: number; delayMs: number } | undefined;
}

const { sandboxUrl, ordersUrl, cast, network, aheadMs, loopFile, death } = JSON.parse(
  process.argv[2] ?? '{}',
) as InstanceOrder;
const others = PROVIDERS.filter(provider => provider !== 'mercuryo');
let arrivals = 0;
if (aheadMs !== undefined) enterClock(aheadMs);
if (network) enterNetwork({ ...network, ownPorts: [...network.ownPorts, Number(new URL(sandboxUrl).port)] });

const options: ServiceOptions = {
  sandboxUrl,
  plans: cast
    ? plansOfCast(cast)
    : ordersUrl
      ? [...plansOf(others), orderPlan(ordersUrl)]
      : plansOf(PROVIDERS),
  reach(point) {
    if (point !== death?.point || ++arrivals !== death.nth) return;
    if (death.delayMs === 0) die();
    else setTimeout(die, death.delayMs);
  },
};

/** How many timers, sockets and the like there are, by kind. */
function tellResources(): void {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1;
  process.stdout.write(`${JSON.stringify(counts)}\n`);
}

/** Lets go of all that nobody refers to, so that what is left can be told from what was only not cleared away yet. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  process.stdout.write('collected\n');
}

function hear(line: string): void {
  if (line === 'resources\n') tellResources();
  else if (line === 'collect\n') collect();
  else setClock(line);
}

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** The same providers whoever else joins the registry: a start is to cost what it always cost, and no other is asked. */
function plansOf(names: readonly string[]): NonNullable<ServiceOptions['plans']> {
  return registry
    .filter(({ adapter }) => names.includes(adapter.manifest.id))
    .map(({ adapter, standin }) => ({ adapter, standinSettings: standin.settings }));
}

async function start(): Promise<void> {
  const config = readConfig();
  closeOnSignals(await startService(config, options), config);
  if (loopFile) watchLoop(loopFile);
  process.stdout.write('ready\n');
}

void start();
// Whoever started us is gone: so are we.
process.stdin
  .on('data', heard => hear(String(heard)))
  .on('end', () => process.exit())
  .on('error', () => process.exit())
  .resume();
