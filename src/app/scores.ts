/** Scores: which providers' orders get through, by country and method, recounted now and then. */
import type { Score } from '../domain/rank.ts';
import type { CountryCode, Environment, MethodId, ProviderId, Side } from '../domain/words.ts';
import type { Database } from '../store/database.ts';
import { countScores } from '../store/scores.ts';

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

export function createScores(database: Database): Scores {
  let counted = new Map<string, Map<ProviderId, Score>>();
  return {
    of: key => counted.get(nameOf(key)) ?? NONE,
    async recount() {
      const next = new Map<string, Map<ProviderId, Score>>();
      for (const row of await countScores(database)) {
        const name = nameOf(row);
        const group = next.get(name) ?? new Map<ProviderId, Score>();
        group.set(row.provider as ProviderId, { started: row.started, completed: row.completed });
        next.set(name, group);
      }
      counted = next;
    },
  };
}

function nameOf(key: { environment: string; side: string; country: string; method: string }): string {
  return `${key.environment}|${key.side}|${key.country}|${key.method}`;
}
