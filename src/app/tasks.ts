/** Tasks: work that is due, done by whichever instance gets there first. */
import type { Database } from '../store/database.ts';
import { claimTasks, nameOf, releaseTask, strikeTask, type Task } from '../store/tasks.ts';
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
/** For how long what is left to others is not taken up here: by then we may have what it takes. */
const FIRST_PASS_MS = 2_000;
const LONGEST_PASS_MS = 60_000;

export function startTasks({ database, handlers, onFailure }: TaskLoopOptions): Loop {
  const kinds = Object.keys(handlers);
  /** What was left to others, and until when: by a clock that only goes forward. */
  const passed = new Map<string, number>();

  async function perform(task: Task): Promise<void> {
    try {
      const again = await handlers[task.kind]?.(task.key);
      if (again === undefined) await strikeTask(database, task);
      else if (again === 'others') await passOn(task);
      else await releaseTask(database, task, { inMs: again, success: true });
    } catch (error) {
      onFailure(task, error);
      await releaseTask(database, task, {
        inMs: pauseOf(task, FIRST_RETRY_MS, LONGEST_RETRY_MS),
        success: false,
      });
    }
  }

  /** It stays due for everybody else. */
  async function passOn(task: Task): Promise<void> {
    passed.set(nameOf(task), performance.now() + pauseOf(task, FIRST_PASS_MS, LONGEST_PASS_MS));
    await releaseTask(database, task, { inMs: 0, success: false });
  }

  function passedOn(): string[] {
    for (const [name, until] of passed) if (until <= performance.now()) passed.delete(name);
    return [...passed.keys()];
  }

  return startLoop({
    beatMs: BEAT_MS,
    slots: AT_ONCE,
    claim: most => claimTasks(database, { kinds, passed: passedOn(), most, leaseMs: LEASE_MS }),
    perform,
    // The database is away; the lease and the next beat see to it.
    onError() {},
  });
}

/** Each time longer: it may be that nobody can do it. */
function pauseOf({ attempts }: Task, firstMs: number, longestMs: number): number {
  return Math.min(firstMs * 2 ** (attempts - 1), longestMs);
}
