/** How commands reach the database: the one DATABASE_URL names, the running service's, or the embedded one for a moment. */
import { setTimeout as wait } from 'node:timers/promises';
import { openMasterKey } from '../app/master-key.ts';
import type { Config } from '../config.ts';
import { Fault } from '../domain/fault.ts';
import { namingUrl } from '../store/connection.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { attachEmbedded, type EmbeddedPostgres, startEmbedded } from '../store/embedded.ts';
import { FolderInUse } from '../store/embedded-lock.ts';
import { hasDatabase } from '../store/restore.ts';
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

function open<T>(config: Config, use: Use<T>): Promise<T> {
  return withUrl(config, async url => {
    const database = await namingUrl(config.databaseUrl, () => openDatabase({ url }));
    try {
      // Not before: opening may have put a restored key in its place.
      return await use({ database, masterKey: await openMasterKey(config, database) });
    } finally {
      await database.destroy();
    }
  });
}

/** The database as it is, whichever version it is of. */
export async function withUrl<T>(
  { databaseUrl, dataDir }: Config,
  use: (url: string) => Promise<T>,
): Promise<T> {
  if (databaseUrl) return use(databaseUrl);
  const embedded = await reachEmbedded(dataDir);
  try {
    return await use(embedded.url);
  } finally {
    await embedded.stop();
  }
}

/** What is said of a connection that was lost in the middle of something; undefined where it is something else. */
export function explainLost(error: unknown): string | undefined {
  const { code = '', message, severity, syscall } = error as NodeJS.ErrnoException & { severity?: string };
  const isLost = severity === 'FATAL' || syscall === 'connect' || LOST.has(code) || WORDS.test(message);
  if (!isLost) return undefined;
  return `the connection to the database was lost (${message || code}): see whether this was done before you do it again`;
}

const LOST = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);
/** What the driver says without a code. */
const WORDS = /^(Connection terminated|Client (has encountered|was closed)|timeout exceeded when trying)/;

/** How long a service may take from its start until its database listens. */
const START_MS = 10_000;

/**
 * The running service's, or one that is started, as soon as no other command has the folder; tried again while a service
 * has it and does not listen yet.
 */
async function reachEmbedded(dataDir: string): Promise<EmbeddedPostgres> {
  for (const deadline = performance.now() + START_MS; ; await wait(100)) {
    const running = await attachEmbedded(dataDir);
    if (running) return { ...running, stop: async () => {} };
    try {
      return await startEmbedded({ dataDir, isBrief: true });
    } catch (error) {
      if (!(error instanceof FolderInUse) || performance.now() > deadline) throw error;
    }
  }
}
