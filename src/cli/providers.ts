/** `cloverleaf provider …`: what operators set for providers, by a form drawn from each manifest, and which they add. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { addProvider, readAddition, removeProvider } from '../app/instances.ts';
import { misplaced } from '../app/lines.ts';
import { createSeal } from '../app/seal.ts';
import type { Config } from '../config.ts';
import { badInput, Fault } from '../domain/fault.ts';
import { type Environment, member } from '../domain/words.ts';
import { isMadeUp, isMisplaced, type Manifest, type Setting } from '../providers/contract.ts';
import { protocols, registry } from '../providers/registry.ts';
import type { Database } from '../store/database.ts';
import { listInstances } from '../store/instances.ts';
import { listDisabled, listSettings, putSetting, removeSetting, switchProvider } from '../store/providers.ts';
import { checkCommand } from './provider-check.ts';
import { newCommand } from './provider-new.ts';
import { withNewStore, withStore } from './store.ts';

export function providerCommands(program: Command, config: () => Config): void {
  const provider = program.command('provider').description('providers and their credentials');

  provider
    .command('list')
    .description('all providers, whether they are on, and what is set')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { settings, disabled, all } = await withStore(config(), async ({ database }) => ({
        settings: await listSettings(database),
        disabled: await listDisabled(database),
        all: await listManifests(database),
      }));
      const shown = all.map(manifest => ({
        id: manifest.id,
        name: manifest.name,
        enabled: !disabled.has(manifest.id),
        test: stateOf(manifest, 'test', settings),
        live: stateOf(manifest, 'live', settings),
      }));
      if (json) return console.log(JSON.stringify(shown, undefined, 2));
      console.table(shown);
    });

  provider
    .command('settings')
    .argument('<id>', 'provider id')
    .description('the form: which settings a provider takes, and which are set')
    .action(async (id: string) => {
      const { manifest, stored } = await withStore(config(), async ({ database }) => ({
        manifest: await knownProvider(id, database),
        stored: await listSettings(database),
      }));
      const isSet = (environment: Environment, name: string) =>
        stored.some(s => s.provider === manifest.id && s.environment === environment && s.name === name);
      console.table(
        manifest.settings.map(({ name, label, secret, required }) => ({
          setting: name,
          label,
          kind: `${required ? 'required' : 'optional'}${secret ? ', secret' : ''}`,
          test: isSet('test', name) ? 'set' : '',
          live: isSet('live', name) ? 'set' : '',
        })),
      );
    });

  provider
    .command('set')
    .argument('<id>', 'provider id')
    .argument('<setting>', 'setting name')
    .argument('<value>', 'its value; - reads it from standard input, out of the shell’s history')
    .option('--live', 'for live keys instead of test keys')
    .description('store a setting, sealed')
    .action(async (id: string, name: string, value: string, { live }: { live?: boolean }) => {
      const environment: Environment = live ? 'live' : 'test';
      const text = (value === '-' ? readFileSync(0, 'utf8') : value).trim();
      if (!text) throw badInput('value', 'value must not be empty');
      const find = (database?: Database) => findPlace({ id, name, environment, text }, database);
      const { manifest, setting } = await withNewStore(
        config(),
        async ({ database, masterKey }) => {
          const found = await find(database);
          const [provider, name] = [found.manifest.id, found.setting.name];
          const seal = createSeal(masterKey, 'provider-settings');
          const sealed = seal.close(text, `${provider}:${environment}:${name}`);
          await putSetting(database, { provider, environment, name, sealed });
          return found;
        },
        () => find(),
      );
      console.log(`${manifest.id}: ${setting.name} is set for ${environment} keys`);
      if (!live && manifest.testMovesMoney)
        console.log(`${manifest.name}’s test environment moves real money and coins: keep amounts small`);
    });

  provider
    .command('unset')
    .argument('<id>', 'provider id')
    .argument('<setting>', 'setting name')
    .option('--live', 'for live keys instead of test keys')
    .description('remove a setting')
    .action(async (id: string, name: string, { live }: { live?: boolean }) => {
      const environment: Environment = live ? 'live' : 'test';
      const { manifest, setting } = await withStore(config(), async ({ database }) => {
        const manifest = await knownProvider(id, database);
        const setting = knownSetting(manifest, name);
        await removeSetting(database, { provider: manifest.id, environment, name: setting.name });
        return { manifest, setting };
      });
      console.log(`${manifest.id}: ${setting.name} is no longer set for ${environment} keys`);
    });

  provider
    .command('add')
    .argument('<protocol>', 'what it speaks: openramp')
    .requiredOption('--id <id>', 'what it is called in the API')
    .requiredOption('--url <url>', 'where it answers')
    .option('--pages-url <url>', 'where its pages live; the origin of --url unless told')
    .option('--name <name>', 'what people call it')
    .description('add a ramp that speaks a protocol we know')
    .action(async (protocol: string, { id, url, pagesUrl, name }: AddOptions) => {
      const addition = { protocol, id, url, pagesUrl, name };
      const known = {
        providers: registry.map(({ adapter }) => adapter.manifest.id),
        protocols: Object.keys(protocols),
      };
      const instance = readAddition(addition, known);
      const added = await withNewStore(config(), ({ database }) => addProvider(database, instance));
      console.log(`${added.id} is added: ${added.apiUrl}, with pages at ${added.pagesUrl}`);
      console.log(`go on with: cloverleaf provider set ${added.id} apiKey -`);
    });

  provider
    .command('remove')
    .argument('<id>', 'id of a provider that was added')
    .option('--force', 'even though it has unfinished transactions')
    .description('take an added ramp away; the record of its transactions stays')
    .action(async (id: string, { force }: { force?: boolean }) => {
      const { unfinished } = await withStore(config(), ({ database }) =>
        removeProvider(database, id, { force: force === true }),
      );
      console.log(
        unfinished > 0 ? `${id} is removed; ${unfinished} unfinished are left` : `${id} is removed`,
      );
    });

  checkCommand(provider, config, knownProvider);
  newCommand(provider);

  for (const [word, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    provider
      .command(word)
      .argument('<id>', 'provider id')
      .description(`${word} a provider for everyone`)
      .action(async (id: string) => {
        const manifest = await withStore(config(), async ({ database }) => {
          const found = await knownProvider(id, database);
          await switchProvider(database, found.id, enabled);
          return found;
        });
        console.log(`${manifest.id} is ${enabled ? 'on' : 'off'}`);
      });
  }
}

interface AddOptions {
  id: string;
  url: string;
  pagesUrl?: string;
  name?: string;
}

/** Of our own providers, and of those that were added: none, where there is no database. */
async function listManifests(database: Database | undefined): Promise<Manifest[]> {
  const own = registry.map(({ adapter }) => adapter.manifest);
  const instances = database ? await listInstances(database) : [];
  const added = instances.flatMap(instance => {
    const create = member(protocols, instance.protocol);
    return create && own.every(({ id }) => id !== instance.id) ? [create(instance).manifest] : [];
  });
  return [...own, ...added];
}

export async function knownProvider(id: string, database: Database | undefined): Promise<Manifest> {
  const all = await listManifests(database);
  const found = all.find(manifest => manifest.id === id.toLowerCase());
  if (found) return found;
  const known = all.map(manifest => manifest.id).join(', ');
  throw new Fault('badInput', `no provider is named ${id}: there are ${known}`, 'id');
}

interface Value {
  id: string;
  name: string;
  environment: Environment;
  text: string;
}

/** Which setting of which provider is meant, if it may have this value. */
async function findPlace({ id, name, environment, text }: Value, database: Database | undefined) {
  const manifest = await knownProvider(id, database);
  const setting = knownSetting(manifest, name);
  if (isMadeUp(manifest))
    throw badInput('id', `${manifest.id} is there in the sandbox only: add a ramp with provider add`);
  if (isMisplaced(setting, environment, text)) throw badInput('value', misplaced(setting, environment));
  return { manifest, setting };
}

function knownSetting(manifest: Manifest, name: string): Setting {
  const found = manifest.settings.find(setting => setting.name.toLowerCase() === name.toLowerCase());
  if (found) return found;
  const known = manifest.settings.map(setting => setting.name).join(', ');
  throw new Fault('badInput', `${manifest.id} has no setting ${name}: it takes ${known}`, 'setting');
}

/** `ready` with all required settings, else what is missing. */
function stateOf(
  manifest: Manifest,
  environment: Environment,
  stored: readonly { provider: string; environment: string; name: string }[],
): string {
  if (isMadeUp(manifest)) return 'in the sandbox only';
  const own = new Set(
    stored.filter(s => s.provider === manifest.id && s.environment === environment).map(s => s.name),
  );
  const missing = manifest.settings
    .filter(({ name, required }) => required && !own.has(name))
    .map(({ name }) => name);
  return missing.length === 0 ? 'ready' : `needs ${missing.join(', ')}`;
}
