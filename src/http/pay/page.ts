/** The pay page, the page a provider leads back to, and the page that says what went wrong. */
import type { PayView } from '../../app/pay.ts';
import type { Currencies } from '../../domain/currency.ts';
import { writeJson } from '../../domain/json.ts';
import { framePermissions, isFramed, listenerOf, originsOf, type Place } from './headers.ts';
import { type Html, html, verbatim, visible } from './html.ts';
import { bankSection, type FrameOptions, frame, hidden, labelled } from './parts.ts';
import type { DepositState, PaySetup, PayState, RowName } from './shape.ts';
import { assetCode } from './state.ts';
import { type Saying, STEPS, WORDS } from './texts.ts';
import { themeCss } from './theme.ts';

export interface PageOptions extends Place, FrameOptions {
  /** The path all of ours begin with; empty unless the service lives below another. */
  base: string;
  currencies?: Currencies | undefined;
}

export function payPage(view: PayView, state: PayState, options: PageOptions): string {
  const { base, path, origin, currencies } = options;
  const { side, provider, theme } = view;
  const asset = assetCode(view);
  const method = currencies?.findMethod(view.method)?.name ?? view.method;
  const back = readReturn(view.returnTo);
  const framed = isFramed(view, origin);
  const setup: PaySetup = {
    path,
    provider: visible(provider.name),
    framed,
    pageOrigin: view.pageOrigin,
    allow: framePermissions(view),
    frameTitle: WORDS.pageOf(visible(provider.name)),
    ancestors: originsOf(view.ancestors),
    listener: listenerOf(view) ?? null,
  };
  const has = (name: RowName) => state.rows[name].value !== '';
  const body = html`
<main id="pay"${state.moot && html` class="moot"`} data-status="${state.status}" data-setup="${verbatim(writeJson(setup))}" data-state="${verbatim(writeJson(state))}">
<div class="card">
<header>
<img src="${base}/icons/onramp/${encodeURIComponent(provider.id)}.svg" alt="" width="40" height="40">
<div><h1>${WORDS.heading(side, asset)}</h1><p>${WORDS.with(provider.name)}</p></div>
</header>
<dl class="amounts">
${row(state, 'pays')}
${row(state, 'gets')}
</dl>
<section id="status" aria-labelledby="status-title" data-tone="${state.tone}">
<h2 id="status-title" tabindex="-1">${state.texts.title}</h2>
<p id="status-lead">${state.texts.lead}</p>
<p id="reason"${hidden(!state.texts.reason)}>${state.texts.reason}</p>
<ol id="steps" aria-label="${WORDS.progress}"${hidden(state.step < 0)}>
${STEPS[side].map((label, at) => step(label, at, state.step))}
</ol>
<p id="handover" class="note" hidden></p>
<div id="hash"${hidden(!state.hash)}>${labelled(WORDS.hash(side), 'hash-text', state.hash)}</div>
</section>
${side === 'sell' ? depositSection(state.deposit, view) : bankSection(state.bank, view.pays.code)}
<p id="trouble" role="alert" hidden></p>
<details id="details" open>
<summary>${WORDS.details}</summary>
<dl class="facts">
${(side === 'buy' ? BUY_ROWS : SELL_ROWS).filter(has).map(name => row(state, name))}
${fact(WORDS.method(side), method)}
${fact(WORDS.network, view.network)}
${fact(WORDS.provider, provider.name)}
${fact(WORDS.reference, view.transactionId, 'reference')}
</dl>
${view.walletAddress !== '' && labelled(state.texts.wallet, 'wallet', view.walletAddress)}
${view.walletAddress !== '' && view.walletMemo !== undefined && labelled(WORDS.memo, 'memo', view.walletMemo)}
</details>
<p id="estimate" class="note"${hidden(!state.texts.estimate)}>${state.texts.estimate}</p>
<div id="actions">
<form id="open" method="post" action="${path}/open"${hidden(!state.can.open)}>
<button id="open-button" class="primary" aria-describedby="open-note">${state.texts.open}</button>
<p id="open-note" class="note"${hidden(!state.texts.openNote)}>${state.texts.openNote}</p>
</form>
<form id="again" method="post" action="${path}/again"${hidden(!state.can.again)}>
<button id="again-button" class="primary">${WORDS.again}</button>
</form>
${back && html`<a id="back" class="button" href="${verbatim(back.href)}" target="_top"${hidden(!state.finished && !state.can.again)}>${WORDS.back(back.host)}</a>`}
<p id="countdown" hidden><span id="countdown-text"></span> <button id="stay" class="plain" type="button">${WORDS.stay}</button></p>
</div>
</div>
<section id="stage" class="card" aria-label="${WORDS.pageOf(provider.name)}" hidden>
<p id="stage-note" hidden></p>
<p id="wallet-pay" class="note">${/apple ?pay|google ?pay/i.test(method) && framed && WORDS.walletPay(method)}</p>
<a id="link" class="button primary" hidden>${WORDS.link(provider.name)}</a>
<div id="frame"></div>
<button id="elsewhere" class="plain" type="button">${WORDS.elsewhere}</button>
</section>
</main>
<footer><p>${WORDS.footer(provider.name)}</p></footer>
<p id="connection" role="status" hidden></p>
<p id="announcement" class="unseen" aria-live="polite"></p>
<script type="module" src="${options.asset('pay.js')}"></script>`;
  const title = `${WORDS.heading(side, asset)} ${WORDS.with(provider.name)}`;
  return frame({ title, body, style: themeCss(theme), themeName: theme.themeName }, options);
}

/** Shown for a moment, or to those without script. */
export function returnPage(view: PayView, options: PageOptions): string {
  const body = html`
<main id="returned">
<div class="card">
<h1>${WORDS.returned}</h1>
<p>${WORDS.returnedLead}</p>
<p><a id="go-on" class="button primary" href="${options.path}">${WORDS.goOn}</a></p>
</div>
</main>
<script type="module" src="${options.asset('return.js')}"></script>`;
  return frame({ title: WORDS.returned, body, style: themeCss(view.theme) }, options);
}

export interface Trouble extends Saying {
  /** Where to try again; undefined when that is no use. */
  retry: string | undefined;
  requestId: string;
}

export function troublePage(trouble: Trouble, options: FrameOptions): string {
  const { title, lead, retry, requestId } = trouble;
  const body = html`
<main id="failed">
<div class="card">
<h1>${title}</h1>
<p>${lead}</p>
${retry !== undefined && html`<p><a class="button primary" href="${retry}">${WORDS.retry}</a></p>`}
<p class="note">${WORDS.reference} ${requestId}</p>
</div>
</main>`;
  return frame({ title, body, style: themeCss({ isDark: false }) }, options);
}

/** The order in which the figures add up. */
const BUY_ROWS: readonly RowName[] = ['providerFee', 'networkFee', 'value', 'rate'];
const SELL_ROWS: readonly RowName[] = ['value', 'providerFee', 'networkFee', 'rate'];

function row({ rows }: PayState, name: RowName): Html {
  const { label, value } = rows[name];
  return html`<div data-row="${name}"><dt>${label}</dt><dd>${value}</dd></div>`;
}

function fact(label: string, value: string, id?: string): Html {
  return html`<div><dt>${label}</dt><dd${id !== undefined && html` id="${id}"`}>${value}</dd></div>`;
}

function step(label: string, at: number, current: number): Html {
  const place = at < current ? 'done' : at === current ? 'now' : 'next';
  return html`<li data-place="${place}"${place === 'now' && html` aria-current="step"`}>${label}</li>
`;
}

function depositSection(deposit: DepositState | null, view: PayView): Html {
  const asset = assetCode(view);
  return html`<section id="deposit" aria-labelledby="deposit-title"${hidden(!deposit)}>
<h2 id="deposit-title">${WORDS.depositTitle(asset)}</h2>
<p class="warning">${WORDS.warning(asset, view.network)}</p>
<img id="deposit-picture" alt="${WORDS.depositQr}" width="200" height="200"${deposit?.picture ? html` src="${deposit.picture}"` : html` hidden`}>
${labelled(WORDS.depositAmount(asset), 'deposit-amount', deposit?.amount ?? '')}
${labelled(WORDS.depositAddress(view.network), 'deposit-address', deposit?.address ?? '')}
<div id="deposit-memo-part"${hidden(!deposit?.memo)}>
${labelled(WORDS.depositMemo, 'deposit-memo', deposit?.memo ?? '')}
<p class="warning">${WORDS.memoWarning}</p>
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
