/** A service that cannot count how often orders got through: it is only a matter of ranking, and nobody waits for it. */
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { makeDatabase, startTestService } from '../service.ts';
import { eventually } from './patience.ts';
import { PROVIDERS } from './world.ts';

let made: Awaited<ReturnType<typeof makeDatabase>>;
let database: Database;

beforeEach(async () => {
  made = await makeDatabase();
  database = await openDatabase({ url: made.url });
});
afterEach(async () => {
  await database?.destroy();
  await made?.drop();
});

const start = () => startTestService({ DATABASE_URL: made.url }, { only: PROVIDERS });

test('starts though the count fails, and says so', async () => {
  await sql`alter table transactions rename column country to land`.execute(database);
  const service = await start();
  try {
    await eventually(() => service.logged().includes('"country\\" does not exist'), 'it is told');
    expect((await service.get('/health/ready')).status).toBe(200);
  } finally {
    await service.close();
  }
});

test('starts though the count takes long', async () => {
  const service = await database.transaction().execute(async trx => {
    await sql`lock table transactions in access exclusive mode`.execute(trx);
    return start();
  });
  await service.close();
});
