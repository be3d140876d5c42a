/** `cloverleaf inbox …`: providers' webhooks that wait for a person. */
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { badInput, Fault } from '../domain/fault.ts';
import { listParked, retryParked } from '../store/inbox.ts';
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
    .action(async (ids: string[]) => {
      const wrong = ids.find(id => !/^\d{1,18}$/.test(id));
      if (wrong !== undefined) throw badInput('ids', `${wrong} is not an id of the inbox`);
      const missing: string[] = [];
      const count = await withStore(config(), async ({ database }) => {
        if (ids.length === 0) return retryParked(database, 'all');
        // One by one, so that it can be said which was not there.
        const named = [...new Set(ids)];
        for (const id of named) if ((await retryParked(database, [id])) === 0) missing.push(id);
        return named.length - missing.length;
      });
      console.log(`${count} will be tried again`);
      if (missing.length > 0) throw new Fault('notFound', `no webhook ${missing.join(', ')} waits`, 'ids');
    });
}
