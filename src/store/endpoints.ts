/** Endpoints: where accounts want to hear of changes. */
import { type Selectable, sql } from 'kysely';
import type { AccountId } from '../domain/words.ts';
import type { Database } from './database.ts';
import { buryDeliveries, deleteDeliveries, REMOVED } from './deliveries.ts';
import type { Tables } from './tables.ts';
import { planTasks } from './tasks.ts';

export interface Endpoint {
  id: string;
  accountId: AccountId;
  url: string;
  /** Sealed, like the one before it. */
  secret: string;
  previousSecret: string | undefined;
  createdAt: Date;
  disabledAt: Date | undefined;
  disabledReason: string;
}

export type NewEndpoint = Pick<Endpoint, 'id' | 'accountId' | 'url' | 'secret' | 'createdAt'>;

export async function insertEndpoint(
  database: Database,
  { id, accountId, url, secret, createdAt }: NewEndpoint,
): Promise<void> {
  await database
    .insertInto('endpoints')
    .values({ id, account_id: accountId, url, secret, created_at: createdAt })
    .execute();
}

export async function listEndpoints(database: Database, account: AccountId): Promise<Endpoint[]> {
  const rows = await database
    .selectFrom('endpoints')
    .selectAll()
    .where('account_id', '=', account)
    .where('url', '<>', REMOVED)
    .orderBy('id')
    .execute();
  return rows.map(readEndpoint);
}

export async function findEndpoint(database: Database, id: string): Promise<Endpoint | undefined> {
  const row = await database
    .selectFrom('endpoints')
    .selectAll()
    .where('id', '=', id)
    .where('url', '<>', REMOVED)
    .executeTakeFirst();
  return row && readEndpoint(row);
}

/** Gives an endpoint another secret; the present one becomes the previous one. */
export async function rotateEndpointSecret(database: Database, id: string, secret: string): Promise<void> {
  await database
    .updateTable('endpoints')
    .set(({ ref }) => ({ previous_secret: ref('secret'), secret }))
    .where('id', '=', id)
    .where('url', '<>', REMOVED)
    .execute();
}

export async function forgetPreviousSecret(database: Database, id: string): Promise<void> {
  await database.updateTable('endpoints').set({ previous_secret: null }).where('id', '=', id).execute();
}

export async function enableEndpoint(database: Database, id: string): Promise<void> {
  await database
    .updateTable('endpoints')
    .set({ disabled_at: null, disabled_reason: '' })
    .where('id', '=', id)
    .where('url', '<>', REMOVED)
    .execute();
}

/** Stops an endpoint at once; what it was still to be sent is given up bit by bit, by `clearEndpoint`. */
export async function disableEndpoint(
  database: Database,
  id: string,
  stop: { at: Date; reason: string },
): Promise<void> {
  await database.transaction().execute(async trx => {
    await trx
      .updateTable('endpoints')
      .set({ disabled_at: stop.at, disabled_reason: stop.reason })
      .where('id', '=', id)
      .where('disabled_at', 'is', null)
      .execute();
    await planClearing(trx, id);
  });
}

/** Takes an endpoint away at once; everything that was delivered to it goes bit by bit, by `clearEndpoint`. */
export async function removeEndpoint(database: Database, id: string): Promise<void> {
  await database.transaction().execute(async trx => {
    // Whoever is writing to it is waited for; whoever comes later waits for us, and finds it gone.
    await trx
      .updateTable('endpoints')
      .set({ url: REMOVED, secret: '', previous_secret: null, disabled_at: sql`now()` })
      .where('id', '=', id)
      .execute();
    await planClearing(trx, id);
  });
}

/** In the transaction that stops the endpoint, so that it is seen to whoever dies meanwhile. */
function planClearing(trx: Database, id: string): Promise<void> {
  return planTasks(trx, [{ kind: 'clear-endpoint', key: id, inMs: 0 }]);
}

/**
 * Clears away a piece of what is left of an endpoint that was stopped: one that is disabled is sent nothing more, and
 * one that was removed goes with its last delivery. False when there may be more.
 */
export async function clearEndpoint(database: Database, id: string): Promise<boolean> {
  return database.transaction().execute(async trx => {
    // Locked: whoever enables it waits, and then nothing is given up that is due from there on.
    const stopped = await trx
      .selectFrom('endpoints')
      .select(['url', 'disabled_reason'])
      .where('id', '=', id)
      .where('disabled_at', 'is not', null)
      .forShare()
      .executeTakeFirst();
    if (!stopped) return true;
    if (stopped.url !== REMOVED) return buryDeliveries(trx, id, stopped.disabled_reason);
    const isLast = await deleteDeliveries(trx, id);
    if (isLast) await trx.deleteFrom('endpoints').where('id', '=', id).execute();
    return isLast;
  });
}

function readEndpoint(row: Selectable<Tables['endpoints']>): Endpoint {
  return {
    id: row.id,
    accountId: row.account_id as AccountId,
    url: row.url,
    secret: row.secret,
    previousSecret: row.previous_secret ?? undefined,
    createdAt: row.created_at,
    disabledAt: row.disabled_at ?? undefined,
    disabledReason: row.disabled_reason,
  };
}
