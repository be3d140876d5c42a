/** Accounts: making them and their keys, and knowing who is calling. */
import { createHash, randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import { Fault } from '../domain/fault.ts';
import type { AccountId, Environment, ProviderId } from '../domain/words.ts';
import {
  type Account,
  addSecret,
  insertAccount,
  listAccounts,
  revokeAccount,
  setPreferred,
} from '../store/accounts.ts';
import type { Database } from '../store/database.ts';

export type { Account };

/** What is shown once, when it is made. */
export interface Credentials {
  name: string;
  publicKey: string;
  secret: string;
}

export interface AccountWish {
  name: string;
  environment: Environment;
  providers?: readonly ProviderId[] | undefined;
}

/** The account of calls without a key. */
export const PUBLIC_ACCOUNT = 'public' as AccountId;

export async function createAccount(database: Database, wish: AccountWish): Promise<Credentials> {
  const publicKey = `${wish.environment === 'test' ? 'pk_test_' : 'pk_prod_'}${ulid()}`;
  const secret = newSecret();
  const account = { id: ulid() as AccountId, publicKey, preferred: {}, ...wish, providers: wish.providers };
  await insertAccount(database, account, { id: ulid(), digest: digestOf(secret) });
  return { name: wish.name, publicKey, secret };
}

/** Gives an account a new secret; the one before it stays good, older ones do not. */
export async function rotateSecret(database: Database, word: string): Promise<Credentials> {
  const account = await findAccount(database, word);
  const secret = newSecret();
  await addSecret(database, account.id, { id: ulid(), digest: digestOf(secret) });
  return { name: account.name, publicKey: account.publicKey, secret };
}

export async function revoke(database: Database, word: string): Promise<Account> {
  const account = await findAccount(database, word);
  await revokeAccount(database, account.id);
  return account;
}

/** Sets which provider an account prefers, for one client name or (`*`) for all. */
export async function prefer(
  database: Database,
  word: string,
  wish: { client: string; provider: ProviderId },
): Promise<Account> {
  const account = await findAccount(database, word);
  await setPreferred(database, account.id, { ...account.preferred, [wish.client]: wish.provider });
  return account;
}

/** An account by its public key, or by its name when only one has it. */
async function findAccount(database: Database, word: string): Promise<Account> {
  const accounts = await listAccounts(database);
  const found = accounts.filter(
    ({ publicKey, name, id }) => id !== PUBLIC_ACCOUNT && (publicKey === word || name === word),
  );
  const [account] = found;
  if (account && found.length === 1) return account;
  throw new Fault(
    'notFound',
    found.length ? `${found.length} accounts are named ${word}: use the public key` : `no account ${word}`,
  );
}

/** Who is calling, from memory; reloaded when accounts change. */
export interface Callers {
  reload(): Promise<void>;
  /** The account of an `Authorization` header; throws `unauthorized` for a key nobody has. */
  identify(authorization: string | undefined): Account;
}

export interface CallersOptions {
  database: Database;
  /** Whether calls without a key are served at all. */
  anonymous: boolean;
  /** The world the built-in account `public` lives in. */
  publicEnvironment: Environment;
}

export function createCallers({ database, anonymous, publicEnvironment }: CallersOptions): Callers {
  let byKey = new Map<string, Account>();
  let publicAccount: Account | undefined;
  return {
    async reload() {
      const accounts = await listAccounts(database);
      const active = accounts.filter(account => !account.revokedAt);
      byKey = new Map(
        active.filter(({ id }) => id !== PUBLIC_ACCOUNT).map(account => [account.publicKey, account]),
      );
      const known = active.find(({ id }) => id === PUBLIC_ACCOUNT);
      publicAccount = known && { ...known, environment: publicEnvironment };
    },
    identify(authorization) {
      const account =
        authorization === undefined
          ? anonymous
            ? publicAccount
            : undefined
          : byKey.get(keyOf(authorization));
      if (!account) throw keyRequired();
      return account;
    },
  };
}

/** One wording for every reason: a caller learns nothing about which keys exist. */
export function keyRequired(): Fault {
  return new Fault('unauthorized', 'A valid API key is required', 'Authorization');
}

/** Whether an account's key opens a provider. */
export function mayUse(account: Account, provider: ProviderId): boolean {
  return !account.providers || account.providers.includes(provider);
}

/** Makes sure the built-in account exists. */
export async function ensurePublicAccount(database: Database): Promise<void> {
  await insertAccount(database, {
    id: PUBLIC_ACCOUNT,
    name: 'public',
    publicKey: 'public',
    environment: 'test',
    providers: undefined,
    preferred: {},
  });
}

/** The key is sent bare, or after `Basic` or `Bearer`, in clear. */
function keyOf(authorization: string): string {
  return authorization.replace(/^(Basic|Bearer) /i, '');
}

function newSecret(): string {
  return `sk_${randomBytes(32).toString('base64url')}`;
}

/** A 256-bit random secret needs no slow hash. */
function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
