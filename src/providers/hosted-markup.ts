/** Markup: text put into pages is always escaped, and every page has one look in its provider's colour. */
import type { Brand, Flow } from './hosted.ts';

/** Markup that may stand in a page as it is. */
export interface Markup {
  readonly markup: string;
}

type Piece = Markup | string | false | undefined | readonly Markup[];

/** A template of markup; what is put into it is escaped unless it is markup itself. */
export function html(fixed: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  const markup = fixed.reduce((page, text, at) => page + write(pieces[at - 1]) + text);
  return { markup };
}

function write(piece: Piece): string {
  if (piece === undefined || piece === false) return '';
  if (typeof piece === 'string') return piece.replace(/[&<>"']/g, sign => ESCAPES[sign] ?? '');
  return 'markup' in piece ? piece.markup : piece.map(write).join('');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export interface Page {
  title: string;
  body: Markup;
  /** The tools of the sandbox below the provider's own page. */
  tools?: Markup | undefined;
}

/** The whole document. `data-stage` and `data-standing` are there for whoever drives the page. */
export function documentOf({ title, body, tools }: Page, brand: Brand, flow?: Flow): string {
  const theme = flow?.dark ? 'dark' : 'light';
  const { markup } = html`<!doctype html>
<html lang="en" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${title} · ${brand.name} (sandbox)</title>
<style>:root{--color:${brand.color}}[data-theme=dark]{--color:${brand.colorOnDark}}${STYLE}</style>
</head>
<body>
<header><span class="mark" aria-hidden="true">${brand.name.slice(0, 1)}</span><strong>${brand.name}</strong>
<span class="badge">Sandbox</span></header>
<main data-stage="${flow?.stage ?? 'refused'}" data-standing="${flow?.standing ?? 'none'}">
<h1>${title}</h1>
${body}
</main>
${tools}
</body>
</html>
`;
  return markup;
}

const STYLE: Markup = {
  markup: `
:root{--ink:#17171f;--soft:#595966;--line:#8d8d9b;--faint:#e3e3ec;--page:#f3f3f8;--card:#fff;--bad:#b3261e;--on:#fff;--tool:#fff7dd}
[data-theme=dark]{color-scheme:dark;--ink:#f2f2f7;--soft:#b4b4c2;--line:#77778a;--faint:#32323e;--page:#121218;--card:#1d1d26;
--bad:#ff9c94;--on:#121218;--tool:#2b2614}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;padding:16px;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
header,main,.tools{width:100%;max-width:440px;margin:0 auto}
header{display:flex;align-items:center;gap:10px;padding:4px 4px 14px;font-size:18px}
.mark{display:grid;place-items:center;width:32px;height:32px;border-radius:10px;background:var(--color);color:var(--on);font-weight:700}
.badge{margin-left:auto;padding:2px 10px;border:1px dashed var(--line);border-radius:99px;font-size:12px;color:var(--soft)}
main{padding:22px 20px;background:var(--card);border-radius:18px;box-shadow:0 1px 2px #0001,0 8px 30px #0000000f}
h1{margin:0 0 4px;font-size:22px;line-height:1.25}
h2{margin:0;font-size:14px}
p{margin:8px 0;color:var(--soft)}
a{color:var(--color)}
dl{display:grid;grid-template-columns:auto 1fr;gap:4px 16px;margin:16px 0;padding:14px;border:1px solid var(--faint);border-radius:12px}
dt{color:var(--soft)}
dd{margin:0;text-align:right;font-weight:600;overflow-wrap:anywhere}
dd.small{font-weight:400;font-size:14px}
code{font:14px/1.5 ui-monospace,SFMono-Regular,Menlo,monospace;overflow-wrap:anywhere}
form{display:grid;gap:14px;margin:16px 0 0}
.two{display:grid;grid-template-columns:1fr 1fr;gap:12px}
label{display:grid;gap:4px;font-size:14px;color:var(--soft)}
fieldset{display:grid;gap:10px;margin:0;padding:0;border:0}
legend{padding:0 0 6px;font-size:14px;color:var(--soft)}
fieldset label{display:flex;align-items:center;gap:10px;padding:11px 12px;border:1px solid var(--line);border-radius:10px;color:var(--ink);font-size:16px}
input,select{width:100%;min-width:0;padding:11px 12px;border:1px solid var(--line);border-radius:10px;background:var(--card);color:var(--ink);font:inherit;font-size:16px}
input[type=radio]{width:20px;height:20px;margin:0;accent-color:var(--color)}
button,.button{display:block;width:100%;padding:13px 16px;border:1px solid var(--color);border-radius:12px;background:var(--color);color:var(--on);
font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
button.plain,.button.plain{background:none;color:var(--color)}
main .button{margin-top:14px}
button.quiet{padding:8px;border-color:transparent;background:none;color:var(--soft);font-weight:400;text-decoration:underline}
:focus-visible{outline:3px solid var(--color);outline-offset:2px}
.problem{margin:14px 0 0;padding:10px 12px;border:1px solid var(--bad);border-radius:10px;color:var(--bad)}
ol{margin:16px 0;padding:0;list-style:none;display:grid;gap:10px}
li{display:flex;gap:10px;align-items:center;color:var(--soft)}
li::before{content:"";flex:none;width:14px;height:14px;border:2px solid var(--line);border-radius:50%}
li.done{color:var(--ink)}
li.done::before{border-color:var(--color);background:var(--color)}
li.now{color:var(--ink);font-weight:600}
li.now::before{border-color:var(--color);border-right-color:transparent;animation:turn 1s linear infinite}
@keyframes turn{to{transform:rotate(1turn)}}
@media (prefers-reduced-motion:reduce){li.now::before{animation:none}}
.tools{margin-top:18px;padding:14px 16px;border:2px dashed var(--line);border-radius:14px;background:var(--tool)}
.tools p{margin:6px 0 0;color:var(--ink);font-size:14px}
.tools form{display:flex;flex-wrap:wrap;gap:8px;margin-top:12px}
.tools button{width:auto;padding:8px 12px;border-color:var(--line);border-radius:9px;background:var(--card);color:var(--ink);font-size:14px}
@media (min-width:600px){body{padding:40px 16px}main{padding:30px 28px}}
`.replaceAll('\n', ''),
};
