/** The service under test: the real one, with as many providers as asked for, cloned from real adapters, or with those alone. */
import '../bin/memory.mjs';
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createAccount } from '../src/app/accounts.ts';
import type { ProviderPlan } from '../src/app/lines.ts';
import { readConfig } from '../src/config.ts';
import type { ProviderId } from '../src/domain/words.ts';
import { startService } from '../src/main.ts';
import { registry } from '../src/providers/registry.ts';
import { onBenchGone, ready } from './child.ts';
import { KINDS, type Kind, kindOf, nameOf } from './wire.ts';

const [providers, sandboxUrl = ''] = process.argv.slice(2);
const { LOOP_FILE: loopFile, CONNECTIONS: connections = '64' } = process.env;

/** The same three whoever else joins the registry: what is measured stays what it was. */
const plans =
  Number(providers) > 0
    ? Array.from({ length: Number(providers) }, (_, at) => cloneOf(at + 1))
    : KINDS.map(planOf);

function planOf(kind: Kind): ProviderPlan {
  const found = registry.find(({ adapter }) => adapter.manifest.id === kind);
  if (!found) throw new Error(`the registry has no ${kind}`);
  return { adapter: found.adapter, standinSettings: found.standin.settings };
}

/** A real adapter under another name; its rate limit would otherwise be what is measured. */
function cloneOf(provider: number): ProviderPlan {
  const { adapter, standinSettings } = planOf(kindOf(provider));
  const manifest = {
    ...adapter.manifest,
    id: nameOf(provider) as ProviderId,
    limits: { perSecond: 1e6, burst: 1e6, connections: Number(connections) },
  };
  return { adapter: { ...adapter, manifest }, standinSettings };
}

/** How late the loop was since it was last asked, in milliseconds, for whoever asks by a signal. */
function watchLoop(file: string): void {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  process.on('SIGUSR2', () => {
    // What is measured is the time between two looks.
    writeFileSync(file, String(Math.max(0, delays.percentile(99) / 1e6 - 1)));
    delays.reset();
  });
}

if (loopFile) watchLoop(loopFile);
const service = await startService(readConfig(), { plans, sandboxUrl });
const account = await createAccount(service.database, { name: 'bench', environment: 'test' });
ready(service.url, { key: account.publicKey, secret: account.secret });
onBenchGone(() => void service.close().then(() => process.exit()));
