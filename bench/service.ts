/** The service under test: the real one, with as many providers as asked for, cloned from real adapters, or its own. */
import { createAccount } from '../src/app/accounts.ts';
import { readConfig } from '../src/config.ts';
import type { ProviderId } from '../src/domain/words.ts';
import { startService } from '../src/main.ts';
import { registry } from '../src/providers/registry.ts';
import { onBenchGone, ready } from './child.ts';
import { kindOf, nameOf } from './wire.ts';

const [providers, sandboxUrl = ''] = process.argv.slice(2);

/** A real adapter under another name; its rate limit would otherwise be what is measured. */
const plans = Array.from({ length: Number(providers) }, (_, at) => {
  const found = registry.find(({ adapter }) => adapter.manifest.id === kindOf(at + 1));
  if (!found) throw new Error(`the registry has no ${kindOf(at + 1)}`);
  const { adapter, standin } = found;
  const manifest = {
    ...adapter.manifest,
    id: nameOf(at + 1) as ProviderId,
    limits: { perSecond: 1e6, burst: 1e6, connections: 64 },
  };
  return { adapter: { ...adapter, manifest }, standinSettings: standin.settings };
});

const service = await startService(readConfig(), { ...(plans.length > 0 && { plans }), sandboxUrl });
const account = await createAccount(service.database, { name: 'bench', environment: 'test' });
ready(service.url, { key: account.publicKey, secret: account.secret });
onBenchGone(() => void service.close().then(() => process.exit()));
