/** Replies: what PostgreSQL says to what it was sent, until it is ready for more. */
import pg from 'pg';
import type { Pipe } from './pipe.ts';

export interface Result {
  command: string;
  rowCount: number | null;
  rows: unknown[];
}

/** Reads a row out of the bytes that begin at a place. */
export type ReadRow = (bytes: Buffer, at: number) => unknown;

/** What is expected. */
export interface Expected {
  /** How many results come before the one that is wanted. */
  skip: number;
  /** How its rows are read, when that is known from before. */
  readRow: ReadRow | undefined;
  /** Told of each statement that was described, in order: how its rows are read, if it has any. */
  described(readRow: ReadRow | undefined): void;
}

export interface Reply {
  result: Result;
  error: Error | undefined;
}

export interface Replies {
  /** Reads on, for at most so many milliseconds of silence; undefined when the reply is not complete then. */
  read(expected: Expected, patienceMs?: number): Reply | undefined;
  /** The number of the server's process, once it has said it. */
  pid(): number;
}

const FIRST_SIZE = 262_144;
const HEAD = 5;

export function createReplies(pipe: Pipe): Replies {
  let bytes = Buffer.allocUnsafe(FIRST_SIZE);
  let [begin, end] = [0, 0];
  let pid = 0;
  let reply = beginReply();
  let results = 0;
  let readRow: ReadRow | undefined;

  /** Whether a whole message stands at the beginning. */
  function hasMessage(): boolean {
    return end - begin >= HEAD && end - begin > bytes.readInt32BE(begin + 1);
  }

  function makeRoom(): void {
    if (begin === end) [begin, end] = [0, 0];
    if (bytes.length - end > FIRST_SIZE / 4) return;
    const size = end - begin > bytes.length / 2 ? bytes.length * 2 : bytes.length;
    const more = Buffer.allocUnsafe(size);
    bytes.copy(more, 0, begin, end);
    [bytes, begin, end] = [more, 0, end - begin];
  }

  /** Takes a message; true when it was the last. */
  function take(expected: Expected): boolean {
    const type = bytes[begin] as number;
    const at = begin + HEAD;
    begin += 1 + bytes.readInt32BE(begin + 1);
    switch (type) {
      case ROW:
        if (results === expected.skip) reply.result.rows.push((readRow ?? expected.readRow)?.(bytes, at));
        break;
      case COMPLETE:
        if (results++ === expected.skip) complete(reply.result, bytes.toString('latin1', at, begin - 1));
        break;
      case COLUMNS:
        readRow = rowReader(bytes.subarray(at, begin));
        expected.described(readRow);
        break;
      case NO_COLUMNS:
        expected.described(undefined);
        break;
      case ERROR:
        reply.error = errorIn(bytes.subarray(at, begin));
        break;
      case PID:
        pid = bytes.readInt32BE(at);
        break;
      case READY:
        return true;
    }
    return false;
  }

  return {
    pid: () => pid,
    read(expected, patienceMs) {
      for (;;) {
        while (hasMessage()) {
          if (!take(expected)) continue;
          const whole = reply;
          reply = beginReply();
          results = 0;
          readRow = undefined;
          return whole;
        }
        makeRoom();
        const count = pipe.read(bytes, end, patienceMs);
        if (count === 0) return undefined;
        end += count;
      }
    },
  };
}

function beginReply(): Reply {
  return { result: { command: '', rowCount: null, rows: [] }, error: undefined };
}

/** Messages by their letters. */
const [ROW, COMPLETE, COLUMNS, NO_COLUMNS, ERROR, PID, READY] = [...'DCTnEKZ'].map(letter =>
  letter.charCodeAt(0),
);

function complete(result: Result, tag: string): void {
  const [command = '', ...counts] = tag.split(' ');
  const last = counts.at(-1);
  result.command = command;
  result.rowCount = last !== undefined && /^\d+$/.test(last) ? Number(last) : null;
}

/** Values become what the driver makes of them. */
function rowReader(body: Buffer): ReadRow {
  const names: string[] = [];
  const parsers: ((text: string) => unknown)[] = [];
  for (let at = 2, left = body.readInt16BE(0); left > 0; left--) {
    const end = body.indexOf(0, at);
    names.push(body.toString('utf8', at, end));
    parsers.push(pg.types.getTypeParser(body.readInt32BE(end + 7), 'text'));
    at = end + 19;
  }
  const empty = Object.fromEntries(names.map(name => [name, null]));
  return (bytes, begin) => {
    const row: Record<string, unknown> = { ...empty };
    let at = begin + 2;
    for (let column = 0; column < names.length; column++) {
      const length = bytes.readInt32BE(at);
      at += 4;
      if (length < 0) continue;
      row[names[column] as string] = parsers[column]?.(bytes.toString('utf8', at, at + length));
      at += length;
    }
    return row;
  };
}

/** The letters of an error's fields, as far as anybody asks for them, and what the driver calls them. */
const FIELDS: Readonly<Record<string, string>> = {
  C: 'code',
  D: 'detail',
  t: 'table',
  n: 'constraint',
  S: 'severity',
};

function errorIn(body: Buffer): Error {
  let message = '';
  const named: Record<string, string> = {};
  for (let at = 0; body[at] !== 0; ) {
    const end = body.indexOf(0, at);
    const letter = String.fromCharCode(body[at] as number);
    const text = body.toString('utf8', at + 1, end);
    if (letter === 'M') message = text;
    const name = FIELDS[letter];
    if (name) named[name] = text;
    at = end + 1;
  }
  return Object.assign(new Error(message), named);
}
