/** Tasks: work that is due, done by whichever instance gets there first. */
import type { Database } from '../store/database.ts';
import { claimTasks, releaseTask, strikeTask, type Task } from '../store/tasks.ts';
import { type Loop, startLoop } from './loop.ts';

/**
 * Does the work and says in how many milliseconds it is due again; undefined when it is done for good, `others` when this
 * instance has not what it takes and another one may.
 */
export type TaskHandler = (key: string) => Promise<number | undefined | 'others'>;

export interface TaskLoopOptions {
  database: Database;
  /** By kind; kinds that are not named are left to instances that know them. */
  handlers: Readonly<Record<string, TaskHandler>>;
  onFailure(task: Task, error: unknown): void;
}

const BEAT_MS = 1_000;
/** Longer than any task takes; what an instance held that died is taken up again so soon. */
const LEASE_MS = 25_000;
const AT_ONCE = 16;
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 600_000;
/** What is left to others falls due just after a beat of ours, so that theirs come first. */
const FIRST_PASS_MS = BEAT_MS;

export function startTasks({ database, handlers, onFailure }: TaskLoopOptions): Loop {
  const kinds = Object.keys(handlers);

  async function perform(task: Task): Promise<void> {
    try {
      const again = await handlers[task.kind]?.(task.key);
      if (again === undefined) await strikeTask(database, task);
      else if (again === 'others') await putOff(task, FIRST_PASS_MS);
      else await releaseTask(database, task, { inMs: again, success: true });
    } catch (error) {
      onFailure(task, error);
      await putOff(task, FIRST_RETRY_MS);
    }
  }

  /** Each time for longer: it may be that nobody can do it. */
  async function putOff(task: Task, firstMs: number): Promise<void> {
    const inMs = Math.min(firstMs * 2 ** (task.attempts - 1), LONGEST_RETRY_MS);
    await releaseTask(database, task, { inMs, success: false });
  }

  return startLoop({
    beatMs: BEAT_MS,
    slots: AT_ONCE,
    claim: most => claimTasks(database, { kinds, most, leaseMs: LEASE_MS }),
    perform,
    // The database is away; the lease and the next beat see to it.
    onError() {},
  });
}
