/** A document: what stands around a page that speaks the person's language and wears the shop's colours. */
import { type Html, html, markupOf } from './html.ts';

export interface Document {
  language: string;
  direction: 'ltr' | 'rtl';
  /** Attributes of the whole. */
  marks: Html | false;
  title: string | Html;
  /** Address of its style sheet. */
  sheet: string;
  /** Its one inline style, of our own making, and what makes it ours. */
  style: Html;
  nonce: string;
  /** What else stands in its head. */
  head?: Html | false;
  body: Html;
}

export function writeDocument(page: Document): string {
  return markupOf(html`<!doctype html>
<html lang="${page.language}" dir="${page.direction}"${page.marks}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${page.sheet}">
<style nonce="${page.nonce}">${page.style}</style>
${page.head}
</head>
<body>${page.body}
</body>
</html>
`);
}
