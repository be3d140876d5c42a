/**
 * A page as it was written years ago for the earlier surface: it lists gateways and rates, shows and answers every kind
 * of step, and knows of the service only what answers and window messages say. Served from an origin of its own.
 */
import { type Site, startSite } from './pay-world.ts';

export interface Wanted {
  /** Base URL of the earlier surface. */
  base: string;
  key?: string | undefined;
  fiat?: string;
  crypto?: string;
  method?: string;
  amount?: string;
  country?: string;
  /** How files are sent. */
  files?: 'PUT' | 'POST';
}

export function startClient(): Promise<Site> {
  return startSite(() => PAGE);
}

/** The client's page, about to show the rates. */
export function clientUrl(client: Site, wanted: Wanted): string {
  const defaults = {
    fiat: 'EUR',
    crypto: 'BTC',
    method: 'creditCard',
    amount: '100',
    country: 'de',
    files: 'PUT',
  };
  const given = Object.entries({ ...defaults, ...wanted }).filter(([, value]) => value !== undefined);
  return `${client.url}/?${new URLSearchParams(given as [string, string][])}`;
}

const PAGE = `<title>Client</title>
<style>
  body { font: 16px sans-serif; margin: 0 auto; padding: 16px; max-width: 440px; }
  label, button, input, select { display: block; width: 100%; box-sizing: border-box; margin: 4px 0; font: inherit; }
  input[type=checkbox] { display: inline; width: auto; }
  iframe { width: 100%; height: 640px; border: 1px solid #bbb; }
  .error { color: #b00; }
</style>
<p id="gateways"></p><p id="fatal" class="error"></p><p id="error" class="error"></p><main id="screen"></main>
<script type="module">
const wanted = Object.fromEntries(new URLSearchParams(location.search));
const headers = wanted.key ? { authorization: 'Basic ' + wanted.key } : {};
const screen = document.getElementById('screen');
window.heard = [];
window.steps = [];
window.sent = [];

function add(tag, fields = {}, parent = screen) {
  const { dataset = {}, ...rest } = fields;
  const element = Object.assign(document.createElement(tag), rest);
  Object.assign(element.dataset, dataset);
  parent.append(element);
  return element;
}

/** Asks; every URL of the service gets the country. */
async function ask(url, init = {}) {
  window.sent.push(url);
  const full = url + (url.includes('?') ? '&' : '?') + 'country=' + wanted.country;
  const response = await fetch(full, { credentials: 'include', ...init, headers: { ...headers, ...init.headers } });
  return { ok: response.ok, body: await response.json() };
}

async function list() {
  const { body: { gateways, localization } } = await ask(wanted.base + '/gateways?includeIcons=true');
  document.getElementById('gateways').textContent =
    localization.country + ': ' + [...new Set(gateways.map(({ identifier }) => identifier))].join(', ');
  const path = [wanted.fiat, wanted.crypto, wanted.method, wanted.amount].join('/');
  const { body: rates } = await ask(wanted.base + '/rate/' + path);
  for (const rate of rates) {
    const { identifier, available, receivedCrypto, error, nextStep } = rate;
    const text = identifier + ': ' + (available ? receivedCrypto : error.message);
    const button = add('button', { textContent: text, disabled: !available, dataset: { gateway: identifier } });
    button.onclick = () => show(nextStep);
  }
}

function clear(type) {
  screen.replaceChildren();
  screen.dataset.step = type;
  document.getElementById('error').textContent = '';
}

/** What the service says went wrong; at its field when it names one. */
function showError({ message, field, fatal }) {
  if (fatal) clear('over');
  const place = fatal ? 'fatal' : 'error';
  const at = field && document.querySelector('[data-error="' + field + '"]');
  if (at) at.textContent = message;
  else document.getElementById(place).textContent = message;
}

async function answer(url, init) {
  const { ok, body } = await ask(url, init);
  if (ok) show(body);
  else showError(body);
}

const post = (url, values) =>
  answer(url, { method: 'POST', headers: { 'content-type': 'text/plain;charset=UTF-8' }, body: JSON.stringify(values) });

const VIEWS = {
  form({ url, data }) {
    for (const field of data) showField(field);
    add('button', { textContent: 'Continue', id: 'continue' }).onclick = () => {
      for (const error of document.querySelectorAll('.error')) error.textContent = '';
      const values = Object.fromEntries(data.map(field => [field.name, valueOf(field)]));
      if (window.steps.length === 1) values.partnerContext = { order: 'abc' };
      post(url, values);
    };
  },
  pickOne({ options }) {
    for (const { title, nextStep } of options)
      add('button', { textContent: title, dataset: { option: title } }).onclick = () => show(nextStep);
  },
  file({ url, humanName, acceptedContentTypes }) {
    add('label', { textContent: humanName });
    const input = add('input', { type: 'file', accept: acceptedContentTypes.join(',') });
    add('button', { textContent: 'Send', id: 'continue' }).onclick = async () => {
      const [file] = input.files;
      const body = wanted.files === 'PUT' ? file : await dataUrlOf(file);
      answer(url, { method: wanted.files, body, headers: { 'content-type': 'application/octet-stream' } });
    };
  },
  wait({ url, message }) {
    add('p', { textContent: message });
    setTimeout(() => post(url, {}), 500);
  },
  iframe({ url, neededFeatures }) {
    add('iframe', { src: url + '?country=' + wanted.country, allow: neededFeatures ?? '' });
  },
  redirect({ url, hint }) {
    add('p', { textContent: hint ?? '' });
    add('button', { textContent: 'Go on', id: 'redirect' }).onclick = () =>
      window.open(url + '?country=' + wanted.country, '_blank', 'height=595,width=440,scrollbars=yes,left=0');
  },
  completed({ trackingUrl }) {
    add('h1', { textContent: 'Completed' });
    if (trackingUrl) add('a', { href: trackingUrl, textContent: 'Follow it' });
  },
  requestBankTransaction({ depositBankAccount, reference, hint }) {
    add('h1', { textContent: 'Make the transfer' });
    for (const [name, value] of Object.entries({ ...depositBankAccount, reference, hint }))
      add('p', { textContent: value, dataset: { bank: name } });
  },
  error: showError,
};

function show(step) {
  window.steps.push(step);
  clear(step.type);
  if (step.title) add('h1', { textContent: step.title });
  if (VIEWS[step.type]) VIEWS[step.type](step);
  else showError({ message: 'A step of an unknown type: ' + step.type, fatal: true });
}

function showField({ type, name, humanName, hint, options, terms }) {
  const label = add('label', { textContent: humanName });
  if (type === 'date') for (const part of ['year', 'month', 'day']) add('input', { name: name + '-' + part, placeholder: part }, label);
  else if (type === 'select' || type === 'choice') {
    const select = add('select', { name }, label);
    for (const option of options)
      add('option', { value: option.value ?? option, textContent: option.humanName ?? option }, select);
  } else add('input', { name, type: type === 'boolean' ? 'checkbox' : 'text', placeholder: hint ?? '' }, label);
  for (const { url, humanName: text } of terms ?? []) add('a', { href: url, textContent: text }, label);
  add('p', { className: 'error', dataset: { error: name } });
}

function valueOf({ type, name }) {
  const read = word => document.querySelector('[name="' + word + '"]');
  if (type === 'date') return Object.fromEntries(['year', 'month', 'day'].map(part => [part, Number(read(name + '-' + part).value)]));
  if (type === 'boolean') return read(name).checked;
  return type === 'integer' ? Number(read(name).value) : read(name).value;
}

const dataUrlOf = file => new Promise(resolve => {
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result);
  reader.readAsDataURL(file);
});

/** Frames and windows say what is next: whatever has a type is a step. */
addEventListener('message', ({ origin, data }) => {
  window.heard.push({ origin, data });
  if (data?.type) show(data);
  else showError({ message: 'Unknown message' });
});

list();
</script>`;
