/** An instance of the service in a process of its own, which may be told to end itself at a point of a checkout. */
import { readConfig } from '../src/config.ts';
import { type ServiceOptions, startService } from '../src/main.ts';
import { registry } from '../src/providers/registry.ts';
import { orderPlan } from './order-adapter.ts';

/** What an instance is told, as JSON in its first argument. */
export interface InstanceOrder {
  sandboxUrl: string;
  /** Where the provider that makes orders is; it then stands in mercuryo's place. */
  ordersUrl?: string | undefined;
  /** At the n-th arrival at the point, and after so many milliseconds. */
  death?: { point: string; nth: number; delayMs: number } | undefined;
}

const { sandboxUrl, ordersUrl, death } = JSON.parse(process.argv[2] ?? '{}') as InstanceOrder;
let arrivals = 0;

const options: ServiceOptions = {
  sandboxUrl,
  ...(ordersUrl && { plans: plansWith(ordersUrl) }),
  reach(point) {
    if (point !== death?.point || ++arrivals !== death.nth) return;
    if (death.delayMs === 0) die();
    else setTimeout(die, death.delayMs);
  },
};

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

function plansWith(url: string): NonNullable<ServiceOptions['plans']> {
  const others = registry.filter(({ adapter }) => adapter.manifest.id !== 'mercuryo');
  return [
    ...others.map(({ adapter, standin }) => ({ adapter, standinSettings: standin.settings })),
    orderPlan(url),
  ];
}

await startService(readConfig(), options);
process.stdout.write('ready\n');
// Whoever started us is gone: so are we.
process.stdin
  .on('end', () => process.exit())
  .on('error', () => process.exit())
  .resume();
