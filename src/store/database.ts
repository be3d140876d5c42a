/** The database: one pool of connections, the schema brought up to date, and the typed view of its tables. */
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { limitWaits, type Patience } from './connection.ts';
import { migrations } from './migrations.ts';
import type { Tables } from './tables.ts';
import { upgradeSchema } from './upgrade.ts';

export type Database = Kysely<Tables>;

export interface OpenOptions {
  url: string;
  /** Told of connections that fail while idle; the pool replaces them. */
  onIdleError?(error: Error): void;
}

/** For work that nobody waits for. */
const UNHURRIED: Patience = { connectMs: 5_000, statementMs: 30_000, silenceMs: 35_000, idleMs: 30_000 };
/** For people: whoever cannot be served soon is told to come back. */
const hurried = (ms: number): Patience => ({
  ...{ connectMs: ms, statementMs: ms, silenceMs: ms + 150, idleMs: 600_000 },
});
/** A machine that was switched off says no farewell: what it held locked is let go of then. No provider is asked for as long. */
const ABANDONED_MS = 60_000;
/** Connections that are there before the first of them comes. */
const READY = 4;

/** Connects and migrates. Several instances may start at once: one migrates, the others wait for it. */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  await upgradeSchema(options.url, migrations);
  return open(options, UNHURRIED);
}

/** The same database, for requests: connections of their own, so that no work keeps them waiting, and little patience. */
export async function openForRequests(options: OpenOptions & { patienceMs: number }): Promise<Database> {
  const database = open(options, hurried(options.patienceMs));
  await Promise.all(Array.from({ length: READY }, () => pingDatabase(database)));
  return database;
}

function open({ url, onIdleError }: OpenOptions, patience: Patience): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: patience.connectMs,
    idleTimeoutMillis: patience.idleMs,
    statement_timeout: patience.statementMs,
    idle_in_transaction_session_timeout: ABANDONED_MS,
    application_name: 'cloverleaf',
  });
  pool.on('error', error => onIdleError?.(error));
  limitWaits(pool, patience);
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** Whether the database answers at all. */
export async function pingDatabase(database: Database): Promise<boolean> {
  try {
    await sql`select 1`.execute(database);
    return true;
  } catch {
    return false;
  }
}
