/** The schema, step by step; a step that has been released is never changed. */
import { type Kysely, sql } from 'kysely';
import { laterMigrations } from './migrations-later.ts';
import type { Step } from './upgrade.ts';

export const migrations: Record<string, Step> = {
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
  '0002-checkout': {
    async up(db: Kysely<unknown>) {
      await sql`
        alter table accounts
          add column origins          text[] not null default '{}',
          add column redirect_hosts   text[] not null default '{}',
          add column signed_checkouts boolean not null default false`.execute(db);
      // What an account's checkouts may be signed with: a sealed secret, or an open public key.
      await sql`
        create table account_signers (
          id         text primary key,
          account_id text not null references accounts,
          kind       text not null check (kind in ('hmac', 'ed25519')),
          material   text not null,
          created_at timestamptz not null default now(),
          revoked_at timestamptz
        )`.execute(db);
      await sql`create index account_signers_by_account on account_signers (account_id)`.execute(db);
      // Nothing has written transactions before this step.
      await sql`drop table transactions`.execute(db);
      await sql`
        create table transactions (
          id               text primary key,
          session_id       text not null unique,
          account_id       text not null references accounts,
          environment      text not null,
          origin           text not null,
          provider         text not null,
          side             text not null,
          fiat             text not null,
          asset            text not null,
          method           text not null,
          country          text not null,
          source           text not null,
          target           text not null,
          amount           numeric not null,
          offer            jsonb not null,
          native           jsonb not null,
          wallet_address   text not null,
          wallet_memo      text,
          partner_context  text not null,
          uuid             text,
          originating_host text,
          theme            jsonb not null,
          return_to        text,
          sign_nonce       text,
          created_at       timestamptz not null,
          expires_at       timestamptz not null,
          ready            boolean not null,
          opened_at        timestamptz,
          page             text,
          status           text not null,
          status_at        timestamptz not null,
          reason           text not null default '',
          theirs           text not null default '',
          hash             text not null default '',
          paid             numeric,
          received         numeric,
          deposit          jsonb,
          contradicted     boolean not null default false,
          sequence         integer not null default 1,
          unique (account_id, sign_nonce)
        )`.execute(db);
      await sql`create index transactions_by_time on transactions (created_at)`.execute(db);
      await sql`
        create index transactions_by_theirs on transactions (provider, theirs) where theirs <> ''`.execute(
        db,
      );
      await sql`
        create index transactions_contradicted on transactions (status_at) where contradicted`.execute(db);
      // Everything said of a transaction; what it comes to stands in the transaction's row.
      await sql`
        create table notices (
          transaction_id text not null references transactions,
          key            text not null,
          said           jsonb not null,
          heard_at       timestamptz not null,
          primary key (transaction_id, key)
        )`.execute(db);
      // One per status reached; never updated.
      await sql`
        create table entries (
          transaction_id text not null references transactions,
          status         text not null,
          account_id     text not null,
          at             timestamptz not null,
          sequence       integer not null,
          reason         text not null,
          theirs         text not null,
          hash           text not null,
          paid           numeric,
          received       numeric,
          primary key (transaction_id, status)
        )`.execute(db);
      await sql`
        create index entries_by_account on entries (account_id, at desc, transaction_id desc, sequence desc)`.execute(
        db,
      );
      await sql`
        create table idempotency_keys (
          account_id     text not null,
          key            text not null,
          digest         bytea not null,
          transaction_id text not null,
          answer         text,
          leased_until   timestamptz,
          created_at     timestamptz not null,
          primary key (account_id, key)
        )`.execute(db);
      await sql`create index idempotency_keys_by_time on idempotency_keys (created_at)`.execute(db);
      // Secrets that providers lend for a time; getting a new one may end the one before it.
      await sql`
        create table provider_tokens (
          provider    text not null,
          environment text not null,
          origin      text not null,
          sealed      text not null,
          until       timestamptz not null,
          previous    text,
          primary key (provider, environment, origin)
        )`.execute(db);
      // Webhooks of providers, proven and kept before they are acknowledged.
      await sql`
        create table inbox (
          id          bigint generated always as identity primary key,
          provider    text not null,
          environment text not null,
          digest      bytea not null,
          headers     text not null,
          body        bytea,
          received_at timestamptz not null default now(),
          state       text not null default 'due',
          due_at      timestamptz not null default now(),
          attempts    integer not null default 0,
          reason      text not null default '',
          unique (provider, environment, digest)
        )`.execute(db);
      await sql`create index inbox_by_due on inbox (due_at) where state = 'due'`.execute(db);
      // Where accounts want to hear of changes.
      await sql`
        create table endpoints (
          id              text primary key,
          account_id      text not null references accounts,
          url             text not null,
          secret          text not null,
          previous_secret text,
          created_at      timestamptz not null,
          disabled_at     timestamptz,
          disabled_reason text not null default ''
        )`.execute(db);
      await sql`create index endpoints_by_account on endpoints (account_id)`.execute(db);
      // What changed, as it is told; the id is the transaction's and the sequence number's.
      await sql`
        create table events (
          id             text primary key,
          account_id     text not null,
          transaction_id text not null,
          sequence       integer not null,
          body           text not null,
          created_at     timestamptz not null
        )`.execute(db);
      await sql`create index events_by_account on events (account_id, created_at)`.execute(db);
      await sql`
        create table deliveries (
          event_id     text not null,
          endpoint_id  text not null references endpoints,
          state        text not null default 'due' check (state in ('due', 'delivered', 'dead')),
          due_at       timestamptz not null,
          leased_until timestamptz,
          attempts     integer not null default 0,
          last_status  integer,
          last_error   text not null default '',
          done_at      timestamptz,
          primary key (event_id, endpoint_id)
        )`.execute(db);
      await sql`
        create index deliveries_by_due on deliveries (endpoint_id, due_at) where state = 'due'`.execute(db);
      await sql`create index deliveries_by_endpoint on deliveries (endpoint_id, state)`.execute(db);
      for (const [table, name] of [
        ['account_signers', 'accounts'],
        ['provider_tokens', 'tokens'],
      ] as const) {
        await sql`
          create trigger ${sql.raw(`${table}_changed`)}
          after insert or update or delete on ${sql.table(table)}
          for each statement execute function bump_revision(${sql.lit(name)})`.execute(db);
      }
    },
  },
  ...laterMigrations,
};
