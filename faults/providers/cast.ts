/** The cast: the twelve providers of a run, as an instance is told to know them. */
import { kindOf, nameOf } from '../../bench/wire.ts';
import type { ProviderPlan } from '../../src/app/lines.ts';
import type { ProviderId } from '../../src/domain/words.ts';
import { registry } from '../../src/providers/registry.ts';

/** Those that sell bitcoin for euros by card in Germany: twelve adapters as they are in life. */
export const REAL = [
  ...(['moonpay', 'transak', 'mercuryo', 'banxa', 'paybis', 'guardarian'] as const),
  ...(['stripe', 'rampnetwork', 'alchemypay', 'swapped', 'btcdirect', 'topper'] as const),
];
export type Real = (typeof REAL)[number];

/** Three adapters in four copies each, which are quick to answer for: p01 to p12. */
export const CLONES: readonly string[] = REAL.map((_, at) => nameOf(at + 1));

export interface Cast {
  who: 'clones' | 'real';
  /** Where the house is. */
  url: string;
  /** Providers that are to be looked for elsewhere, by name: base URLs. */
  elsewhere?: Readonly<Record<string, string>>;
}

export function plansOf(cast: Cast): ProviderPlan[] {
  return cast.who === 'real'
    ? REAL.map(kind => planOf(kind, kind, cast))
    : CLONES.map((name, at) => planOf(name, kindOf(at + 1), cast));
}

/** A real adapter that finds its hosts in the house; its rate limit would otherwise be what is tested. */
function planOf(name: string, kind: Real, { url, elsewhere }: Cast): ProviderPlan {
  const found = registry.find(({ adapter }) => adapter.manifest.id === kind);
  if (!found) throw new Error(`the registry has no ${kind}`);
  const { adapter, standin } = found;
  const base = `${elsewhere?.[name] ?? url}/${name}`;
  const hosts = Object.keys(adapter.manifest.hosts).map(host => [
    host,
    // A word that nobody has set: there is no such host, and no line for live keys.
    { live: '{nowhere}', test: `${base}/${host}` },
  ]);
  const manifest = {
    ...adapter.manifest,
    id: name as ProviderId,
    hosts: Object.fromEntries(hosts),
    settings: adapter.manifest.settings.map(setting => ({
      ...setting,
      required: false,
      fallback: standin.settings[setting.name] ?? '',
    })),
    limits: { perSecond: 1e6, burst: 1e6, connections: 64 },
  };
  return { adapter: { ...adapter, manifest }, standinSettings: undefined };
}
