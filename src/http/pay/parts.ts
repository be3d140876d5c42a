/** Parts that pages of ours are made of. */
import { type Html, html, markupOf, verbatim, visible } from './html.ts';
import type { BankPart, PayState } from './shape.ts';
import { WORDS } from './texts.ts';

export interface Content {
  title: string;
  body: Html;
  /** CSS of our own making: colours as numbers, nothing that anybody wrote. */
  style: string;
  themeName?: string | undefined;
}

export interface FrameOptions {
  /** Makes the page's one inline style sheet ours. */
  nonce: string;
  /** Address of a file of ours. */
  asset(name: string): string;
}

export function frame({ title, body, style, themeName }: Content, options: FrameOptions): string {
  return markupOf(html`<!doctype html>
<html lang="en"${themeName !== undefined && html` data-theme="${themeName}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${options.asset('pay.css')}">
<style nonce="${options.nonce}">${verbatim(style)}</style>
</head>
<body>${body}
</body>
</html>
`);
}

/** A long text to read in groups and to copy whole. */
export function labelled(label: string, id: string, text: string): Html {
  return html`<div class="long"><h3 id="${id}-label">${label}</h3>
<p><code id="${id}">${groups(text)}</code> <button class="copy" type="button" data-copy="${verbatim(text)}" aria-describedby="${id}-label">${WORDS.copy}</button></p></div>`;
}

/** A text that is read as it stands, and copied whole. */
function spoken(label: string, id: string, text: string): Html {
  return html`<div class="long"><h3 id="${id}-label">${label}</h3>
<p><span id="${id}" class="spoken">${text}</span> <button class="copy" type="button" data-copy="${verbatim(text)}" aria-describedby="${id}-label">${WORDS.copy}</button></p></div>`;
}

/** Groups of four are told apart by space that is not text, so that a selection copies the very characters. */
function groups(text: string): Html[] {
  const characters = Array.from(visible(text));
  const count = Math.ceil(characters.length / 4);
  return Array.from({ length: count }, (_, at) => {
    const four = characters.slice(at * 4, at * 4 + 4).join('');
    return html`<span>${verbatim(four)}</span>${at < count - 1 && html`<wbr>`}`;
  });
}

/** In the order in which they are filled in. */
const BANK_ROWS = [
  'accountName',
  'iban',
  'bic',
  'bankName',
  'bankAddress',
  'accountAddress',
  'reference',
] as const satisfies readonly BankPart[];

export function bankSection(bank: PayState['bank'], fiat: string): Html {
  const part = (name: BankPart, label: string) =>
    html`<div id="bank-${name}-part"${hidden(!bank?.[name])}>
${(name === 'iban' ? labelled : spoken)(label, `bank-${name}`, bank?.[name] ?? '')}
</div>`;
  return html`<section id="bank" aria-labelledby="bank-title"${hidden(!bank)}>
<h2 id="bank-title">${WORDS.bankTitle}</h2>
<p id="bank-hint" class="note"${hidden(!bank?.hint)}>${bank?.hint ?? ''}</p>
${part('amount', WORDS.bankAmount(fiat))}
${BANK_ROWS.map(name => part(name, WORDS.bank[name]))}
<p id="bank-warning" class="warning"${hidden(!bank?.reference)}>${WORDS.referenceWarning}</p>
</section>`;
}

export function hidden(isHidden: boolean): Html | false {
  return isHidden && html` hidden`;
}
