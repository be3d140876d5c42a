/** Search: what a query becomes behind a path, whatever is in it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { searchOf } from './search.ts';

const asIs = (text: string) => text;

describe('a search', () => {
  it('is nothing without anything to say', () => {
    expect(searchOf(undefined, asIs)).toBe('');
    expect(searchOf({}, asIs)).toBe('');
    expect(searchOf({ amount: undefined }, asIs)).toBe('');
  });

  it('leaves out what is undefined, not what is empty', () => {
    expect(searchOf({ a: undefined, b: '', c: '1.50' }, asIs)).toBe('?b=&c=1.50');
  });

  it('says a secret as it is to be sent', () => {
    expect(searchOf({ key: '[[key]]' }, text => text.replace('[[key]]', 'a&b'))).toBe('?key=a%26b');
  });

  it('is read back as it was meant, and holds nothing that a request line cannot', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(fc.dictionary(text, text), query => {
        const search = searchOf(query, asIs);
        expect(search).toMatch(/^(\?[!-~]*)?$/);
        expect(Object.fromEntries(new URLSearchParams(search))).toEqual({ ...query });
      }),
    );
  });
});
