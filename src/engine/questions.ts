/** Questions: what one bid asks a provider, where an answer may lead to another question. */
import type { Found } from '../domain/listing.ts';
import type { Ask, Decline, Price } from '../domain/offer.ts';
import type { Adapter, NativeAsk } from '../providers/contract.ts';
import type { Context, HttpAnswer, Work } from '../providers/exchange.ts';
import type { Job, Terms } from './chain.ts';
import type { Ends } from './ends.ts';
import type { Line } from './line.ts';

/** A provider that lists what is asked for, with its own words for it. */
export interface Bidder {
  line: Line;
  found: Found;
}

/** Asks for a price. */
export type Quoter = (exact: Ask) => Promise<Price | Decline>;

/** The questions of one bid, and whether one of several has been answered. */
export interface Questions {
  quote: Quoter;
  hasAnswered(): boolean;
}

/** Asks a provider once, in its own words. */
export function put({ line, found }: Bidder, ask: Ask, terms: Terms, ends: Ends<Price | Decline>): void {
  line.ask(new Question(line.adapter, inWords(ask, found), ends), terms);
}

/** Several questions, of which none is asked twice. */
export function withoutRepeats(bidder: Bidder, terms: Terms): Questions {
  const known = new Map<string, Promise<Price | Decline>>();
  let answered = false;
  return {
    async quote(exact) {
      const key = `${exact.amountOf} ${exact.amount}`;
      const asked = known.get(key) ?? new Promise((done, fail) => put(bidder, exact, terms, { done, fail }));
      known.set(key, asked);
      const answer = await asked;
      answered = true;
      return answer;
    },
    hasAnswered: () => answered,
  };
}

let serial = 0;

/** A class, as a quote makes many. */
class Question implements Job<Price | Decline> {
  readonly id = `q${++serial}`;
  readonly #adapter: Adapter;
  readonly #asked: NativeAsk;
  readonly #ends: Ends<Price | Decline>;

  constructor(adapter: Adapter, asked: NativeAsk, ends: Ends<Price | Decline>) {
    this.#adapter = adapter;
    this.#asked = asked;
    this.#ends = ends;
  }

  start(context: Context): Work<Price | Decline> {
    return this.#adapter.quote(this.#asked, context);
  }

  decline(answer: HttpAnswer): Decline | undefined {
    return this.#adapter.decline?.(answer, this.#asked);
  }

  done(answer: Price | Decline): void {
    this.#ends.done(answer);
  }

  fail(error: unknown): void {
    this.#ends.fail(error);
  }
}

/** An ask with the provider's words; written out, because this happens for every provider in every quote. */
function inWords(ask: Ask, found: Found): NativeAsk {
  const { side, fiat, asset, method, country, state, amount, amountOf, walletAddress } = ask;
  const native = {
    fiat: found.fiat.native,
    asset: found.asset.native,
    network: found.asset.network,
    method: found.method.native,
  };
  return { side, fiat, asset, method, country, state, amount, amountOf, walletAddress, native };
}
