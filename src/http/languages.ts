/** Languages that the pay page is written in, and which of them a person reads. */

export const LANGUAGES = ['en', 'de', 'es', 'fr', 'pt', 'ja', 'ar'] as const;

export type Language = (typeof LANGUAGES)[number];

/** Reads `de` and `de-AT`; undefined for what we do not speak. */
export function readLanguage(text: unknown): Language | undefined {
  if (typeof text !== 'string') return undefined;
  const [primary = ''] = text.slice(0, LONGEST_TAG).trim().toLowerCase().split(/[-_]/);
  return LANGUAGES.find(language => language === primary);
}

/** The first language of ours in a browser's list of what its owner reads, by how much they like each. */
export function acceptLanguage(header: string | undefined): Language | undefined {
  const wishes = (header ?? '').slice(0, LONGEST_LIST).split(',').map(readWish);
  return wishes
    .filter(({ language, weight }) => language !== undefined && weight > 0)
    .sort((a, b) => b.weight - a.weight)[0]?.language;
}

const LONGEST_TAG = 35;
const LONGEST_LIST = 500;

interface Wish {
  language: Language | undefined;
  /** From 0, which is not at all, to 1. */
  weight: number;
}

function readWish(text: string): Wish {
  const [tag, ...parameters] = text.split(';');
  const weight = parameters
    .map(parameter => /^\s*q=([01](?:\.\d{0,3})?)\s*$/i.exec(parameter)?.[1])
    .find(Boolean);
  return { language: readLanguage(tag), weight: weight === undefined ? 1 : Number(weight) };
}
