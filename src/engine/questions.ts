/** Questions: what one bid asks a provider, where an answer may lead to another question. */
import type { Ask, Decline, Price } from '../domain/offer.ts';
import type { Ends } from './line.ts';

/** Asks a provider for a price. */
export type Asker = (exact: Ask, ends: Ends<Price | Decline>) => void;
export type Quoter = (exact: Ask) => Promise<Price | Decline>;

/** The questions of one bid, and whether one of several has been answered. */
export interface Questions {
  quote: Quoter;
  hasAnswered(): boolean;
}

/** Several questions, of which none is asked twice. */
export function withoutRepeats(put: Asker): Questions {
  const known = new Map<string, Promise<Price | Decline>>();
  let answered = false;
  return {
    async quote(exact) {
      const key = `${exact.amountOf} ${exact.amount}`;
      const asked = known.get(key) ?? new Promise((done, fail) => put(exact, { done, fail }));
      known.set(key, asked);
      const answer = await asked;
      answered = true;
      return answer;
    },
    hasAnswered: () => answered,
  };
}
