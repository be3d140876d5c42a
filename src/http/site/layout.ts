/** The layout of the site: what stands around every page of it, and the headers it is sent with. */
import { type Html, html, markupOf } from '../html.ts';
import { contentSecurity, type Directives, writePolicy } from '../security.ts';

export interface SitePage {
  title: string;
  /** One sentence for those who list pages. */
  about?: string;
  body: Html;
  /** Scripts and further style sheets of ours, by name. */
  scripts?: readonly string[];
  styles?: readonly string[];
  /** Where a list of all pages stands on this one. */
  contents?: string;
}

export interface Surroundings {
  /** The path all of ours begin with; empty unless the service lives below another. */
  base: string;
  /** Address of a file of ours. */
  asset(name: string): string;
  /** Whether `/` is a page of its own. */
  hasLanding: boolean;
}

export function layOut(page: SitePage, { base, asset, hasLanding }: Surroundings): string {
  const { title, about, body, scripts = [], styles = [], contents } = page;
  return markupOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Cloverleaf</title>
${about !== undefined && html`<meta name="description" content="${about}">`}
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(markupOf(leaf()))}">
${['site.css', ...styles].map(name => html`<link rel="stylesheet" href="${asset(name)}">`)}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="${hasLanding ? `${base}/` : `${base}/docs`}">${leaf()}Cloverleaf</a>
<nav aria-label="Site">
${contents !== undefined && html`<a class="to-contents" href="#${contents}">Contents</a>`}
<a href="${base}/docs/quick-start">Quick start</a>
<a href="${base}/docs">Docs</a>
<a href="${base}/docs/api">API</a>
</nav>
</header>
${body}
${['site.js', ...scripts].map(name => html`<script type="module" src="${asset(name)}"></script>`)}
</body>
</html>
`);
}

/** What a page of the site is sent with; `more` are directives of its own. */
export function siteHeaders(more: Directives = {}): Record<string, string> {
  return { ...COMMON, 'content-security-policy': contentSecurity({ ...SOURCES, ...more }) };
}

/** The reference page's script is not ours: it asks for the document and the operations, and writes markup and styles. */
export function referenceHeaders(): Record<string, string> {
  const styles = { 'style-src': ["'self'", "'unsafe-inline'"], 'connect-src': ["'self'"] };
  return { ...COMMON, 'content-security-policy': writePolicy({ ...SOURCES, ...styles }) };
}

const COMMON = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin-allow-popups',
};

const SOURCES: Directives = {
  'default-src': [],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'base-uri': [],
  'form-action': [],
  'frame-ancestors': [],
};

/** The mark: four leaves. */
function leaf(): Html {
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><g fill="#1f9d61"><circle cx="8" cy="8" r="4.6"/><circle cx="16" cy="8" r="4.6"/><circle cx="8" cy="16" r="4.6"/><circle cx="16" cy="16" r="4.6"/></g><path d="M12 12 L16.5 22.5" stroke="#1f9d61" stroke-width="1.8" stroke-linecap="round"/></svg>`;
}
