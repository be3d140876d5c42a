/** How commands reach the database: the one DATABASE_URL names, the running service's, or the embedded one for a moment. */
import { openMasterKey } from '../app/master-key.ts';
import type { Config } from '../config.ts';
import { Fault } from '../domain/fault.ts';
import { namingUrl } from '../store/connection.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { attachEmbedded } from '../store/embedded.ts';
import { hasDatabase } from '../store/restore.ts';
import { openStore } from '../store/store.ts';
import { hasSchema } from '../store/upgrade.ts';

export interface Access {
  database: Database;
  masterKey: Buffer;
}

type Use<T> = (access: Access) => Promise<T>;

/** Refuses where there is no database: whoever stands in the wrong folder is told so, and leaves nothing there. */
export async function withStore<T>(config: Config, use: Use<T>): Promise<T> {
  if (await isMissing(config)) throw noDatabase(config);
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
  const isNew = await isMissing(config);
  if (isNew) await check?.();
  return open(config, access => {
    if (isNew)
      console.error(
        `cloverleaf: made ${newIn(config)}: if the service has another, set DATABASE_URL or DATA_DIR as it has it, and do this again`,
      );
    return use(access);
  });
}

function newIn({ databaseUrl, dataDir }: Config): string {
  return databaseUrl
    ? 'new tables in the database of DATABASE_URL, for there were none'
    : `a new database in ${dataDir}, for there was none`;
}

export function noDatabase({ databaseUrl, dataDir }: Config): Fault {
  const missing = databaseUrl
    ? 'there is nothing of Cloverleaf in the database of DATABASE_URL'
    : `there is no database in ${dataDir}`;
  return new Fault(
    'unavailable',
    `${missing}: set DATABASE_URL or DATA_DIR as the service has it, or start it first`,
  );
}

async function isMissing({ databaseUrl, dataDir }: Config): Promise<boolean> {
  if (!databaseUrl) return !hasDatabase(dataDir);
  return !(await namingUrl(databaseUrl, () => hasSchema(databaseUrl)));
}

async function open<T>(config: Config, use: Use<T>): Promise<T> {
  const running = config.databaseUrl ? undefined : await attachEmbedded(config.dataDir);
  const store = running
    ? { database: await openDatabase({ url: running.url }), embedded: undefined }
    : await namingUrl(config.databaseUrl, () => openStore(config, () => {}));
  try {
    // Not before: opening may have put a restored key in its place.
    const masterKey = await openMasterKey(config, store.database);
    return await use({ database: store.database, masterKey });
  } finally {
    await store.database.destroy();
    await store.embedded?.stop();
  }
}
