/** The pages of the documentation: its index, a document, the reference, and what is said where there is nothing. */
import { type Html, html } from '../html.ts';
import type { Book, Document, Page } from './book.ts';
import type { SitePage } from './layout.ts';
import type { Heading } from './markdown.ts';

interface Shelf {
  book: Book;
  /** Where the pages are: `/docs`. */
  at: string;
}

export function indexPage({ book, at }: Shelf): SitePage {
  const card = ({ name, title, about }: Page) =>
    html`<li><a href="${at}/${name}"><strong>${title}</strong><span>${about}</span></a></li>
`;
  const chapters = book.chapters.map(
    ({ title, pages }) => html`<section><h2>${title}</h2>
<ul class="cards">
${pages.map(card)}</ul></section>
`,
  );
  return {
    title: 'Documentation',
    about: 'Guides and reference of Cloverleaf, the self-hosted aggregator of crypto ramps.',
    body: html`<main id="content" class="index">
<h1>Documentation</h1>
<p class="lead">One API and one widget in front of every crypto ramp, on your own machine. New here? The
<a href="${at}/quick-start">quick start</a> takes five minutes.</p>
${chapters}
</main>`,
  };
}

export function documentPage(name: string, document: Document, { book, at }: Shelf): SitePage {
  const { title, body, headings, previous, next } = document;
  const turn = (page: Page | undefined, rel: 'prev' | 'next', says: string) =>
    page && html`<a rel="${rel}" href="${at}/${page.name}"><span>${says}</span>${page.title}</a>`;
  return {
    title,
    contents: 'contents',
    body: html`<div class="book">
<main id="content"><article>
${body}
</article>
<nav class="turn" aria-label="Before and after">${turn(previous, 'prev', 'Before')}${turn(next, 'next', 'Next')}</nav>
</main>
${contentsOf(name, { book, at })}
${onThisPage(headings)}
</div>`,
  };
}

/** The reference is drawn by a script from the OpenAPI document. */
export function referencePage(asset: (name: string) => string): SitePage {
  return {
    title: 'API reference',
    about: 'Every operation of the API, to read and to try.',
    body: html`<main id="content" class="reference"><h1>API reference</h1>
<p>The same as <a href="../openapi.json">openapi.json</a>, for people.</p>
<div id="reference"></div></main>
<script src="${asset('swagger-ui-bundle.js')}"></script>`,
    scripts: ['reference.js'],
    styles: ['swagger-ui.css', 'reference.css'],
  };
}

export function nothingPage({ book, at }: Shelf): SitePage {
  return {
    title: 'There is no such page',
    contents: 'contents',
    body: html`<div class="book">
<main id="content"><article><h1>There is no such page</h1>
<p>These are all there are; the <a href="${at}/quick-start">quick start</a> is a good one to begin with.</p></article></main>
${contentsOf('', { book, at })}
</div>`,
  };
}

function contentsOf(current: string, { book, at }: Shelf): Html {
  const link = ({ name, title }: Page) =>
    html`<li><a href="${at}/${name}"${name === current && html` aria-current="page"`}>${title}</a></li>
`;
  const chapters = book.chapters.map(
    ({ title, pages }) => html`<h2>${title}</h2>
<ul>
${pages.map(link)}</ul>
`,
  );
  return html`<nav id="contents" class="contents" aria-label="Documentation">
${chapters}</nav>`;
}

const FEWEST_HEADINGS = 2;

function onThisPage(headings: readonly Heading[]): Html | undefined {
  const shown = headings.filter(({ depth }) => depth === 2);
  if (shown.length < FEWEST_HEADINGS) return undefined;
  const link = ({ id, text }: Heading) => html`<li><a href="#${id}">${text}</a></li>
`;
  return html`<nav class="outline" aria-label="On this page"><h2>On this page</h2>
<ul>
${shown.map(link)}</ul></nav>`;
}
