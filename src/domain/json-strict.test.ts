/** JSON as strangers send it, read strictly, and the one form in which equal bodies are equal. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { damaged, outcome, padded } from '../../test/json-samples.ts';
import { parseJson } from './json.ts';
import { canonicalJson, JsonNumber, readStrictJson, StrictJsonFault } from './json-strict.ts';

/** The value with plain prototypes and numbers as texts, as `parseJson` reads it. */
function plain(value: unknown): unknown {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  const inherited = Object.getPrototypeOf(value);
  expect([Reflect.ownKeys(inherited), Object.getPrototypeOf(inherited)]).toEqual([[], null]);
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
      const took = Array.from({ length: 3 }, () => {
        const began = performance.now();
        refusal(text);
        return performance.now() - began;
      });
      // A machine that is busy with something else holds up one of three, not each.
      expect(Math.min(...took)).toBeLessThan(200);
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
