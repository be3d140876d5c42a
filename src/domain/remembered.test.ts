/** What is made of a word once is made of it always, and strangers' words fill no memory. */
import { describe, expect, it } from 'vitest';
import { remembered } from './remembered.ts';

describe('what is remembered of words', () => {
  it('is what was made of them, once each', () => {
    const asked: string[] = [];
    const shout = remembered(word => {
      asked.push(word);
      return `${word.toUpperCase()}!`;
    });
    expect(['a', 'b', 'a', '__proto__', 'a', '__proto__'].map(shout)).toEqual([
      'A!',
      'B!',
      'A!',
      '__PROTO__!',
      'A!',
      '__PROTO__!',
    ]);
    expect(asked).toEqual(['a', 'b', '__proto__']);
  });

  it('is right for any number of words, and kept for no more than a thousand', () => {
    let made = 0;
    const echo = remembered(word => {
      made++;
      return word;
    });
    const words = Array.from({ length: 1_001 }, (_, at) => `word ${at}`);
    expect(words.map(echo)).toEqual(words);
    expect(words.map(echo)).toEqual(words);
    expect(made).toBe(1_002);
  });
});
