/** `cloverleaf provider check`: calls a provider once per operation, as we would, and says what matched and what did not. */
import { accessSync, closeSync, constants, existsSync, openSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { createLines, misplaced } from '../app/lines.ts';
import { createSeal, type Seal } from '../app/seal.ts';
import { createTokenKeepers } from '../app/tokens.ts';
import type { Config } from '../config.ts';
import { badInput, Fault } from '../domain/fault.ts';
import type { CountryCode, Environment, ProviderId } from '../domain/words.ts';
import { type Line, openLine } from '../engine/line.ts';
import type { KeptToken, TokenKeeper } from '../engine/token.ts';
import { currencies } from '../main.ts';
import { isMadeUp, isMisplaced, type Manifest } from '../providers/contract.ts';
import { protocols, type Registered, registry } from '../providers/registry.ts';
import { startSandbox } from '../sandbox/server.ts';
import type { Database } from '../store/database.ts';
import { listSettings } from '../store/providers.ts';
import { caseOf } from './provider-case.ts';
import { type Trial, tryProvider } from './provider-trial.ts';
import { withStore } from './store.ts';

interface CheckOptions {
  live?: boolean;
  standin?: boolean;
  country?: string;
  write?: string;
}

/** A line to try, and the settings it was opened with. */
export interface Subject {
  line: Line;
  settings: Readonly<Record<string, string>>;
}

type KnownProvider = (id: string, database: Database) => Promise<Manifest>;

export function checkCommand(provider: Command, config: () => Config, knownProvider: KnownProvider): void {
  provider
    .command('check')
    .argument('<id>', 'provider id')
    .option('--live', 'with the settings for live keys instead of those for test keys')
    .option('--standin', 'try its stand-in instead, in a sandbox of its own')
    .option('--country <code>', 'where to ask from, if it is served there')
    .option(
      '--write <file>',
      'write the quote down as a JSON case, with secrets and personal data struck out',
    )
    .description('call a provider once per operation, and say what matched and what did not')
    .action(async (id: string, options: CheckOptions) => {
      if (options.live && options.standin)
        throw badInput('standin', 'send --live or --standin, not both: a stand-in has no live keys');
      const country = readCountry(options.country);
      if (options.write !== undefined) refuseUnwritable(options.write);
      const check = async (subject: Subject) => report(subject, { country, write: options.write });
      const trials = options.standin
        ? await withStandin(knownStandin(id), check)
        : await withCredentials(config(), { id, live: options.live === true, knownProvider, check });
      if (trials.some(({ verdict }) => verdict === 'failed' || verdict === 'refused')) process.exitCode = 1;
    });
}

async function report(
  { line, settings }: Subject,
  { country, write }: { country: CountryCode | undefined; write: string | undefined },
): Promise<Trial[]> {
  const { trials, quotes } = await tryProvider({ line, currencies, country, now: () => Date.now() });
  for (const { operation, verdict, detail, ms } of trials)
    console.log(`${operation.padEnd(10)} ${verdict.padEnd(8)} ${detail} (${ms} ms)`);
  if (write !== undefined) {
    const tried = quotes.find(({ answers }) => answers.length > 0);
    if (!tried) throw new Fault('badInput', 'no quote was answered: there is no case to write', 'write');
    const text = caseOf(line.adapter, tried, settings);
    attempt(write, () => writeFileSync(write, text));
    console.log(`the quote is written to ${write}: read it before you keep it`);
  }
  return trials;
}

/** Found out before anybody is called, and without leaving anything there. */
function refuseUnwritable(file: string): void {
  attempt(file, () =>
    existsSync(file) ? closeSync(openSync(file, 'r+')) : accessSync(dirname(file), constants.W_OK),
  );
}

function attempt(file: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Fault('badInput', `--write: ${file} cannot be written (${code})`, 'write');
  }
}

/** Opens a line to a stand-in, in a sandbox for it alone. */
export async function withStandin<T>(
  { adapter, standin }: Registered,
  use: (subject: Subject) => Promise<T>,
  now = () => Date.now(),
): Promise<T> {
  const { id, hosts } = adapter.manifest;
  const standins = new Map([[id, standin]]);
  const sandbox = await startSandbox({ standins, currencies, host: '127.0.0.1', port: 0, now });
  const bases = Object.fromEntries(Object.keys(hosts).map(name => [name, `${sandbox.url}/${id}/${name}`]));
  const { settings } = standin;
  const line = openLine({
    ...{ adapter, environment: 'test', bases, settings, now },
    unmetered: true,
    tokens: keepInHand(),
  });
  try {
    return await use({ line, settings });
  } finally {
    await line.close();
    await sandbox.close();
  }
}

function knownStandin(id: string): Registered {
  const found = registry.find(({ adapter }) => adapter.manifest.id === id.toLowerCase());
  if (found) return found;
  const known = registry.map(({ adapter }) => adapter.manifest.id).join(', ');
  throw new Fault('badInput', `no provider named ${id} has a stand-in: there are ${known}`, 'id');
}

function keepInHand(): TokenKeeper {
  let kept: KeptToken | undefined;
  return {
    read: async () => kept,
    async renew(_stale, ask) {
      kept = await ask();
      return kept;
    },
  };
}

interface Credentialed<T> {
  id: string;
  live: boolean;
  knownProvider: KnownProvider;
  check(subject: Subject): Promise<T>;
}

/** Opens the line that the service would use with these credentials; the token is the one that the service uses. */
function withCredentials<T>(config: Config, { id, live, knownProvider, check }: Credentialed<T>): Promise<T> {
  const environment: Environment = live ? 'live' : 'test';
  return withStore(config, async ({ database, masterKey }) => {
    const manifest = await knownProvider(id, database);
    const seal = createSeal(masterKey, 'provider-settings');
    const settings = await readSettings(database, seal, { provider: manifest.id, environment });
    const lines = createLines({
      plans: registry.map(({ adapter }) => ({ adapter, standinSettings: undefined })),
      protocols,
      database,
      seal,
      keeperOf: createTokenKeepers({ database, seal: createSeal(masterKey, 'provider-tokens') }),
      sandboxUrl: undefined,
      now: () => Date.now(),
      onTrouble() {},
    });
    try {
      await lines.reload();
      const line = lines.find(manifest.id, environment);
      if (!line) throw lacking(manifest, environment, settings);
      return await check({ line, settings });
    } finally {
      await lines.close();
    }
  });
}

function lacking(
  manifest: Manifest,
  environment: Environment,
  settings: Readonly<Record<string, string>>,
): Fault {
  const { id } = manifest;
  if (isMadeUp(manifest))
    return new Fault('badInput', `${id} is there in the sandbox only: try it with --standin`, 'id');
  const needed = manifest.settings.filter(({ name, required }) => required && !settings[name]);
  const names = needed.map(({ name }) => name).join(', ');
  const wrong = manifest.settings.find(setting => isMisplaced(setting, environment, settings[setting.name]));
  if (wrong) return new Fault('badInput', `${id} is not used: ${misplaced(wrong, environment)}`, 'id');
  const flag = environment === 'live' ? ' --live' : '';
  return new Fault(
    'badInput',
    names
      ? `${id} has no credentials for ${environment} keys: set ${names} with cloverleaf provider set ${id} <setting> -${flag}, or try its stand-in with --standin`
      : `${id} cannot be reached with its settings for ${environment} keys: one of them is not as it must be`,
    'id',
  );
}

async function readSettings(
  database: Database,
  seal: Seal,
  { provider, environment }: { provider: ProviderId; environment: Environment },
): Promise<Record<string, string>> {
  const stored = await listSettings(database);
  return Object.fromEntries(
    stored
      .filter(one => one.provider === provider && one.environment === environment)
      .map(({ name, sealed }) => [name, seal.open(sealed, `${provider}:${environment}:${name}`) ?? '']),
  );
}

function readCountry(word: string | undefined): CountryCode | undefined {
  if (word === undefined) return undefined;
  const country = currencies.findCountry(word);
  if (!country) throw new Fault('badInput', 'country must be an ISO 3166-1 alpha-2 code', 'country');
  return country.code;
}
