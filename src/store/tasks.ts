/** Tasks: work that is due, claimed by one instance at a time under a lease. */
import { sql } from 'kysely';
import type { Database } from './database.ts';

export interface Task {
  kind: string;
  key: string;
  attempts: number;
}

/** Makes a task due; one that exists already only moves closer, never away. */
export async function planTask(database: Database, kind: string, key: string, dueAt: Date): Promise<void> {
  await sql`
    insert into tasks (kind, key, due_at) values (${kind}, ${key}, ${dueAt})
    on conflict (kind, key) do update set due_at = least(tasks.due_at, excluded.due_at)`.execute(database);
}

/** Takes due tasks for `leaseMs`; an instance that dies holding them loses them when the lease ends. */
export async function claimTasks(database: Database, most: number, leaseMs: number): Promise<Task[]> {
  const { rows } = await sql<Task>`
    update tasks set leased_until = now() + ${`${leaseMs} milliseconds`}::interval, attempts = attempts + 1
    where (kind, key) in (
      select kind, key from tasks
      where due_at <= now() and (leased_until is null or leased_until < now())
      order by due_at limit ${most}
      for update skip locked
    )
    returning kind, key, attempts`.execute(database);
  return rows;
}

/** Gives a task back, to be done again at `dueAt`; success forgets the attempts. */
export async function releaseTask(
  database: Database,
  task: Task,
  next: { dueAt: Date; success: boolean },
): Promise<void> {
  await database
    .updateTable('tasks')
    .set({ due_at: next.dueAt, leased_until: null, ...(next.success && { attempts: 0 }) })
    .where('kind', '=', task.kind)
    .where('key', '=', task.key)
    .execute();
}
