/** The ledger: writes down what was said of orders, where that leaves them, and whom to tell; all of it or nothing. */
import { isDeepStrictEqual } from 'node:util';
import type { Currencies } from '../domain/currency.ts';
import { writeJson } from '../domain/json.ts';
import { byRank, isEnd, type Said, type Standing, standingOf } from '../domain/transaction.ts';
import type { Database } from '../store/database.ts';
import { type NewEvent, writeEvents } from '../store/events.ts';
import { eraseFlows } from '../store/flows.ts';
import { addNotices, type Conversation, type Heard } from '../store/notices.ts';
import { type DueTask, planTasks } from '../store/tasks.ts';
import {
  type Change,
  lockTransactions,
  type Transaction,
  writeAccess,
  writeChanges,
} from '../store/transactions.ts';
import type { Access } from './access.ts';
import { earlierEventOf } from './earlier-event.ts';
import { erasureOf } from './erasure.ts';
import { recordOf } from './transactions.ts';

export interface LedgerOptions {
  access: Access;
  currencies: Currencies;
  now(): number;
  /** Told of changes after they are written; contradictions among them. */
  onChanged(changes: readonly Change[]): void;
}

export interface Ledger {
  /** Writes down what was said of transactions that `trx` holds locked; what changed by it. */
  write(trx: Database, transactions: readonly Transaction[], heard: readonly Heard[]): Promise<Change[]>;
  /** Writes down things said of one transaction. */
  hear(database: Database, transactionId: string, said: readonly Said[]): Promise<void>;
  /**
   * Writes down what is to be said of one transaction as it stands while nobody else can change it; whether there was
   * anything to say.
   */
  judge(
    database: Database,
    transactionId: string,
    judgement: (transaction: Transaction) => Said | undefined,
  ): Promise<boolean>;
  /** Writes down things said of whichever transactions, with what opens their orders where that was told. */
  note(database: Database, heard: readonly Heard[]): Promise<void>;
  /** To be called when what `write` did has been committed. */
  announce(changes: readonly Change[]): void;
}

/** Soon after a change it is looked whether there is another. */
const NEXT_LOOK_MS = 15_000;

export function createLedger({ access, currencies, now, onChanged }: LedgerOptions): Ledger {
  async function write(
    trx: Database,
    transactions: readonly Transaction[],
    heard: readonly Heard[],
  ): Promise<Change[]> {
    if (heard.length === 0) return [];
    const conversations = await addNotices(trx, heard, new Date(now()));
    const changes = transactions.flatMap(transaction => {
      const conversation = conversations.get(transaction.id);
      return conversation ? changesOf(transaction, conversation, now()) : [];
    });
    if (changes.length > 0) {
      await writeChanges(trx, changes);
      await writeEvents(trx, changes.flatMap(eventsOf));
      await planTasks(trx, changes.flatMap(nextOf));
      const ended = changes.filter(
        ({ transaction, standing }) => isFlow(transaction) && isEnd(standing.status),
      );
      await eraseFlows(
        trx,
        ended.map(({ transaction }) => transaction.id),
      );
    }
    await keepAccess(trx, transactions, heard);
    return changes;
  }

  function eventsOf(change: Change): NewEvent[] {
    const own = earlierEventOf(change, currencies);
    return own ? [eventOf(change), own] : [eventOf(change)];
  }

  /** After the new standings, which say whose access is still of use. */
  async function keepAccess(
    trx: Database,
    transactions: readonly Transaction[],
    heard: readonly Heard[],
  ): Promise<void> {
    const told = heard.filter(({ access }) => access !== undefined);
    if (told.length === 0) return;
    const kept = new Map<string, string>();
    for (const transaction of transactions) {
      const own = told.filter(({ transactionId }) => transactionId === transaction.id);
      const sealed = access.keep(transaction, own);
      if (sealed !== undefined) kept.set(transaction.id, sealed);
    }
    if (kept.size > 0) await writeAccess(trx, kept);
  }

  /** Holds transactions so that nobody else can change them, writes down what is said of them as they stand, and tells. */
  async function speak(
    database: Database,
    ids: readonly string[],
    say: (transactions: readonly Transaction[]) => readonly Heard[],
  ): Promise<readonly Heard[]> {
    const { heard, changes } = await database.transaction().execute(async trx => {
      const transactions = await lockTransactions(trx, ids);
      const heard = say(transactions);
      return { heard, changes: await write(trx, transactions, heard) };
    });
    onChanged(changes);
    return heard;
  }

  async function note(database: Database, heard: readonly Heard[]): Promise<void> {
    const ids = [...new Set(heard.map(({ transactionId }) => transactionId))];
    await speak(database, ids, () => heard);
  }

  async function judge(
    database: Database,
    transactionId: string,
    judgement: (transaction: Transaction) => Said | undefined,
  ): Promise<boolean> {
    const heard = await speak(database, [transactionId], transactions =>
      transactions.flatMap(transaction => {
        const said = judgement(transaction);
        return said ? [{ transactionId, said }] : [];
      }),
    );
    return heard.length > 0;
  }

  return {
    write,
    note,
    judge,
    hear: (database, transactionId, said) =>
      note(
        database,
        said.map(one => ({ transactionId, said: one })),
      ),
    announce: onChanged,
  };
}

/** What is new is taken lowest rank first: each status that was reached is written down, however much came at once. */
function changesOf(transaction: Transaction, { before, added }: Conversation, now: number): Change[] {
  const known = [...before];
  const changes: Change[] = [];
  let present = transaction;
  for (const said of byRank(added)) {
    known.push(said);
    const standing = standingOf(known);
    if (isDeepStrictEqual(present.standing, standing)) continue;
    const change = changeOf(present, standing, now);
    changes.push(change);
    present = { ...present, standing, statusAt: change.statusAt, sequence: change.sequence };
  }
  return changes;
}

/** Later than the last one, whatever the clocks of two instances say. */
function changeOf(transaction: Transaction, standing: Standing, now: number): Change {
  const at = new Date(Math.max(now, transaction.statusAt.getTime() + 1));
  const statusAt = standing.status === transaction.standing.status ? transaction.statusAt : at;
  return { transaction, standing, at, statusAt, sequence: transaction.sequence + 1 };
}

/** Whether people may have told us something for it that is erased at its end. */
function isFlow({ origin }: Transaction): boolean {
  return origin === 'earlier';
}

function eventOf({ transaction, standing, at, statusAt, sequence }: Change): NewEvent {
  const { id, accountId, publicKey } = transaction;
  return {
    id: `${id}-${sequence}`,
    accountId,
    transactionId: id,
    sequence,
    body: writeJson(recordOf(transaction, { ...standing, at: statusAt }, publicKey)),
    at,
  };
}

/** What goes on is looked up; what has ended is erased in time, where its account wants that. */
function nextOf({ transaction, standing, at, statusAt }: Change): DueTask[] {
  const { id, retentionDays } = transaction;
  if (!isEnd(standing.status)) return [{ kind: 'look-up', key: id, inMs: NEXT_LOOK_MS }];
  if (retentionDays === undefined) return [];
  return [erasureOf({ id, statusAt }, { days: retentionDays, now: at.getTime() })];
}
