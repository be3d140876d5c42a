/** `cloverleaf account erase | retain`: for how long an account's transactions tell of people. */
import type { Command } from 'commander';
import { type Erased, eraseEnded, retain } from '../app/erasure.ts';
import type { Config } from '../config.ts';
import { readMomentOf } from './moment.ts';
import { withStore } from './store.ts';

export function erasureCommands(account: Command, config: () => Config): void {
  account
    .command('erase')
    .argument('<account>', 'public key or name; public for calls without a key')
    .description('erase what tells of people in transactions that have ended; it cannot be undone')
    .option('--before <moment>', 'only those that ended before this date, in UTC, or date and time')
    .option('--transaction <id>', 'only this one')
    .option('--json', 'print JSON')
    .action(async (word: string, { before, transaction, json }: EraseOptions) => {
      const wish = {
        before: before === undefined ? new Date() : readMomentOf('--before', before),
        transactionId: transaction,
      };
      const done = await withStore(config(), ({ database }) => eraseEnded(database, word, wish));
      console.log(json ? JSON.stringify(done) : inWords(done));
    });

  account
    .command('retain')
    .argument('<account>', 'public key or name; public for calls without a key')
    .argument('<days>', 'days after the end of a transaction, or for-ever')
    .description('set when what tells of people is erased by itself; applies to old transactions too')
    .action(async (word: string, text: string) => {
      const days = text === FOR_EVER ? undefined : /^\d+$/.test(text) ? Number(text) : Number.NaN;
      const { account, erased } = await withStore(config(), ({ database }) =>
        retain(database, word, { days, now: Date.now() }),
      );
      const time = days === undefined ? 'for ever' : `for ${days} ${days === 1 ? 'day' : 'days'}`;
      console.log(`${account.publicKey} keeps what tells of people ${time}`);
      if (days !== undefined) console.log(`${counted(erased)} that ended longer ago`);
    });
}

/** What stands for no retention time, where one is set and where it is shown. */
export const FOR_EVER = 'for-ever';

interface EraseOptions {
  before?: string;
  transaction?: string;
  json?: boolean;
}

function inWords({ erased, unfinished, undelivered }: Erased): string {
  const left = [
    unfinished > 0 && `${unfinished} unfinished`,
    undelivered > 0 && `${undelivered} with webhooks not yet delivered`,
  ].filter(Boolean);
  return left.length > 0
    ? `${counted(erased)}; ${unfinished + undelivered} left: ${left.join(', ')}`
    : counted(erased);
}

function counted(erased: number): string {
  return `erased ${erased} ${erased === 1 ? 'transaction' : 'transactions'}`;
}
