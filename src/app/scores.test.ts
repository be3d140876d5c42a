/** Scores where counting fails: what is old is left alone for an hour, and what is young is counted all the same. */
import type { RawNode, ValueNode } from 'kysely';
import { expect, it } from 'vitest';
import type { CountryCode, MethodId } from '../domain/words.ts';
import type { Database } from '../store/database.ts';
import type { ScoreRow, Span } from '../store/scores.ts';
import { createScores, type ScoreKey } from './scores.ts';

const HOUR = 3_600_000;
const KEY: ScoreKey = {
  environment: 'live',
  side: 'buy',
  country: 'FR' as CountryCode,
  method: 'creditcard' as MethodId,
};

/** A database that only counts orders, as is said for each span of time. */
function countingBy(count: (span: Span) => number): Database {
  const executor = {
    transformQuery: (node: RawNode) => node,
    compileQuery: (node: RawNode) => node,
    async executeQuery({ parameters }: RawNode) {
      const [from, until] = parameters.map(one => (one as ValueNode).value as Date) as [Date, Date];
      const started = count({ from, until });
      const row: ScoreRow = { ...KEY, provider: 'acme', started, completed: started };
      return { rows: [row] };
    },
  };
  return { getExecutor: () => executor } as unknown as Database;
}

it('counts what is young while what is old cannot be counted, and tries that again after an hour', async () => {
  let at = Date.parse('2026-06-01T00:00:00Z');
  let isSlow = true;
  let tries = 0;
  const database = countingBy(({ from }) => {
    if (at - from.getTime() < 30 * HOUR) return 1;
    tries += 1;
    if (isSlow) throw new Error('canceling statement due to statement timeout');
    return 10;
  });
  const scores = createScores(database, () => at);
  const counted = () => [...scores.of(KEY).values()].map(({ started }) => started);

  await expect(scores.recount()).rejects.toThrow('statement timeout');
  expect([tries, counted()]).toEqual([1, []]);
  at += HOUR / 60;
  await scores.recount();
  expect([tries, counted()]).toEqual([1, [1]]);

  isSlow = false;
  at += HOUR;
  await scores.recount();
  expect([tries, counted()]).toEqual([2, [11]]);

  // Nor is it forgotten what it was, when it fails another time.
  isSlow = true;
  at += HOUR;
  await expect(scores.recount()).rejects.toThrow('statement timeout');
  at += HOUR / 60;
  await scores.recount();
  expect([tries, counted()]).toEqual([3, [11]]);
});
