/** Scores: how often orders got through, counted from this deployment's own transactions. */
import { sql } from 'kysely';
import type { Database } from './database.ts';

export interface ScoreRow {
  environment: string;
  side: string;
  country: string;
  method: string;
  provider: string;
  started: number;
  completed: number;
}

/**
 * Counts of the last 90 days. What the person gave up was not failed by the provider: an order that never left `new`, one
 * they canceled, or one that expired without the provider ever having heard of it.
 */
export async function countScores(database: Database): Promise<ScoreRow[]> {
  const { rows } = await sql<ScoreRow>`
    select environment, side, country, method, provider,
           count(*)::int as started,
           count(*) filter (where status = 'completed')::int as completed
    from transactions
    where created_at > now() - interval '90 days' and status not in ('new', 'canceled')
      and not (status = 'expired' and theirs = '')
    group by environment, side, country, method, provider`.execute(database);
  return rows;
}
