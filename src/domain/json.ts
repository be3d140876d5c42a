/** JSON without floats: numbers are read as their own text, and amounts are written as exact numbers. */
import { COLON, closingQuote, endOfNumber, isSpace, QUOTE, startsNumber } from './json-letters.ts';
import { isAmount } from './money.ts';
import { remembered } from './remembered.ts';

/** Parses JSON so that every number arrives as the text it was written in. Throws SyntaxError on anything else. */
export function parseJson(text: string): unknown {
  return JSON.parse(quoteNumbers(text));
}

/** Puts every number into quotes. What is not a JSON number is left to the parser, which refuses it. */
function quoteNumbers(text: string): string {
  let quoted = '';
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      const end = closingQuote(text, at);
      at = end < 0 ? text.length : end + 1;
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

/** Text that is JSON already, to be written as it stands. */
export interface Prepared {
  readonly json: string;
}

/** Writes a value as JSON; amounts become numbers in their shortest exact form, `undefined` members are left out. */
export function writeJson(value: unknown): string {
  return write(value, piece => piece.json);
}

/** Where a prepared piece goes in what is written around it; JSON holds this letter nowhere. */
const GAP = '\u0000';

/** The same in bytes. What was prepared is only copied: put together as text, it would be moved three times over. */
export function writeJsonBytes(value: unknown): Buffer {
  const pieces: PreparedJson[] = [];
  let size = 0;
  const text = write(value, piece => {
    size += piece.bytes.length;
    pieces.push(piece);
    return GAP;
  });
  const written = Buffer.allocUnsafe(size + text.length * MOST_BYTES);
  let end = 0;
  let from = 0;
  for (const { bytes } of pieces) {
    const gap = text.indexOf(GAP, from);
    end += written.write(text.slice(from, gap), end);
    end += bytes.copy(written, end);
    from = gap + 1;
  }
  end += written.write(text.slice(from), end);
  return written.subarray(0, end);
}

/** Of a letter, as text counts them. */
const MOST_BYTES = 3;

/** What stands for a prepared piece. */
type Place = (piece: PreparedJson) => string;

function write(value: unknown, place: Place): string {
  if (typeof value === 'string') return writeText(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (isAmount(value)) return value.toString();
  if (isPrepared(value)) return place(value);
  if (Array.isArray(value)) return writeArray(value, place);
  return writeObject(value as Record<string, unknown>, place);
}

/** Texts that stand in JSON as they are; most of ours do, and telling so costs less than writing them letter by letter. */
const PLAIN = /^[\w .:/-]*$/;

/** A text as JSON. */
export function writeText(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** What is joined is one piece, which whoever sends it need not put together again: so the brackets are joined with the rest. */
function writeArray(items: readonly unknown[], place: Place): string {
  const last = items.length - 1;
  if (last < 0) return '[]';
  const written = items.map(item => write(item, place));
  written[0] = `[${written[0]}`;
  written[last] += ']';
  return written.join(',');
}

/** By `for … in`, as V8 then finds members without looking for them. */
function writeObject(record: Readonly<Record<string, unknown>>, place: Place): string {
  let members = '';
  let writeName = writeFirst;
  for (const key in record) {
    const member = record[key];
    if (member === undefined) continue;
    members += writeName(key) + write(member, place);
    writeName = writeNext;
  }
  return members ? `${members}}` : '{}';
}

const writeFirst = remembered(key => `{${writeKey(key)}`);
const writeNext = remembered(key => `,${writeKey(key)}`);

/** The name of a member as JSON, and the colon behind it. */
export const writeKey = remembered(key => `${JSON.stringify(key)}:`);

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
  #bytes: Buffer | undefined;

  constructor(json: string) {
    this.json = json;
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.json);
    return this.#bytes;
  }
}

function isPrepared(value: unknown): value is PreparedJson {
  return value instanceof PreparedJson;
}
