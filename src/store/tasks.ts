/** Tasks: work that is due, claimed by one instance at a time under a lease. */
import { sql } from 'kysely';
import type { Database } from './database.ts';

export interface Task {
  kind: string;
  key: string;
  attempts: number;
}

export interface DueTask {
  kind: string;
  key: string;
  /** In how many milliseconds it is due. */
  inMs: number;
}

/**
 * Makes tasks due; one that exists already only moves closer, never away, and one that is being done is done again when
 * its lease would end at the latest: what it is planned for may be what has just been missed. By the database's clock, which also says what is
 * due: by one of ours that is wrong an order would be given up while it is being made.
 */
export async function planTasks(database: Database, tasks: readonly DueTask[]): Promise<void> {
  if (tasks.length === 0) return;
  await sql`
    /* plan tasks */
    insert into tasks (kind, key, due_at)
    select kind, key, now() + min(in_ms) * interval '1 millisecond' from unnest(
      ${tasks.map(({ kind }) => kind)}::text[],
      ${tasks.map(({ key }) => key)}::text[],
      ${tasks.map(({ inMs }) => inMs)}::float8[]
    ) as planned (kind, key, in_ms) group by kind, key
    on conflict (kind, key) do update set due_at = least(
      tasks.due_at - case when tasks.leased_until is null then interval '0' else interval '1 microsecond' end,
      excluded.due_at
    )`.execute(database);
}

export interface Claim {
  kinds: readonly string[];
  /** Those that are left to others, by `nameOf`. */
  passed: readonly string[];
  most: number;
  leaseMs: number;
}

export function nameOf({ kind, key }: Pick<Task, 'kind' | 'key'>): string {
  return `${kind} ${key}`;
}

/**
 * Takes due tasks for `leaseMs`; an instance that dies holding them loses them when the lease ends. While it is held a
 * task is due when its lease ends, so that one which somebody plans meanwhile can be told by its earlier time.
 */
export async function claimTasks(
  database: Database,
  { kinds, passed, most, leaseMs }: Claim,
): Promise<Task[]> {
  const { rows } = await sql<Task>`
    /* claim tasks */
    update tasks set
      leased_until = now() + ${`${leaseMs} milliseconds`}::interval,
      due_at = now() + ${`${leaseMs} milliseconds`}::interval,
      attempts = attempts + 1
    where (kind, key) in (
      select kind, key from tasks
      where due_at <= now() and (leased_until is null or leased_until < now()) and kind = any(${kinds}::text[])
        and kind || ' ' || key <> all(${passed}::text[])
      order by due_at limit ${most}
      for update skip locked
    )
    returning kind, key, attempts`.execute(database);
  return rows;
}

/**
 * Gives a task back, to be done again in so many milliseconds or when somebody planned it meanwhile; success forgets the
 * attempts.
 */
export async function releaseTask(
  database: Database,
  { kind, key }: Task,
  next: { inMs: number; success: boolean },
): Promise<void> {
  const dueAt = sql`now() + ${`${next.inMs} milliseconds`}::interval`;
  await sql`
    update tasks set
      due_at = case when due_at < leased_until then least(due_at, ${dueAt}) else ${dueAt} end,
      leased_until = null,
      attempts = case when ${next.success} then 0 else attempts end
    where kind = ${kind} and key = ${key}`.execute(database);
}

/** Strikes a task that is done for good, unless somebody has planned it again meanwhile. */
export async function strikeTask(database: Database, { kind, key }: Task): Promise<void> {
  const { numDeletedRows } = await database
    .deleteFrom('tasks')
    .where('kind', '=', kind)
    .where('key', '=', key)
    .whereRef('due_at', '>=', 'leased_until')
    .executeTakeFirst();
  if (numDeletedRows === 0n) {
    await sql`
      update tasks set leased_until = null, attempts = 0 where kind = ${kind} and key = ${key}`.execute(
      database,
    );
  }
}
