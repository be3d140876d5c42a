/** `cloverleaf account …`: accounts, their keys, and what their checkouts may do. */
import { existsSync, readFileSync } from 'node:fs';
import { Argument, type Command } from 'commander';
import {
  allow,
  type Credentials,
  chooseProviders,
  createAccount,
  disallow,
  endRotation,
  PUBLIC_ACCOUNT,
  prefer,
  revoke,
  rotateSecret,
  unprefer,
} from '../app/accounts.ts';
import { createSeal } from '../app/seal.ts';
import { addSigningKey, addSigningSecret, removeSigner, requireSignature } from '../app/signed-checkout.ts';
import type { Config } from '../config.ts';
import { badInput } from '../domain/fault.ts';
import { type Account, listAccounts } from '../store/accounts.ts';
import type { Database } from '../store/database.ts';
import { erasureCommands, FOR_EVER } from './erasure.ts';
import { knownProvider } from './providers.ts';
import { withNewStore, withStore } from './store.ts';

export function accountCommands(program: Command, config: () => Config): void {
  const account = program.command('account').description('accounts and their keys');

  account
    .command('create')
    .description('make an account; its secret is shown once')
    .requiredOption('--name <name>', 'what you call it')
    .option('--providers <ids>', 'only these providers, separated by commas; all opens every one', 'all')
    .option('--live', 'a key for live providers instead of sandboxes')
    .option('--json', 'print JSON')
    .action(async ({ name, providers, live, json }: CreateOptions) => {
      refuseOdd('--name', name);
      refuseBuiltIn(name);
      const read = (database?: Database) => readProviders([providers], database);
      const made = await withNewStore(
        config(),
        async ({ database }) =>
          createAccount(database, {
            ...{ name, environment: live ? 'live' : 'test' },
            providers: await read(database),
          }),
        () => read(),
      );
      print(made, json);
    });

  account
    .command('list')
    .description('all accounts')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const accounts = await withStore(config(), ({ database }) => listAccounts(database));
      if (json) return console.log(JSON.stringify(accounts.map(describe), undefined, 2));
      console.table(accounts.map(account => inOneLine(describe(account))));
    });

  account
    .command('rotate-secret')
    .argument('<account>', 'public key or name')
    .description('make a new secret; the one before it stays good, until --end or the next one')
    .option('--end', 'make none, and end the previous one')
    .option('--json', 'print JSON')
    .action(async (word: string, { end, json }: { end?: boolean; json?: boolean }) => {
      await withStore(config(), async ({ database }) => {
        if (!end) return print(await rotateSecret(database, word), json);
        const { name, publicKey } = await endRotation(database, word);
        console.log(json ? JSON.stringify({ name, publicKey }) : `${publicKey} has its current secret only`);
      });
    });

  account
    .command('revoke')
    .argument('<account>', 'public key or name')
    .description('make the key useless, everywhere within seconds')
    .action(async (word: string) => {
      const { publicKey } = await withStore(config(), ({ database }) => revoke(database, word));
      console.log(`revoked ${publicKey}`);
    });

  account
    .command('providers')
    .argument('<account>', 'public key or name')
    .argument('<ids...>', 'only these providers, or all')
    .description('change which providers an account may use; orders that are under way go on')
    .action(async (word: string, words: string[]) => {
      const { ids, publicKey } = await withStore(config(), async ({ database }) => {
        const ids = await readProviders(words, database);
        return { ids, ...(await chooseProviders(database, word, ids)) };
      });
      console.log(`${publicKey} may use ${ids ? `only ${ids.join(', ')}` : 'all providers'}`);
    });

  account
    .command('prefer')
    .argument('<account>', 'public key or name')
    .argument('<provider>', 'provider id')
    .option('--client <name>', 'only for this clientName', '*')
    .description('mark a provider’s quotes as the client’s preference')
    .action(async (word: string, provider: string, { client }: { client: string }) => {
      refuseOdd('--client', client);
      const { publicKey } = await withStore(config(), async ({ database }) => {
        const { id } = await knownProvider(provider, database);
        return prefer(database, word, { client, provider: id });
      });
      console.log(`${publicKey} prefers ${provider}${forClient(client)}`);
    });

  account
    .command('unprefer')
    .argument('<account>', 'public key or name')
    .option('--client <name>', 'only for this clientName', '*')
    .description('take a preference back')
    .action(async (word: string, { client }: { client: string }) => {
      const { publicKey } = await withStore(config(), ({ database }) => unprefer(database, word, client));
      console.log(`${publicKey} has no preference${forClient(client)}`);
    });

  for (const [word, act, said] of [
    ['allow', allow, 'may'],
    ['disallow', disallow, 'may no longer'],
  ] as const) {
    account
      .command(word)
      .argument('<account>', 'public key or name')
      .option('--origin <origins...>', 'web origins whose pages frame the pay page and call the API')
      .option('--redirect-host <hosts...>', 'hosts that people are sent back to')
      .description(`${word} origins and hosts, exactly as they are spelled`)
      .action(async (name: string, { origin = [], redirectHost = [] }: PlaceOptions) => {
        if (origin.length + redirectHost.length === 0)
          throw badInput('origin', 'name at least one --origin or --redirect-host');
        const places = { origins: origin, redirectHosts: redirectHost };
        const done = await withStore(config(), ({ database }) => act(database, name, places));
        for (const place of done.origins) console.log(`pages of ${place} ${said} act for ${name}`);
        for (const place of done.redirectHosts) console.log(`people ${said} be sent back to ${place}`);
      });
  }

  account
    .command('sign')
    .argument('<account>', 'public key or name')
    .option('--hmac', 'make a signing secret; it is shown once')
    .option('--ed25519 <key>', 'sign with the private half of this public key: base64, or a PEM file')
    .option('--json', 'print JSON')
    .description('add a key that checkouts may be signed with')
    .action(async (word: string, { hmac, ed25519, json }: SignOptions) => {
      if ((hmac === true) === (ed25519 !== undefined)) throw badInput('hmac', 'name --hmac or --ed25519');
      const made: { id: string; secret?: string } = await withStore(config(), ({ database, masterKey }) =>
        ed25519 === undefined
          ? addSigningSecret({ database, seal: createSeal(masterKey, 'account-signers') }, word)
          : addSigningKey(database, word, existsSync(ed25519) ? readFileSync(ed25519, 'utf8') : ed25519),
      );
      if (json) return console.log(JSON.stringify(made));
      console.log(`signer          ${made.id}`);
      if (made.secret)
        console.log(`signing secret  ${made.secret}\n\nThe secret is shown this once: keep it now.`);
    });

  account
    .command('unsign')
    .argument('<account>', 'public key or name')
    .argument('<signer>', 'id of the signing key')
    .description('make a signing key useless')
    .action(async (word: string, signer: string) => {
      await withStore(config(), ({ database }) => removeSigner(database, word, signer));
      console.log(`${signer} signs no more`);
    });

  account
    .command('require-signature')
    .argument('<account>', 'public key or name')
    .addArgument(new Argument('<switch>', 'whether every checkout must be signed').choices(['on', 'off']))
    .description('refuse checkouts that are not signed')
    .action(async (word: string, wanted: 'on' | 'off') => {
      const { publicKey } = await withStore(config(), ({ database }) =>
        requireSignature(database, word, wanted === 'on'),
      );
      console.log(`checkouts of ${publicKey} ${wanted === 'on' ? 'must' : 'need not'} be signed`);
    });

  erasureCommands(account, config);
}

interface PlaceOptions {
  origin?: string[];
  redirectHost?: string[];
}

interface SignOptions {
  hmac?: boolean;
  ed25519?: string;
  json?: boolean;
}

interface CreateOptions {
  name: string;
  providers: string;
  live?: boolean;
  json?: boolean;
}

/** Ids of providers, apart or with commas between, each once; undefined for `all`. */
async function readProviders(
  words: readonly string[],
  database: Database | undefined,
): Promise<Account['providers']> {
  const named = words.flatMap(word => word.split(',')).map(word => word.trim());
  const ids = [...new Set(named.filter(Boolean).map(word => word.toLowerCase()))];
  if (ids.length === 0) throw badInput('providers', 'name at least one provider, or all');
  if (ids.join() === 'all') return undefined;
  if (ids.includes('all')) throw badInput('providers', 'all stands alone: name it, or providers');
  const found = await Promise.all(ids.map(id => knownProvider(id, database)));
  return found.map(({ id }) => id);
}

const LONGEST_NAME = 100;

/** What is told from others by its name must have one, which can be read and written in a line. */
function refuseOdd(option: string, name: string): void {
  const isPlain = name.trim() !== '' && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name);
  if (isPlain && name.length <= LONGEST_NAME) return;
  throw badInput(option, `${option} must be a line of 1 to ${LONGEST_NAME} characters`);
}

/** Its name would no longer tell which is meant. */
function refuseBuiltIn(name: string): void {
  if (name === PUBLIC_ACCOUNT)
    throw badInput('--name', `${name} is the account of calls without a key: take another name`);
}

function forClient(client: string): string {
  return client === '*' ? '' : ` for ${client}`;
}

/** What may be shown of an account: nothing that opens anything. */
function describe({ id, createdAt, revokedAt, ...account }: Account) {
  return {
    name: account.name,
    publicKey: id === PUBLIC_ACCOUNT ? '(calls without a key)' : account.publicKey,
    environment: id === PUBLIC_ACCOUNT ? '' : account.environment,
    providers: account.providers?.join(',') ?? 'all',
    preferred: account.preferred,
    origins: account.origins,
    redirectHosts: account.redirectHosts,
    signedCheckouts: account.signedCheckouts,
    signers: account.signers.map(signer => ({ id: signer.id, kind: signer.kind })),
    retentionDays: account.retentionDays ?? FOR_EVER,
    created: createdAt.toISOString(),
    revoked: revokedAt?.toISOString() ?? '',
  };
}

/** The same, for a table. */
function inOneLine({ preferred, signedCheckouts, ...account }: ReturnType<typeof describe>) {
  return {
    ...account,
    preferred: Object.entries(preferred)
      .map(([client, provider]) => `${provider}${forClient(client)}`)
      .join(', '),
    origins: account.origins.join(' '),
    redirectHosts: account.redirectHosts.join(' '),
    signers: account.signers.map(({ id, kind }) => `${kind}:${id}`).join(' '),
    signed: signedCheckouts ? 'required' : '',
  };
}

function print({ name, publicKey, secret }: Credentials, json: boolean | undefined): void {
  const text = `account     ${name}\npublic key  ${publicKey}\nsecret      ${secret}\n\nThe secret is shown this once: keep it now.`;
  console.log(json ? JSON.stringify({ name, publicKey, secret }) : text);
}
