/** Colour in code: comments, texts and numbers stand apart from the rest; more would be a parser. */
import { type Html, html, verbatim } from '../html.ts';

type Kind = 'comment' | 'text' | 'number' | 'name';

const STRINGS = String.raw`(?<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|${'`'}(?:\\.|[^${'`'}\\])*${'`'})`;
const NUMBERS = String.raw`(?<number>\b\d+(?:\.\d+)?\b)`;
const SCRIPT = String.raw`(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|${STRINGS}|${NUMBERS}`;
const SHELL = String.raw`(?<comment>(?<=^|\s)#[^\n]*)|(?<text>"[^"]*"|'[^']*')|(?<name>(?<=\s)--?[a-zA-Z][\w-]*)`;

const PATTERNS: Readonly<Record<string, string>> = {
  sh: SHELL,
  js: SCRIPT,
  ts: SCRIPT,
  tsx: SCRIPT,
  json: String.raw`(?<name>"(?:\\.|[^"\\\n])*"(?=\s*:))|${STRINGS}|${NUMBERS}`,
  html: String.raw`(?<comment><!--[\s\S]*?-->)|(?<name><\/?[\w-]+|\/?>)|(?<text>"[^"]*")`,
  python: String.raw`(?<comment>#[^\n]*)|${STRINGS}|${NUMBERS}`,
};

/** The code, piece by piece; a language that is not known has no colours. */
export function colour(code: string, language: string): Html[] {
  const pattern = PATTERNS[language];
  if (pattern === undefined) return [verbatim(code)];
  const pieces: Html[] = [];
  let at = 0;
  for (const match of code.matchAll(new RegExp(pattern, 'gm'))) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? [];
    pieces.push(verbatim(code.slice(at, match.index)), piece(kind as Kind, match[0]));
    at = match.index + match[0].length;
  }
  return [...pieces, verbatim(code.slice(at))];
}

function piece(kind: Kind, text: string): Html {
  return html`<span class="${kind}">${verbatim(text)}</span>`;
}
