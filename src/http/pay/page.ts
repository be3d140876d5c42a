/** The pay page, the page a provider leads back to, and the page that says what went wrong. */
import type { PayView } from '../../app/pay.ts';
import type { Currencies } from '../../domain/currency.ts';
import { writeJson } from '../../domain/json.ts';
import type { Side } from '../../domain/words.ts';
import { type Html, html, verbatim, visible } from '../html.ts';
import { themeCss } from '../theme.ts';
import { framePermissions, isFramed, listenerOf, originsOf, type Place } from './headers.ts';
import { bankSection, type FrameOptions, frame, hidden, labelled, tell } from './parts.ts';
import type { DepositState, PaySetup, PayState, RowName } from './shape.ts';
import type { Speech } from './speech.ts';
import { assetCode } from './state.ts';
import type { Saying } from './texts.ts';

export interface PageOptions extends Place, FrameOptions {
  /** The path all of ours begin with; empty unless the service lives below another. */
  base: string;
  /** What addresses of this order end with to keep the language that was asked for; empty when none was. */
  query: string;
  currencies?: Currencies | undefined;
}

export function payPage(view: PayView, state: PayState, options: PageOptions): string {
  const { base, path, query, origin, speech } = options;
  const { side, provider, theme } = view;
  const { words } = speech;
  const names = { provider: provider.name, asset: assetCode(view), method: methodOf(view, options) };
  const told = (text: string) => tell(speech, text, names);
  const back = readReturn(view.returnTo);
  const framed = isFramed(view, origin);
  const has = (name: RowName) => state.rows[name].value !== '';
  const wallet = { label: verbatim(state.texts.wallet), id: 'wallet', text: view.walletAddress };
  const hash = { label: words.hash[side], id: 'hash-text', text: state.hash };
  const body = html`
<main id="pay"${state.moot && html` class="moot"`} data-status="${state.status}" data-setup="${verbatim(writeJson(setupOf(view, options)))}" data-state="${verbatim(writeJson(state))}">
<div class="card">
<header>
<img src="${base}/icons/onramp/${encodeURIComponent(provider.id)}.svg" alt="" width="40" height="40">
<div><h1>${told(words.heading[side])}</h1><p>${told(words.with)}</p></div>
</header>
<dl class="amounts">
${row(state, 'pays')}
${row(state, 'gets')}
</dl>
<section id="status" aria-labelledby="status-title" data-tone="${state.tone}">
<h2 id="status-title" tabindex="-1">${state.texts.title}</h2>
<p id="status-lead">${verbatim(state.texts.lead)}</p>
<p id="reason"${hidden(!state.texts.reason)}>${verbatim(state.texts.reason)}</p>
${stepList(side, state.step, speech)}
<p id="handover" class="note" hidden></p>
<p id="stage-note" hidden></p>
<button id="reopen" class="plain" type="button" aria-describedby="stage-note" hidden>${told(words.resume)}</button>
<a id="link" class="button primary" hidden>${told(words.link)}</a>
<div id="hash"${hidden(!state.hash)}>${labelled(hash, speech)}</div>
</section>
${side === 'sell' ? depositSection(state.deposit, view, speech) : bankSection(state.bank, view.pays.code, speech)}
<details id="details" open>
<summary>${words.details}</summary>
<dl class="facts">
${(side === 'buy' ? BUY_ROWS : SELL_ROWS).filter(has).map(name => row(state, name))}
${fact(words.method[side], names.method)}
${fact(words.network, view.network)}
${fact(words.provider, provider.name)}
${fact(words.reference, view.transactionId, 'reference')}
</dl>
${view.walletAddress !== '' && labelled(wallet, speech)}
${view.walletAddress !== '' && view.walletMemo !== undefined && labelled({ label: words.memo, id: 'memo', text: view.walletMemo }, speech)}
</details>
<p id="estimate" class="note"${hidden(!state.texts.estimate)}>${verbatim(state.texts.estimate)}</p>
<div id="actions">
<p id="trouble" role="alert" hidden></p>
<form id="open" method="post" action="${path}/open${query}"${hidden(!state.can.open)}>
<button id="open-button" class="primary" aria-describedby="open-note">${verbatim(state.texts.open)}</button>
<p id="open-note" class="note"${hidden(!state.texts.openNote)}>${verbatim(state.texts.openNote)}</p>
</form>
<form id="again" method="post" action="${path}/again${query}"${hidden(!state.can.again)}>
<button id="again-button" class="primary">${words.again}</button>
</form>
${back && html`<a id="back" class="button" href="${verbatim(back.href)}" target="_top"${hidden(!state.finished && !state.can.again)}>${tell(speech, words.back, back)}</a>`}
<p id="countdown" hidden><span id="countdown-text"></span> <button id="stay" class="plain" type="button">${words.stay}</button></p>
</div>
</div>
<section id="stage" class="card" aria-label="${told(words.pageOf)}" hidden>
<p id="wallet-pay" class="note">${isWalletPay(view, options) && framed && told(words.walletPay)}</p>
<div id="frame"></div>
<button id="elsewhere" class="plain" type="button">${words.elsewhere}</button>
</section>
</main>
<footer><p>${told(words.footer)}</p></footer>
<p id="connection" role="status" hidden></p>
<p id="announcement" class="unseen" aria-live="polite"></p>
<script type="module" src="${options.asset('pay.js')}"></script>`;
  return frame(
    { title: told(words.title[side]), body, style: themeCss(theme), themeName: theme.themeName },
    options,
  );
}

/** Shown for a moment, or to those without script. */
export function returnPage(view: PayView, options: PageOptions): string {
  const { words } = options.speech;
  const title = html`${words.returned}`;
  const body = html`
<main id="returned">
<div class="card">
<h1>${title}</h1>
<p>${words.returnedLead}</p>
<p><a id="go-on" class="button primary" href="${options.path}">${words.goOn}</a></p>
</div>
</main>
<script type="module" src="${options.asset('return.js')}"></script>`;
  return frame({ title, body, style: themeCss(view.theme) }, options);
}

export interface Trouble extends Saying {
  /** Where to try again; undefined when that is no use. */
  retry: string | undefined;
  requestId: string;
}

export function troublePage({ retry, requestId, ...saying }: Trouble, options: FrameOptions): string {
  const { words } = options.speech;
  const title = html`${saying.title}`;
  const body = html`
<main id="failed">
<div class="card">
<h1>${title}</h1>
<p>${verbatim(saying.lead)}</p>
${retry !== undefined && html`<p><a class="button primary" href="${retry}">${words.retry}</a></p>`}
<p class="note">${words.reference} <bdi>${requestId}</bdi></p>
</div>
</main>`;
  return frame({ title, body, style: themeCss({ isDark: false }) }, options);
}

/** What the script needs from the beginning. */
function setupOf(view: PayView, { path, query, origin, speech }: PageOptions): PaySetup {
  const { words, say } = speech;
  // What only the script knows is left open.
  const about = { provider: visible(view.provider.name), seconds: '{seconds}', reason: '{reason}' };
  const fill = (table: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(table).map(([name, text]) => [name, say(text, about)]));
  return {
    path,
    query,
    texts: { ...(fill(words.live) as typeof words.live), copy: words.copy, retry: words.retry },
    refusals: fill(words.refusals),
    framed: isFramed(view, origin),
    pageOrigin: view.pageOrigin,
    allow: framePermissions(view),
    frameTitle: say(words.pageOf, about),
    ancestors: originsOf(view.ancestors),
    listener: listenerOf(view) ?? null,
  };
}

/** What a method is called in the person's language; most are brands, and called the same everywhere. */
function methodOf(view: PayView, options: PageOptions): string {
  const name = englishMethodOf(view, options);
  const known: Readonly<Record<string, string>> = options.speech.words.methods;
  return (Object.hasOwn(known, name) && known[name]) || name;
}

function englishMethodOf({ method }: PayView, { currencies }: PageOptions): string {
  return currencies?.findMethod(method)?.name ?? method;
}

function isWalletPay(view: PayView, options: PageOptions): boolean {
  return /apple ?pay|google ?pay/i.test(englishMethodOf(view, options));
}

/** The order in which the figures add up. */
const BUY_ROWS: readonly RowName[] = ['providerFee', 'networkFee', 'value', 'rate'];
const SELL_ROWS: readonly RowName[] = ['value', 'providerFee', 'networkFee', 'rate'];

function row({ rows }: PayState, name: RowName): Html {
  const { label, about, value } = rows[name];
  return html`<div data-row="${name}"><dt>${verbatim(label)}</dt><dd><small>${about}</small> <span>${verbatim(value)}</span></dd></div>`;
}

function fact(label: string, value: string, id?: string): Html {
  return html`<div><dt>${label}</dt><dd${id !== undefined && html` id="${id}"`}><bdi>${value}</bdi></dd></div>`;
}

/** The way of an order that goes well. Those who do not see it are told which steps are done. */
function stepList(side: Side, current: number, { words }: Speech): Html {
  return html`<ol id="steps" aria-label="${words.progress}"${hidden(current < 0)}>
${words.steps[side].map((label, at) => {
  const place = at < current ? 'done' : at === current ? 'now' : 'next';
  return html`<li data-place="${place}"${place === 'now' && html` aria-current="step"`}><span class="unseen">${words.stepDone} </span>${label}</li>
`;
})}
</ol>`;
}

function depositSection(deposit: DepositState | null, view: PayView, speech: Speech): Html {
  const { deposit: words } = speech.words;
  const told = (text: string) => tell(speech, text, { asset: assetCode(view), network: view.network });
  const part = (name: 'amount' | 'address' | 'memo') =>
    labelled({ label: told(words[name]), id: `deposit-${name}`, text: deposit?.[name] ?? '' }, speech);
  return html`<section id="deposit" aria-labelledby="deposit-title"${hidden(!deposit)}>
<h2 id="deposit-title">${told(words.title)}</h2>
<p class="warning">${told(words.warning)}</p>
<img id="deposit-picture" alt="${words.picture}" width="200" height="200"${deposit?.picture ? html` src="${deposit.picture}"` : html` hidden`}>
${part('amount')}
${part('address')}
<div id="deposit-memo-part"${hidden(!deposit?.memo)}>
${part('memo')}
<p class="warning">${words.memoWarning}</p>
</div>
</section>`;
}

/** The way back, when it leads to a page on the web. */
function readReturn(url: string | undefined): { href: string; host: string } | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, href, host, username, password } = new URL(url);
  if ((protocol !== 'https:' && protocol !== 'http:') || username || password) return undefined;
  return { href, host };
}
