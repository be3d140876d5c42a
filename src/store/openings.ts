/** Openings: how far a person has got with an order on our side of it; never of one that has ended. */
import type { Database } from './database.ts';
import { OPEN, type Transaction } from './transactions.ts';

/** Remembers that the provider may know of the order, and the page when it must not be made anew; false when it has ended. */
export function markOpened(
  database: Database,
  id: string,
  { at, page }: { at: Date | undefined; page?: string | undefined },
): Promise<boolean> {
  return mark(database, id, { opened_at: at ?? null, ...(page !== undefined && { page }) });
}

/** Remembers that the provider is asked to make the order; false when it has ended, or was opened since it was read. */
export async function markBegun(
  database: Database,
  { id, openedAt }: Pick<Transaction, 'id' | 'openedAt'>,
  at: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('transactions')
    .set({ opened_at: at })
    .where('id', '=', id)
    .where('status', 'in', OPEN)
    .where('opened_at', 'is not distinct from', openedAt ?? null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** From now on it is the session that ends, not the checkout; false when it has ended already. */
export function markReady(database: Database, id: string): Promise<boolean> {
  return mark(database, id, { ready: true });
}

/** Whoever gives an order up at the same moment holds its row: either that is seen here, or this there. */
async function mark(
  database: Database,
  id: string,
  change: { opened_at: Date | null; page?: string } | { ready: true },
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('transactions')
    .set(change)
    .where('id', '=', id)
    .where('status', 'in', OPEN)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Remembers that the person was sent to the provider's page. */
export async function markVisited(database: Database, id: string, at: Date): Promise<void> {
  await database.updateTable('transactions').set({ visited_at: at }).where('id', '=', id).execute();
}
