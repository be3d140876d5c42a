/** Deliveries that cannot be kept, or dealt with yet: each of these is put off by itself, and for longer the older it is. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIntake, type Intake, type IntakeOptions } from '../../src/app/intake.ts';
import type { Ledger } from '../../src/app/ledger.ts';
import type { Lines } from '../../src/app/lines.ts';
import type { ProviderId } from '../../src/domain/words.ts';
import { type Database, openDatabase, pingDatabase } from '../../src/store/database.ts';
import { listParked, retryParked } from '../../src/store/inbox.ts';
import { makeDatabase } from '../service.ts';

let own: Awaited<ReturnType<typeof makeDatabase>>;
let database: Database;

beforeAll(async () => {
  own = await makeDatabase();
  database = await openDatabase({ url: own.url });
});
afterAll(async () => {
  await database?.destroy();
  await own?.drop();
});

async function keep(name: string, dueAt: Date): Promise<void> {
  await sql`insert into inbox (provider, environment, digest, headers, due_at)
    values ('moonpay', 'test', ${Buffer.from(name)}, '{}', ${dueAt})`.execute(database);
}

/** An intake to which no order is known and no provider set up, unless told otherwise. */
function open(change: Partial<IntakeOptions> = {}): Intake {
  return createIntake({
    ...{ database, background: database },
    ledger: { announce() {}, write: async () => [] } as unknown as Ledger,
    lines: { find: () => undefined, names: () => ['moonpay:test'] } as unknown as Lines,
    now: () => Date.now(),
    observe() {},
    onError: expect.unreachable,
    ...change,
  });
}

const reasons = async () =>
  (
    await sql<{ name: string; reason: string }>`
      select convert_from(digest, 'utf8') as name, reason from inbox order by id`.execute(database)
  ).rows;

test('it is put off itself, not one that has been due for longer by then', async () => {
  let writes = 0;
  const errors: unknown[] = [];
  const ledger = {
    announce() {},
    async write() {
      // At first all of them together, then one by one.
      if (++writes > 2) return [];
      if (writes === 2) await keep('other', new Date(0));
      throw new Error('poisoned');
    },
  } as unknown as Ledger;
  const intake = open({ ledger, onError: error => errors.push(error) });
  try {
    await keep('poison', new Date(Date.now() - 1_000));
    await intake.wake();
    expect(errors).toEqual([new Error('poisoned')]);
    expect(await reasons()).toEqual([
      { name: 'poison', reason: 'poisoned' },
      { name: 'other', reason: 'the provider is not set up' },
    ]);
  } finally {
    await intake.stop();
  }
});

test('what has been nobody’s for long is looked at less and less often', async () => {
  const intake = open();
  try {
    await sql`delete from inbox`.execute(database);
    await sql`insert into inbox (provider, environment, digest, headers, due_at, received_at, attempts)
      select 'moonpay', 'test', minutes::text::bytea, '{}', now(), now() - minutes * interval '1 minute', attempts
      from (values (0, 0), (1, 3), (10, 30), (100, 30), (1000, 30)) as i (minutes, attempts)`.execute(
      database,
    );
    await intake.wake();
    const { rows } = await sql<{ seconds: string }>`
      select round(extract(epoch from due_at - now()) / 10) * 10 as seconds from inbox order by id`.execute(
      database,
    );
    expect(rows.map(({ seconds }) => Number(seconds))).toEqual([0, 10, 60, 600, 6_000]);
  } finally {
    await intake.stop();
  }
});

test('what a person tries once more is parked again at once, and is as old as before', async () => {
  const intake = open();
  try {
    await sql`delete from inbox`.execute(database);
    const receivedAt = new Date(Date.now() - 48 * 3_600_000);
    await sql`insert into inbox (provider, environment, digest, headers, state, received_at, attempts)
      values ('moonpay', 'test', 'old', '{}', 'parked', ${receivedAt}, 70)`.execute(database);
    expect(await retryParked(database, 'all')).toHaveLength(1);
    await intake.wake();
    expect(await listParked(database, 10)).toMatchObject([{ receivedAt, attempts: 71 }]);
  } finally {
    await intake.stop();
  }
});

test('what could not be written down is not counted as kept', async () => {
  const gone = await openDatabase({ url: own.url });
  await pingDatabase(gone);
  await gone.destroy();
  const webhook = { claims: () => [], read: () => [{ theirs: 'x', status: 'pending' }] };
  const line = { environment: 'test', prove: async () => true, adapter: { webhook } };
  const observed: string[] = [];
  const intake = open({
    database: gone,
    lines: { find: () => line, names: () => [] } as unknown as Lines,
    observe: (_provider, what) => observed.push(what),
  });
  try {
    const received = { headers: {}, path: '/hooks/moonpay', search: '', raw: Buffer.from('{}') };
    await expect(intake.receive('moonpay' as ProviderId, received)).rejects.toThrow();
    expect(observed).toEqual([]);
  } finally {
    await intake.stop();
  }
});
