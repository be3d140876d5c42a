/** Tags under every alteration of what they are of. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTags, TAG } from './tags.ts';

const KEY = Buffer.alloc(32, 7);
const tags = createTags(KEY, 'quote');
const texts = fc.string({ unit: 'grapheme' });

it('prove a text, and have the form that patterns know', () => {
  fc.assert(
    fc.property(texts, text => {
      expect(tags.of(text)).toMatch(new RegExp(`^${TAG}$`));
      expect(tags.isOf(text, tags.of(text))).toBe(true);
    }),
  );
});

it('prove no other text, under no other key, for no other purpose', () => {
  const others = [createTags(Buffer.alloc(32, 8), 'quote'), createTags(KEY, 'session')];
  fc.assert(
    fc.property(texts, texts, (one, two) => {
      fc.pre(one !== two);
      const tag = tags.of(one);
      expect([tags.isOf(two, tag), ...others.map(other => other.isOf(one, tag))]).toEqual([
        false,
        false,
        false,
      ]);
    }),
  );
});

it('are nothing else, whatever that is', () => {
  fc.assert(fc.property(texts, texts, (text, other) => other === tags.of(text) || !tags.isOf(text, other)));
  expect(tags.isOf('x', 'ä'.repeat(22))).toBe(false);
});
