/** Texts: what the widget says in the person's language, with names and figures put in. */
import type english from './texts/en.json';

export type Texts = Readonly<Record<TextKey, string>>;
export type TextKey = keyof typeof english;
/** Texts that depend on a number, by the part before the dot. */
export type CountKey = Extract<TextKey, `${string}.other`> extends `${infer Name}.other` ? Name : never;

export type Values = Readonly<Record<string, string | number>>;

export interface Say {
  (key: TextKey, values?: Values): string;
  /** The form for this many, by the language's own rules. */
  many(key: CountKey, count: number, values?: Values): string;
}

export function createSay(texts: Texts, language: string): Say {
  const rules = new Intl.PluralRules(language);
  const fill = (text: string, values: Values = {}) =>
    text.replace(/\{(\w+)\}/g, (hole, name: string) => String(values[name] ?? hole));
  const say = (key: TextKey, values?: Values) => fill(texts[key] ?? key, values);
  return Object.assign(say, {
    many(key: CountKey, count: number, values: Values = {}) {
      const forms = texts as Readonly<Record<string, string>>;
      const text = forms[`${key}.${rules.select(count)}`] ?? forms[`${key}.other`] ?? key;
      return fill(text, { ...values, count });
    },
  });
}
