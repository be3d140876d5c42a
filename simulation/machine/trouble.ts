/** Trouble: what is wrong with the database at the moment, and what has come of it so far. */

interface Trouble {
  isAway: boolean;
  /** The share of statements that are given up for lasting too long. */
  cancels: number;
  /** Nothing can be written. */
  isFull: boolean;
}

export const trouble: Trouble = { isAway: false, cancels: 0, isFull: false };
export const counts = {
  statements: 0,
  blocked: 0,
  deadlocks: 0,
  cancelled: 0,
  full: 0,
  refused: 0,
  lostAnswers: 0,
};

/** A new database, with nothing wrong. */
export function beginTrouble(): void {
  Object.assign(trouble, { isAway: false, cancels: 0, isFull: false });
  for (const name of Object.keys(counts) as (keyof typeof counts)[]) counts[name] = 0;
}
