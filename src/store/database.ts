/** The database: one pool of connections, the schema brought up to date, and the typed view of its tables. */
import { Kysely, Migrator, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { migrations } from './migrations.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;

export interface OpenOptions {
  url: string;
  /** Told of connections that fail while idle; the pool replaces them. */
  onIdleError?(error: Error): void;
}

/** Connects and migrates. Several instances may start at once: one migrates, the others wait for it. */
export async function openDatabase({ url, onIdleError }: OpenOptions): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: 30_000,
    application_name: 'cloverleaf',
  });
  pool.on('error', error => onIdleError?.(error));
  pool.on('connect', prepareNamed);
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    const { error } = await new Migrator({
      db: database,
      provider: { getMigrations: async () => migrations },
    }).migrateToLatest();
    if (error) throw error;
  } catch (error) {
    await database.destroy();
    throw error;
  }
  return database;
}

const NAMED = /^\s*\/\* ([a-z ]+) \*\//;

/** A statement that opens with its name in a comment is planned once per connection, not at every use. */
function prepareNamed(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...sent: unknown[]) => unknown;
  const named = (...[text, values, ...rest]: unknown[]): unknown => {
    const name = typeof text === 'string' ? NAMED.exec(text)?.[1] : undefined;
    return name === undefined ? query(text, values, ...rest) : query({ name, text, values }, ...rest);
  };
  client.query = named as typeof client.query;
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
