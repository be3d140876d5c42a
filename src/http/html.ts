/** HTML: text that goes into a page is escaped unless it is HTML of our own making. */

const MARKUP: unique symbol = Symbol('markup');

/** HTML we wrote ourselves, with everything from elsewhere escaped. */
export interface Html {
  readonly [MARKUP]: string;
}

type Part = string | number | false | undefined | Html | readonly Html[];

/** Strings are escaped, and characters that cannot be seen are shown; false and undefined leave nothing behind. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const text = strings.reduce((done, string, at) => done + write(parts[at - 1]) + string);
  return { [MARKUP]: text };
}

/** Text kept to the last character, for what is copied or read by a script. */
export function verbatim(text: string): Html {
  return { [MARKUP]: escapeText(text) };
}

/** HTML that was made elsewhere in our own house, of texts of our own. */
export function trusted(markup: string): Html {
  return { [MARKUP]: markup };
}

export function markupOf(page: Html): string {
  return page[MARKUP];
}

/**
 * Text as people can check it: what cannot be seen, or turns the direction of what follows, is shown as a mark. Line
 * breaks and tabs are spaces.
 */
export function visible(text: string): string {
  return text.replace(/[\t\n\r]+/g, ' ').replace(UNSEEN, '\uFFFD');
}

/** Controls, characters that only shape or turn others, line separators, lone surrogates, and what is never drawn. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

function write(part: Part): string {
  if (part === undefined || part === false) return '';
  if (typeof part === 'string') return escapeText(visible(part));
  if (typeof part === 'number') return String(part);
  return 'map' in part ? part.map(markupOf).join('') : markupOf(part);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, char => ENTITIES[char] ?? '');
}
