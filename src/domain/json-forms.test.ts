/** Forms: a reader that has learned some reads what one that has not would, whatever it is given. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { damaged, padded } from '../../test/json-samples.ts';
import { parseJson } from './json.ts';
import { createJsonReader } from './json-forms.ts';

/** What comes of a text; what cannot be read is refused in whatever words. */
function readBy(read: (text: string) => unknown, text: string): unknown {
  try {
    return { value: read(text) };
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return 'refused';
  }
}

function expectSame(texts: readonly string[]): void {
  const reader = createJsonReader();
  const read = (text: string) => {
    const value = reader.read(text);
    reader.giveBack(value);
    return value;
  };
  for (const text of texts) expect(readBy(read, text)).toStrictEqual(readBy(parseJson, text));
}

const number = fc.constantFrom(
  '0',
  '-0',
  '1.50',
  '12',
  '1e-7',
  '-2.5E+3',
  '01',
  '1.',
  '-',
  '00.1',
  '9'.repeat(30),
);
const word = fc.oneof(
  fc.constantFrom('eur', '', '1', '\\u0065ur', '\\"', 'a\\\\', '\n', 'é', '😀', '\ud800', '"', '":1,"', ','),
  fc.string({ maxLength: 6 }),
);
const leaf = fc.oneof(
  number,
  word.map(text => `"${text}"`),
  fc.constantFrom('null', 'true', 'false', '[]', '{}', '[1]', '{"a":1}', ' 1'),
);

describe('a reader', () => {
  it('reads whatever comes as if it were the first', () => {
    const texts = fc.array(
      fc.oneof(
        padded.map(({ text }) => text),
        damaged,
      ),
      { minLength: 2, maxLength: 8 },
    );
    fc.assert(
      fc.property(texts, all => expectSame([...all, ...all, ...all])),
      { numRuns: 500 },
    );
  });

  it('reads what is nearly always written alike', () => {
    const answer = fc
      .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom('1', '"eur"') }, leaf), {
        minLength: 5,
        maxLength: 5,
      })
      .map(([a, b, c, d, e]) => `{"a":${a},"b":[${b},{"c":${c}}],"d":${d},"e":${e}}`);
    fc.assert(fc.property(fc.array(answer, { minLength: 3, maxLength: 20 }), expectSame), { numRuns: 2_000 });
  });

  it('reads a text that is altered anywhere', () => {
    const text = '{"id":"x1","amount":12.50,"ok":true,"none":null,"list":[{"a":"b","n":0},"c"],"rate":"0.1"}';
    const alike = text.replace('x1', 'y22').replace('12.50', '7').replace('"c"', '"d"');
    for (let at = 0; at <= text.length; at++) {
      for (const letter of ['', '"', '\\', '1', '.', '-', ',', '}', ' ', '\u0000', 'é']) {
        expectSame([text, alike, text.slice(0, at) + letter + text.slice(at + 1), alike]);
        expectSame([text, alike, text.slice(0, at) + letter + text.slice(at), text]);
      }
      expectSame([text, alike, text.slice(0, at), text + text.slice(at)]);
    }
  });

  it.each([
    ['members of one name', '{"a":1,"a":"2"}', '{"a":3,"a":"4"}'],
    ['members that are numbers', '{"b":1,"2":2,"1":3}', '{"b":4,"2":5,"1":6}'],
    ['a member that is no prototype', '{"__proto__":{"a":1},"b":2}', '{"__proto__":{"a":3},"b":4}'],
    ['a text that is another member', '{"a":"1","b":"2"}', '{"a":"1\\",\\"b\\":\\"2","b":"2"}'],
    ['nothing but a number', '1', '2.50'],
    ['nothing but a text', '"a"', '"b"'],
    ['nothing to fill in', '{"a":[]}', '{"a":[]}'],
    ['too long a text', `["${'a'.repeat(5_000)}",1]`, `["${'a'.repeat(5_000)}",2]`],
  ])('reads %s', (_what, one, other) => {
    expectSame([one, one, other, one, other]);
  });

  it('reads on when nothing is ever written as before', () => {
    expectSame(Array.from({ length: 300 }, (_, at) => `{"${'k'.repeat(at % 97)}":${at},"a":"${at % 7}"}`));
  });

  it('lends what it reads to one at a time', () => {
    const { read, giveBack } = createJsonReader();
    const texts = ['1', '2', '3', '4', '5'].map(n => `{"a":{"b":["c${n}"]},"n":${n}}`);
    const values = texts.map(read);
    expect(values).toStrictEqual(texts.map(parseJson));
    for (const value of values) giveBack(value);
    const [first, second] = texts.slice(0, 2).map(read);
    expect([first, second]).toStrictEqual(texts.slice(0, 2).map(parseJson));
    giveBack(second);
    expect(read(texts[2] ?? '')).not.toBe(first);
    giveBack(first);
    expect(read(texts[3] ?? '')).toBe(first);
    expect(first).toStrictEqual(parseJson(texts[3] ?? ''));
  });

  it('lends nothing that somebody read before there was a form of it', () => {
    const { read, giveBack } = createJsonReader();
    const [first] = ['{"a":[1]}', '{"a":[2]}'].map(read);
    giveBack(first);
    expect(read('{"a":[3]}')).not.toBe(first);
    expect(first).toStrictEqual({ a: ['1'] });
  });
});
