/** Lines: which providers can be reached in which environment, from what operators have set. */
import { ENVIRONMENTS, type Environment, member, type ProviderId } from '../domain/words.ts';
import { type Line, openLine } from '../engine/line.ts';
import {
  type Adapter,
  isMadeUp,
  isMisplaced,
  type Manifest,
  type Protocol,
  type Setting,
} from '../providers/contract.ts';
import type { Database } from '../store/database.ts';
import { listInstances, type StoredInstance } from '../store/instances.ts';
import { listDisabled, listSettings } from '../store/providers.ts';
import type { Seal } from './seal.ts';
import type { KeeperOf } from './tokens.ts';

/** Where a line leads: to the provider itself, or to its stand-in in the local sandbox. */
export type Origin = 'provider' | 'standin';

export interface OpenedLine extends Line {
  origin: Origin;
}

interface Opened {
  line: OpenedLine;
  fingerprint: string;
}

export interface ProviderPlan {
  adapter: Adapter;
  /** Settings of its stand-in, secrets included; a provider that was added has none. */
  standinSettings: Readonly<Record<string, string>> | undefined;
}

export interface LinesOptions {
  plans: readonly ProviderPlan[];
  /** What added providers may speak. */
  protocols?: Readonly<Record<string, Protocol>>;
  database: Database;
  /** Opens stored settings. */
  seal: Seal;
  /** Base URL of the sandbox, when it runs. */
  sandboxUrl: string | undefined;
  /** Keeps the tokens of providers that lend one. */
  keeperOf: KeeperOf;
  now(): number;
  /** Told when a provider refuses our credentials, or is not used for what they are; and what to do. */
  onTrouble(provider: ProviderId, environment: Environment, what: string): void;
  /** Told of every request to a provider that was not sent because it allows no more at present. */
  onWithheld?(provider: ProviderId, environment: Environment): void;
}

export interface Lines {
  /** Reads what operators have set, and opens or closes lines accordingly; lines that did not change stay as they are. */
  reload(): Promise<void>;
  /** The lines of an environment that may be used for what is new, in the order of the registry. */
  of(environment: Environment): readonly OpenedLine[];
  /** A line, also of a provider that is disabled: its orders under way go on. */
  find(provider: ProviderId, environment: Environment): OpenedLine | undefined;
  /** All that can be found, each as `provider:environment`. */
  names(): string[];
  /** Whether there is such a provider, be it reachable or not. */
  knows(provider: string): boolean;
  /** Whether an operator has added it. */
  isAdded(provider: string): boolean;
  close(): Promise<void>;
}

export function createLines(options: LinesOptions): Lines {
  const opened = new Map<string, Opened>();
  let byEnvironment: Record<Environment, OpenedLine[]> = { test: [], live: [] };
  const own = new Set<string>(options.plans.map(({ adapter }) => adapter.manifest.id));
  let added = new Map<string, Added>();

  async function reload(): Promise<void> {
    const [stored, disabled, instances] = await Promise.all([
      readSettings(options),
      listDisabled(options.database),
      listInstances(options.database),
    ]);
    added = new Map(
      instances.flatMap(instance => addedOf(instance)).map(one => [one.adapter.manifest.id, one]),
    );
    const next: Record<Environment, OpenedLine[]> = { test: [], live: [] };
    const stale = new Map(opened);
    for (const environment of ENVIRONMENTS) {
      for (const plan of [...options.plans, ...added.values()]) {
        const { id } = plan.adapter.manifest;
        const route = chooseRoute(plan, environment, stored.get(`${id}:${environment}`));
        if (!route) continue;
        const key = `${id}:${environment}`;
        const fingerprint = JSON.stringify([route, plan.adapter.manifest.name]);
        const kept = opened.get(key);
        const line = kept?.fingerprint === fingerprint ? kept.line : open(plan.adapter, environment, route);
        opened.set(key, { line, fingerprint });
        if (kept?.line === line) stale.delete(key);
        if (!disabled.has(id)) next[environment].push(line);
      }
    }
    byEnvironment = next;
    await Promise.all([...stale].map(([key, { line }]) => retire(key, line)));
  }

  /** As nothing or one: our own providers keep their names, and what speaks no protocol we know is left alone. */
  function addedOf(instance: StoredInstance): Added[] {
    const create = member(options.protocols ?? {}, instance.protocol);
    if (!create || own.has(instance.id)) return [];
    const before = added.get(instance.id);
    const text = JSON.stringify(instance);
    return [before?.text === text ? before : { adapter: create(instance), standinSettings: undefined, text }];
  }

  async function retire(key: string, line: OpenedLine): Promise<void> {
    if (opened.get(key)?.line === line) opened.delete(key);
    await line.close();
  }

  function open(adapter: Adapter, environment: Environment, route: Route): OpenedLine {
    const { id } = adapter.manifest;
    const line = openLine({
      adapter,
      environment,
      bases: route.bases,
      settings: route.settings,
      now: options.now,
      onUnauthorized: () => options.onTrouble(id, environment, REFUSED),
      onWithheld: () => options.onWithheld?.(id, environment),
      unmetered: route.origin === 'standin',
      tokens: options.keeperOf({ provider: id, environment, origin: route.origin }),
    });
    return { ...line, origin: route.origin };
  }

  /** Real credentials lead to the provider; without them a test key is served by the stand-in, a live key by nobody. */
  function chooseRoute(
    { adapter, standinSettings }: ProviderPlan,
    environment: Environment,
    settings: Record<string, string> = {},
  ): Route | undefined {
    const { id, hosts, settings: form } = adapter.manifest;
    // Whatever is set for it, nothing is ever sent to a host that does not exist.
    if (!isMadeUp(adapter.manifest) && form.every(({ name, required }) => !required || settings[name])) {
      // Stored before such values were refused.
      const wrong = form.find(setting => isMisplaced(setting, environment, settings[setting.name]));
      if (wrong) {
        options.onTrouble(id, environment, misplaced(wrong, environment));
        return undefined;
      }
      const bases = basesOf(adapter.manifest, environment, settings);
      return bases && { origin: 'provider', bases, settings };
    }
    if (environment === 'live' || !options.sandboxUrl || !standinSettings) return undefined;
    const bases = Object.fromEntries(
      Object.keys(hosts).map(name => [name, `${options.sandboxUrl}/${id}/${name}`]),
    );
    return { origin: 'standin', bases, settings: standinSettings };
  }

  return {
    reload,
    of: environment => byEnvironment[environment],
    find: (provider, environment) => opened.get(`${provider}:${environment}`)?.line,
    names: () => [...opened.keys()],
    knows: provider => own.has(provider) || added.has(provider),
    isAdded: provider => added.has(provider),
    async close() {
      await Promise.all([...opened.values()].map(({ line }) => line.close()));
    },
  };
}

const REFUSED = 'the provider refuses our credentials: check its settings';

/** A live key among the test settings would let everybody with a test key, and those without one, make real orders. */
export function misplaced({ name }: Setting, environment: Environment): string {
  const other = environment === 'live' ? 'test' : 'live';
  return `${name} is one for ${other} keys: set it ${other === 'live' ? 'with' : 'without'} --live`;
}

/** What is known of the health of those that may be asked. */
export function breakersOf(lines: Pick<Lines, 'of'>) {
  return ENVIRONMENTS.flatMap(environment =>
    lines.of(environment).map(({ adapter, health }) => ({
      provider: adapter.manifest.id,
      environment,
      state: health.state(),
    })),
  );
}

/** An added provider, as long as its row says the same. */
interface Added extends ProviderPlan {
  text: string;
}

interface Route {
  origin: Origin;
  bases: Record<string, string>;
  settings: Readonly<Record<string, string>>;
}

/** What an operator names of an address must be one word of it, lest it lead elsewhere. */
const ADDRESS_WORD = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** The provider's hosts with the settings that are a part of them; undefined when one of these cannot be. */
export function basesOf(
  { hosts }: Manifest,
  environment: Environment,
  settings: Readonly<Record<string, string>>,
): Record<string, string> | undefined {
  const bases: Record<string, string> = {};
  for (const [name, host] of Object.entries(hosts)) {
    const words = [...host[environment].matchAll(/\{(\w+)\}/g)].map(([, word = '']) => word);
    let base = host[environment];
    for (const word of words) {
      const value = settings[word] ?? '';
      if (!ADDRESS_WORD.test(value)) return undefined;
      base = base.replace(`{${word}}`, value.toLowerCase());
    }
    bases[name] = base;
  }
  return bases;
}

async function readSettings({ database, seal }: LinesOptions): Promise<Map<string, Record<string, string>>> {
  const settings = new Map<string, Record<string, string>>();
  for (const { provider, environment, name, sealed } of await listSettings(database)) {
    const key = `${provider}:${environment}`;
    const value = seal.open(sealed, `${key}:${name}`);
    if (value !== undefined) settings.set(key, { ...settings.get(key), [name]: value });
  }
  return settings;
}
