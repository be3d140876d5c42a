/** `cloverleaf transaction …`: what became of an order, for whoever has to explain it. */
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { Fault } from '../domain/fault.ts';
import { listNotices } from '../store/notices.ts';
import { findTransaction, listContradicted } from '../store/transactions.ts';
import { withStore } from './store.ts';

const MOST_SHOWN = 200;

export function transactionCommands(program: Command, config: () => Config): void {
  const transaction = program.command('transaction').description('what became of orders');

  transaction
    .command('show')
    .argument('<id>', 'transaction id')
    .description('where it stands and everything that was said of it, as JSON')
    .action(async (id: string) => {
      const shown = await withStore(config(), async ({ database }) => {
        const found = await findTransaction(database, id);
        return found && { ...found, page: undefined, notices: await listNotices(database, id) };
      });
      if (!shown) throw new Fault('notFound', `no transaction ${id}`);
      console.log(JSON.stringify(shown, undefined, 2));
    });

  transaction
    .command('review')
    .description('transactions of which a provider has told ends that cannot both be true')
    .action(async () => {
      const found = await withStore(config(), ({ database }) => listContradicted(database, MOST_SHOWN));
      if (found.length === 0) return console.log('nothing to review');
      console.table(
        found.map(({ id, provider, standing, statusAt }) => ({
          id,
          provider,
          status: standing.status,
          since: statusAt.toISOString(),
        })),
      );
    });
}
