/** Scores: which providers' orders get through, by country and method, recounted now and then. */
import type { Score } from '../domain/rank.ts';
import type { CountryCode, Environment, MethodId, ProviderId, Side } from '../domain/words.ts';
import type { Database } from '../store/database.ts';
import { countScores, type ScoreRow } from '../store/scores.ts';

export interface ScoreKey {
  environment: Environment;
  side: Side;
  country: CountryCode;
  method: MethodId;
}

export interface Scores {
  of(key: ScoreKey): ReadonlyMap<ProviderId, Score>;
  recount(): Promise<void>;
}

const NONE: ReadonlyMap<ProviderId, Score> = new Map();
const HOUR = 3_600_000;
/** Orders that count at all, and those young enough to change at any moment. */
const WINDOW_MS = 90 * 24 * HOUR;
const YOUNG_MS = 24 * HOUR;

export function createScores(database: Database, now: () => number): Scores {
  let counted = new Map<string, Map<ProviderId, Score>>();
  let old: { rows: ScoreRow[]; until: number } | undefined;
  let oldDueAt = Number.NEGATIVE_INFINITY;

  /** What is old hardly changes, and there is much of it: it is counted once an hour, and no sooner when that fails. */
  async function countOld(at: number): Promise<void> {
    if (at < oldDueAt) return;
    oldDueAt = at + HOUR;
    const until = at - YOUNG_MS;
    const span = { from: new Date(at - WINDOW_MS), until: new Date(until) };
    old = { rows: await countScores(database, span), until };
  }

  return {
    of: key => counted.get(nameOf(key)) ?? NONE,
    async recount() {
      const at = now();
      await countOld(at);
      const { rows, until } = old ?? { rows: [], until: at - YOUNG_MS };
      // A little into the future: an instance whose clock is ahead has made orders there.
      const young = await countScores(database, { from: new Date(until), until: new Date(at + HOUR) });
      counted = group([...rows, ...young]);
    },
  };
}

function group(rows: readonly ScoreRow[]): Map<string, Map<ProviderId, Score>> {
  const groups = new Map<string, Map<ProviderId, Score>>();
  for (const row of rows) {
    const name = nameOf(row);
    const scores = groups.get(name) ?? new Map<ProviderId, Score>();
    const provider = row.provider as ProviderId;
    const { started, completed } = scores.get(provider) ?? { started: 0, completed: 0 };
    scores.set(provider, { started: started + row.started, completed: completed + row.completed });
    groups.set(name, scores);
  }
  return groups;
}

function nameOf(key: { environment: string; side: string; country: string; method: string }): string {
  return `${key.environment}|${key.side}|${key.country}|${key.method}`;
}
