/** `cloverleaf account …`: accounts and their keys. */
import type { Command } from 'commander';
import {
  type Credentials,
  createAccount,
  PUBLIC_ACCOUNT,
  prefer,
  revoke,
  rotateSecret,
} from '../app/accounts.ts';
import type { Config } from '../config.ts';
import type { ProviderId } from '../domain/words.ts';
import { listAccounts } from '../store/accounts.ts';
import { knownProvider } from './providers.ts';
import { withStore } from './store.ts';

export function accountCommands(program: Command, config: () => Config): void {
  const account = program.command('account').description('accounts and their keys');

  account
    .command('create')
    .description('make an account; its secret is shown once')
    .requiredOption('--name <name>', 'what you call it')
    .option('--providers <ids>', 'only these providers, separated by commas')
    .option('--live', 'a key for live providers instead of sandboxes')
    .option('--json', 'print JSON')
    .action(async ({ name, providers, live, json }: CreateOptions) => {
      const ids = providers?.split(',').map(id => knownProvider(id.trim()).id);
      const made = await withStore(config(), ({ database }) =>
        createAccount(database, { name, environment: live ? 'live' : 'test', providers: ids }),
      );
      print(made, json);
    });

  account
    .command('list')
    .description('all accounts')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const accounts = await withStore(config(), ({ database }) => listAccounts(database));
      const shown = accounts.map(
        ({ id, name, publicKey, environment, providers, preferred, createdAt, revokedAt }) => ({
          name,
          publicKey: id === PUBLIC_ACCOUNT ? '(calls without a key)' : publicKey,
          environment: id === PUBLIC_ACCOUNT ? '' : environment,
          providers: providers?.join(',') ?? 'all',
          preferred,
          created: createdAt.toISOString(),
          revoked: revokedAt?.toISOString() ?? '',
        }),
      );
      if (json) return console.log(JSON.stringify(shown, undefined, 2));
      console.table(shown.map(({ preferred: _preferred, ...row }) => row));
    });

  account
    .command('rotate-secret')
    .argument('<account>', 'public key or name')
    .description('make a new secret; the one before it stays good until the next rotation')
    .option('--json', 'print JSON')
    .action(async (word: string, { json }: { json?: boolean }) => {
      print(await withStore(config(), ({ database }) => rotateSecret(database, word)), json);
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
    .command('prefer')
    .argument('<account>', 'public key or name')
    .argument('<provider>', 'provider id')
    .option('--client <name>', 'only for this clientName', '*')
    .description('mark a provider’s quotes as the client’s preference')
    .action(async (word: string, provider: string, { client }: { client: string }) => {
      const wish = { client, provider: knownProvider(provider).id as ProviderId };
      const { publicKey } = await withStore(config(), ({ database }) => prefer(database, word, wish));
      console.log(`${publicKey} prefers ${provider}${client === '*' ? '' : ` for ${client}`}`);
    });
}

interface CreateOptions {
  name: string;
  providers?: string;
  live?: boolean;
  json?: boolean;
}

function print({ name, publicKey, secret }: Credentials, json: boolean | undefined): void {
  const text = `account     ${name}\npublic key  ${publicKey}\nsecret      ${secret}\n\nThe secret is shown this once: keep it now.`;
  console.log(json ? JSON.stringify({ name, publicKey, secret }) : text);
}
