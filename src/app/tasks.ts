/** Tasks: a loop that claims due work and does it, whichever instance gets there first. */
import type { Database } from '../store/database.ts';
import { claimTasks, releaseTask, type Task } from '../store/tasks.ts';

/** Does the work and says in how many milliseconds it is due again. */
export type TaskHandler = (key: string) => Promise<number>;

export interface TaskLoop {
  /** Looks for due work now instead of at the next beat; resolves when that round is done. */
  wake(): Promise<void>;
  /** Finishes what is under way and claims nothing more. */
  stop(): Promise<void>;
}

export interface TaskLoopOptions {
  database: Database;
  handlers: Readonly<Record<string, TaskHandler>>;
  now(): number;
  onFailure(task: Task, error: unknown): void;
}

const BEAT_MS = 1_000;
const LEASE_MS = 60_000;
const AT_ONCE = 16;
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 600_000;

export function startTasks({ database, handlers, now, onFailure }: TaskLoopOptions): TaskLoop {
  let stopped = false;
  let round: Promise<void> | undefined;

  async function perform(task: Task): Promise<void> {
    const handler = handlers[task.kind];
    // A kind this version does not know is left to an instance that does.
    if (!handler) return;
    try {
      const again = await handler(task.key);
      await releaseTask(database, task, { dueAt: new Date(now() + again), success: true });
    } catch (error) {
      onFailure(task, error);
      const wait = Math.min(FIRST_RETRY_MS * 2 ** (task.attempts - 1), LONGEST_RETRY_MS);
      await releaseTask(database, task, { dueAt: new Date(now() + wait), success: false });
    }
  }

  async function work(): Promise<void> {
    try {
      const tasks = await claimTasks(database, AT_ONCE, LEASE_MS);
      await Promise.all(tasks.map(perform));
    } catch {
      // The database is away; the lease and the next beat see to it.
    }
  }

  const beat = setInterval(() => void wake(), BEAT_MS);
  function wake(): Promise<void> {
    if (stopped) return Promise.resolve();
    round ??= work().finally(() => {
      round = undefined;
    });
    return round;
  }

  return {
    wake,
    async stop() {
      stopped = true;
      clearInterval(beat);
      await round;
    },
  };
}
