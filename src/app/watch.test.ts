/** Watching: what is looked for is loaded when the look ends, whatever else was being looked for. */
import { expect, it } from 'vitest';
import type { Database } from '../store/database.ts';
import type { Changing } from '../store/revisions.ts';
import { startWatch } from './watch.ts';

/** A database that only knows revisions, each of which is read as slowly as is said. */
function revisionsOf(revisions: Record<string, number>, read: () => Promise<void>): Database {
  const execute = async () => {
    const rows = Object.entries(revisions).map(([name, revision]) => ({ name, revision: String(revision) }));
    await read();
    return rows;
  };
  const query = { select: () => query, selectAll: () => query, execute };
  return { selectFrom: () => query } as unknown as Database;
}

it('loads what changed while another look was under way, once for all who looked meanwhile', async () => {
  const revisions = { accounts: 1, providers: 1, listings: 1 };
  const held: (() => void)[] = [];
  let isSlow = false;
  const database = revisionsOf(revisions, () =>
    isSlow ? new Promise<void>(resolve => held.push(resolve)) : Promise.resolve(),
  );
  let loaded = 0;
  const reload: Record<Changing, () => Promise<void>> = {
    accounts: async () => {},
    providers: async () => {},
    listings: async () => {
      loaded += 1;
    },
  };
  const watch = await startWatch({ database, reload, onError() {} });
  expect(loaded).toBe(1);
  isSlow = true;
  const early = watch.look();
  // Those are read already when this is written.
  revisions.listings += 1;
  const late = [watch.look(), watch.look(), watch.look()];
  isSlow = false;
  for (const release of held.splice(0)) release();
  await early;
  await Promise.all(late);
  expect(loaded).toBe(2);
  await watch.look();
  expect(loaded).toBe(2);
  await watch.stop();
});
