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
  for (const number of [1, sizes.includes(NULL) ? 1 : 0, type, sizes.length, 1])
    at = bytes.writeInt32BE(number, at);
  for (const [index, length] of sizes.entries()) {
    at = bytes.writeInt32BE(length, at);
    if (length === NULL) continue;
    put(bytes, at, index);
    at += length;
  }
  return bytes;
}
