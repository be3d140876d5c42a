/** JSON without floats: numbers are read as their own text, and amounts are written as exact numbers. */
import { isAmount } from './money.ts';

/** Parses JSON so that every number arrives as the text it was written in. Throws SyntaxError on anything else. */
export function parseJson(text: string): unknown {
  return JSON.parse(quoteNumbers(text));
}

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;
const COMMA = 44;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const POINT = 46;
const ZERO = 48;

/** Puts every number into quotes. What is not a JSON number is left to the parser, which refuses it. */
function quoteNumbers(text: string): string {
  let quoted = '';
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      at = endOfString(text, at);
    } else if (startsNumber(char)) {
      const start = at;
      at = endOfNumber(text, start);
      quoted += `${text.slice(copied, start)}"${text.slice(start, at)}"`;
      copied = at;
      while (isSpace(text.charCodeAt(at))) at++;
      if (text.charCodeAt(at) === COLON) throw new SyntaxError('a key must be a string');
    } else {
      at++;
    }
  }
  return quoted + text.slice(copied);
}

/** The index after the number that begins at `start`; most are digits, perhaps with a point between them. */
function endOfNumber(text: string, start: number): number {
  const point = endOfDigits(text, start);
  const end = text.charCodeAt(point) === POINT ? endOfDigits(text, point + 1) : point;
  const isPlain = point > start && end !== point + 1 && !continuesNumber(text.charCodeAt(end));
  if (isPlain && (text.charCodeAt(start) !== ZERO || point === start + 1)) return end;
  return endOfAnyNumber(text, start);
}

function endOfDigits(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

function endOfAnyNumber(text: string, start: number): number {
  let at = start;
  while (continuesNumber(text.charCodeAt(at))) at++;
  const token = text.slice(start, at);
  if (!JSON_NUMBER.test(token)) throw new SyntaxError(`not a JSON number: ${token.slice(0, 40)}`);
  return at;
}

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** The index after the string that opens at `start`; the end of the text when it never closes. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}

function isSpace(char: number): boolean {
  return char === 32 || char === 10 || char === 13 || char === 9;
}

function startsNumber(char: number): boolean {
  return char === 45 || isDigit(char);
}

function isDigit(char: number): boolean {
  return char >= ZERO && char <= 57;
}

/** Digits, and the `+ - . e E` a number may hold. */
function continuesNumber(char: number): boolean {
  return isDigit(char) || char === POINT || char === 43 || char === 45 || char === 101 || char === 69;
}

/** Text that is JSON already, to be written as it stands. */
export interface Prepared {
  readonly json: string;
}

/** Writes a value as JSON; amounts become numbers in their shortest exact form, `undefined` members are left out. */
export function writeJson(value: unknown): string {
  if (typeof value === 'string') return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (isAmount(value)) return value.toString();
  if (isPrepared(value)) return value.json;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  return writeObject(value as Record<string, unknown>);
}

/** Texts that stand in JSON as they are; most of ours do, and telling so costs less than writing them letter by letter. */
const PLAIN = /^[\w .:/-]*$/;

function writeObject(record: Readonly<Record<string, unknown>>): string {
  let members = '';
  for (const key of Object.keys(record)) {
    const member = record[key];
    if (member === undefined) continue;
    members += members ? `,${writeKey(key)}${writeJson(member)}` : writeKey(key) + writeJson(member);
  }
  return `{${members}}`;
}

/** Keys are mostly the same few; looking them up costs less than writing them. */
const KEYS = new Map<string, string>();
const MOST_KEYS = 1_000;

function writeKey(key: string): string {
  const known = KEYS.get(key);
  if (known !== undefined) return known;
  const written = `${JSON.stringify(key)}:`;
  if (KEYS.size < MOST_KEYS) KEYS.set(key, written);
  return written;
}

/** Marks text as JSON that was written before, so that large constant parts are written once. */
export function prepared(value: unknown): Prepared {
  return new PreparedJson(writeJson(value));
}

/** Marks text that is known to be JSON, to be written as it stands. */
export function asWritten(json: string): Prepared {
  return new PreparedJson(json);
}

class PreparedJson implements Prepared {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}

function isPrepared(value: unknown): value is Prepared {
  return value instanceof PreparedJson;
}

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
 * much or too long. Numbers are `JsonNumber`s, objects have no prototype.
 */
export function readStrictJson(text: string): unknown {
  checkSyntax(text);
  return readValue({ text, at: 0, members: 0, path: [] });
}

function checkSyntax(text: string): void {
  if (text.startsWith('\ufeff')) throw new StrictJsonFault('', 'starts with a byte order mark');
  try {
    JSON.parse(text);
  } catch (error) {
    // The parser quotes what it read, which may be anybody's address.
    const position = /at position (\d+)/.exec((error as Error).message)?.[1];
    throw new StrictJsonFault('', `is not valid${position ? ` at position ${position}` : ''}`);
  }
}

/** How far a text, which is known to be JSON, has been read. */
interface Cursor {
  text: string;
  at: number;
  /** Of all objects and arrays so far. */
  members: number;
  /** Keys and indexes that lead to what is being read. */
  path: (string | number)[];
}

function readValue(cursor: Cursor): unknown {
  switch (nextChar(cursor)) {
    case OPEN_BRACE:
      return readObject(cursor);
    case OPEN_BRACKET:
      return readArray(cursor);
    case QUOTE:
      return readString(cursor);
    default:
      return readScalar(cursor);
  }
}

function readObject(cursor: Cursor): Record<string, unknown> {
  const record: Record<string, unknown> = Object.create(null);
  enter(cursor);
  while (nextChar(cursor) !== CLOSE_BRACE) {
    const key = readString(cursor);
    count(cursor, key);
    if (REFUSED_KEYS.has(key)) throw faultAt(cursor, 'is not allowed as a key');
    if (key in record) throw faultAt(cursor, 'is there twice');
    record[key] = readValue(cursor);
    cursor.path.pop();
  }
  cursor.at++;
  return record;
}

function readArray(cursor: Cursor): unknown[] {
  const items: unknown[] = [];
  enter(cursor);
  while (nextChar(cursor) !== CLOSE_BRACKET) {
    count(cursor, items.length);
    items.push(readValue(cursor));
    cursor.path.pop();
  }
  cursor.at++;
  return items;
}

function readString(cursor: Cursor): string {
  const start = cursor.at;
  cursor.at = endOfString(cursor.text, start);
  const inside = cursor.text.slice(start + 1, cursor.at - 1);
  // Without a backslash it means what it says.
  const string = inside.includes('\\') ? (JSON.parse(`"${inside}"`) as string) : inside;
  if (string.length > LONGEST_STRING) throw faultAt(cursor, `is longer than ${LONGEST_STRING} characters`);
  // Half a character: each program that reads it makes something else of it.
  if (/[\ud800-\udfff]/.test(string) && /\p{Surrogate}/u.test(string))
    throw faultAt(cursor, 'holds half a character');
  return string;
}

function readScalar(cursor: Cursor): boolean | null | JsonNumber {
  const start = cursor.at;
  while (continuesScalar(cursor.text.charCodeAt(cursor.at))) cursor.at++;
  const token = cursor.text.slice(start, cursor.at);
  if (token === 'null') return null;
  return token === 'true' || token === 'false' ? token === 'true' : new JsonNumber(token);
}

/** Moves to what comes next. Where the syntax is right, commas and colons say no more than blanks do. */
function nextChar(cursor: Cursor): number {
  for (; ; cursor.at++) {
    const char = cursor.text.charCodeAt(cursor.at);
    if (!isSpace(char) && char !== COMMA && char !== COLON) return char;
  }
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

/** Digits, letters, and the `+ - .` of a number. */
function continuesScalar(char: number): boolean {
  return continuesNumber(char) || (char >= 97 && char <= 122);
}

/** One text for all ways to write a value that was read strictly: keys in order, numbers as they stand, no blanks. */
export function canonicalJson(value: unknown): string {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const record = value as Record<string, unknown>;
  let members = '';
  for (const key of Object.keys(record).sort())
    members += `${members ? ',' : ''}${writeKey(key)}${canonicalJson(record[key])}`;
  return `{${members}}`;
}
