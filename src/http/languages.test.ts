/** Languages: whoever can be answered in their own is. */
import { describe, expect, it } from 'vitest';
import { acceptLanguage, readLanguage } from './languages.ts';

describe('a language that is asked for', () => {
  it.each([
    ['de', 'de'],
    ['DE', 'de'],
    ['pt-BR', 'pt'],
    ['zh-Hant', undefined],
    ['ja_JP', 'ja'],
    [' ar ', 'ar'],
    ['english', undefined],
    ['', undefined],
    ['<script>', undefined],
    ['__proto__', undefined],
    [['de', 'fr'], undefined],
    [undefined, undefined],
  ])('%j is %j', (text, language) => {
    expect(readLanguage(text)).toBe(language);
  });
});

describe('what a browser accepts', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['*', undefined],
    ['de', 'de'],
    ['de-CH,de;q=0.9,en;q=0.8', 'de'],
    ['nl-NL,nl;q=0.9,fr;q=0.8,en;q=0.7', 'fr'],
    ['en;q=0.5, ja;q=0.9', 'ja'],
    ['es;q=0, en', 'en'],
    ['ko,zh', undefined],
    ['ar ; q=1.0', 'ar'],
    ['de;q=nonsense', 'de'],
    [`${'x'.repeat(600)},de`, undefined],
    [',,;;q=,', undefined],
  ])('%j leads to %j', (header, language) => {
    expect(acceptLanguage(header)).toBe(language);
  });
});
