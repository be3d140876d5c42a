/** Texts: every language says the same things, all of them, in words of its own. */
import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../languages.ts';
import { WORDS } from './texts.ts';

type Tree = string | readonly Tree[] | { readonly [name: string]: Tree };

/** Every text of a table with the way to it. */
function flatten(tree: Tree, path = ''): [path: string, text: string][] {
  if (typeof tree === 'string') return [[path, tree]];
  return Object.entries(tree).flatMap(([name, branch]) => flatten(branch, path ? `${path}.${name}` : name));
}

/** Names of what is filled in; how a sentence begins is each language's own affair. */
const gapsOf = (text: string) =>
  [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name.toLowerCase()))].sort();

const english = new Map(flatten(WORDS.en));

/** Called so everywhere: names of standards, what German took from English, and a word that English took from German. */
const SAME = /^bank\.(iban|bic)$|^methods\.SEPA Instant$/;
const SAME_IN: Readonly<Record<string, string[]>> = { de: ['methods.Mobile Money', 'bank.bankName'] };

describe.each(LANGUAGES.filter(language => language !== 'en'))('%s', language => {
  const texts = new Map(flatten(WORDS[language]));

  it('has the entries of English, and no others', () => {
    expect([...texts.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it('leaves nothing empty, and no gap open or unknown', () => {
    for (const [path, text] of texts) {
      expect(text.trim(), path).toBe(text);
      expect(text, path).not.toBe('');
      expect(gapsOf(text), path).toEqual(gapsOf(english.get(path) ?? ''));
      expect(text.replace(/\{\w+\}/g, ''), path).not.toMatch(/[{}]/);
    }
  });

  it('says nothing in English', () => {
    const same = [...texts].filter(([path, text]) => text === english.get(path) && !SAME.test(path));
    expect(same.map(([path]) => path)).toEqual(SAME_IN[language] ?? []);
    // Words that no other of these languages has, outside of what is filled in.
    const slips = [...texts].filter(([, text]) =>
      /\b(the|you|your|this|with|and|not)\b/i.test(text.replace(/\{\w+\}/g, '')),
    );
    expect(slips).toEqual([]);
  });

  it('calls the steps what the page says when they are reached', () => {
    for (const side of ['buy', 'sell'] as const) {
      const { new: first, pending, paid, completed } = WORDS[language].sayings[side];
      expect(WORDS[language].steps[side]).toEqual(
        [first, pending, paid, completed].map(({ title }) => title),
      );
    }
  });

  it('fills nothing into titles and short words, which are shown as they stand', () => {
    const bare = /\.title$|^(pays|gets|wallet|steps|hash|method|methods|reasons|resumed)\b/;
    const filled = [...texts].filter(([path, text]) => bare.test(path) && gapsOf(text).length > 0);
    expect(filled.map(([path]) => path)).toEqual(['deposit.title']);
  });

  it('is written in its own letters', () => {
    const own = { ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u, ar: /\p{Script=Arabic}/u };
    const letters = language in own ? own[language as keyof typeof own] : /\p{Script=Latin}/u;
    for (const [path, text] of texts) if (!SAME.test(path)) expect(text, path).toMatch(letters);
  });
});

describe('words', () => {
  const said = (language: Language) => flatten(WORDS[language]).map(([, text]) => text);

  it('are those of the widget, where an order is called Auftrag', () => {
    expect(said('de').filter(text => /bestell/i.test(text))).toEqual([]);
    expect(said('de').filter(text => /auftrag/i.test(text))).toHaveLength(7);
  });

  it('count coins in Japanese, and call only money a sum', () => {
    const { pays, deposit } = WORDS.ja;
    expect([...Object.values(pays.sell), deposit.amount].filter(text => text.includes('額'))).toEqual([]);
  });

  it('greet nobody in Japanese as if they came home', () => {
    expect(said('ja').filter(text => text.includes('お帰り'))).toEqual([]);
  });

  it('say in French where to finish', () => {
    for (const side of ['buy', 'sell'] as const) {
      expect(WORDS.fr.sayings[side].pending.lead).toContain('terminez sur cette page-là');
    }
  });

  it('have a provider be of one gender in Arabic, as the word for it is', () => {
    // What ends in ت or begins with ت before the name would be done by a woman, unless it is a page's.
    const before = said('ar').flatMap(text =>
      [...text.matchAll(/(\S+) \{provider\}/g)].map(([, word]) => word),
    );
    expect(before).toContain('استلم');
    expect(before.filter(word => /^و?ت|ت(ها)?$/.test(word ?? ''))).toEqual([]);
    expect(said('ar').filter(text => text.includes('{provider}') && /وهي |صفحتها/.test(text))).toEqual([]);
  });
});
