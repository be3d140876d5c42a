/** JSON without floats: the same texts as JSON.parse, with every number as its own text. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson, prepared, writeJson } from './json.ts';
import { decimal } from './money.ts';

/** A JSON text and what it must be read as. */
interface Sample {
  text: string;
  value: unknown;
}

const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 3 });

const numberText = fc
  .tuple(
    fc.boolean(),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,30}$/)),
    fc.option(fc.stringMatching(/^[0-9]{1,30}$/)),
    fc.option(fc.stringMatching(/^[eE][+-]?[0-9]{1,4}$/)),
  )
  .map(([minus, whole, fraction, exponent]) =>
    [minus ? '-' : '', whole, fraction === null ? '' : `.${fraction}`, exponent ?? ''].join(''),
  );

/** A string as JSON, now and then with every character escaped. */
const stringSample = fc
  .tuple(
    fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('"', '\\', '1', '-', '/', '\u2028', ',', '{', '}', ':') }),
    ),
    fc.boolean(),
  )
  .map(
    ([value, escaped]): Sample => ({
      text: escaped ? `"${escapeAll(value)}"` : JSON.stringify(value),
      value,
    }),
  );

function escapeAll(text: string): string {
  let escaped = '';
  for (let at = 0; at < text.length; at++) {
    escaped += `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}

const samples = fc.letrec<{ any: Sample }>(tie => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Sample>(
      { text: 'null', value: null },
      { text: 'true', value: true },
      { text: 'false', value: false },
    ),
    numberText.map(text => ({ text, value: text })),
    stringSample,
    fc.tuple(space, fc.array(fc.tuple(space, tie('any'), space), { maxLength: 5 })).map(
      ([gap, items]): Sample => ({
        text: `[${items.map(([before, { text }, after]) => before + text + after).join(',') || gap}]`,
        value: items.map(([, { value }]) => value),
      }),
    ),
    fc.tuple(space, fc.array(fc.tuple(space, stringSample, space, tie('any'), space), { maxLength: 5 })).map(
      ([gap, members]): Sample => ({
        text: `{${members.map(([a, key, b, { text }, c]) => `${a}${key.text}${b}:${b}${text}${c}`).join(',') || gap}}`,
        value: Object.fromEntries(members.map(([, key, , { value }]) => [key.value, value])),
      }),
    ),
  ),
})).any;

const padded = fc
  .tuple(space, samples, space)
  .map(([before, { text, value }, after]) => ({ text: before + text + after, value }));

/** What a parser makes of a text; refusals are all alike. */
function outcome(parse: (text: string) => unknown, text: string): 'read' | 'refused' {
  try {
    parse(text);
    return 'read';
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return 'refused';
  }
}

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
    const scrap = fc.constantFrom(
      ...'"\\{}[]:,-+.eE0129 \n\tntf',
      '\u0000',
      '\ufeff',
      '1e',
      'NaN',
      '//',
      "'",
    );
    const damage = fc.tuple(fc.constantFrom('cut', 'insert', 'replace', 'truncate'), fc.nat(), scrap);
    fc.assert(
      fc.property(padded, fc.array(damage, { minLength: 1, maxLength: 3 }), (sample, damages) => {
        let { text } = sample;
        for (const [how, where, what] of damages) {
          const at = where % (text.length + 1);
          if (how === 'truncate') text = text.slice(0, at);
          else
            text =
              text.slice(0, at) + (how === 'cut' ? '' : what) + text.slice(how === 'insert' ? at : at + 1);
        }
        return outcome(parseJson, text) === outcome(JSON.parse, text);
      }),
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
