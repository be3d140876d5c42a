/** Transactions as their accounts read them: one record, or a page of records, newest first. */
import { badInput } from '../domain/fault.ts';
import { type Amount, ZERO } from '../domain/money.ts';
import { NOTHING_SAID, type Status } from '../domain/transaction.ts';
import type { Side } from '../domain/words.ts';
import type { Database } from '../store/database.ts';
import {
  type EntryFacts,
  findPresentEntry,
  listEntries,
  MOST_ENTRIES,
  type RecordSource,
} from '../store/entries.ts';
import type { Account } from './accounts.ts';
import type { Cursors } from './cursor.ts';

export type { EntryFacts, RecordSource };

/** A transaction at one status, as it is shown to its account and told in events. */
export interface TransactionRecord {
  apiKey: string;
  country: string;
  inAmount: Amount;
  outAmount: Amount;
  onramp: string;
  onrampTransactionId: string;
  paymentMethod: string;
  sourceCurrency: string;
  targetCurrency: string;
  status: Status;
  statusDate: string;
  transactionId: string;
  transactionType: Side;
  transactionHash: string;
  walletAddress: string;
  partnerContext: string;
  statusReason: string;
}

/** Which records are wanted; the same filter, whatever its limit, leads on with its cursor. */
export interface RecordFilter {
  /** Inclusive, on the date of the status. */
  from?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
  ids?: readonly string[] | undefined;
  limit: number;
  cursor?: string | undefined;
}

export interface RecordPage {
  records: TransactionRecord[];
  limit: number;
  /** Leads to the next page; absent on the last one. */
  cursor: string | undefined;
}

export interface Transactions {
  /** The present record; undefined for an id that is unknown, malformed or another account's, after the same work. */
  find(account: Account, id: string): Promise<TransactionRecord | undefined>;
  page(account: Account, filter: RecordFilter): Promise<RecordPage>;
}

export interface TransactionsOptions {
  database: Database;
  cursors: Cursors;
}

/** The most records on a page, and the most ids in a filter. One more than a page holds tells whether there is another. */
export const MOST_RECORDS = MOST_ENTRIES - 1;

const ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const NOBODYS_ID = '00000000000000000000000000';

/** Whether a text has the form of our ids. */
export function isTransactionId(text: string): boolean {
  return ID.test(text);
}

export function createTransactions({ database, cursors }: TransactionsOptions): Transactions {
  return {
    async find(account, id) {
      const found = await findPresentEntry(database, account.id, isTransactionId(id) ? id : NOBODYS_ID);
      return found && recordOf(found.transaction, found.entry, account.publicKey);
    },
    async page(account, { from, until, ids: named, limit, cursor }) {
      const ids = named && [...new Set(named)].sort();
      const bound = JSON.stringify([account.id, from, until, ids]);
      const after = cursor === undefined ? undefined : cursors.read(bound, cursor);
      if (cursor !== undefined && !after)
        throw badInput('cursor', 'cursor must be that of the page before, asked for in the same way');
      const most = Math.min(limit, MOST_RECORDS);
      const found = await listEntries(database, {
        account: account.id,
        from,
        until,
        ids,
        after,
        most: most + 1,
      });
      const shown = found.slice(0, most);
      const last = found.length > most ? shown.at(-1) : undefined;
      return {
        records: shown.map(({ transaction, entry }) => recordOf(transaction, entry, account.publicKey)),
        limit: most,
        cursor:
          last &&
          cursors.issue(bound, {
            at: last.entry.at,
            transactionId: last.transaction.id,
            sequence: last.sequence,
          }),
      };
    },
  };
}

/** The record of a transaction at one status. */
export function recordOf(transaction: RecordSource, entry: EntryFacts, publicKey: string): TransactionRecord {
  return {
    apiKey: publicKey,
    country: transaction.country.toLowerCase(),
    inAmount: entry.paid ?? transaction.amount,
    outAmount: entry.received ?? ZERO,
    onramp: transaction.provider,
    onrampTransactionId: entry.theirs,
    paymentMethod: transaction.method,
    sourceCurrency: transaction.source,
    targetCurrency: transaction.target,
    status: entry.status,
    statusDate: entry.at.toISOString(),
    transactionId: transaction.id,
    transactionType: transaction.side,
    transactionHash: entry.hash,
    walletAddress: transaction.walletAddress,
    partnerContext: transaction.partnerContext,
    statusReason: entry.reason,
  };
}

/** The record of one that has just been made. */
export function newRecordOf(
  transaction: RecordSource & { createdAt: Date },
  publicKey: string,
): TransactionRecord {
  const { status, reason, theirs, hash, paid, received } = NOTHING_SAID;
  const at = transaction.createdAt;
  return recordOf(transaction, { status, at, reason, theirs, hash, paid, received }, publicKey);
}
