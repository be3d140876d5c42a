/** The later steps of the schema: what grew on top of orders that are made. */
import { type Kysely, sql } from 'kysely';
import type { Step } from './upgrade.ts';

export const laterMigrations: Record<string, Step> = {
  '0003-steps': {
    async up(db: Kysely<unknown>) {
      await sql`
        alter table transactions
          add column visited_at        timestamptz,
          add column access            text,
          add column looked_at         timestamptz,
          add column bank              jsonb,
          add column context_is_object boolean not null default false`.execute(db);
      // Where a person is in an order that is gone through step by step; what they said is sealed, and erased at its end.
      await sql`
        create table flows (
          transaction_id text primary key,
          turn           integer not null,
          step           text,
          answers        text,
          embedder       text,
          around         text,
          leased_until   timestamptz,
          created_at     timestamptz not null,
          expires_at     timestamptz not null
        )`.execute(db);
      await sql`create index flows_by_end on flows (expires_at) where answers is not null or step is not null`.execute(
        db,
      );
      // Providers that an operator has added, each speaking a protocol that we know.
      await sql`
        create table provider_instances (
          id         text primary key,
          protocol   text not null,
          name       text not null,
          api_url    text not null,
          pages_url  text not null,
          created_at timestamptz not null default now()
        )`.execute(db);
      await sql`
        create trigger provider_instances_changed
        after insert or update or delete on provider_instances
        for each statement execute function bump_revision('providers')`.execute(db);
    },
  },
  '0004-lighter-writes': {
    indexes: [
      // Most checkouts have no nonce.
      {
        name: 'transactions_by_nonce',
        unique: true,
        on: 'transactions (account_id, sign_nonce) where sign_nonce is not null',
      },
      // What a page is put in order by: the entries of many ids are not fetched to see which of them are on it.
      {
        name: 'entries_with_order',
        unique: true,
        on: 'entries (transaction_id, status) include (account_id, at, sequence)',
      },
    ],
    async up(db: Kysely<unknown>) {
      // Nobody deletes accounts or transactions, and what refers to them is written with them in hand: to look for each
      // again, and to lock it, is most of what writing a row costs.
      await sql`alter table transactions drop constraint transactions_account_id_fkey`.execute(db);
      await sql`alter table entries drop constraint entries_transaction_id_fkey`.execute(db);
      await sql`alter table notices drop constraint notices_transaction_id_fkey`.execute(db);
      await sql`alter table transactions drop constraint transactions_account_id_sign_nonce_key`.execute(db);
      await sql`
        alter table entries drop constraint entries_pkey,
        add constraint entries_pkey primary key using index entries_with_order`.execute(db);
    },
  },
  '0005-around': {
    async up(db: Kysely<unknown>) {
      // Pages around the widget that an order was made in: they frame its page too.
      await sql`alter table transactions add column around text`.execute(db);
    },
  },
  '0006-retention': {
    async up(db: Kysely<unknown>) {
      // For how long transactions tell of people, and which of them do no more.
      await sql`alter table accounts add column retention_days integer`.execute(db);
      await sql`alter table transactions add column erased_sequence integer`.execute(db);
    },
  },
  '0007-refusals': {
    async up(db: Kysely<unknown>) {
      // What a provider refused under a key, in place of an answer.
      await sql`alter table idempotency_keys add column refusal text`.execute(db);
    },
  },
};
