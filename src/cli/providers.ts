/** `cloverleaf provider …`: what operators set for providers, by a form drawn from each manifest. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { createSeal } from '../app/seal.ts';
import type { Config } from '../config.ts';
import { Fault } from '../domain/fault.ts';
import type { Environment } from '../domain/words.ts';
import type { Manifest, Setting } from '../providers/contract.ts';
import { registry } from '../providers/registry.ts';
import { listDisabled, listSettings, putSetting, removeSetting, switchProvider } from '../store/providers.ts';
import { withStore } from './store.ts';

export function providerCommands(program: Command, config: () => Config): void {
  const provider = program.command('provider').description('providers and their credentials');

  provider
    .command('list')
    .description('all providers, whether they are on, and what is set')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { settings, disabled } = await withStore(config(), async ({ database }) => ({
        settings: await listSettings(database),
        disabled: await listDisabled(database),
      }));
      const shown = registry.map(({ adapter: { manifest } }) => ({
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
      const manifest = knownProvider(id);
      const stored = await withStore(config(), ({ database }) => listSettings(database));
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
      const manifest = knownProvider(id);
      const setting = knownSetting(manifest, name);
      const text = value === '-' ? readFileSync(0, 'utf8').trim() : value;
      if (!text) throw new Fault('badInput', 'value must not be empty', 'value');
      const environment: Environment = live ? 'live' : 'test';
      await withStore(config(), ({ database, masterKey }) =>
        putSetting(database, {
          provider: manifest.id,
          environment,
          name: setting.name,
          sealed: createSeal(masterKey, 'provider-settings').close(
            text,
            `${manifest.id}:${environment}:${setting.name}`,
          ),
        }),
      );
      console.log(`${manifest.id}: ${setting.name} is set for ${environment} keys`);
    });

  provider
    .command('unset')
    .argument('<id>', 'provider id')
    .argument('<setting>', 'setting name')
    .option('--live', 'for live keys instead of test keys')
    .description('remove a setting')
    .action(async (id: string, name: string, { live }: { live?: boolean }) => {
      const manifest = knownProvider(id);
      const setting = knownSetting(manifest, name);
      const environment: Environment = live ? 'live' : 'test';
      await withStore(config(), ({ database }) =>
        removeSetting(database, { provider: manifest.id, environment, name: setting.name }),
      );
      console.log(`${manifest.id}: ${setting.name} is no longer set for ${environment} keys`);
    });

  for (const [word, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    provider
      .command(word)
      .argument('<id>', 'provider id')
      .description(`${word} a provider for everyone`)
      .action(async (id: string) => {
        const manifest = knownProvider(id);
        await withStore(config(), ({ database }) => switchProvider(database, manifest.id, enabled));
        console.log(`${manifest.id} is ${enabled ? 'on' : 'off'}`);
      });
  }
}

export function knownProvider(id: string): Manifest {
  const found = registry.find(({ adapter }) => adapter.manifest.id === id.toLowerCase());
  if (found) return found.adapter.manifest;
  const known = registry.map(({ adapter }) => adapter.manifest.id).join(', ');
  throw new Fault('badInput', `no provider is named ${id}: there are ${known}`, 'id');
}

function knownSetting(manifest: Manifest, name: string): Setting {
  const found = manifest.settings.find(setting => setting.name.toLowerCase() === name.toLowerCase());
  if (found) return found;
  const known = manifest.settings.map(setting => setting.name).join(', ');
  throw new Fault('badInput', `${manifest.id} has no setting ${name}: it takes ${known}`, 'setting');
}

/** `ready` with all required settings, else what is missing. */
function stateOf(
  { id, settings }: Manifest,
  environment: Environment,
  stored: readonly { provider: string; environment: string; name: string }[],
): string {
  const own = new Set(
    stored.filter(s => s.provider === id && s.environment === environment).map(s => s.name),
  );
  const missing = settings.filter(({ name, required }) => required && !own.has(name)).map(({ name }) => name);
  return missing.length === 0 ? 'ready' : `needs ${missing.join(', ')}`;
}
