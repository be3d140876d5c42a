/** JSON without floats: the same texts as JSON.parse, with every number as its own text. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  JsonNumber,
  parseJson,
  prepared,
  readStrictJson,
  StrictJsonFault,
  writeJson,
} from './json.ts';
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

const scrap = fc.constantFrom(
  ...'"\\{}[]:,-+.eE0129 \n\tntf',
  '\u0000',
  '\ufeff',
  '1e',
  'NaN',
  '//',
  "'",
  '"a":1,',
  '"__proto__":1,',
);

/** JSON with a few characters cut, added or replaced. */
const damaged = fc
  .tuple(
    padded,
    fc.array(fc.tuple(fc.constantFrom('cut', 'insert', 'replace', 'truncate'), fc.nat(), scrap), {
      minLength: 1,
      maxLength: 3,
    }),
  )
  .map(([sample, damages]) => {
    let { text } = sample;
    for (const [how, where, what] of damages) {
      const at = where % (text.length + 1);
      if (how === 'truncate') text = text.slice(0, at);
      else
        text = text.slice(0, at) + (how === 'cut' ? '' : what) + text.slice(how === 'insert' ? at : at + 1);
    }
    return text;
  });

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

/** The value with plain prototypes and numbers as texts, as `parseJson` reads it. */
function plain(value: unknown): unknown {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  expect(Object.getPrototypeOf(value)).toBe(null);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}

/** Where and why a text is refused; undefined when it is read. */
function refusal(text: string): { path: string; message: string } | undefined {
  try {
    readStrictJson(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof StrictJsonFault)) throw error;
    return { path: error.path, message: error.message };
  }
}

const nested = (depth: number, inside = '1') => `${'[ '.repeat(depth)}${inside}${']'.repeat(depth)}`;
const members = (count: number) => Array.from({ length: count }, (_, at) => `"k${at}":${at}`).join(',');

describe('readStrictJson', () => {
  it('reads the same value as any parser, or says why not', () => {
    let read = 0;
    fc.assert(
      fc.property(padded, ({ text }) => {
        if (refusal(text)) return true;
        read++;
        return isDeepStrictEqual(plain(readStrictJson(text)), parseJson(text));
      }),
      { numRuns: 2_000 },
    );
    expect(read).toBeGreaterThan(1_000);
  });

  it('reads nothing that is no JSON, and never fails in another way', () => {
    fc.assert(
      fc.property(damaged, text => refusal(text) !== undefined || outcome(JSON.parse, text) === 'read'),
      { numRuns: 5_000 },
    );
  });

  it('keeps numbers apart from texts, with every digit', () => {
    expect(readStrictJson('[100, "100", 12345678901234567890.10, 1e309, -0]')).toEqual([
      new JsonNumber('100'),
      '100',
      new JsonNumber('12345678901234567890.10'),
      new JsonNumber('1e309'),
      new JsonNumber('-0'),
    ]);
  });

  it.each([
    ['nothing', '', ''],
    ['blanks', ' \n', ''],
    ['a byte order mark', '\ufeff{}', ''],
    ['a second value', '{} {}', ''],
    ['text behind it', '{}x', ''],
    ['a comma too many', '{"a":1,}', ''],
    ['a comment', '{/**/}', ''],
    ['single quotes', "{'a':1}", ''],
    ['NaN', '[NaN]', ''],
    ['a key twice', '{"a":1,"b":2,"a":1}', 'a'],
    ['a key twice, spelled in two ways', '{"a":{"b":1,"\\u0062":2}}', 'a.b'],
    ['__proto__', '{"a":[{"__proto__":{}}]}', 'a[0].__proto__'],
    ['__proto__, escaped', '{"\\u005f_proto__":1}', '__proto__'],
    ['constructor', '{"a":{"constructor":1}}', 'a.constructor'],
    ['prototype', '{"prototype":1}', 'prototype'],
    ['half a character', '{"a":["\\ud800"]}', 'a[0]'],
    ['half a character in a key', '{"b":{"\\udc00":1}}', 'b'],
    ['a string of 4,097 characters', `{"a":{"b":"${'x'.repeat(4_097)}"}}`, 'a.b'],
    ['a key of 4,097 characters', `{"${'x'.repeat(4_097)}":1}`, ''],
    ['17 levels', nested(17), '[0]'.repeat(16)],
    ['200,000 levels', nested(200_000), '[0]'.repeat(16)],
    ['200,000 objects that never end', '{"a":'.repeat(200_000), ''],
    ['257 keys', `{${members(257)}}`, 'k256'],
    ['257 keys in all', `{"a":{${members(200)}},"b":[${'1,'.repeat(55)}1]}`, 'b[54]'],
    ['20,000 keys', `{${members(20_000)}}`, 'k256'],
    ['a key twice that cannot be said', `{"${'\\u202e'.repeat(9)}":1,"${'\\u202e'.repeat(9)}":1}`, '?'],
  ])('refuses %s and says where', (_what, text, path) => {
    expect(refusal(text)).toMatchObject({ path, message: expect.stringMatching(/^\S+ [a-z]/) });
  });

  it.each([
    ['16 levels', nested(16)],
    ['16 levels with an empty one', nested(15, '{}')],
    ['256 keys', `{${members(256)}}`],
    ['a string of 4,096 characters', `["${'x'.repeat(4_096)}"]`],
    ['a string of 4,096 escaped characters', `["${'\\u0041'.repeat(4_096)}"]`],
    ['a whole pair of surrogates', '["\\ud83c\\udf40","🍀"]'],
    ['keys that all objects have otherwise', '{"toString":1,"hasOwnProperty":2}'],
    ['no object at all', ' "a" '],
  ])('reads %s', (_what, text) => {
    expect(refusal(text)).toBeUndefined();
  });

  it('says nothing of what it read where it is no JSON', () => {
    expect(refusal('{"wallet": bc1qsecret}')?.message).not.toContain('bc1q');
    expect(refusal('bc1qsecret')?.message).not.toContain('bc1q');
  });

  it('reads 64 kB of anything in time that grows with its length', () => {
    const fill = (unit: string) => unit.repeat(Math.ceil(65_536 / unit.length));
    for (const text of [
      fill('['),
      fill('{"a":'),
      fill('"\\"'),
      `"${fill('\\\\')}"`,
      fill('1'),
      fill(' '),
      fill('1,'),
      `[${fill('"",')}""]`,
      `["${fill('\\u0041')}"]`,
    ]) {
      const began = performance.now();
      refusal(text);
      expect(performance.now() - began).toBeLessThan(200);
    }
  });

  it('leaves the prototype of everything alone', () => {
    refusal('{"__proto__":{"polluted":1}}');
    refusal('{"constructor":{"prototype":{"polluted":1}}}');
    expect('polluted' in {}).toBe(false);
  });
});

describe('canonicalJson', () => {
  it('is one text for every way to write a value, and another for every other value', () => {
    const one = canonicalJson(readStrictJson('{"b":[1.50,"1.50",null,true],"a":{"d":"\\u0041","c":{}}}'));
    expect(one).toBe('{"a":{"c":{},"d":"A"},"b":[1.50,"1.50",null,true]}');
    expect(canonicalJson(readStrictJson(' {"a" : {"c":{ },"d":"A"},\n"b":[1.50 , "1.50",null,true]}'))).toBe(
      one,
    );
  });

  it('reads back as the value it was made of', () => {
    fc.assert(
      fc.property(padded, ({ text }) => {
        if (refusal(text)) return true;
        const value = readStrictJson(text);
        return isDeepStrictEqual(plain(readStrictJson(canonicalJson(value))), plain(value));
      }),
    );
  });
});
