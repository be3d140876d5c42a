/** A page without a framework: offers stream in while the amount is typed, and one press leads to the pay page. */
import { key, service } from './settings.js';

/** @type {typeof import('@cloverleaf/client')} */
const { CloverleafError, createClient, isQuote } = await import(`${service}/client.js`);
const form = /** @type {HTMLFormElement} */ (document.getElementById('ask'));
const status = /** @type {HTMLElement} */ (document.getElementById('status'));
const list = /** @type {HTMLElement} */ (document.getElementById('quotes'));
const client = connect();

const field = name => String(new FormData(form).get(name)).trim();
const ask = () => ({ source: 'eur', destination: 'btc', amount: field('amount'), country: 'de' });

/** With a key that is none nothing can be done: the page says so, and ends. */
function connect() {
  try {
    return createClient({ url: service, key });
  } catch (error) {
    status.textContent = /** @type {Error} */ (error).message;
    throw error;
  }
}

/** Whoever is still typing has not asked yet. */
const TYPING_MS = 200;

/** Ends the question before, so that its answers do not come among the new ones. */
let following = new AbortController();

async function follow() {
  following.abort();
  following = new AbortController();
  const { signal } = following;
  list.replaceChildren();
  status.textContent = 'Asking…';
  await new Promise(resolve => setTimeout(resolve, TYPING_MS));
  if (signal.aborted) return;
  try {
    const outcomes = [];
    for await (const event of client.streamQuotes(ask(), { signal })) {
      if (event.kind === 'outcome') outcomes.push(event.outcome);
      show(event.kind === 'done' ? event.quotes : outcomes);
      status.textContent =
        event.kind === 'done' ? `${event.quotes.filter(isQuote).length} offers` : 'Asking…';
    }
  } catch (error) {
    tell(error);
  }
}

function show(outcomes) {
  list.replaceChildren(...outcomes.map(outcome => (isQuote(outcome) ? offer(outcome) : refusal(outcome))));
}

/** A price without an id is on its way to one: it can be seen, and pressed a moment later. */
function offer(quote) {
  const button = document.createElement('button');
  button.textContent = `${quote.ramp}: ${quote.payout} BTC`;
  button.disabled = quote.quoteId === undefined;
  button.addEventListener('click', () => buy(quote));
  return item(button);
}

function refusal({ ramp, errors: [error] }) {
  return item(`${ramp}: ${error.message}`);
}

function item(content) {
  const element = document.createElement('li');
  element.append(content);
  return element;
}

/** Whether an order is being made: a second press is none. */
let isOrdering = false;

async function buy({ ramp, quoteId }) {
  if (isOrdering || !form.reportValidity()) return;
  isOrdering = true;
  status.textContent = 'One moment…';
  try {
    const { transactionInformation } = await client.checkout({
      ...ask(),
      onramp: ramp,
      metaData: { quoteId },
      wallet: { address: field('wallet') },
    });
    location.assign(transactionInformation.url);
  } catch (error) {
    isOrdering = false;
    tell(error);
  }
}

function tell(error) {
  if (!(error instanceof CloverleafError)) throw error;
  if (error.kind === 'aborted') return;
  status.textContent = error.message;
  // The quote has run out: there is a new one for the asking.
  if (error.kind === 'expired') void follow();
}

form.addEventListener('input', event => {
  if (/** @type {HTMLInputElement} */ (event.target).name === 'amount') void follow();
});
form.addEventListener('submit', event => event.preventDefault());
// Whoever comes back to the page as it was left may order again.
addEventListener('pageshow', () => {
  isOrdering = false;
});
void follow();
