/** Releases: what was taken under a lease and came to nothing is let go of, tried on while the database is away. */
import { setTimeout as wait } from 'node:timers/promises';

export interface Releases {
  /**
   * Does it, and resolves when it is done or a moment has passed; what is still to be done then is done on the side. It is
   * not begun after `until`, by the clock that only goes forward: the lease ends by itself then, and may be another's.
   */
  release(work: () => Promise<void>, until: number): Promise<void>;
  /** Tries each once more; what is left then is left to its lease. */
  stop(): Promise<void>;
}

const SOON_MS = 100;
const EVERY_MS = 250;
/** More than these are left to their leases. */
const MOST = 1_000;

/** `soonMs` is how long whoever asks is kept waiting. */
export function createReleases(soonMs = SOON_MS): Releases {
  const underWay = new Set<Promise<void>>();
  const stopping = new AbortController();
  const pause = () => wait(EVERY_MS, undefined, { ref: false, signal: stopping.signal }).catch(() => {});

  async function tryOn(work: () => Promise<void>, until: number): Promise<void> {
    while (performance.now() < until && !(await isDone(work)) && !stopping.signal.aborted) await pause();
  }

  return {
    async release(work, until) {
      if (underWay.size >= MOST) return;
      const trying = tryOn(work, until);
      underWay.add(trying);
      void trying.finally(() => underWay.delete(trying));
      await Promise.race([trying, wait(soonMs, undefined, { ref: false })]);
    },
    async stop() {
      stopping.abort();
      await Promise.all(underWay);
    },
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
