/** `cloverleaf inbox …`: providers' webhooks that wait for a person. */
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { badInput, Fault } from '../domain/fault.ts';
import type { Database } from '../store/database.ts';
import { type Chosen, dismissParked, listParked, retryParked } from '../store/inbox.ts';
import { readMomentOf } from './moment.ts';
import { withStore } from './store.ts';

const MOST_SHOWN = 200;

export function inboxCommands(program: Command, config: () => Config): void {
  const inbox = program.command('inbox').description('providers’ webhooks that wait for a person');

  inbox
    .command('list')
    .description('webhooks that are proven but cannot be read, or name no transaction of ours')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const parked = await withStore(config(), ({ database }) => listParked(database, MOST_SHOWN));
      if (json) return console.log(JSON.stringify(parked, undefined, 2));
      if (parked.length === 0) return console.log('nothing waits');
      console.table(parked.map(({ receivedAt, ...row }) => ({ ...row, received: receivedAt.toISOString() })));
    });

  inbox
    .command('retry')
    .argument('[ids...]', 'which ones; all when absent')
    .description('deal with them once more')
    .action((ids: string[]) =>
      deal(config(), ids.length > 0 ? readIds(ids) : 'all', {
        act: retryParked,
        inWords: count => `${count} will be tried again`,
      }),
    );

  inbox
    .command('forget')
    .argument('[ids...]', 'which ones')
    .option('--before <moment>', 'those that came before this date, in UTC, or date and time')
    .description('erase what they say; it cannot be undone')
    .action((ids: string[], { before }: { before?: string }) => {
      if (ids.length > 0 === (before !== undefined)) throw badInput('ids', 'name their ids, or --before');
      return deal(config(), before === undefined ? readIds(ids) : readMomentOf('--before', before), {
        act: dismissParked,
        inWords: count => `forgot ${count}`,
      });
    });
}

function readIds(words: readonly string[]): string[] {
  const wrong = words.find(id => !/^\d{1,18}$/.test(id));
  if (wrong !== undefined) throw badInput('ids', `${wrong} is not an id of the inbox`);
  return [...new Set(words.map(id => BigInt(id).toString()))];
}

interface Deed {
  act(database: Database, chosen: Chosen): Promise<string[]>;
  inWords(count: number): string;
}

/** Does it to those that wait, and names those that do not. */
async function deal(config: Config, chosen: Chosen, { act, inWords }: Deed): Promise<void> {
  const done = new Set(await withStore(config, ({ database }) => act(database, chosen)));
  console.log(inWords(done.size));
  const missing = Array.isArray(chosen) ? chosen.filter(id => !done.has(id)) : [];
  if (missing.length > 0) throw new Fault('notFound', `no webhook ${missing.join(', ')} waits`, 'ids');
}
