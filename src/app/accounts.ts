/** Accounts: making them and their keys, and knowing who is calling. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ulid } from 'ulid';
import { badInput, Fault } from '../domain/fault.ts';
import type { AccountId, Environment, ProviderId } from '../domain/words.ts';
import {
  type Account,
  addPlaces,
  addSecret,
  insertAccount,
  keepSecrets,
  listAccounts,
  type Places,
  removePlaces,
  revokeAccount,
  setPreferred,
  setProviders,
} from '../store/accounts.ts';
import type { Database } from '../store/database.ts';

export type { Account, Places };

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

/** Origins, and as many hosts, that one account may register. */
const MOST_PLACES = 100;

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
  if (account.revokedAt) throw new Fault('conflict', `${account.publicKey} is revoked: no secret opens it`);
  const secret = newSecret();
  await addSecret(database, account.id, { id: ulid(), digest: digestOf(secret) });
  return { name: account.name, publicKey: account.publicKey, secret };
}

/** Ends the secret before the present one at once. */
export async function endRotation(database: Database, word: string): Promise<Account> {
  const account = await findAccount(database, word);
  await keepSecrets(database, account.id, 1);
  return account;
}

export async function revoke(database: Database, word: string): Promise<Account> {
  const account = await findAccount(database, word);
  await revokeAccount(database, account.id);
  return account;
}

/** Sets which providers an account may use; undefined for all. */
export async function chooseProviders(
  database: Database,
  word: string,
  providers: Account['providers'],
): Promise<Account> {
  const account = await findAccount(database, word);
  await setProviders(database, account.id, providers);
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

/** Takes a preference back. */
export async function unprefer(database: Database, word: string, client: string): Promise<Account> {
  const account = await findAccount(database, word);
  const { [client]: _taken, ...others } = account.preferred;
  await setPreferred(database, account.id, others);
  return account;
}

/** Registers where an account's pages are and where its people may be sent; gives the places as they are kept. */
export async function allow(database: Database, word: string, places: Places): Promise<Places> {
  const account = await findAccount(database, word);
  const read = readPlaces(places);
  for (const kind of ['origins', 'redirectHosts'] as const) {
    if (new Set([...account[kind], ...read[kind]]).size > MOST_PLACES)
      throw badInput(kind, `an account has at most ${MOST_PLACES} ${kind}`);
  }
  await addPlaces(database, account.id, read);
  return read;
}

/** Takes back what was registered. */
export async function disallow(database: Database, word: string, places: Places): Promise<Places> {
  const account = await findAccount(database, word);
  const read = readPlaces(places);
  await removePlaces(database, account.id, read);
  return read;
}

function readPlaces({ origins, redirectHosts }: Places): Places {
  return { origins: origins.map(readOrigin), redirectHosts: redirectHosts.map(readHost) };
}

/** Pages of extensions and of apps, whose origins URL parsers do not know. */
const APP_ORIGIN =
  /^((chrome|moz|safari-web)-extension:\/\/[a-zA-Z0-9-]{1,64}|(capacitor|ionic|tauri):\/\/localhost)$/;

/** A web origin as browsers send it. */
function readOrigin(text: string): string {
  if (APP_ORIGIN.test(text)) return text;
  const url = /^https?:\/\//i.test(text) ? readUrl(text) : undefined;
  const isOpen = url?.protocol === 'http:' && !isLoopback(url.hostname);
  if (url?.href === `${url?.origin}/` && !isOpen) return url.origin;
  throw badInput(
    'origin',
    `${text} is not an origin such as https://shop.example or chrome-extension://… (http on loopback only)`,
  );
}

/** A host as URL parsers write it, with its port unless it is the usual one. */
function readHost(text: string): string {
  const url = text.includes('/') ? undefined : readUrl(`https://${text}`);
  if (url?.href === `https://${url?.host}/`) return url.host;
  throw badInput('redirectHost', `${text} is not a host such as shop.example or localhost:3000`);
}

const HOST_NAME = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])$/;

/** Parsers forgive blanks, backslashes and stars; a rule that others rely on should not hold any. */
function readUrl(text: string): URL | undefined {
  if (text.length > 300 || /[\s\\]/.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return HOST_NAME.test(url.hostname) ? url : undefined;
}

/** Whether a host, as a URL parser writes it, is the caller's own machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127\.[0-9.]+|\[::1\])$/.test(host) || host.endsWith('.localhost');
}

/** An account by its public key, or else by its name when only one has it; the built-in one only where it may be meant. */
export async function findAccount(
  database: Database,
  word: string,
  { orPublic = false } = {},
): Promise<Account> {
  const accounts = (await listAccounts(database)).filter(({ id }) => orPublic || id !== PUBLIC_ACCOUNT);
  const byKey = accounts.filter(({ publicKey }) => publicKey === word);
  const found = byKey.length > 0 ? byKey : accounts.filter(({ name }) => name === word);
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
  /** The account of a key; undefined when nobody has it. */
  recognize(authorization: string): Account | undefined;
  /** An account by its id; undefined when it is revoked. */
  find(id: AccountId): Account | undefined;
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
  let byId = new Map<AccountId, Account>();
  const recognize = (authorization: string) => byKey.get(keyOf(authorization));
  return {
    recognize,
    async reload() {
      const accounts = await listAccounts(database);
      const active = accounts
        .filter(account => !account.revokedAt)
        .map(account =>
          account.id === PUBLIC_ACCOUNT ? { ...account, environment: publicEnvironment } : account,
        );
      byId = new Map(active.map(account => [account.id, account]));
      byKey = new Map(
        active.filter(({ id }) => id !== PUBLIC_ACCOUNT).map(account => [account.publicKey, account]),
      );
    },
    identify(authorization) {
      const unnamed = anonymous ? byId.get(PUBLIC_ACCOUNT) : undefined;
      const account = authorization === undefined ? unnamed : recognize(authorization);
      if (!account) throw keyRequired();
      return account;
    },
    find: id => byId.get(id),
  };
}

/** One wording for every reason: a caller learns nothing about which keys exist, or what was wrong with a secret. */
export function keyRequired(): Fault {
  return new Fault(
    'unauthorized',
    'A valid API key is required, and its secret where a route asks for it',
    'Authorization',
  );
}

/** Throws `unauthorized` unless the secret is one of the account's; takes as long for any secret. */
export function checkSecret({ secretDigests }: Account, secret: string | undefined): void {
  const digest = digestOf(secret ?? '');
  const matches = secretDigests.map(known => timingSafeEqual(known, digest));
  if (!matches.includes(true)) throw keyRequired();
}

/** Whether an account's key opens a provider. */
export function mayUse(account: Account, provider: ProviderId): boolean {
  return !account.providers || account.providers.includes(provider);
}

/** A word for the providers that an account may use: equal for those that may use the same. */
export function reachOf({ environment, providers }: Pick<Account, 'environment' | 'providers'>): string {
  return providers ? `${environment} ${providers.join()}` : environment;
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
