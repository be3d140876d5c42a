/** Cursors: where a page ended, in words that only we can write and that fit one account and one question only. */
import type { Seal } from './seal.ts';

/** The last entry of a page. */
export interface Position {
  at: Date;
  transactionId: string;
  sequence: number;
}

export interface Cursors {
  issue(bound: string, position: Position): string;
  /** Undefined when the cursor is not ours, was altered, or belongs to another account or question. */
  read(bound: string, cursor: string): Position | undefined;
}

/** No cursor is longer. */
export const LONGEST_CURSOR = 512;

/** Part of what cursors are bound to: those of another version mean nothing to us. */
const VERSION = 'v1';

export function createCursors(seal: Seal): Cursors {
  return {
    issue(bound, { at, transactionId, sequence }) {
      return seal.close(JSON.stringify([at.getTime(), transactionId, sequence]), `${VERSION}|${bound}`);
    },
    read(bound, cursor) {
      const text = cursor.length > LONGEST_CURSOR ? undefined : seal.open(cursor, `${VERSION}|${bound}`);
      if (text === undefined) return undefined;
      const [at, transactionId, sequence] = JSON.parse(text) as [number, string, number];
      return { at: new Date(at), transactionId, sequence };
    },
  };
}
