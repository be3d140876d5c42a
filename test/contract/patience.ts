/** Patience: waiting for what must come true, with an end. */
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../../src/store/database.ts';

const LONGEST_MS = 15_000;

/** Resolves when the condition holds; throws when it does not within the time. */
export async function eventually(
  condition: () => Promise<boolean> | boolean,
  what: string,
  { longestMs = LONGEST_MS, everyMs = 50 }: { longestMs?: number; everyMs?: number } = {},
): Promise<void> {
  const end = Date.now() + longestMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`never came true: ${what}`);
    await wait(everyMs);
  }
}

/** Resolves when somebody waits for what a transaction holds. */
export async function untilAwaited(trx: Database, database: Database, what: string): Promise<void> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
  const waiters = sql`select from pg_stat_activity where ${rows[0]?.pid}::int = any(pg_blocking_pids(pid))`;
  await eventually(async () => (await waiters.execute(database)).rows.length > 0, what);
}
