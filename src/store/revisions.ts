/** Revisions: how an instance notices what another one, or the command line, has changed. */
import type { Database } from './database.ts';

export type Changing = 'accounts' | 'providers' | 'listings';

export async function readRevisions(database: Database): Promise<Map<Changing, string>> {
  const rows = await database.selectFrom('revisions').select(['name', 'revision']).execute();
  return new Map(rows.map(row => [row.name as Changing, row.revision]));
}
