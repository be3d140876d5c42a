/** `cloverleaf backup` and `cloverleaf restore`: everything the database holds in one file, and back. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import about from '../../package.json' with { type: 'json' };
import { findMasterKey, isMasterKey, putMasterKey } from '../app/master-key.ts';
import type { Config } from '../config.ts';
import { Fault } from '../domain/fault.ts';
import { type BackupMade, checkSteps, loadBackup, newerStep, takeBackup } from '../store/backup.ts';
import { checkBackup, type Header } from '../store/backup-file.ts';
import { namingUrl } from '../store/connection.ts';
import { hasDatabase, type Restored, restoreEmbedded } from '../store/restore.ts';
import { noDatabase, withUrl } from './store.ts';

export function backupCommands(program: Command, config: () => Config): void {
  program
    .command('backup')
    .argument('<file>', 'where to write it; it must not exist yet')
    .option('--with-key', 'put the master key inside: whoever has the file then has everything')
    .option('--json', 'print JSON')
    .description('write everything the database holds to a file, while the service runs or not')
    .action(async (file: string, { withKey, json }: BackupOptions) => {
      const made = await backUp(config(), resolve(file), withKey ?? false);
      warnOfNewer(made.header);
      if (json) return console.log(JSON.stringify({ ...described(made), bytes: made.bytes }, undefined, 2));
      console.log(
        `wrote ${file}: ${countOf(made)} rows, ${made.bytes} bytes, as of ${made.header.madeAt}, schema ${made.header.steps.at(-1)}`,
      );
      console.log(withKey ? KEY_INSIDE : KEY_OUTSIDE);
    });

  program
    .command('restore')
    .argument('<file>', 'a backup')
    .option('--replace', 'put the database that is there aside, and the restored one in its place')
    .option('--json', 'print JSON')
    .description('make the database from a backup; the service must not run')
    .action(async (file: string, { replace, json }: RestoreOptions) => {
      const restored = await restore(config(), resolve(file), replace ?? false);
      if (json)
        return console.log(
          JSON.stringify({ ...described(restored), keptIn: restored.kept ?? null }, undefined, 2),
        );
      console.log(
        `restored ${countOf(restored)} rows as of ${restored.header.madeAt}, schema ${restored.header.steps.at(-1)}`,
      );
      if (restored.kept)
        console.log(`what was there before is in ${restored.kept}: remove it when all is well`);
    });
}

interface BackupOptions {
  withKey?: boolean;
  json?: boolean;
}

interface RestoreOptions {
  replace?: boolean;
  json?: boolean;
}

const KEY_OUTSIDE =
  'the master key is not inside: keep it elsewhere, for without it nothing that is sealed can be opened';
const KEY_INSIDE = 'the master key is inside: whoever has this file can open everything that is sealed';

function warnOfNewer({ steps }: Header): void {
  const step = newerStep(steps);
  if (step !== undefined)
    console.error(
      `cloverleaf: a newer version has changed the database, by its step ${step}: restore this file with that version, for this one refuses it`,
    );
}

async function backUp(config: Config, file: string, withKey: boolean): Promise<BackupMade> {
  const { masterKey, dataDir } = config;
  const key = withKey ? await findMasterKey(masterKey, dataDir) : undefined;
  if (withKey && !key) throw new Fault('unavailable', `there is no master key in ${dataDir}`);
  if (!config.databaseUrl && !hasDatabase(dataDir)) throw noDatabase(config);
  const take = (url: string) =>
    takeBackup({
      url,
      file,
      madeBy: about.version,
      madeAt: new Date(),
      keyFor(check) {
        if (key && check && !isMasterKey(key, check)) throw otherKey('database');
        return key;
      },
    });
  // As it is: whoever backs up before an upgrade wants the database before it.
  return withUrl(config, url => namingUrl(config.databaseUrl, () => take(url)));
}

async function restore(config: Config, file: string, replace: boolean): Promise<Restored> {
  const { dataDir, databaseUrl } = config;
  const { header } = await checkBackup(file);
  checkSteps(header);
  const masterKey = await chooseKey(config, header);
  if (!databaseUrl) return restoreEmbedded({ dataDir, file, replace, masterKey, keepIn: nameOfKept() });
  if (replace)
    throw new Fault('conflict', '--replace is for the embedded database: restore into a new, empty one');
  if (masterKey && !(await putMasterKey(dataDir, masterKey))) throw otherKey('backup');
  return namingUrl(databaseUrl, async () => {
    try {
      return { ...(await loadBackup(databaseUrl, file)), kept: undefined };
    } catch (error) {
      // Only a refusal says for sure that nothing was loaded: a database must never be there without its key.
      if (masterKey && error instanceof Fault) await rm(join(dataDir, 'master.key'));
      throw error;
    }
  });
}

/** The key that has to be put beside the database; undefined when the right one is there. Refuses without a right one. */
async function chooseKey(
  { masterKey: given, dataDir, databaseUrl }: Config,
  { keyCheck, masterKey: inside }: Header,
): Promise<Buffer | undefined> {
  if (keyCheck === null) return undefined;
  const key = inside === undefined ? undefined : Buffer.from(inside, 'hex');
  const isFree = databaseUrl === undefined || !existsSync(join(dataDir, 'master.key'));
  const isFit = key && !given && isFree && isMasterKey(key, keyCheck);
  const found = await findMasterKey(given, dataDir).catch(error => {
    // A damaged one is put aside, as any other that is not the right one.
    if (!isFit) throw error;
    return undefined;
  });
  if (found && isMasterKey(found, keyCheck)) return undefined;
  if (isFit) return key;
  if (found) throw otherKey('backup');
  throw new Fault(
    'unavailable',
    `the master key is not in the backup: put the file master.key into ${dataDir}, or set MASTER_KEY`,
  );
}

function otherKey(of: 'database' | 'backup'): Fault {
  return new Fault('unavailable', `the master key here is not the one that the ${of} was made with`);
}

function nameOfKept(): string {
  return `replaced-${new Date().toISOString().replaceAll(':', '-')}`;
}

function countOf({ sum }: BackupMade | Restored): number {
  return Object.values(sum.rows).reduce((total, rows) => total + rows, 0);
}

/** Never with the key. */
function described({ header, sum }: BackupMade | Restored) {
  const { madeAt, madeBy, steps, masterKey } = header;
  return { madeAt, madeBy, schema: steps.at(-1), withKey: masterKey !== undefined, ...sum };
}
