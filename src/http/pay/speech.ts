/** Speech: how a page talks to a person: the words of their language, its numbers, and which way it runs. */
import { visible } from '../html.ts';
import type { Language } from '../languages.ts';
import { type Saying, WORDS, type Words } from './texts.ts';

export interface Speech {
  language: Language;
  direction: 'ltr' | 'rtl';
  words: Words;
  /** Fills the gaps of a text. What goes into them can be seen already, or is a sum we wrote ourselves. */
  say(text: string, about: Readonly<Record<string, string>>): string;
  /** Keeps a text's own direction from being turned by what stands around it. */
  isolate(text: string): string;
  /** A plain decimal as the language groups and points it; every digit stays. */
  number(text: string): string;
}

/** Those that somebody has asked for: what the library knows of a language takes a while to load. */
const SPEECHES = new Map<Language, Speech>();

export function speechOf(language: Language): Speech {
  const speech = SPEECHES.get(language) ?? createSpeech(language);
  SPEECHES.set(language, speech);
  return speech;
}

/** What a page that cannot be shown says instead. */
export function troubleSaying({ words, say }: Speech, status: number, message: string): Saying {
  const { missing, ours, other } = words.troubles;
  if (status === 404) return missing;
  if (status === 500) return ours;
  const refusal = (words.refusals as Readonly<Record<string, string>>)[status];
  const lead = refusal === undefined ? other.lead : say(refusal, { reason: visible(message) });
  return { title: other.title, lead };
}

function createSpeech(language: Language): Speech {
  const direction = language === 'ar' ? 'rtl' : 'ltr';
  const isolate = (text: string) => (direction === 'rtl' ? `${FIRST_STRONG}${text}${END}` : text);
  return {
    language,
    direction,
    words: WORDS[language],
    isolate,
    say: (text, about) =>
      text.replace(/\{(\w+)\}/g, (_gap, name: string) => {
        const value = about[name] ?? begun(about[name.toLowerCase()] ?? '');
        return isolate(value);
      }),
    number: createNumbers(language),
  };
}

/** Unicode's marks around a text that has a direction of its own. */
const FIRST_STRONG = '\u2068';
const END = '\u2069';

/** Whole numbers are the library's to group; a fraction is kept as it is, since nothing may round it. */
function createNumbers(language: Language): (text: string) => string {
  // People compare with what stands on the provider's page and in their wallet: the digits are the same everywhere.
  const format = new Intl.NumberFormat(`${language}-u-nu-latn`);
  const point = format.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.';
  return text => {
    const [, sign = '', whole = '0', fraction] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
    const grouped = `${sign}${format.format(BigInt(whole))}`;
    return fraction === undefined ? grouped : `${grouped}${point}${fraction}`;
  };
}

/** As a sentence begins. */
function begun(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
