/** The store: the database that the configuration names, or the embedded one that is started for it. */
import { type Database, openDatabase } from './database.ts';
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts';

export interface Store {
  database: Database;
  embedded: EmbeddedPostgres | undefined;
  url: string;
}

export async function openStore(
  { databaseUrl, dataDir }: { databaseUrl: string | undefined; dataDir: string },
  logLine: (line: string) => void,
): Promise<Store> {
  const embedded = databaseUrl ? undefined : await startEmbedded({ dataDir, log: logLine });
  const url = databaseUrl ?? (embedded as EmbeddedPostgres).url;
  try {
    return { database: await openDatabase({ url }), embedded, url };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}
