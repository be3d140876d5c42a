/** Arrays as PostgreSQL takes them in bytes: texts go as they are, where in words every letter of them would be looked at. */

/** What PostgreSQL calls the types of elements. */
const TEXT = 25;
const BYTEA = 17;
/** One dimension, nulls or none, the type, how many, counted from 1. */
const HEAD_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL = -1;

/** A `text[]`. */
export function textArray(texts: readonly (string | undefined)[]): Buffer {
  if (texts.every(isAscii)) return asciiArray(texts);
  const sizes = texts.map(text => (text === undefined ? NULL : Buffer.byteLength(text)));
  return arrayOf(TEXT, sizes, (bytes, start, index) => bytes.write(texts[index] as string, start));
}

/** A `bytea[]`. */
export function byteArray(items: readonly Uint8Array[]): Buffer {
  const sizes = items.map(({ length }) => length);
  return arrayOf(BYTEA, sizes, (bytes, start, index) => bytes.set(items[index] as Uint8Array, start));
}

function arrayOf(
  type: number,
  sizes: readonly number[],
  put: (bytes: Buffer, start: number, index: number) => void,
): Buffer {
  const size = sizes.reduce((sum, one) => sum + LENGTH_BYTES + Math.max(one, 0), HEAD_BYTES);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const number of headOf(type, sizes.includes(NULL), sizes.length)) at = bytes.writeInt32BE(number, at);
  for (const [index, length] of sizes.entries()) {
    at = bytes.writeInt32BE(length, at);
    if (length === NULL) continue;
    put(bytes, at, index);
    at += length;
  }
  return bytes;
}

/** The same for texts of one byte a letter, which most are: as one text, with lengths in between, it becomes bytes at once. */
function asciiArray(texts: readonly (string | undefined)[]): Buffer {
  let all = headOf(TEXT, texts.includes(undefined), texts.length).map(wordOf).join('');
  for (const text of texts)
    all += text === undefined ? NULL_WORD : (WORDS[text.length] ?? wordOf(text.length)) + text;
  return Buffer.from(all, 'latin1');
}

/** Texts that were put together of many become one piece when their length is asked for, and are read quickly from then on. */
function isAscii(text: string | undefined): boolean {
  return text === undefined || Buffer.byteLength(text) === text.length;
}

function headOf(type: number, hasNulls: boolean, count: number): number[] {
  return [1, hasNulls ? 1 : 0, type, count, 1];
}

/** The four bytes of a number, as letters. */
function wordOf(number: number): string {
  return String.fromCharCode(...[24, 16, 8, 0].map(bits => (number >>> bits) & 0xff));
}

const NULL_WORD = wordOf(NULL);
/** Of the lengths that most texts have. */
const WORDS = Array.from({ length: 1024 }, (_, length) => wordOf(length));
