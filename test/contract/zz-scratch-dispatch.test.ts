/** Scratch measurement, deleted after use. */
import { sql } from 'kysely';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { createAccount, findAccount } from '../../src/app/accounts.ts';
import { openDatabase } from '../../src/store/database.ts';
import { claimDeliveries } from '../../src/store/deliveries.ts';
import { makeDatabase } from '../service.ts';

test('claims', async () => {
  const { url, drop } = await makeDatabase();
  const database = await openDatabase({ url });
  const { publicKey } = await createAccount(database, { name: 'x', environment: 'test' });
  const { id } = await findAccount(database, publicKey);
  await sql`insert into endpoints (id, account_id, url, secret, created_at) select 'E' || n, ${id}, 'https://x', 's', now() from generate_series(1, 1000) n`.execute(database);
  await sql`insert into events (id, account_id, transaction_id, sequence, body, created_at) select 'T' || n || '-1', ${id}, 'T' || n, 1, repeat('x', 700), now() from generate_series(1, 2000) n`.execute(database);
  // 900 delivered long ago each; 20 due later each; 10 dead endpoints with 1,000 due now
  await sql`insert into deliveries (event_id, endpoint_id, due_at, state) select 'T' || n || '-1', 'E' || e, now() - interval '1 day', 'delivered' from generate_series(1, 200) n, generate_series(1, 1000) e`.execute(database);
  await sql`insert into deliveries (event_id, endpoint_id, due_at) select 'T' || n || '-1', 'E' || e, now() + interval '1 hour' from generate_series(201, 220) n, generate_series(1, 1000) e`.execute(database);
  await sql`insert into deliveries (event_id, endpoint_id, due_at) select 'T' || n || '-1', 'E' || e, now() - interval '1 minute' from generate_series(1001, 2000) n, generate_series(1, 10) e`.execute(database);
  await sql`analyze`.execute(database);
  const dead = new Map(Array.from({ length: 10 }, (_, at) => [`E${at + 1}`, 0] as const));
  const run = async (name: string) => {
    for (const [kind, rooms, otherwise] of [
      ['well, dead excluded', dead, 4],
      ['well, dead not known yet', new Map<string, number>(), 4],
      ['failing', new Map([...dead.keys()].map(k => [k, 1] as const)), 0],
    ] as const) {
      const times: number[] = [];
      for (let i = 0; i < 30; i++) {
        const t = performance.now();
        await claimDeliveries(database, { most: 256, leaseMs: 1, rooms, otherwise });
        times.push(performance.now() - t);
      }
      times.sort((a, b) => a - b);
      console.log(name, kind, 'median', times[15]?.toFixed(1), 'max', times[29]?.toFixed(1));
    }
  };


  await run('as is');
  await sql`create index deliveries_by_turn on deliveries (endpoint_id, due_at) where state = 'due'`.execute(database);
  await sql`analyze`.execute(database);
  await run('with index');
  await database.destroy();
  await drop();
  expect(ulid()).toBeTruthy();
}, 120_000);
