/** Watching: reloads what is kept in memory when another process has changed it. */
import type { Database } from '../store/database.ts';
import { type Changing, readRevisions } from '../store/revisions.ts';

export interface Watch {
  /** Looks now; resolves when everything that changed has been reloaded. */
  look(): Promise<void>;
  stop(): Promise<void>;
}

export interface WatchOptions {
  database: Database;
  /** What to do when a thing has changed. */
  reload: Readonly<Record<Changing, () => Promise<void>>>;
  onError(error: unknown): void;
}

const BEAT_MS = 1_000;

/** Loads everything once, then looks every second; while the database is away, memory stays as it was. */
export async function startWatch({ database, reload, onError }: WatchOptions): Promise<Watch> {
  let seen = new Map<Changing, string>();
  let round: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function compare(): Promise<void> {
    const found = await readRevisions(database);
    for (const name of Object.keys(reload) as Changing[]) {
      if (found.get(name) !== seen.get(name)) await reload[name]();
    }
    seen = found;
  }

  /** A round under way may have read the revisions before the change that is looked for: then one more follows, for all. */
  function look(): Promise<void> {
    if (next) return next;
    if (!round) return begin();
    next = round.catch(() => {}).then(begin);
    return next;
  }

  function begin(): Promise<void> {
    next = undefined;
    round = compare().finally(() => {
      round = undefined;
    });
    return round;
  }

  const first = await readRevisions(database);
  for (const name of Object.keys(reload) as Changing[]) await reload[name]();
  seen = first;
  const beat = setInterval(() => void look().catch(onError), BEAT_MS);
  return {
    look,
    async stop() {
      clearInterval(beat);
      await (next ?? round)?.catch(onError);
    },
  };
}
