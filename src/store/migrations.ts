/** The schema, step by step; a step that has been released is never changed. */
import { type Kysely, type Migration, sql } from 'kysely';

export const migrations: Record<string, Migration> = {
  '0001-foundation': {
    async up(db: Kysely<unknown>) {
      await sql`
        create table accounts (
          id          text primary key,
          name        text not null,
          public_key  text not null unique,
          environment text not null check (environment in ('test', 'live')),
          providers   text[],
          preferred   jsonb not null default '{}',
          created_at  timestamptz not null default now(),
          revoked_at  timestamptz
        )`.execute(db);
      await sql`
        create table account_secrets (
          id         text primary key,
          account_id text not null references accounts,
          digest     bytea not null,
          created_at timestamptz not null default now(),
          revoked_at timestamptz
        )`.execute(db);
      await sql`create index account_secrets_by_account on account_secrets (account_id)`.execute(db);
      await sql`
        create table provider_settings (
          provider    text not null,
          environment text not null check (environment in ('test', 'live')),
          name        text not null,
          sealed      text not null,
          updated_at  timestamptz not null default now(),
          primary key (provider, environment, name)
        )`.execute(db);
      await sql`
        create table provider_switches (
          provider text primary key,
          enabled  boolean not null
        )`.execute(db);
      await sql`
        create table listings (
          provider    text not null,
          environment text not null,
          origin      text not null,
          body        jsonb not null,
          fetched_at  timestamptz not null,
          primary key (provider, environment)
        )`.execute(db);
      // What became of orders: the record that the success rates are counted from.
      await sql`
        create table transactions (
          id          text primary key,
          account_id  text not null references accounts,
          environment text not null,
          provider    text not null,
          side        text not null,
          method      text not null,
          country     text not null,
          status      text not null,
          created_at  timestamptz not null default now()
        )`.execute(db);
      await sql`create index transactions_by_time on transactions (created_at)`.execute(db);
      await sql`
        create table tasks (
          kind         text not null,
          key          text not null,
          due_at       timestamptz not null,
          leased_until timestamptz,
          attempts     integer not null default 0,
          primary key (kind, key)
        )`.execute(db);
      await sql`create index tasks_by_due on tasks (due_at)`.execute(db);
      // Counts changes by what changed, so that every instance notices within a second.
      await sql`
        create table revisions (
          name     text primary key,
          revision bigint not null default 1
        )`.execute(db);
      await sql`create table facts (name text primary key, value text not null)`.execute(db);
      await sql`
        create function bump_revision() returns trigger language plpgsql as $$
        begin
          insert into revisions (name) values (tg_argv[0])
          on conflict (name) do update set revision = revisions.revision + 1;
          return null;
        end $$`.execute(db);
      for (const [table, name] of [
        ['accounts', 'accounts'],
        ['account_secrets', 'accounts'],
        ['provider_settings', 'providers'],
        ['provider_switches', 'providers'],
        ['listings', 'listings'],
      ] as const) {
        await sql`
          create trigger ${sql.raw(`${table}_changed`)}
          after insert or update or delete on ${sql.table(table)}
          for each statement execute function bump_revision(${sql.lit(name)})`.execute(db);
      }
    },
  },
};
