// @ts-check
/** The landing page: turns the stand-ins' switches, and shows what quotes come of it as they come. */

const panel = byId('switches');
const base = panel.dataset.base ?? '';
const asked = byId('asked');
const askButton = /** @type {HTMLButtonElement} */ (byId('ask'));
const mendButton = /** @type {HTMLButtonElement} */ (byId('mend'));

/** Another amount than the widget's, whose answers would be shared: they may be of before a switch was turned. */
const QUOTES = `${base}/quotes/eur/btc?amount=150&country=de&errors=all`;
/** Equal asks share an answer for two seconds: one that is to see a switch has to come later. */
const SHARED_MS = 2_100;

/** The rows by provider. @type {Map<string, HTMLTableRowElement>} */
const rows = new Map();
for (const row of panel.querySelectorAll('tr')) if (row.dataset.provider) rows.set(row.dataset.provider, row);

/** @type {EventSource | undefined} */
let stream;
/** @type {number | undefined} */
let timer;
let lastEnd = Number.NEGATIVE_INFINITY;
/** Whether a switch was turned while quotes were asked for: what they say is then of before. */
let isOutdated = false;

for (const [provider, row] of rows) {
  const select = selectOf(row);
  select.addEventListener('change', async () => {
    if (await turn(provider, row)) ask();
  });
  mark(row);
}
askButton.addEventListener('click', ask);
mendButton.addEventListener('click', async () => {
  const broken = [...rows].filter(([, row]) => selectOf(row).value !== 'none');
  for (const [provider, row] of broken) {
    selectOf(row).value = 'none';
    if (!(await turn(provider, row))) return;
  }
  ask();
});
ask();

/** Turns the switch to where it stands, or puts it back; whether it was turned. @param {string} provider @param {HTMLTableRowElement} row */
async function turn(provider, row) {
  const select = selectOf(row);
  const isTurned = await send(provider, select.value);
  if (!isTurned) select.value = row.dataset.kind ?? 'none';
  mark(row);
  return isTurned;
}

/** Whether the switch was turned. @param {string} provider @param {string} kind */
async function send(provider, kind) {
  try {
    const answer = await fetch(`${base}/sandbox/providers/${encodeURIComponent(provider)}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind }),
    });
    if (answer.ok) return true;
    asked.textContent = 'The switch could not be turned.';
  } catch {
    asked.textContent = 'The service does not answer.';
  }
  return false;
}

/** Asks for quotes once the last answer is there, and is no longer shared. */
function ask() {
  clearTimeout(timer);
  for (const row of rows.values()) write(row, 'asking…', 'waiting');
  asked.textContent = 'Asking…';
  isOutdated = stream !== undefined;
  if (!isOutdated) timer = setTimeout(listen, Math.max(0, lastEnd + SHARED_MS - performance.now()));
}

function listen() {
  const began = performance.now();
  const answered = new Set();
  const source = new EventSource(QUOTES);
  stream = source;
  source.addEventListener('outcome', ({ data }) => {
    if (isOutdated) return;
    const { ramp, errors } = JSON.parse(data);
    const row = rows.get(ramp);
    answered.add(ramp);
    if (row) show(row, { data, errors, ms: performance.now() - began });
  });
  source.addEventListener('done', ({ data }) => {
    if (!end()) settle(JSON.parse(data), answered, lastEnd - began);
  });
  source.addEventListener('error', () => {
    if (!end()) asked.textContent = 'The service does not answer.';
  });
}

/** Ends the stream; whether quotes are asked for again at once. */
function end() {
  stream?.close();
  stream = undefined;
  lastEnd = performance.now();
  const wasOutdated = isOutdated;
  if (wasOutdated) ask();
  return wasOutdated;
}

/**
 * @typedef {{ message: string }} Refusal
 * @typedef {{ data: string, errors?: Refusal[], ms: number }} Outcome
 */

/** @param {HTMLTableRowElement} row @param {Outcome} outcome */
function show(row, { data, errors, ms }) {
  if (errors) return write(row, `${errors[0]?.message ?? 'No quote'} · ${seconds(ms)}`, 'bad');
  // The figure as it was sent: no number of money passes through a float.
  const payout = /"payout":([\d.]+)/.exec(data)?.[1] ?? '?';
  write(row, `${payout} BTC · ${seconds(ms)}`, 'good');
}

/** What was not heard of by itself, or judged only beside all others. @param {{ ramp: string, errors?: Refusal[] }[]} quotes @param {Set<unknown>} answered @param {number} ms */
function settle(quotes, answered, ms) {
  const offers = quotes.filter(({ errors }) => !errors);
  for (const { ramp, errors } of quotes) {
    const row = rows.get(ramp);
    if (row && errors) write(row, errors[0]?.message ?? 'No quote', 'bad');
    else if (row && !answered.has(ramp)) write(row, 'a quote', 'good');
  }
  for (const [provider, row] of rows) {
    if (!quotes.some(({ ramp }) => ramp === provider)) write(row, 'not asked', 'waiting');
  }
  asked.textContent = `${offers.length} of ${rows.size} offers, all in ${seconds(ms)}`;
}

/** @param {HTMLTableRowElement} row @param {string} text @param {'good' | 'bad' | 'waiting'} kind */
function write(row, text, kind) {
  const cell = row.querySelector('.answer');
  if (!cell) return;
  cell.textContent = text;
  cell.className = `answer ${kind}`;
}

/** A row whose switch is turned looks different. @param {HTMLTableRowElement} row */
function mark(row) {
  row.dataset.kind = selectOf(row).value;
  row.classList.toggle('broken', row.dataset.kind !== 'none');
}

/** @param {HTMLTableRowElement} row */
function selectOf(row) {
  return /** @type {HTMLSelectElement} */ (row.querySelector('select'));
}

/** @param {number} ms */
function seconds(ms) {
  return `${(ms / 1000).toFixed(ms < 1_000 ? 2 : 1)} s`;
}

/** @param {string} id */
function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}
