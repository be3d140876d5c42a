/** JSON without floats: numbers are read as their own text, and amounts are written as exact numbers. */
import { isAmount } from './money.ts';

/** Parses JSON so that every number arrives as the text it was written in. Throws SyntaxError on anything else. */
export function parseJson(text: string): unknown {
  return JSON.parse(quoteNumbers(text));
}

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;

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
      while (continuesNumber(text.charCodeAt(at))) at++;
      const token = text.slice(start, at);
      if (!JSON_NUMBER.test(token)) throw new SyntaxError(`not a JSON number: ${token.slice(0, 40)}`);
      quoted += `${text.slice(copied, start)}"${token}"`;
      copied = at;
      while (isSpace(text.charCodeAt(at))) at++;
      if (text.charCodeAt(at) === COLON) throw new SyntaxError('a key must be a string');
    } else {
      at++;
    }
  }
  return quoted + text.slice(copied);
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
  return char === 45 || (char >= 48 && char <= 57);
}

/** Digits, and the `+ - . e E` a number may hold. */
function continuesNumber(char: number): boolean {
  return (
    (char >= 48 && char <= 57) || char === 46 || char === 43 || char === 45 || char === 101 || char === 69
  );
}

/** Text that is JSON already, to be written as it stands. */
export interface Prepared {
  readonly json: string;
}

/** Writes a value as JSON; amounts become numbers in their shortest exact form, `undefined` members are left out. */
export function writeJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (isPrepared(value)) return value.json;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (isAmount(value)) return value.toString();
  let members = '';
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) {
    const member = record[key];
    if (member === undefined) continue;
    members += `${members ? ',' : ''}${writeKey(key)}${writeJson(member)}`;
  }
  return `{${members}}`;
}

const KEY = /^[A-Za-z][A-Za-z0-9]*$/;

function writeKey(key: string): string {
  return KEY.test(key) ? `"${key}":` : `${JSON.stringify(key)}:`;
}

/** Marks text as JSON that was written before, so that large constant parts are written once. */
export function prepared(value: unknown): Prepared {
  return new PreparedJson(writeJson(value));
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
