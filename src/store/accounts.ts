/** Accounts and the digests of their secrets. */
import { sql } from 'kysely';
import type { AccountId, Environment, ProviderId } from '../domain/words.ts';
import type { Database } from './database.ts';

export interface Account {
  id: AccountId;
  name: string;
  publicKey: string;
  environment: Environment;
  /** Providers the account may use; undefined for all. */
  providers: readonly ProviderId[] | undefined;
  /** Preferred provider by client name; `*` for every client. */
  preferred: Readonly<Record<string, ProviderId>>;
  createdAt: Date;
  revokedAt: Date | undefined;
}

export type NewAccount = Omit<Account, 'createdAt' | 'revokedAt'>;

export interface NewSecret {
  id: string;
  digest: Buffer;
}

/** How many secrets of an account are good at a time: the new one and the one being replaced. */
const ACTIVE_SECRETS = 2;

export async function insertAccount(
  database: Database,
  account: NewAccount,
  secret?: NewSecret,
): Promise<void> {
  await database.transaction().execute(async trx => {
    await trx
      .insertInto('accounts')
      .values({
        id: account.id,
        name: account.name,
        public_key: account.publicKey,
        environment: account.environment,
        providers: account.providers ? [...account.providers] : null,
        preferred: JSON.stringify(account.preferred),
        revoked_at: null,
      })
      .onConflict(conflict => conflict.column('id').doNothing())
      .execute();
    if (secret) await trx.insertInto('account_secrets').values(secretRow(account.id, secret)).execute();
  });
}

export async function listAccounts(database: Database): Promise<Account[]> {
  const rows = await database.selectFrom('accounts').selectAll().orderBy('created_at').execute();
  return rows.map(row => ({
    id: row.id as AccountId,
    name: row.name,
    publicKey: row.public_key,
    environment: row.environment as Environment,
    providers: (row.providers as ProviderId[] | null) ?? undefined,
    preferred: row.preferred as Record<string, ProviderId>,
    createdAt: row.created_at,
    revokedAt: row.revoked_at ?? undefined,
  }));
}

/** Adds a secret; older ones beyond the newest two stop working. */
export async function addSecret(database: Database, account: AccountId, secret: NewSecret): Promise<void> {
  await database.transaction().execute(async trx => {
    // The account's row is the lock: two rotations at once must not both keep their predecessor.
    await trx.selectFrom('accounts').select('id').where('id', '=', account).forUpdate().execute();
    await trx.insertInto('account_secrets').values(secretRow(account, secret)).execute();
    await sql`
      update account_secrets set revoked_at = now()
      where account_id = ${account} and revoked_at is null and id not in (
        select id from account_secrets
        where account_id = ${account} and revoked_at is null
        order by created_at desc, id desc limit ${ACTIVE_SECRETS}
      )`.execute(trx);
  });
}

export async function revokeAccount(database: Database, account: AccountId): Promise<void> {
  await database
    .updateTable('accounts')
    .set({ revoked_at: new Date() })
    .where('id', '=', account)
    .where('revoked_at', 'is', null)
    .execute();
}

export async function setPreferred(
  database: Database,
  account: AccountId,
  preferred: Readonly<Record<string, string>>,
): Promise<void> {
  await database
    .updateTable('accounts')
    .set({ preferred: JSON.stringify(preferred) })
    .where('id', '=', account)
    .execute();
}

function secretRow(account: AccountId, secret: NewSecret) {
  return { id: secret.id, account_id: account, digest: secret.digest, revoked_at: null };
}
