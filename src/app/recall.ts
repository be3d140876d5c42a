/** Recalling: what was answered under an idempotency key is answered again, and nothing is done twice. */
import { Fault } from '../domain/fault.ts';
import { findKey, leaseKey } from '../store/checkouts.ts';
import type { Database } from '../store/database.ts';
import type { Wish } from './checkout.ts';
import { readRefusal } from './declines.ts';

/** Goes on with a transaction that nobody works on any more. */
type GoOn = (transactionId: string) => Promise<string>;

export interface Recall {
  /** The answer under a key that was used before; undefined when it was not, or has none and nobody can go on. */
  used(wish: Wish, again: GoOn | undefined): Promise<string | undefined>;
  /** The same under a key that somebody else has just used. */
  taken(wish: Wish, again: GoOn): Promise<string>;
  /** What was answered before, or else the refusal: the provider is not to be had any more. */
  refused(wish: Wish, refusal: Fault): Promise<string>;
  /**
   * Only what was answered to this very body, or else the refusal: whoever has heard what was signed long ago learns
   * nothing new from it.
   */
  stale(wish: Wish, refusal: Fault): Promise<string>;
}

/** How long a key is held for whoever works on it: longer than a provider may take to say what became of an order, and then to go on with it. */
export const LEASE_MS = 25_000;

export function createRecall(database: Database): Recall {
  const find = async ({ account, idempotency }: Wish) =>
    idempotency && (await findKey(database, account.id, idempotency.key));

  async function used(wish: Wish, again: GoOn | undefined): Promise<string | undefined> {
    const { key = '', digest } = wish.idempotency ?? {};
    const stored = await find(wish);
    if (!stored) return undefined;
    if (stored.digest !== digest)
      throw new Fault('declined', 'The Idempotency-Key was used with another body', 'Idempotency-Key');
    if (stored.answer !== null) return stored.answer;
    if (stored.refusal !== null) throw readRefusal(stored.refusal);
    if (stored.running) throw stillRunning();
    if (!again) return undefined;
    const isOurs = await leaseKey(database, wish.account.id, { key, forMs: LEASE_MS });
    if (!isOurs) throw stillRunning();
    return again(stored.transactionId);
  }

  return {
    used,
    async taken(wish, again) {
      const answer = await used(wish, again);
      if (answer === undefined) throw new Error('an idempotency key was taken and is gone');
      return answer;
    },
    async refused(wish, refusal) {
      const answer = await used(wish, undefined);
      if (answer === undefined) throw refusal;
      return answer;
    },
    async stale(wish, refusal) {
      const { digest } = wish.idempotency ?? {};
      const stored = await find(wish);
      if (!stored || stored.digest !== digest) throw refusal;
      if (stored.refusal !== null) throw readRefusal(stored.refusal);
      if (stored.answer === null) throw refusal;
      return stored.answer;
    },
  };
}

function stillRunning(): Fault {
  const message = 'The checkout with this Idempotency-Key is still running';
  return new Fault('conflict', message, 'Idempotency-Key');
}
