/** An instance of the service in a process of its own, which may be told to end itself at a point of a checkout. */
import { readConfig } from '../../src/config.ts';
import { type ServiceOptions, startService } from '../../src/main.ts';
import { registry } from '../../src/providers/registry.ts';
import { orderPlan } from './order-adapter.ts';
import { PROVIDERS } from './wire.ts';

/** What an instance is told, as JSON in its first argument. */
export interface InstanceOrder {
  sandboxUrl: string;
  /** Where the provider that makes orders is; it then stands in mercuryo's place. */
  ordersUrl?: string | undefined;
  /** At the n-th arrival at the point, and after so many milliseconds. */
  death?: { point: string; nth: number; delayMs: number } | undefined;
}

const { sandboxUrl, ordersUrl, death } = JSON.parse(process.argv[2] ?? '{}') as InstanceOrder;
const others = PROVIDERS.filter(provider => provider !== 'mercuryo');
let arrivals = 0;

const options: ServiceOptions = {
  sandboxUrl,
  plans: ordersUrl ? [...plansOf(others), orderPlan(ordersUrl)] : plansOf(PROVIDERS),
  reach(point) {
    if (point !== death?.point || ++arrivals !== death.nth) return;
    if (death.delayMs === 0) die();
    else setTimeout(die, death.delayMs);
  },
};

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** The same providers whoever else joins the registry: a start is to cost what it always cost, and no other is asked. */
function plansOf(names: readonly string[]): NonNullable<ServiceOptions['plans']> {
  return registry
    .filter(({ adapter }) => names.includes(adapter.manifest.id))
    .map(({ adapter, standin }) => ({ adapter, standinSettings: standin.settings }));
}

await startService(readConfig(), options);
process.stdout.write('ready\n');
// Whoever started us is gone: so are we.
process.stdin
  .on('end', () => process.exit())
  .on('error', () => process.exit())
  .resume();
