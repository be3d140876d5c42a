/** The stand-ins' switches: which of them does what wrong, by names that people know. */
import type { ProviderId } from '../domain/words.ts';
import { FAULT_KINDS, type FaultKind } from './faults.ts';
import type { Sandbox } from './server.ts';

/** A provider, as far as it matters here. */
interface Known {
  adapter: { manifest: { id: ProviderId; name: string } };
}

export function createSwitches(sandbox: Sandbox, providers: readonly Known[]) {
  const manifests = providers.map(({ adapter }) => adapter.manifest);
  return {
    kinds: FAULT_KINDS,
    list: () => manifests.map(({ id, name }) => ({ id, name, fault: sandbox.faultOf(id) })),
    set: (provider: string, { kind, ms }: { kind: string; ms: number }) =>
      sandbox.fault(provider as ProviderId, { kind: kind as FaultKind, ms }),
  };
}
