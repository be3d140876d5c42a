/** JSON as strangers send it: read so that it means one thing only, and written in one way only. */
import { writeKey, writeText } from './json.ts';
import { COLON, closingQuote, endOfNumber, isSpace, QUOTE, startsNumber } from './json-letters.ts';

/** A number as it was written: not a text, and without the loss of a digit. */
export class JsonNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What is wrong with JSON that people outside sent, and where: `wallet.address`, or empty for all of it. */
export class StrictJsonFault extends SyntaxError {
  readonly path: string;
  constructor(path: string, what: string) {
    super(`${path || 'JSON'} ${what}`);
    this.name = 'StrictJsonFault';
    this.path = path;
  }
}

const DEEPEST = 16;
const MOST_MEMBERS = 256;
const LONGEST_STRING = 4_096;
/** Names that lead to what all objects share. */
const REFUSED_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Reads JSON that means one thing only, whoever reads it: no key twice, nothing around it, nothing that is too deep, too
 * much or too long. Numbers are `JsonNumber`s, objects inherit nothing.
 */
export function readStrictJson(text: string): unknown {
  const cursor: Cursor = { text, isPlain: !ODD.test(text), at: 0, members: 0, path: [] };
  try {
    const value = readValue(cursor);
    nextChar(cursor);
    if (cursor.at < text.length) throw notJson();
    return value;
  } catch (error) {
    // That it is no JSON at all is told before whatever else is wrong with it.
    checkSyntax(text);
    throw error;
  }
}

function checkSyntax(text: string): void {
  if (text.startsWith('\ufeff')) throw new StrictJsonFault('', 'starts with a byte order mark');
  try {
    JSON.parse(text);
  } catch (error) {
    // The parser quotes what it read, which may be anybody's address.
    const position = /at position (\d+)/.exec((error as Error).message)?.[1];
    throw notJson(position && ` at position ${position}`);
  }
}

function notJson(where = ''): StrictJsonFault {
  return new StrictJsonFault('', `is not valid${where}`);
}

/** How far a text has been read. */
interface Cursor {
  text: string;
  /** Whether each text in it means what it says, and ends at the next quote. */
  isPlain: boolean;
  at: number;
  /** Of all objects and arrays so far. */
  members: number;
  /** Keys and indexes that lead to what is being read. */
  path: (string | number)[];
}

const COMMA = 44;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;

function readValue(cursor: Cursor): unknown {
  const char = nextChar(cursor);
  if (char === QUOTE) return readString(cursor);
  if (char === OPEN_BRACE) return readObject(cursor);
  if (char === OPEN_BRACKET) return readArray(cursor);
  return startsNumber(char) ? readNumber(cursor) : readWord(cursor);
}

/** An object in which nothing is found but what was read; one without any prototype would be a table that is searched each time. */
const Members = function Members() {} as unknown as new () => Record<string, unknown>;
Members.prototype = Object.freeze(Object.create(null));

function readObject(cursor: Cursor): Record<string, unknown> {
  const record = new Members();
  enter(cursor);
  if (passes(cursor, CLOSE_BRACE)) return record;
  for (;;) {
    if (nextChar(cursor) !== QUOTE) throw notJson();
    const key = readString(cursor);
    count(cursor, key);
    if (REFUSED_KEYS.has(key)) throw faultAt(cursor, 'is not allowed as a key');
    // Nothing that was read is undefined.
    if (record[key] !== undefined) throw faultAt(cursor, 'is there twice');
    if (!passes(cursor, COLON)) throw notJson();
    record[key] = readValue(cursor);
    cursor.path.pop();
    if (passes(cursor, CLOSE_BRACE)) return record;
    if (!passes(cursor, COMMA)) throw notJson();
  }
}

function readArray(cursor: Cursor): unknown[] {
  const items: unknown[] = [];
  enter(cursor);
  if (passes(cursor, CLOSE_BRACKET)) return items;
  for (;;) {
    count(cursor, items.length);
    items.push(readValue(cursor));
    cursor.path.pop();
    if (passes(cursor, CLOSE_BRACKET)) return items;
    if (!passes(cursor, COMMA)) throw notJson();
  }
}

/** A text without any of these means what it says. */
const ODD = /[\\\p{Control}\p{Surrogate}]/u;

function readString(cursor: Cursor): string {
  const { text, isPlain, at } = cursor;
  const end = isPlain ? text.indexOf('"', at + 1) : closingQuote(text, at);
  if (end < 0) throw notJson();
  cursor.at = end + 1;
  const inside = text.slice(at + 1, end);
  const isOdd = !isPlain && ODD.test(inside);
  const string = isOdd ? (JSON.parse(`"${inside}"`) as string) : inside;
  if (string.length > LONGEST_STRING) throw faultAt(cursor, `is longer than ${LONGEST_STRING} characters`);
  // Half a character: each program that reads it makes something else of it.
  if (isOdd && /\p{Surrogate}/u.test(string)) throw faultAt(cursor, 'holds half a character');
  return string;
}

function readNumber(cursor: Cursor): JsonNumber {
  const start = cursor.at;
  cursor.at = endOfNumber(cursor.text, start);
  return new JsonNumber(cursor.text.slice(start, cursor.at));
}

const WORDS = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const;

function readWord(cursor: Cursor): boolean | null {
  const found = WORDS.find(([word]) => cursor.text.startsWith(word, cursor.at));
  if (!found) throw notJson();
  const [word, value] = found;
  cursor.at += word.length;
  return value;
}

/** Moves to what comes next. */
function nextChar(cursor: Cursor): number {
  for (; ; cursor.at++) {
    const char = cursor.text.charCodeAt(cursor.at);
    if (!isSpace(char)) return char;
  }
}

/** Whether this is what comes next; if so, it is passed. */
function passes(cursor: Cursor, char: number): boolean {
  const isNext = nextChar(cursor) === char;
  if (isNext) cursor.at++;
  return isNext;
}

function enter(cursor: Cursor): void {
  if (cursor.path.length >= DEEPEST) throw faultAt(cursor, `is nested more than ${DEEPEST} levels deep`);
  cursor.at++;
}

function count(cursor: Cursor, step: string | number): void {
  cursor.path.push(step);
  if (++cursor.members > MOST_MEMBERS)
    throw faultAt(cursor, `is one too many: at most ${MOST_MEMBERS} members are read`);
}

function faultAt({ path }: Cursor, what: string): StrictJsonFault {
  const way = path.reduce<string>((before, step) => {
    if (typeof step === 'number') return `${before}[${step}]`;
    return before ? `${before}.${nameOf(step)}` : nameOf(step);
  }, '');
  return new StrictJsonFault(way, what);
}

/** A key as it can be said in a message. */
function nameOf(key: string): string {
  return /^[\w-]{1,64}$/.test(key) ? key : '?';
}

/** One text for all ways to write a value that was read strictly: keys in order, numbers as they stand, no blanks. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return writeText(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const record = value as Record<string, unknown>;
  let members = '';
  for (const key of Object.keys(record).sort())
    members += `${members ? ',' : ''}${writeKey(key)}${canonicalJson(record[key])}`;
  return `{${members}}`;
}
