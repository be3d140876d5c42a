/** Texts: the same in every language, and nothing that is promised missing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../src/http/languages.ts';
import { createFigures } from './figures.ts';
import { createSay, type Texts } from './texts.ts';

const read = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'texts', `${language}.json`), 'utf8'));
const english = read('en');
const FORMS = /\.(zero|one|two|few|many|other)$/;
const holesOf = (text = '') =>
  [...new Set(text.match(/\{\w+\}/g) ?? [])].filter(hole => hole !== '{count}').sort();

/** Words of paying, which whoever sells does not do. */
const PAYING: Record<Language, RegExp> = {
  en: /\bpa(y|id)/i,
  de: /zahl/i,
  es: /\bpag/i,
  fr: /\bpa[iy]/i,
  pt: /\bpag/i,
  ja: /払/,
  ar: /دف[وع]/,
};

describe.each(LANGUAGES)('texts in %s', language => {
  const texts = read(language);

  it('have every key, and no other but forms that the language needs', () => {
    expect(Object.keys(english).filter(key => !(key in texts))).toEqual([]);
    const others = Object.keys(texts).filter(key => !(key in english));
    const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    expect(others.filter(key => !categories.some(form => key.endsWith(`.${form}`)))).toEqual([]);
  });

  it('say something, with the same names and figures put in', () => {
    const flawed = Object.entries(texts).filter(([key, text]) => {
      const original = english[key] ?? english[key.replace(FORMS, '.other')];
      return text.trim() === '' || holesOf(text).join() !== holesOf(original).join();
    });
    expect(flawed).toEqual([]);
  });

  it('say where an order stands so that it is true of a sale too', () => {
    const statuses = Object.keys(texts).filter(key => key.startsWith('status.'));
    expect(statuses.filter(key => PAYING[language].test(texts[key] ?? ''))).toEqual([]);
  });

  it('are translated', () => {
    if (language === 'en') return;
    const same = Object.keys(english).filter(key => texts[key] === english[key]);
    expect(same.filter(key => key !== 'rateOf')).toEqual([]);
  });
});

describe('createSay', () => {
  it('fills in, and takes the form for the number', () => {
    const say = createSay(english as Texts, 'en');
    expect(say('continueWith', { provider: 'MoonPay' })).toBe('Continue with MoonPay');
    expect(say.many('offersCount', 1)).toBe('1 offer');
    expect(say.many('offersCount', 3)).toBe('3 offers');
  });

  it('knows a language’s own forms, and falls back on the last', () => {
    const say = createSay(read('ar') as Texts, 'ar');
    expect(say.many('offersCount', 2)).toBe('عرضان');
    expect(say.many('offersCount', 5)).toBe('5 عروض');
    expect(createSay(read('ja') as Texts, 'ja').many('offersCount', 1)).toBe('見積もり 1 件');
  });
});

/** The first browsers that read decimal text digit by digit and know rounding modes (MDN, “Intl.NumberFormat”). */
const EXACT_SINCE = { chrome: 106, firefox: 116, safari: 15.4 };
/** The first that know `:has()`, which the style is written with (MDN, “:has()”). */
const STYLED_SINCE = { chrome: 105, firefox: 121, safari: 15.4 };

describe('figures', () => {
  const euro = { code: 'EUR', decimals: 2, isFiat: true };
  const coin = { code: 'BTC', decimals: 8, isFiat: false };
  const plain = (text: string) => text.replace(/[\u2068\u2069]/g, '').replace(/[\u00a0\u202f]/g, ' ');

  it('are written as people of the language write them, to the last digit', () => {
    expect(createFigures('en').sum('100', euro)).toBe('€100');
    expect(plain(createFigures('de').sum('1234.5', euro))).toBe('1.234,50 €');
    expect(plain(createFigures('en').sum('1.000000000000000001', coin))).toBe('1.000000000000000001 BTC');
    expect(plain(createFigures('ar').sum('12.5', coin))).toContain('12.5');
  });

  it('are cut short to compare by, never in whole digits', () => {
    expect(plain(createFigures('en').received('123456789.123', coin))).toBe('123,456,789 BTC');
    expect(plain(createFigures('en').received('0.0310227431', coin))).toBe('0.0310227 BTC');
    expect(plain(createFigures('en').received('0.01654326', coin))).toBe('0.0165432 BTC');
    expect(plain(createFigures('en').paid('0.0310227431', coin))).toBe('0.0310228 BTC');
    expect(createFigures('en').percent(39)).toBe('0.39%');
    expect(createFigures('en').rate('0.00000981234567', euro)).toBe('€0.00000981235');
    expect(createFigures('en').rate('89234.5678', euro)).toBe('€89,234.57');
    expect(createFigures('en').rate('2.4351', euro)).toBe('€2.4351');
    expect(createFigures('en').rate('90', euro)).toBe('€90.00');
    const yen = { ...euro, code: 'JPY', decimals: 0 };
    expect(createFigures('en').rate('2.4351', yen)).toBe('¥2.4351');
    expect(createFigures('en').rate('153.20715', yen)).toBe('¥153.207');
    expect(createFigures('en').rate('13984512.7', yen)).toBe('¥13,984,513');
  });

  it('of money run from left to right in Arabic too, alone and in the line of a rate', () => {
    const { sum, rate } = createFigures('ar');
    const dollar = { ...euro, code: 'USD' };
    expect(sum('200', dollar)).toBe('\u2066200\u00a0US$\u2069');
    const say = createSay(read('ar') as Texts, 'ar');
    expect(say('rateOf', { crypto: 'BTC', amount: rate('89234.5678', euro) })).toBe(
      '1 BTC = \u206689,234.57\u00a0€\u2069',
    );
  });

  it('add up where a part has more places than the currency', () => {
    expect(createFigures('en').sum('0.0123', euro)).toBe('€0.0123');
    expect(createFigures('en').sum('2.5', euro)).toBe('€2.50');
  });

  it('are exact in every browser that the widget is built for, and its guide names those that know its style too', () => {
    const readText = (path: string) => readFileSync(join(import.meta.dirname, '..', '..', path), 'utf8');
    const [, targets = ''] = /target: \[(.*)\]/.exec(readText('scripts/build-widget.mjs')) ?? [];
    const built = Object.fromEntries(
      [...targets.matchAll(/'([a-z]+)([\d.]+)'/g)].map(([, browser, version]) => [browser, Number(version)]),
    );
    for (const [browser, version] of Object.entries(EXACT_SINCE))
      expect(built[browser], browser).toBeGreaterThanOrEqual(version);
    const { chrome, firefox, safari } = STYLED_SINCE;
    const named = (browser: string, styled: number) => Math.max(built[browser] ?? 0, styled);
    expect(readText('docs/widget.md').replaceAll('\n', ' ')).toContain(
      `Chrome and Edge from ${named('chrome', chrome)}, Firefox from ${named('firefox', firefox)} and Safari from ${named('safari', safari)}.`,
    );
  });
});
