/** Facts: single values that belong to the whole deployment. */
import type { Database } from './database.ts';

/** The stored value; stores `value` first when there is none yet. The first writer wins. */
export async function keepFact(database: Database, name: string, value: string): Promise<string> {
  await database
    .insertInto('facts')
    .values({ name, value })
    .onConflict(conflict => conflict.column('name').doNothing())
    .execute();
  const row = await database
    .selectFrom('facts')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return row.value;
}
