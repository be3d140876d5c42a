/** Access: what opens providers' orders where their id alone does not; kept sealed, for as long as somebody asks about them. */
import type { Heard } from '../store/notices.ts';
import type { Transaction } from '../store/transactions.ts';
import type { Seal } from './seal.ts';

export interface Access {
  /** What opens the order that a transaction stands for, where that was told. */
  open(transaction: Pick<Transaction, 'id' | 'access' | 'standing'>): string | undefined;
  /** What a transaction keeps after this was heard; undefined when that changes nothing. */
  keep(
    transaction: Pick<Transaction, 'id' | 'access' | 'standing'>,
    heard: readonly Heard[],
  ): string | undefined;
}

/** A person may make several orders under one reference; an honest one makes a few. */
export const MOST_ORDERS = 8;
const LONGEST = 2_048;

export function createAccess(seal: Seal): Access {
  /** By the provider's id of the order; under no name for whoever told none. */
  function read({ id, access }: Pick<Transaction, 'id' | 'access'>): Map<string, string> {
    const opened = access === undefined ? undefined : seal.open(access, id);
    return new Map(opened === undefined ? [] : (JSON.parse(opened) as [string, string][]));
  }

  return {
    open(transaction) {
      const kept = read(transaction);
      return kept.get(transaction.standing.theirs) ?? kept.get('');
    },
    keep(transaction, heard) {
      const told = heard.filter(({ access = '' }) => access !== '' && access.length <= LONGEST);
      if (told.length === 0) return undefined;
      const kept = read(transaction);
      const before = JSON.stringify([...kept]);
      for (const { said, access = '' } of told) {
        const name = said.theirs ?? '';
        if (kept.get(name) === access) continue;
        // The newest stands last.
        kept.delete(name);
        kept.set(name, access);
      }
      const after = JSON.stringify([...kept].slice(-MOST_ORDERS));
      return after === before ? undefined : seal.close(after, transaction.id);
    },
  };
}
