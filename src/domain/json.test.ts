/** JSON without floats: the same texts as JSON.parse, with every number as its own text. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { damaged, outcome, padded } from '../../test/json-samples.ts';
import { parseJson, prepared, writeJson, writeJsonBytes } from './json.ts';
import { decimal } from './money.ts';

describe('parseJson', () => {
  it('reads any JSON with its numbers as they were written', () => {
    fc.assert(
      fc.property(padded, ({ text, value }) => isDeepStrictEqual(parseJson(text), value)),
      { numRuns: 1_000 },
    );
  });

  it('reads what JSON.stringify writes as JSON.parse would, numbers apart', () => {
    const textual = (value: unknown): unknown => {
      if (typeof value === 'number') return JSON.stringify(value);
      if (Array.isArray(value)) return value.map(textual);
      if (value === null || typeof value !== 'object') return value;
      return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, textual(member)]));
    };
    fc.assert(fc.property(fc.json(), text => isDeepStrictEqual(parseJson(text), textual(JSON.parse(text)))));
  });

  it('accepts and refuses the same damaged texts as JSON.parse', () => {
    fc.assert(
      fc.property(damaged, text => outcome(parseJson, text) === outcome(JSON.parse, text)),
      { numRuns: 5_000 },
    );
  });

  it.each(['{1:2}', '{"a":1,2:3}', '{-1.5e3 : null}', '[{0\n:"a"}]'])(
    'refuses a number as a key: %j',
    text => {
      expect(outcome(parseJson, text)).toBe('refused');
    },
  );

  it.each([
    '',
    ' ',
    '01',
    '-',
    '1.',
    '.5',
    '+1',
    '1e',
    '--1',
    '1-1',
    '1 2',
    '"a',
    '"\\"',
    '[1,]',
    'nul',
    '0x1',
    'NaN',
  ])('refuses %j', text => {
    expect(outcome(parseJson, text)).toBe('refused');
  });

  it('keeps digits that a double would lose, and exponents as they stand', () => {
    expect(parseJson('[12345678901234567890.1, 1e309, -0, 0.10, 1E+2]')).toEqual([
      '12345678901234567890.1',
      '1e309',
      '-0',
      '0.10',
      '1E+2',
    ]);
  });

  it('makes __proto__ a plain member and leaves the prototype alone', () => {
    const value = parseJson('{"__proto__":{"polluted":1}}') as object;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
  });

  it('reads a large text of quotes and backslashes in time that grows with its length', () => {
    const text = JSON.stringify('\\"'.repeat(100_000));
    const began = performance.now();
    expect(parseJson(`[${text},1]`)).toEqual([JSON.parse(text), '1']);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

describe('writeJson', () => {
  it('writes any value so that JSON.parse gives it back', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), value => {
        return isDeepStrictEqual(JSON.parse(writeJson(value)), JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('writes what was parsed so that it parses to the same', () => {
    fc.assert(
      fc.property(padded, ({ text, value }) =>
        isDeepStrictEqual(parseJson(writeJson(parseJson(text))), value),
      ),
    );
  });

  it('writes an amount as a number with exactly its digits', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 39n }),
        fc.integer({ min: 0, max: 30 }),
        (digits, scale) => {
          const amount = decimal(`${digits}e-${scale}`);
          return isDeepStrictEqual(parseJson(writeJson({ amount })), { amount: amount.toString() });
        },
      ),
    );
    expect(writeJson([decimal('0.1').plus(decimal('0.2')), decimal('1e-18')])).toBe(
      '[0.3,0.000000000000000001]',
    );
  });

  it('leaves out members that are undefined and writes prepared parts as they stand', () => {
    const part = prepared({ a: decimal('1.50') });
    expect(writeJson({ gone: undefined, part, none: null })).toBe('{"part":{"a":1.5},"none":null}');
  });

  it('takes no text for prepared JSON that merely looks like it', () => {
    expect(writeJson({ json: '"}' })).toBe('{"json":"\\"}"}');
  });
});

describe('writeJsonBytes', () => {
  it('writes the bytes of what writeJson writes, wherever prepared parts stand in it', () => {
    const leaf = fc.oneof(
      fc.string({ unit: 'binary' }).map(text => text.replace(/\p{Surrogate}/gu, '')),
      fc.string({ unit: fc.constantFrom('\u0000', '"', '\\', 'a', '€', '😀') }),
      fc.constantFrom(null, true, undefined, 7, decimal('0.10')),
    );
    const { value } = fc.letrec(tie => ({
      value: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 4 }), tie('value'), { maxKeys: 4 }),
        tie('value').map(prepared),
      ),
    }));
    fc.assert(
      fc.property(value, one => {
        expect(writeJsonBytes(one).toString()).toBe(writeJson(one));
      }),
      { numRuns: 2_000 },
    );
  });
});
