/** Answers held against forms. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEmail, readAnswers } from './answers.ts';
import { readStrictJson } from './json-strict.ts';
import type { Field } from './step.ts';

const read = (field: Partial<Field>, json: string) => {
  const whole = { name: 'it', humanName: 'It', ...field } as Field;
  return readAnswers([whole], readStrictJson(`{"${whole.name}":${json}}`))[whole.name];
};
const text = { type: 'string' } as const;
const date = { type: 'date' } as const;
const choice = { type: 'choice', options: ['Yes', '1'] } as const;
const select = { type: 'select', options: [{ value: 'a', humanName: 'A' }] } as const;
const terms = { type: 'boolean', terms: [] } as const;

describe('an answer', () => {
  it.each<[string, Partial<Field>, string, unknown]>([
    ['a text', text, '"Jane"', 'Jane'],
    ['a text that is a number', text, '42', '42'],
    ['a whole number', { type: 'integer' }, '042'.replace('0', ''), '42'],
    ['a whole number as text', { type: 'integer' }, '"0042"', '0042'],
    ['a date', date, '{"year":2000,"month":2,"day":29}', '2000-02-29'],
    ['a date in texts', date, '{"year":"1999","month":"12","day":"1"}', '1999-12-01'],
    ['a choice', choice, '"Yes"', 'Yes'],
    ['a choice that is a number', choice, '1', '1'],
    ['an option', select, '"a"', 'a'],
    ['agreement', terms, 'true', true],
    ['nothing, where that may be', { ...text, required: false }, '""', undefined],
    ['no agreement, where that may be', { ...terms, required: false }, 'false', undefined],
    ['a code', { ...text, name: 'verifyPhoneCode' }, '"012345"', '012345'],
    ['a state', { ...text, name: 'state' }, '"Bavaria"', 'Bavaria'],
    ['no state', { ...text, name: 'state', required: false }, '"undefined"', undefined],
  ])('is %s', (_what, field, sent, expected) => {
    expect(read(field, sent)).toBe(expected);
  });

  it.each<[string, Partial<Field>, string]>([
    ['missing', text, 'null'],
    ['empty', text, '""'],
    ['too long', text, `"${'x'.repeat(1_001)}"`],
    ['an object', text, '{}'],
    ['agreement where a text is asked for', text, 'true'],
    ['with characters that cannot be seen', text, '"a\\u0000b"'],
    ['a fraction', { type: 'integer' }, '1.5'],
    ['below zero', { type: 'integer' }, '-1'],
    ['words', { type: 'integer' }, '"many"'],
    ['no day of the calendar', date, '{"year":2001,"month":2,"day":29}'],
    ['the thirteenth month', date, '{"year":2001,"month":13,"day":1}'],
    ['a date without a day', date, '{"year":2001,"month":2}'],
    ['a date in an array', date, '[2001, 2, 3]'],
    ['a date before anybody', date, '{"year":1776,"month":7,"day":4}'],
    ['none of the options', select, '"b"'],
    ['none of the choices', choice, '"No"'],
    ['something all objects have', select, '"toString"'],
    ['disagreement', terms, 'false'],
    ['a word for agreement', terms, '"true"'],
    ['a state that is asked for', { ...text, name: 'state' }, '"undefined"'],
    ['five digits', { ...text, name: 'verifyEmailCode' }, '"12345"'],
    ['six letters', { ...text, name: 'verifyEmailCode' }, '"abcdef"'],
    ['no e-mail address', { ...text, name: 'email' }, '"jane"'],
  ])('is not %s', (_what, field, sent) => {
    const name = field.name ?? 'it';
    expect(() => read(field, sent)).toThrow(expect.objectContaining({ kind: 'badInput', field: name }));
  });

  it('is never repeated in what is said about it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6 }), sent => {
        try {
          read({ ...text, name: 'email', humanName: 'E-mail' }, JSON.stringify(sent));
        } catch (error) {
          expect((error as Error).message).not.toContain(sent);
        }
      }),
    );
  });
});

describe('answers', () => {
  it('hold what was asked for and nothing else', () => {
    const fields = [{ ...text, name: 'a', humanName: 'A' }];
    expect(readAnswers(fields, readStrictJson('{"a":"1","b":"2","toString":"3"}'))).toEqual({ a: '1' });
  });

  it.each(['[]', '"text"', '1', 'null', 'true'])('are an object, not %s', json => {
    expect(() => readAnswers([], readStrictJson(json))).toThrow('body must be a JSON object');
  });
});

describe('an e-mail address', () => {
  it.each([
    'jane@example.com',
    'jane.doe+shop@mail.example.co.uk',
    'j@a-b.io',
    "o'neil@example.org",
    'jörg@bücher.example',
  ])('is %s', address => {
    expect(isEmail(address)).toBe(true);
  });

  it.each([
    'jane',
    'jane@',
    '@example.com',
    'jane@example',
    'jane@@example.com',
    'ja ne@example.com',
    'jane@example..com',
    'jane@-example.com',
    'jane@example.com\n',
    `${'x'.repeat(65)}@example.com`,
    `jane@${'x.'.repeat(130)}com`,
  ])('is not %j', address => {
    expect(isEmail(address)).toBe(false);
  });
});
