/** Releases: what was taken under a lease and came to nothing is let go of, tried on while the database is away. */
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Does it, and resolves when it is done or a moment has passed; what is still to be done then is done on the side. It is
 * not begun after `until`, by the clock that only goes forward: the lease ends by itself then, and may be another's.
 */
export type Release = (work: () => Promise<void>, until: number) => Promise<void>;

const SOON_MS = 100;
const EVERY_MS = 250;
/** More than these are left to their leases. */
const MOST = 1_000;

/** `soonMs` is how long whoever asks is kept waiting. */
export function createReleases(soonMs = SOON_MS): Release {
  let underWay = 0;

  async function tryOn(work: () => Promise<void>, until: number): Promise<void> {
    underWay++;
    try {
      while (!(await isDone(work)) && performance.now() < until)
        await wait(EVERY_MS, undefined, { ref: false });
    } finally {
      underWay--;
    }
  }

  return async (work, until) => {
    if (underWay >= MOST) return;
    await Promise.race([tryOn(work, until), wait(soonMs, undefined, { ref: false })]);
  };
}

async function isDone(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}
