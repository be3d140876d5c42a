/** Steps of a schema to come: as many as the environment asks for, each of a kind that real ones are of. */
import { sql } from 'kysely';
import { migrations } from '../../src/store/migrations.ts';
import type { Step } from '../../src/store/upgrade.ts';

/** How many there are to be. */
export const STEPS = 'FAULTS_STEPS';

const KINDS: ((number: number) => Step)[] = [
  number => ({
    indexes: [{ name: `next_${number}`, unique: false, on: 'transactions (provider, created_at, id)' }],
    async up(db) {
      await sql`alter table transactions add column ${sql.id(`next_${number}`)} text`.execute(db);
    },
  }),
  number => ({
    indexes: [{ name: `next_${number}`, unique: true, on: 'entries (account_id, transaction_id, sequence)' }],
    async up(db) {
      const column = sql.id(`next_${number}`);
      await sql`alter table entries add column ${column} integer not null default 0`.execute(db);
      await sql`alter table deliveries add column ${column} text`.execute(db);
    },
  }),
  number => ({
    async up(db) {
      const table = sql.id(`next_${number}`);
      await sql`create table ${table} (id text primary key, account_id text not null references accounts)`.execute(
        db,
      );
      await sql`alter table endpoints add column ${table} text`.execute(db);
      await sql`alter table inbox add column ${table} timestamptz not null default now()`.execute(db);
    },
  }),
];

/** What a step of this number is called; later than any there is. */
export function nameOf(number: number): string {
  return `9${String(number).padStart(3, '0')}-next`;
}

for (let number = 1; number <= Number(process.env[STEPS] ?? 0); number++)
  migrations[nameOf(number)] = (KINDS[number % KINDS.length] as (typeof KINDS)[number])(number);
