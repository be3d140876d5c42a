/** What PostgreSQL reads in the bytes of an array: its head, and each element as it was. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byteArray, textArray } from './arrays.ts';

test('an array begins with its dimension, whether it has nulls, its type, and how many it holds', () => {
  expect(textArray(['a', undefined]).toString('hex')).toBe(
    [...['00000001', '00000001', '00000019', '00000002', '00000001'], ...['00000001', '61', 'ffffffff']].join(
      '',
    ),
  );
  expect(byteArray([Buffer.of(1, 2)]).toString('hex')).toBe(
    [...['00000001', '00000000', '00000011', '00000001', '00000001'], ...['00000002', '0102']].join(''),
  );
});

test('texts and bytes stand in it as they are, whatever they hold', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ maxLength: 1_500 }));
  fc.assert(
    fc.property(fc.array(fc.option(text, { nil: undefined })), texts => {
      const read = elementsOf(textArray(texts)).map(bytes => bytes?.toString('utf8'));
      expect(read).toEqual(texts);
    }),
  );
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), items => {
      expect(elementsOf(byteArray(items))).toEqual(items.map(item => Buffer.from(item)));
    }),
  );
});

/** As PostgreSQL reads them: each behind its length, which is negative for a null. */
function elementsOf(array: Buffer): (Buffer | undefined)[] {
  const elements: (Buffer | undefined)[] = [];
  for (let at = 20; at < array.length; ) {
    const length = array.readInt32BE(at);
    at += 4;
    elements.push(length < 0 ? undefined : array.subarray(at, at + length));
    at += Math.max(length, 0);
  }
  expect(elements).toHaveLength(array.readInt32BE(12));
  return elements;
}
