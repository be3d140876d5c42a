/** Looks: when providers were last asked about orders, where anybody may have us ask. */
import { sql } from 'kysely';
import type { Environment, ProviderId } from '../domain/words.ts';
import type { Database } from './database.ts';
import type { OrderName } from './transactions.ts';

/** How somebody who proves nothing names an order. */
export type Naming = Pick<OrderName, 'reference' | 'theirs'>;

/** An order that was named: when the provider was last asked about it, and whether it is being asked now. */
export interface Named {
  id: string;
  environment: Environment;
  lookedAt: Date | undefined;
  isLooking: boolean;
}

/** The orders of a provider that are named so, in whichever environment. */
export async function findNamed(
  database: Database,
  provider: ProviderId,
  names: readonly Naming[],
): Promise<Named[]> {
  const references = names.flatMap(({ reference }) => (reference === undefined ? [] : [reference]));
  const theirs = names.flatMap(name => (name.theirs === undefined ? [] : [name.theirs]));
  const { rows } = await sql<{
    id: string;
    environment: Environment;
    looked_at: Date | null;
    looking: boolean;
  }>`
    select t.id, t.environment, t.looked_at, coalesce(k.leased_until > now(), false) as looking
    from transactions t left join tasks k on k.kind = 'look-up' and k.key = t.id
    where t.provider = ${provider} and t.id in (
      select id from transactions where id = any(${references}::text[])
      union
      select id from transactions
      where provider = ${provider} and theirs = any(${theirs}::text[]) and theirs <> ''
    )`.execute(database);
  return rows.map(row => ({
    id: row.id,
    environment: row.environment,
    lookedAt: row.looked_at ?? undefined,
    isLooking: row.looking,
  }));
}

/** Remembers that the provider is being asked. */
export async function markLooked(database: Database, id: string, at: Date): Promise<void> {
  await database.updateTable('transactions').set({ looked_at: at }).where('id', '=', id).execute();
}
