/** Accounts, the digests of their secrets, and what their checkouts are signed with. */
import { type Selectable, sql } from 'kysely';
import type { AccountId, Environment, ProviderId } from '../domain/words.ts';
import type { Database } from './database.ts';
import type { Tables } from './tables.ts';

export interface Account {
  id: AccountId;
  name: string;
  publicKey: string;
  environment: Environment;
  /** Providers the account may use; undefined for all. */
  providers: readonly ProviderId[] | undefined;
  /** Preferred provider by client name; `*` for every client. */
  preferred: Readonly<Record<string, ProviderId>>;
  /** Web origins that may frame the account's pay pages and call for it from a browser; none registered: any may call. */
  origins: readonly string[];
  /** Hosts a person may be sent back to, as a URL parser writes them. */
  redirectHosts: readonly string[];
  /** Whether checkouts must be signed. */
  signedCheckouts: boolean;
  /** For how many days after its end a transaction tells of people; undefined for ever. */
  retentionDays: number | undefined;
  /** Those that are good now. */
  signers: readonly Signer[];
  /** Digests of the secrets that are good now. */
  secretDigests: readonly Buffer[];
  createdAt: Date;
  revokedAt: Date | undefined;
}

/** What an account's checkouts may be signed with. */
export interface Signer {
  id: string;
  kind: 'hmac' | 'ed25519';
  /** A sealed secret for `hmac`; the 32 bytes of the public key, in base64, for `ed25519`. */
  material: string;
}

export type NewAccount = Pick<
  Account,
  'id' | 'name' | 'publicKey' | 'environment' | 'providers' | 'preferred'
>;

/** Where an account's pages are, and where its people may be sent. */
export type Places = Pick<Account, 'origins' | 'redirectHosts'>;

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
      // Of its key as well: instances that start at once write the same account, and either may be noticed first.
      .onConflict(conflict => conflict.doNothing())
      .execute();
    if (secret) await trx.insertInto('account_secrets').values(secretRow(account.id, secret)).execute();
  });
}

export async function listAccounts(database: Database): Promise<Account[]> {
  const { rows } = await sql<Selectable<Tables['accounts']> & { signers: Signer[]; digests: Buffer[] }>`
    select a.*,
      array(
        select s.digest from account_secrets s where s.account_id = a.id and s.revoked_at is null
      ) as digests,
      array(
        select jsonb_build_object('id', s.id, 'kind', s.kind, 'material', s.material)
        from account_signers s where s.account_id = a.id and s.revoked_at is null order by s.id
      ) as signers
    from accounts a order by a.created_at`.execute(database);
  return rows.map(row => ({
    id: row.id as AccountId,
    name: row.name,
    publicKey: row.public_key,
    environment: row.environment as Environment,
    providers: (row.providers as ProviderId[] | null) ?? undefined,
    preferred: row.preferred as Record<string, ProviderId>,
    origins: row.origins,
    redirectHosts: row.redirect_hosts,
    signedCheckouts: row.signed_checkouts,
    retentionDays: row.retention_days ?? undefined,
    signers: row.signers,
    secretDigests: row.digests,
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
    await keepSecrets(trx, account, ACTIVE_SECRETS);
  });
}

/** Ends all secrets of an account but its newest ones. */
export async function keepSecrets(database: Database, account: AccountId, newest: number): Promise<void> {
  await sql`
    update account_secrets set revoked_at = now()
    where account_id = ${account} and revoked_at is null and id not in (
      select id from account_secrets
      where account_id = ${account} and revoked_at is null
      order by created_at desc, id desc limit ${newest}
    )`.execute(database);
}

export async function revokeAccount(database: Database, account: AccountId): Promise<void> {
  await database
    .updateTable('accounts')
    .set({ revoked_at: new Date() })
    .where('id', '=', account)
    .where('revoked_at', 'is', null)
    .execute();
}

export async function setProviders(
  database: Database,
  account: AccountId,
  providers: Account['providers'],
): Promise<void> {
  await database
    .updateTable('accounts')
    .set({ providers: providers ? [...providers] : null })
    .where('id', '=', account)
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

/** Adds places to those the account has. */
export async function addPlaces(database: Database, account: AccountId, places: Places): Promise<void> {
  await sql`
    update accounts set
      origins = array(select distinct unnest(origins || ${places.origins}::text[]) order by 1),
      redirect_hosts = array(select distinct unnest(redirect_hosts || ${places.redirectHosts}::text[]) order by 1)
    where id = ${account}`.execute(database);
}

/** Takes places from those the account has. */
export async function removePlaces(database: Database, account: AccountId, places: Places): Promise<void> {
  await sql`
    update accounts set
      origins = array(select unnest(origins) except select unnest(${places.origins}::text[]) order by 1),
      redirect_hosts =
        array(select unnest(redirect_hosts) except select unnest(${places.redirectHosts}::text[]) order by 1)
    where id = ${account}`.execute(database);
}

export async function insertSigner(database: Database, account: AccountId, signer: Signer): Promise<void> {
  await database
    .insertInto('account_signers')
    .values({ ...signer, account_id: account, revoked_at: null })
    .execute();
}

export async function revokeSigner(database: Database, account: AccountId, signer: string): Promise<void> {
  await database
    .updateTable('account_signers')
    .set({ revoked_at: new Date() })
    .where('id', '=', signer)
    .where('account_id', '=', account)
    .execute();
}

export async function setSignedCheckouts(
  database: Database,
  account: AccountId,
  required: boolean,
): Promise<void> {
  await database
    .updateTable('accounts')
    .set({ signed_checkouts: required })
    .where('id', '=', account)
    .execute();
}

export async function setRetention(
  database: Database,
  account: AccountId,
  days: Account['retentionDays'],
): Promise<void> {
  await database
    .updateTable('accounts')
    .set({ retention_days: days ?? null })
    .where('id', '=', account)
    .execute();
}

function secretRow(account: AccountId, secret: NewSecret) {
  return { id: secret.id, account_id: account, digest: secret.digest, revoked_at: null };
}
