/** Providers that an operator has added, each speaking a protocol that we know. */
import { sql } from 'kysely';
import type { ProviderId } from '../domain/words.ts';
import type { Database } from './database.ts';

export interface StoredInstance {
  id: ProviderId;
  protocol: string;
  name: string;
  apiUrl: string;
  pagesUrl: string;
}

/** In the order they were added. */
export async function listInstances(database: Database): Promise<StoredInstance[]> {
  const rows = await database
    .selectFrom('provider_instances')
    .select(['id', 'protocol', 'name', 'api_url', 'pages_url'])
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(({ id, protocol, name, api_url, pages_url }) => ({
    id: id as ProviderId,
    protocol,
    name,
    apiUrl: api_url,
    pagesUrl: pages_url,
  }));
}

/** False when there is one of that id already. */
export async function addInstance(database: Database, instance: StoredInstance): Promise<boolean> {
  const { id, protocol, name, apiUrl, pagesUrl } = instance;
  const { numInsertedOrUpdatedRows } = await database
    .insertInto('provider_instances')
    .values({ id, protocol, name, api_url: apiUrl, pages_url: pagesUrl })
    .onConflict(conflict => conflict.column('id').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Takes a provider away with what was set for it; what became of its orders stays. */
export async function removeInstance(database: Database, id: ProviderId): Promise<void> {
  await database.transaction().execute(async trx => {
    await trx.deleteFrom('provider_instances').where('id', '=', id).execute();
    await trx.deleteFrom('provider_settings').where('provider', '=', id).execute();
    await trx.deleteFrom('provider_switches').where('provider', '=', id).execute();
    await trx.deleteFrom('listings').where('provider', '=', id).execute();
    await trx
      .deleteFrom('tasks')
      .where('kind', '=', 'refresh-listings')
      .where('key', 'in', [`${id}:test`, `${id}:live`])
      .execute();
  });
}

/** How many of a provider's orders are under way. */
export async function countUnfinished(database: Database, id: ProviderId): Promise<number> {
  const { count } = await database
    .selectFrom('transactions')
    .select(sql<string>`count(*)`.as('count'))
    .where('provider', '=', id)
    .where('status', 'in', ['new', 'pending', 'paid'])
    .executeTakeFirstOrThrow();
  return Number(count);
}
