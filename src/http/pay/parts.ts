/** Parts that pages of ours are made of. */
import { writeDocument } from '../document.ts';
import { type Html, html, verbatim, visible } from '../html.ts';
import type { BankPart, PayState } from './shape.ts';
import type { Speech } from './speech.ts';

export interface Content {
  title: Html;
  body: Html;
  /** CSS of our own making: colours as numbers, nothing that anybody wrote. */
  style: string;
  themeName?: string | undefined;
}

export interface FrameOptions {
  /** Makes the page's one inline style sheet ours. */
  nonce: string;
  speech: Speech;
  /** Address of a file of ours. */
  asset(name: string): string;
}

export function frame({ title, body, style, themeName }: Content, options: FrameOptions): string {
  const { language, direction } = options.speech;
  return writeDocument({
    ...{ language, direction, title, body, nonce: options.nonce, style: verbatim(style) },
    marks: themeName !== undefined && html` data-theme="${themeName}"`,
    sheet: options.asset('pay.css'),
  });
}

/** A text of ours with names and the like from elsewhere, which are made to be seen. */
export function tell({ say }: Speech, text: string, about: Readonly<Record<string, string>>): Html {
  const seen = Object.entries(about).map(([name, value]) => [name, visible(value)]);
  return verbatim(say(text, Object.fromEntries(seen)));
}

/** A text with a name, to read and to copy whole. */
export interface Labelled {
  label: string | Html;
  id: string;
  text: string;
}

/** A long text to read in groups. */
export function labelled(entry: Labelled, { words }: Speech): Html {
  const { id, text } = entry;
  return withCopy(entry, words.copy, html`<code id="${id}" dir="ltr">${groups(text)}</code>`);
}

/** A text that is read as it stands. */
function spoken(entry: Labelled, { words }: Speech): Html {
  const { id, text } = entry;
  return withCopy(entry, words.copy, html`<bdi id="${id}" class="spoken">${text}</bdi>`);
}

function withCopy({ label, id, text }: Labelled, copy: string, shown: Html): Html {
  return html`<div class="long"><h3 id="${id}-label">${label}</h3>
<p>${shown} <button class="copy" type="button" data-copy="${verbatim(text)}" aria-describedby="${id}-label">${copy}</button></p></div>`;
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

export function bankSection(bank: PayState['bank'], fiat: string, speech: Speech): Html {
  const { bank: words } = speech.words;
  const part = (name: BankPart, label: string | Html) => {
    const entry = { label, id: `bank-${name}`, text: bank?.[name] ?? '' };
    return html`<div id="bank-${name}-part"${hidden(!bank?.[name])}>
${(name === 'iban' ? labelled : spoken)(entry, speech)}
</div>`;
  };
  return html`<section id="bank" aria-labelledby="bank-title"${hidden(!bank)}>
<h2 id="bank-title">${words.title}</h2>
<p id="bank-hint" class="note" dir="auto"${hidden(!bank?.hint)}>${bank?.hint ?? ''}</p>
${part('amount', tell(speech, words.amount, { fiat }))}
${BANK_ROWS.map(name => part(name, words[name]))}
<p id="bank-warning" class="warning"${hidden(!bank?.reference)}>${words.referenceWarning}</p>
</section>`;
}

export function hidden(isHidden: boolean): Html | false {
  return isHidden && html` hidden`;
}
