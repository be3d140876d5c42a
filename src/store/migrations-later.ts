/** The later steps of the schema: what grew on top of orders that are made and gone through. */
import { type Kysely, type Migration, sql } from 'kysely';

export const laterMigrations: Record<string, Migration> = {
  '0004-lighter-writes': {
    async up(db: Kysely<unknown>) {
      // Nobody deletes accounts or transactions, and what refers to them is written with them in hand: to look for each
      // again, and to lock it, is most of what writing a row costs.
      await sql`alter table transactions drop constraint transactions_account_id_fkey`.execute(db);
      await sql`alter table entries drop constraint entries_transaction_id_fkey`.execute(db);
      await sql`alter table notices drop constraint notices_transaction_id_fkey`.execute(db);
      // Most checkouts have no nonce.
      await sql`alter table transactions drop constraint transactions_account_id_sign_nonce_key`.execute(db);
      await sql`
        create unique index transactions_by_nonce on transactions (account_id, sign_nonce)
        where sign_nonce is not null`.execute(db);
      // What a page is put in order by: the entries of many ids are not fetched to see which of them are on it.
      await sql`
        alter table entries drop constraint entries_pkey,
        add primary key (transaction_id, status) include (account_id, at, sequence)`.execute(db);
    },
  },
  '0005-around': {
    async up(db: Kysely<unknown>) {
      // Pages around the widget that an order was made in: they frame its page too.
      await sql`alter table transactions add column around text`.execute(db);
    },
  },
};
