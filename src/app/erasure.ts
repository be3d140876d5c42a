/** Erasure: when transactions that have ended lose what tells of people, by command or by their account's retention time. */
import { badInput, Fault } from '../domain/fault.ts';
import { isEnd } from '../domain/transaction.ts';
import type { AccountId } from '../domain/words.ts';
import { type Account, setRetention } from '../store/accounts.ts';
import type { Database } from '../store/database.ts';
import {
  type Erasable,
  erase,
  findUndelivered,
  listMade,
  lockErasable,
  lockEvents,
  type Milestone,
} from '../store/erasure.ts';
import { type DueTask, planTasks } from '../store/tasks.ts';
import { findTransaction } from '../store/transactions.ts';
import { findAccount } from './accounts.ts';

/** What became of an account's transactions. */
export interface Erased {
  erased: number;
  /** Left because they have not ended, or because webhooks of theirs are still to be delivered. */
  unfinished: number;
  undelivered: number;
}

export interface ErasureWish {
  /** Those that ended before this moment. */
  before: Date;
  /** This one only; all of the account when absent. */
  transactionId?: string | undefined;
}

const LONGEST_RETENTION_DAYS = 3_650;
const DAY_MS = 86_400_000;
const MOST_AT_ONCE = 500;

/** Erases what has ended, piece by piece: whoever is stopped in between has done what was done, and may begin anew. */
export async function eraseEnded(database: Database, word: string, wish: ErasureWish): Promise<Erased> {
  const { before, transactionId: id } = wish;
  const account = await findAccount(database, word, { orPublic: true });
  const pieces: Piece[] = [];
  if (id === undefined) {
    for await (const ids of walk(database, account.id, before))
      pieces.push(await erasePiece(database, ids, before));
  } else {
    const transaction = await findTransaction(database, id);
    if (transaction?.accountId !== account.id)
      throw new Fault('notFound', `${word} has no transaction ${id}`);
    pieces.push(await erasePiece(database, [id], before));
  }
  return sumOf(pieces);
}

/** Sets how many days what tells of people is kept after the end, undefined for ever; and sees to what ended before. */
export async function retain(
  database: Database,
  word: string,
  { days, now }: { days: number | undefined; now: number },
): Promise<{ account: Account; erased: number }> {
  if (days !== undefined && !(Number.isInteger(days) && days >= 1 && days <= LONGEST_RETENTION_DAYS))
    throw badInput('days', `days must be a whole number from 1 to ${LONGEST_RETENTION_DAYS}, or for-ever`);
  const account = await findAccount(database, word, { orPublic: true });
  await setRetention(database, account.id, days);
  let erased = 0;
  if (days !== undefined) {
    // Rows are locked: an end that is just being written by whoever knew no retention time yet is waited for.
    for await (const ids of walk(database, account.id, undefined)) {
      const piece = await erasePiece(database, ids, new Date(now - days * DAY_MS));
      await planTasks(
        database,
        piece.later.map(one => erasureOf(one, { days, now })),
      );
      erased += piece.erased;
    }
  }
  return { account, erased };
}

/** When a transaction that has ended is to be erased. */
export function erasureOf(
  { id, statusAt }: Pick<Erasable, 'id' | 'statusAt'>,
  { days, now }: { days: number; now: number },
): DueTask {
  return { kind: 'erase', key: id, inMs: statusAt.getTime() + days * DAY_MS - now };
}

/** Erases a transaction when it is time by its account's present setting; in how many milliseconds to try again, if at all. */
export async function eraseInTime(database: Database, id: string, now: number): Promise<number | undefined> {
  const transaction = await findTransaction(database, id);
  // What goes on again is planned anew at its end.
  if (transaction?.retentionDays === undefined || !isEnd(transaction.standing.status)) return undefined;
  const endedBy = now - transaction.retentionDays * DAY_MS;
  const restMs = transaction.statusAt.getTime() - endedBy;
  if (restMs > 0) return restMs;
  const { later } = await erasePiece(database, [id], new Date(endedBy + 1));
  return later.length > 0 ? DAY_MS : undefined;
}

/** Ids of an account's transactions that were made before a moment, a piece at a time. */
async function* walk(
  database: Database,
  account: AccountId,
  until: Date | undefined,
): AsyncGenerator<string[]> {
  let after: Milestone | undefined;
  do {
    const made = await listMade(database, account, { until, after, most: MOST_AT_ONCE });
    if (made.length > 0) yield made.map(({ id }) => id);
    after = made.length === MOST_AT_ONCE ? made.at(-1) : undefined;
  } while (after);
}

interface Piece extends Erased {
  /** Those that have ended, and are to be erased another time. */
  later: Erasable[];
}

function erasePiece(database: Database, ids: readonly string[], before: Date): Promise<Piece> {
  return database.transaction().execute(async trx => {
    const locked = await lockErasable(trx, ids);
    const ended = locked.filter(({ status, isErased }) => isEnd(status) && !isErased);
    const old = ended.filter(({ statusAt }) => statusAt < before);
    const events = await lockEvents(trx, old);
    const due = new Set(
      await findUndelivered(
        trx,
        events.map(({ id }) => id),
      ),
    );
    const held = new Set(events.filter(({ id }) => due.has(id)).map(({ transactionId }) => transactionId));
    const erased = new Set(old.map(({ id }) => id).filter(id => !held.has(id)));
    const eventIds = events.filter(({ transactionId }) => erased.has(transactionId)).map(({ id }) => id);
    await erase(trx, { ids: [...erased], eventIds });
    return {
      erased: erased.size,
      unfinished: locked.filter(({ status }) => !isEnd(status)).length,
      undelivered: held.size,
      later: ended.filter(({ id }) => !erased.has(id)),
    };
  });
}

function sumOf(pieces: readonly Erased[]): Erased {
  const sum = (name: keyof Erased) => pieces.reduce((total, piece) => total + piece[name], 0);
  return { erased: sum('erased'), unfinished: sum('unfinished'), undelivered: sum('undelivered') };
}
