/** An adapter that has nothing to say, for tests that give it what they need. */
import type { ProviderId } from '../src/domain/words.ts';
import type { Adapter, Manifest } from '../src/providers/contract.ts';

/** It lists nothing, and whoever has it quote or check out did not mean to. */
export function silentAdapter(change: Partial<Manifest> = {}): Adapter {
  return {
    manifest: {
      id: 'acme' as ProviderId,
      name: 'Acme',
      hosts: {},
      sides: ['buy'],
      pricesDestination: [],
      methods: {},
      networks: {},
      settings: [],
      duration: { '*': 600 },
      kyc: [],
      limits: { perSecond: 1_000, burst: 1_000, connections: 4 },
      checkout: { makes: 'link', opens: 'iframe', pages: { buy: 'api', sell: 'api' }, permissions: [] },
      statuses: {},
      ...change,
    },
    catalog: () => [],
    quote: refuse,
    checkout: refuse,
  };
}

function refuse(): never {
  throw new Error('not asked here');
}
