/** How commands reach the database: the one DATABASE_URL names, the running service's, or the embedded one for a moment. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checkMasterKey, findMasterKey, loadMasterKey } from '../app/master-key.ts';
import type { Config } from '../config.ts';
import { Fault } from '../domain/fault.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { attachEmbedded } from '../store/embedded.ts';
import { hasDatabase } from '../store/restore.ts';
import { openStore } from '../store/store.ts';

export interface Access {
  database: Database;
  masterKey: Buffer;
}

type Use<T> = (access: Access) => Promise<T>;

/** Refuses where there is no database: whoever stands in the wrong folder is told so, and leaves nothing there. */
export async function withStore<T>(config: Config, use: Use<T>): Promise<T> {
  if (isMissing(config)) throw noDatabase(config);
  return open(config, use);
}

/**
 * For what sets a service up, and may come before its first start: makes a database where there is none, and says so.
 * `check` comes before that, so that what is refused anyway leaves nothing there.
 */
export async function withNewStore<T>(
  config: Config,
  use: Use<T>,
  check?: () => Promise<unknown>,
): Promise<T> {
  const isNew = isMissing(config);
  if (isNew) await check?.();
  return open(config, access => {
    if (isNew)
      console.error(
        `cloverleaf: made a new database in ${config.dataDir}, for there was none: if the service has another, set DATABASE_URL or DATA_DIR as it has it, and do this again`,
      );
    return use(access);
  });
}

export function noDatabase({ dataDir }: Config): Fault {
  return new Fault(
    'unavailable',
    `there is no database in ${dataDir}: set DATABASE_URL or DATA_DIR as the service has it, or start it first`,
  );
}

function isMissing({ databaseUrl, dataDir }: Config): boolean {
  return databaseUrl === undefined && !hasDatabase(dataDir);
}

async function open<T>(config: Config, use: Use<T>): Promise<T> {
  const running = config.databaseUrl ? undefined : await attachEmbedded(config.dataDir);
  const store = running
    ? { database: await openDatabase({ url: running.url }), embedded: undefined }
    : await openStore(config, () => {});
  try {
    // Not before: opening may have put a restored key in its place.
    const masterKey = await openKey(config, store.database);
    return await use({ database: store.database, masterKey });
  } finally {
    await store.database.destroy();
    await store.embedded?.stop();
  }
}

/** The key of the database. One that had to be made and is not its key is taken away again: the service has the right one. */
async function openKey({ masterKey: given, dataDir }: Config, database: Database): Promise<Buffer> {
  const found = await findMasterKey(given, dataDir);
  const masterKey = found ?? (await loadMasterKey(given, dataDir));
  try {
    await checkMasterKey(masterKey, database);
  } catch (error) {
    if (found || !(error instanceof Fault)) throw error;
    await rm(join(dataDir, 'master.key'));
    throw new Fault(
      'unavailable',
      `there is no master key in ${dataDir}: set MASTER_KEY or DATA_DIR as the service has it`,
    );
  }
  return masterKey;
}
