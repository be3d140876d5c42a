/** How commands reach the database: the one DATABASE_URL names, the running service's, or the embedded one for a moment. */
import { checkMasterKey, loadMasterKey } from '../app/master-key.ts';
import type { Config } from '../config.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { attachEmbedded } from '../store/embedded.ts';
import { openStore } from '../store/store.ts';

export interface Access {
  database: Database;
  masterKey: Buffer;
}

export async function withStore<T>(config: Config, use: (access: Access) => Promise<T>): Promise<T> {
  const running = config.databaseUrl ? undefined : await attachEmbedded(config.dataDir);
  const store = running
    ? { database: await openDatabase({ url: running.url }), embedded: undefined }
    : await openStore(config, () => {});
  try {
    // Not before: opening may have put a restored key in its place.
    const masterKey = await loadMasterKey(config.masterKey, config.dataDir);
    await checkMasterKey(masterKey, store.database);
    return await use({ database: store.database, masterKey });
  } finally {
    await store.database.destroy();
    await store.embedded?.stop();
  }
}
