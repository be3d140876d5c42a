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

/** From, inclusive, until, exclusive. */
export interface Span {
  from: Date;
  until: Date;
}

/**
 * Counts of orders made in a span of time. What the person gave up was not failed by the provider: an order that never left `new`, one
 * they canceled, or one that expired without the provider ever having heard of it.
 */
export async function countScores(database: Database, span: Span): Promise<ScoreRow[]> {
  const { rows } = await sql<ScoreRow>`
    select environment, side, country, method, provider,
           count(*)::int as started,
           count(*) filter (where status = 'completed')::int as completed
    from transactions
    where created_at >= ${span.from} and created_at < ${span.until} and status not in ('new', 'canceled')
      and not (status = 'expired' and theirs = '')
    group by environment, side, country, method, provider`.execute(database);
  return rows;
}
