/** Pieces: what is forgotten bit by bit, so that whoever writes meanwhile does not wait for long. */

export const MOST_AT_ONCE = 5_000;

/** Whether a statement that takes at most so many has found fewer: then there is no more. */
export function wasLast({ numAffectedRows = 0n }: { numAffectedRows?: bigint | undefined }): boolean {
  return Number(numAffectedRows) < MOST_AT_ONCE;
}
