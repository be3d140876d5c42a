/** Query strings for signed links: a browser must not have anything left to change. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeSearch } from './links.ts';

describe('a query string', () => {
  it('holds the values in order, encoded, without those that are not known', () => {
    const search = writeSearch({ b: 'x y&z', a: undefined, c: "https://shop.example/o'neil?q=1#2" });
    expect(search).toBe('?b=x%20y%26z&c=https%3A%2F%2Fshop.example%2Fo%27neil%3Fq%3D1%232');
  });

  it('is the same after a browser has read it, whatever is in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), value => {
        const search = writeSearch({ name: value, last: 'x' });
        const url = new URL(`https://pages.example/${search}`);
        expect(url.search).toBe(search);
        expect(url.searchParams.get('name')).toBe(value);
      }),
    );
  });
});
