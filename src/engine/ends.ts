/** Ends: who is told how something went, by a call; a promise for each of the many things that a quote does costs time. */

/** One of them is called, once. */
export interface Ends<T> {
  done(result: T): void;
  fail(error: unknown): void;
}
