// @ts-check
/** The pay page, live: shows the state as it changes, and the provider's page in a frame or a window of its own. */

/** @import { PaySetup, PayState } from '../../src/http/pay/shape.ts' */

import { handOver } from './handover.js';

const main = byId('pay');
/** @type {PaySetup} */
const setup = JSON.parse(main.dataset.setup ?? '');
const { path, query, texts: TEXTS } = setup;
/** @type {PayState} */
let state = JSON.parse(main.dataset.state ?? '');

const POLL_MS = 3_000;
/** Between polls for late money. */
const LATE_POLL_MS = 15_000;
const PATIENCE_MS = 30_000;
/** A stream brings the state at once, unless something holds it back. */
const SILENCE_MS = 10_000;
/** More than two beats of a stream. */
const BEATS_MS = 35_000;
/** Polls that succeed before a stream is tried again. */
const POLLS_BEFORE_STREAM = 10;
const COUNTDOWN_S = 8;
/** Providers' addresses lapse soon, or once used. */
const LINK_MS = 60_000;
/** Long enough to read how it ended. */
const CLOSING_MS = 2_500;
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Our frame or window with the provider's page. @type {Window | null} */
let opened = null;
/** @type {EventSource | undefined} */
let stream;
/** Timers of the stream, the session and a link. */
let silence = 0;
let lapse = 0;
let decay = 0;
/** Ends a pause between polls. @type {((value?: unknown) => void) | undefined} */
let wake;
let told = '';
/** The next step that was handed over last. */
let handed = '';
let isPolling = false;
let isBusy = false;
/** Whether there is a way to the provider's page already. */
let isShowing = false;

/** @param {string} id */
function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** What is shown already is left alone: somebody may be marking it. @param {Element | null} element @param {string} text */
function setText(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

/** @param {string} id @param {string} text */
function write(id, text) {
  setText(byId(id), text);
  byId(id).hidden = text === '';
}

/** For those who do not see the page. @param {string} text */
function announce(text) {
  byId('announcement').textContent = text;
}

/** A long text in groups of four; the space between them is no text. @param {string} id @param {string} text */
function writeLong(id, text) {
  const element = byId(id);
  const copy = element.parentElement?.querySelector('button');
  if (!copy || copy.dataset.copy === text) return;
  copy.dataset.copy = text;
  const shown = text.replace(UNSEEN, '\uFFFD');
  if (element.className === 'spoken') return setText(element, shown);
  const parts = (shown.match(/.{1,4}/gu) ?? []).flatMap(four => {
    const span = document.createElement('span');
    span.textContent = four;
    return [document.createElement('wbr'), span];
  });
  element.replaceChildren(...parts.slice(1));
}

/** Shows a state, unless a later one was shown before. @param {PayState} next */
function apply(next) {
  write('connection', '');
  if (next.sequence < state.sequence) return;
  const isNews = next.texts.title !== state.texts.title;
  const place = document.activeElement;
  state = next;
  const { texts, can } = state;
  main.dataset.status = state.status;
  main.classList.toggle('moot', state.moot);
  main.classList.toggle('settled', !can.open);
  byId('status').dataset.tone = state.tone;
  write('status-title', texts.title);
  write('status-lead', texts.lead);
  write('reason', texts.reason);
  write('estimate', texts.estimate);
  byId('open-button').textContent = texts.open;
  write('open-note', texts.openNote);
  setText(document.getElementById('wallet-label'), texts.wallet);
  byId('open').hidden = !can.open || isShowing;
  byId('again').hidden = !can.again;
  const back = document.getElementById('back');
  if (back) back.hidden = !state.finished && !state.moot;
  showSteps();
  showFigures();
  showBank();
  tell();
  passOn();
  clearTimeout(lapse);
  if (state.expiresIn > 0) lapse = setTimeout(refresh, state.expiresIn + 250);
  if (!place?.getClientRects().length) turnToStatus();
  if (!isNews) return;
  announce(`${texts.title}. ${texts.lead}`);
  write('trouble', '');
  if (state.finished || state.moot) {
    closeStage();
    turnToStatus();
  }
  if (state.finished) unfollow();
  if (state.status === 'completed' && back && window.top === window) countDown(back);
}

/** Where somebody goes on whose place on the page was taken away. */
function turnToStatus() {
  byId('status-title').focus({ preventScroll: true });
  byId('status').scrollIntoView({ block: 'nearest' });
}

function showSteps() {
  const steps = byId('steps');
  steps.hidden = state.step < 0;
  for (const [at, item] of steps.querySelectorAll('li').entries()) {
    const place = at < state.step ? 'done' : at === state.step ? 'now' : 'next';
    item.dataset.place = place;
    item.ariaCurrent = place === 'now' ? 'step' : null;
  }
}

function showFigures() {
  for (const [name, { label, about, value }] of Object.entries(state.rows)) {
    for (const [part, text] of Object.entries({ dt: label, small: about, span: value }))
      setText(document.querySelector(`[data-row=${name}] ${part}`), text);
  }
  byId('hash').hidden = !state.hash;
  writeLong('hash-text', state.hash);
  const { deposit } = state;
  const section = document.getElementById('deposit');
  if (!section) return;
  section.hidden = !deposit;
  if (!deposit) return;
  writeLong('deposit-amount', deposit.amount);
  writeLong('deposit-address', deposit.address);
  writeLong('deposit-memo', deposit.memo);
  byId('deposit-memo-part').hidden = !deposit.memo;
  byId('deposit-picture').hidden = !deposit.picture;
  if (deposit.picture) byId('deposit-picture').setAttribute('src', deposit.picture);
}

function showBank() {
  const { bank } = state;
  const section = document.getElementById('bank');
  if (!section) return;
  section.hidden = !bank;
  if (!bank) return;
  const { hint, ...parts } = bank;
  for (const [name, text] of Object.entries(parts)) {
    writeLong(`bank-${name}`, text);
    byId(`bank-${name}-part`).hidden = !text;
  }
  write('bank-hint', hint.replace(UNSEEN, ' '));
  byId('bank-warning').hidden = !bank.reference;
}

/** The page that frames us is told of each status once, where the shop has registered it. */
function tell() {
  // Pages that lead through an order by steps take whatever they hear for the next one.
  const { transactionId, status } = state;
  if (setup.listener !== null || told === status) return;
  told = status;
  // What is for somebody else is not delivered.
  for (const origin of embedders())
    window.parent.postMessage({ type: 'cloverleaf:status', transactionId, status }, origin);
}

/** The page that leads through the order by steps is handed the next one, each once. */
function passOn() {
  const next = state.handover;
  const text = JSON.stringify(next);
  if (setup.listener === null || handed === text) return;
  handed = text;
  write('handover', '');
  if (!next) return;
  const heard = handOver(next, setup.listener);
  const isError = next.type === 'error';
  if (heard === 'nobody') write('handover', isError ? TEXTS.goBackAgain : TEXTS.goBack);
  if (heard !== 'elsewhere') return;
  write('handover', isError ? TEXTS.close : TEXTS.closing);
  // Browsers close what a script has opened only; others may read on.
  if (!isError) setTimeout(() => window.close(), CLOSING_MS);
}

/** Who may frame us, our own widget among them; of those that one alone which does, where the browser says so. */
function embedders() {
  const around = location.ancestorOrigins?.[0];
  const known = new Set([...setup.ancestors, location.origin]);
  return window.parent === window ? [] : [...known].filter(origin => origin === (around ?? origin));
}

// Following

function follow() {
  if (state.finished || stream || isPolling) return;
  stream = new EventSource(`${path}/events${query}`);
  stream.addEventListener('beat', hear);
  stream.addEventListener('status', event => {
    hear();
    apply(JSON.parse(event.data));
  });
  stream.addEventListener('error', fallBack);
  silence = setTimeout(fallBack, SILENCE_MS);
}

/** A stream can die without an end. */
function hear() {
  clearTimeout(silence);
  silence = setTimeout(fallBack, BEATS_MS);
}

function unfollow() {
  clearTimeout(silence);
  stream?.close();
  stream = undefined;
}

function fallBack() {
  unfollow();
  poll();
}

/** Asks again and again, until a stream can be had. */
async function poll() {
  if (isPolling) return;
  isPolling = true;
  for (let answered = 0; answered < POLLS_BEFORE_STREAM && !state.finished; ) {
    if (await refresh()) answered++;
    await new Promise(resolve => {
      wake = resolve;
      setTimeout(resolve, state.moot ? LATE_POLL_MS : POLL_MS);
    });
  }
  isPolling = false;
  follow();
}

async function refresh() {
  try {
    const response = await fetch(`${path}/state${query}`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (!response.ok) throw response;
    apply(await response.json());
    return true;
  } catch {
    // What has ended for good is waited for no more.
    if (!state.finished) write('connection', TEXTS.offline);
    fallBack();
    return false;
  }
}

// The provider's page

/** Opens it where it is to be; a window must be opened at the click itself. @param {boolean} inFrame */
async function open(inFrame) {
  if (isBusy) return;
  // Apps may know one window only: another would take this page's place.
  const isAlone = inFrame || / wv\)/.test(navigator.userAgent);
  const popup = isAlone ? null : window.open('about:blank', '_blank');
  try {
    popup?.document.body.append(TEXTS.opening);
  } catch {
    // It is empty for a moment longer.
  }
  const answer = await ask('open');
  if (!answer) return void popup?.close();
  closeStage();
  isShowing = true;
  byId('open').hidden = true;
  const { href, origin } = new URL(answer.url);
  if (popup) showWindow(popup, href);
  else if (inFrame && origin === setup.pageOrigin && origin !== location.origin) showFrame(href);
  else showLink(href);
  await refresh();
  // What the order has come to may have moved it.
  bringIntoView();
}

/** @param {string} url */
function showFrame(url) {
  const frame = document.createElement('iframe');
  frame.title = setup.frameTitle;
  frame.allow = setup.allow;
  // Scripts and their own origin go together only because that origin is not ours.
  frame.sandbox.value =
    'allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox';
  frame.src = url;
  byId('frame').replaceChildren(frame);
  byId('stage').hidden = false;
  opened = frame.contentWindow;
  document.body.classList.add('framed');
  if (isNarrow()) byId('details').removeAttribute('open');
  bringIntoView();
  frame.focus();
}

function isNarrow() {
  return matchMedia('(max-width: 60rem)').matches;
}

/** The provider's frame, or where its window is told of; side by side they begin at one height. */
function bringIntoView() {
  if (byId('stage').hidden) byId('status').scrollIntoView({ block: 'nearest' });
  else (isNarrow() ? byId('stage') : main).scrollIntoView({ block: 'start' });
}

/** @param {Window} popup @param {string} url */
function showWindow(popup, url) {
  opened = popup;
  popup.location.replace(url);
  write('stage-note', TEXTS.elsewhere);
  byId('reopen').hidden = false;
  byId('reopen').focus({ preventScroll: true });
  const watch = setInterval(() => {
    // To us a window seems closed as well that its page has cut off; but then nobody is here yet.
    if (opened === popup && !(popup.closed && document.hasFocus())) return;
    clearInterval(watch);
    if (opened === popup) comeBack();
  }, 1_000);
}

/** @param {string} url */
function showLink(url) {
  const link = /** @type {HTMLAnchorElement} */ (byId('link'));
  link.href = url;
  // Apps that show us may know no other window; the provider leads back here.
  link.target = window.top === window ? '' : '_blank';
  link.hidden = false;
  write('stage-note', TEXTS.blocked);
  announce(TEXTS.blocked);
  link.focus();
  link.onclick = dropLink;
  decay = setTimeout(dropLink, LINK_MS);
}

/** The way to a fresh one takes its place. */
function dropLink() {
  if (document.activeElement?.id === 'link') turnToStatus();
  closeStage();
}

function closeStage() {
  clearTimeout(decay);
  opened = null;
  isShowing = false;
  byId('open').hidden = !state.can.open;
  byId('frame').replaceChildren();
  document.body.classList.remove('framed');
  byId('details').setAttribute('open', '');
  for (const id of ['stage', 'stage-note', 'reopen', 'link']) byId(id).hidden = true;
}

/** From the provider's page, which is gone, and the focus with it. */
function comeBack() {
  closeStage();
  write('stage-note', TEXTS.returned);
  announce(TEXTS.returned);
  turnToStatus();
  refresh();
}

/** Asks the server to do something; says what is wrong when it does not. @param {'open' | 'again'} what */
async function ask(what) {
  const button = byId(`${what}-button`);
  const label = button.textContent;
  setBusy(true);
  button.textContent = TEXTS.opening;
  let trouble = TEXTS.failed;
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const headers = { accept: 'application/json' };
    const response = await fetch(`${path}/${what}${query}`, { method: 'POST', headers, signal });
    const answer = await response.json();
    const refusal = setup.refusals[response.status] ?? trouble;
    trouble = response.ok ? '' : refusal.replace('{reason}', () => answer.message.replace(UNSEEN, '\uFFFD'));
    if (response.ok) return /** @type {{ url: string }} */ (answer);
    // The order may have ended meanwhile.
    await refresh();
  } catch {
    // Said below.
  } finally {
    setBusy(false);
    button.textContent = trouble ? TEXTS.retry : label;
    write('trouble', trouble);
  }
  return undefined;
}

/** @param {boolean} busy */
function setBusy(busy) {
  isBusy = busy;
  for (const id of ['open-button', 'again-button', 'elsewhere', 'reopen'])
    byId(id).ariaDisabled = String(busy);
}

/** @param {HTMLElement} back */
function countDown(back) {
  let left = COUNTDOWN_S;
  const show = () => write('countdown-text', TEXTS.leaving.replace('{seconds}', `${left}`));
  show();
  byId('countdown').hidden = false;
  // Once: nobody is to hear every second.
  byId('announcement').append(` ${byId('countdown').textContent}`);
  const timer = setInterval(() => {
    left--;
    show();
    if (left > 0) return;
    clearInterval(timer);
    back.click();
  }, 1_000);
  byId('stay').addEventListener('click', () => {
    clearInterval(timer);
    byId('countdown').hidden = true;
    back.focus();
  });
}

/** @param {HTMLElement} button */
async function copy(button) {
  const text = button.dataset.copy ?? '';
  let message = TEXTS.copied;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page that frames us may not have handed the clipboard on.
    getSelection()?.selectAllChildren(/** @type {Node} */ (button.parentElement?.firstElementChild));
    const put = (/** @type {ClipboardEvent} */ event) => {
      event.preventDefault();
      event.clipboardData?.setData('text/plain', text);
    };
    document.addEventListener('copy', put, { once: true });
    if (!document.execCommand('copy')) message = TEXTS.selected;
    document.removeEventListener('copy', put);
  }
  button.textContent = message;
  announce(message);
  setTimeout(setText, 1_500, button, TEXTS.copy);
}

// Beginning

document.documentElement.classList.add('live');
byId('open').addEventListener('submit', event => {
  event.preventDefault();
  open(setup.framed);
});
for (const id of ['elsewhere', 'reopen']) byId(id).addEventListener('click', () => open(false));
byId('again').addEventListener('submit', async event => {
  event.preventDefault();
  const answer = isBusy ? undefined : await ask('again');
  if (!answer) return;
  // By the name that we were opened by.
  const { pathname, search } = new URL(answer.url);
  location.assign(pathname + search);
});
for (const button of document.querySelectorAll('button.copy')) {
  button.addEventListener('click', () => copy(/** @type {HTMLElement} */ (button)));
}
window.addEventListener('message', event => {
  // Only our own return page, in what we opened: nothing that the provider's says is for us.
  const isOurs = opened && event.source === opened && event.origin === location.origin;
  if (isOurs && event.data?.type === 'cloverleaf:returned') comeBack();
});
document.addEventListener('visibilitychange', () => {
  if (document.hidden) return;
  // Late money changes even what had ended.
  if (isPolling) wake?.();
  else refresh();
});
window.addEventListener('pageshow', event => {
  if (event.persisted) refresh().then(follow);
});
apply(state);
follow();
