/** Markdown: our own documents as HTML, with anchors, code that can be copied, and links that lead to pages of ours. */
import { Marked, type Tokens } from 'marked';
import { type Html, html, markupOf, trusted, verbatim } from '../html.ts';
import { colour } from './colour.ts';

export interface Heading {
  depth: number;
  /** What an address ends with to lead there. */
  id: string;
  text: string;
}

export interface Rendered {
  /** The first heading. */
  title: string;
  /** All others, in their order. */
  headings: Heading[];
  body: Html;
}

/** Where a link of a document leads once it is a page; undefined where there is no such page. */
export type Resolve = (href: string) => string | undefined;

/** Raw HTML and pictures in a document are shown as the text they are. */
export function renderMarkdown(text: string, resolve: Resolve): Rendered {
  const headings: Heading[] = [];
  const idOf = createIds();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const words = this.parser.parseInline(tokens, this.parser.textRenderer);
        const heading = { depth, id: idOf(words), text: words };
        headings.push(heading);
        return writeHeading(heading, this.parser.parseInline(tokens));
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const target = /^(https?:|#)/.test(href) ? href : resolve(href);
        return target === undefined ? inner : `<a href="${written(target)}">${inner}</a>`;
      },
      table({ header, rows }) {
        const write = (row: Tokens.TableCell[], tag: 'th' | 'td') =>
          `<tr>${row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>\n`;
        // Where no column has a name there is no head.
        const head = header.some(cell => cell.text !== '') ? `<thead>${write(header, 'th')}</thead>\n` : '';
        const body = rows.map(row => write(row, 'td')).join('');
        return `<div class="table" tabindex="0"><table>\n${head}<tbody>\n${body}</tbody></table></div>\n`;
      },
      code: writeCode,
      html: ({ text }) => written(text),
      image: ({ text }) => written(text),
    },
  });
  const body = trusted(marked.parse(text, { async: false }));
  const [first, ...others] = headings;
  return { title: first?.text ?? '', headings: others, body };
}

function writeHeading({ depth, id, text }: Heading, inner: string): string {
  const says = written(`Link to “${text}”`);
  const anchor = depth > 1 ? ` <a class="anchor" href="#${id}" aria-label="${says}">#</a>` : '';
  return `<h${depth} id="${id}">${inner}${anchor}</h${depth}>\n`;
}

/** A block that is named `text` shows what a command prints; there is nothing to copy in it. */
function writeCode({ text, lang = '' }: Tokens.Code): string {
  const [language = ''] = lang.split(' ');
  const copy = language !== 'text' && html`<button class="copy" type="button" hidden>Copy</button>`;
  return markupOf(html`<div class="code"><pre tabindex="0"><code>${colour(text, language)}</code></pre>${copy}</div>
`);
}

function written(text: string): string {
  return markupOf(verbatim(text));
}

/** The same words have the same address as where the documents are kept. */
function createIds(): (text: string) => string {
  const taken = new Map<string, number>();
  return text => {
    const id = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    const count = taken.get(id) ?? 0;
    taken.set(id, count + 1);
    return count === 0 ? id : `${id}-${count}`;
  };
}
