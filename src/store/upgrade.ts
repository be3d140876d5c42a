/** The schema brought up to date, one step after the other, while others go on working with what there is. */
import { setTimeout as wait } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import type pg from 'pg';
import { Fault } from '../domain/fault.ts';
import { withConnection } from './connection.ts';

/** One step of the schema. What is written before it must still be right after it: older versions run on beside it. */
export interface Step {
  /** Indexes of tables that may be large: built before `up`, while everybody goes on writing. */
  indexes?: readonly Index[];
  /** In one transaction, whose locks are had at once or not at all: nothing in it may take long. */
  up(db: Kysely<unknown>): Promise<void>;
  /** Set when versions that do not know this step can no longer work with the database. */
  breaks?: true;
}

export interface Index {
  name: string;
  unique: boolean;
  /** As it stands behind `on`. */
  on: string;
}

export type Steps = Readonly<Record<string, Step>>;

/** Several may start at once: one does the work, and the others wait for it. */
export async function upgradeSchema(url: string, steps: Steps): Promise<void> {
  await withConnection(url, client => bringUpToDate(kyselyOf(client), steps));
}

/** Whether the schema was ever made there: a database that answers may be empty, or somebody else's. */
export function hasSchema(url: string): Promise<boolean> {
  return withConnection(url, async client => (await readSteps(kyselyOf(client))).length > 0);
}

/** Kysely on a connection that is open already, whatever transaction it is in. */
export function kyselyOf(client: pg.Client): Kysely<unknown> {
  const held = { query: client.query.bind(client), release() {} };
  const pool = { connect: async () => held, end: async () => {} };
  return new Kysely({ dialect: new PostgresDialect({ pool: pool as unknown as pg.Pool }) });
}

/** Makes the schema up to a set of steps where there is none yet, in the transaction that is handed in. */
export async function createSchema(transaction: Kysely<unknown>, steps: Steps): Promise<void> {
  await sql`
    create table if not exists kysely_migration (
      name      varchar(255) primary key,
      timestamp varchar(255) not null
    )`.execute(transaction);
  for (const name of Object.keys(steps).sort()) await take(transaction, { name, step: at(steps, name) });
}

/** The names of the steps that were taken, in their order; none when there is no schema. */
export async function readSteps(database: Kysely<unknown>): Promise<string[]> {
  // By a look into a table: a name alone PostgreSQL may answer by what it remembers from before somebody else's turn.
  const { rows: found } = await sql<{ exists: boolean }>`
    select exists (select from pg_class where oid = to_regclass('kysely_migration')) as exists`.execute(
    database,
  );
  if (!found[0]?.exists) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(
    database,
  );
  return rows.map(({ name }) => name);
}

/** Versions with Kysely's own migrator wait for the same one. */
const LOCK = sql.lit('3853314791062309107');
/** As long as somebody else is at it; an index of a very large table is the longest there is. */
const LONGEST_TURN_MS = 3_600_000;
const LONGEST_LOCKS_MS = 120_000;
const SHORTEST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1_000;
/** Less than PostgreSQL waits before it looks for circles: in a circle it is always the step that gives way. */
const LOCK_TIMEOUT = sql.lit('150ms');
/** Locks that were not to be had, and circles. */
const LATER = new Set(['55P03', '40P01']);

async function bringUpToDate(connection: Kysely<unknown>, steps: Steps): Promise<void> {
  const deadline = performance.now() + LONGEST_TURN_MS;
  while ((await missing(connection, steps)).length > 0) {
    if (await takeTurn(connection, steps)) continue;
    if (performance.now() > deadline)
      throw new Fault('unavailable', 'another process has been changing the database’s schema for an hour');
    await wait(50);
  }
}

/** False when it is somebody else's turn. */
async function takeTurn(connection: Kysely<unknown>, steps: Steps): Promise<boolean> {
  if ((await readSteps(connection)).length === 0) return createAtOnce(connection, steps);
  // Tried, never waited for: whoever waits inside a statement keeps an index from being finished.
  const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_lock(${LOCK}) as mine`.execute(
    connection,
  );
  if (!rows[0]?.mine) return false;
  for (const name of await missing(connection, steps))
    await takeBeside(connection, { name, step: at(steps, name) });
  return true; // the lock goes with the connection
}

/** Where nobody works yet, all of it is made in one transaction. */
function createAtOnce(connection: Kysely<unknown>, steps: Steps): Promise<boolean> {
  return connection.transaction().execute(async transaction => {
    const { rows } = await sql<{ mine: boolean }>`
      select pg_try_advisory_xact_lock(${LOCK}) as mine`.execute(transaction);
    if (rows[0]?.mine && (await readSteps(transaction)).length === 0) await createSchema(transaction, steps);
    return rows[0]?.mine ?? false;
  });
}

interface Named {
  name: string;
  step: Step;
}

function at(steps: Steps, name: string): Step {
  return steps[name] as Step;
}

/** The steps that are still to be taken; refuses a database that this version cannot work with. */
async function missing(connection: Kysely<unknown>, steps: Steps): Promise<string[]> {
  const taken = await readSteps(connection);
  const left = Object.keys(steps)
    .filter(name => !taken.includes(name))
    .sort();
  const [unknown] = taken.filter(name => !steps[name]);
  if (unknown === undefined) return left;
  const floor = await readFloor(connection);
  if (floor !== undefined && !steps[floor])
    throw new Fault(
      'unavailable',
      `the database is of a newer version, and since its step ${floor} this one cannot work with it: start the newer one, or restore a backup`,
    );
  if (left[0] !== undefined)
    throw new Fault(
      'unavailable',
      `the database has taken another way: it has the step ${unknown}, which this version does not know, but not ${left[0]}`,
    );
  return [];
}

/** The last step that older versions cannot work with. */
async function readFloor(connection: Kysely<unknown>): Promise<string | undefined> {
  const { rows } = await sql<{ value: string }>`
    select value from facts where name = ${FLOOR}`.execute(connection);
  return rows[0]?.value;
}

const FLOOR = 'schema-floor';

/** Takes a step while others are at work: indexes first, then the rest as soon as its locks are to be had. */
async function takeBeside(connection: Kysely<unknown>, { name, step }: Named): Promise<void> {
  for (const index of step.indexes ?? []) await patiently(name, () => buildIndex(connection, index));
  await patiently(name, () =>
    connection.transaction().execute(async transaction => {
      await sql`set local lock_timeout = ${LOCK_TIMEOUT}`.execute(transaction);
      await take(transaction, { name, step: { ...step, indexes: [] } });
    }),
  );
}

async function patiently(name: string, work: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + LONGEST_LOCKS_MS;
  for (let pause = SHORTEST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!LATER.has((error as { code?: string }).code ?? '')) throw error;
      if (performance.now() > deadline)
        throw new Fault(
          'unavailable',
          `the step ${name} of the schema waits for a table that somebody keeps locked`,
        );
    }
    await wait(pause);
  }
}

/** An index that a process died over is there, and good for nothing. */
async function buildIndex(connection: Kysely<unknown>, { name, unique, on }: Index): Promise<void> {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${name})`.execute(connection);
  if (rows[0]?.valid) return;
  if (rows[0]) await sql`drop index concurrently ${sql.id(name)}`.execute(connection);
  const kind = sql.raw(unique ? 'unique index' : 'index');
  await sql`create ${kind} concurrently ${sql.id(name)} on ${sql.raw(on)}`.execute(connection);
}

async function take(transaction: Kysely<unknown>, { name, step }: Named): Promise<void> {
  for (const { name: index, unique, on } of step.indexes ?? []) {
    const kind = sql.raw(unique ? 'unique index' : 'index');
    await sql`create ${kind} ${sql.id(index)} on ${sql.raw(on)}`.execute(transaction);
  }
  await step.up(transaction);
  if (step.breaks)
    await sql`
      insert into facts (name, value) values (${FLOOR}, ${name})
      on conflict (name) do update set value = excluded.value`.execute(transaction);
  await sql`
    insert into kysely_migration (name, timestamp)
    values (${name}, to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`.execute(
    transaction,
  );
}
