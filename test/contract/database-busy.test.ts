/** A database whose tables somebody else holds: requests are told to come back, work waits its turn. */
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Database, openDatabase, openForRequests } from '../../src/store/database.ts';
import { makeDatabase } from '../service.ts';

const PATIENTLY = { timeout: 10_000, interval: 20 };

let made: Awaited<ReturnType<typeof makeDatabase>>;
let work: Database;
let requests: Database;
let holder: pg.Client;

beforeAll(async () => {
  made = await makeDatabase();
  work = await openDatabase({ url: made.url });
  requests = await openForRequests({ url: made.url, patienceMs: 700 });
  holder = new pg.Client(made.url);
  await holder.connect();
});

afterAll(async () => {
  await holder.end();
  await requests.destroy();
  await work.destroy();
  await made.drop();
});

const count = (database: Database) => sql`select count(*) from transactions`.execute(database);

test('whoever waits for an answer is told within a moment that there is none, however many they are', async () => {
  await holder.query('begin; lock table transactions');
  const patient = count(work);
  const began = performance.now();
  const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => count(requests)));
  const ms = performance.now() - began;
  await holder.query('rollback');
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  // All of them at once: ten had a connection, and the others waited for one of theirs.
  expect(ms).toBeLessThan(5_000);
  expect((await patient).rows).toEqual([{ count: '0' }]);
  await expect(count(requests)).resolves.toMatchObject({ rows: [{ count: '0' }] });
});

test('a connection that the server ends while somebody uses it breaks nothing but what they asked', async () => {
  const rejected = expect(sql`select pg_sleep(25)`.execute(work)).rejects.toMatchObject({ code: '57P01' });
  await vi.waitFor(async () => {
    const ended = await holder.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and state = 'active' and query = 'select pg_sleep(25)'`,
    );
    expect(ended.rowCount).toBe(1);
  }, PATIENTLY);
  await rejected;
  await expect(count(work)).resolves.toMatchObject({ rows: [{ count: '0' }] });
});
