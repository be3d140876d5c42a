/** A shop's server: makes checkouts for its orders, hears what became of them, and marks them paid. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { CloverleafError, createClient, isQuote, verifyWebhook } from '@cloverleaf/client';

/**
 * @typedef {object} Order
 * @property {string} id
 * @property {{ intent: import('@cloverleaf/client').CheckoutIntent, key: string } | undefined} wish none after it was refused
 * @property {State} state
 * @property {string} [payUrl] where the customer goes on
 */

/** @typedef {'open' | 'paid' | 'delivered' | 'ended'} State */

/** Of an order whose customer started again, what came furthest counts. @type {State[]} */
const STATES = ['delivered', 'paid', 'open', 'ended'];

/**
 * @param {object} options
 * @param {import('@cloverleaf/client').Client} options.client with the account's key
 * @param {string} options.webhookSecret `whsec_…`, as it was shown when the endpoint was added
 */
export function createShop({ client, webhookSecret }) {
  /** A real shop has a database. @type {Map<string, Order>} */
  const orders = new Map();
  /** What was heard of each transaction last. @type {Map<string, { id: string, sequence: number, state: State }>} */
  const heard = new Map();

  /** Makes the checkout under a key that is stored before: asked for twice, after a crash for instance, it is made once. */
  async function order({ id, amount, wallet }) {
    const wished = orders.get(id)?.wish ?? (await wishFor(id, { amount, wallet }));
    // Before the checkout: its first event can be here before its answer is. What was stored meanwhile holds.
    const { wish = wished, state = 'open' } = orders.get(id) ?? {};
    change(id, { id, wish, state });
    try {
      const { transactionInformation } = await client.checkout(wish.intent, { idempotencyKey: wish.key });
      return change(id, { payUrl: transactionInformation.url });
    } catch (error) {
      // The customer may come with another address or amount. After anything else the same is asked for again.
      const { kind } = /** @type {CloverleafError} */ (error);
      if (REFUSED.includes(kind) && orders.get(id)?.wish === wish) change(id, { wish: undefined });
      throw error;
    }
  }

  async function wishFor(id, { amount, wallet }) {
    const intent = { ...(await choose(amount)), wallet: { address: wallet }, partnerContext: id };
    return { intent, key: randomUUID() };
  }

  /** The best price there is. */
  async function choose(amount) {
    const ask = { source: 'eur', destination: 'btc', amount, country: 'de' };
    const [best] = (await client.quotes(ask)).filter(isQuote);
    if (!best) throw new CloverleafError('declined', 'Nobody sells that amount at the moment');
    return { ...ask, onramp: best.ramp, metaData: { quoteId: best.quoteId } };
  }

  /** @param {string} id @param {Partial<Order>} news */
  function change(id, news) {
    const changed = { .../** @type {Order} */ (orders.get(id)), ...news };
    orders.set(id, changed);
    return changed;
  }

  /** Only what is proven is believed; each event once, and none that is older than what was heard before. */
  async function hear(body, headers) {
    const event = await verifyWebhook({ body, headers, secret: webhookSecret });
    if (event.kind !== 'transaction') return;
    const { transactionId, partnerContext: id, status } = event.transaction;
    // Changes are numbered by transaction, and an order has several when its customer starts again.
    if (!orders.has(id) || event.sequence <= (heard.get(transactionId)?.sequence ?? 0)) return;
    heard.set(transactionId, { id, sequence: event.sequence, state: stateOf(status) });
    const told = [...heard.values()].filter(one => one.id === id).map(({ state }) => state);
    change(id, { state: STATES.find(state => told.includes(state)) ?? 'open' });
  }

  return createServer(async (request, response) => {
    const answer = (status, body) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    try {
      const body = await readBody(request);
      if (request.method === 'POST' && request.url === '/orders')
        answer(201, shown(await order(JSON.parse(String(body)))));
      else if (request.method === 'POST' && request.url === '/hooks/cloverleaf') {
        await hear(body, request.headers);
        response.writeHead(204).end();
      } else {
        const found = orders.get(request.url?.replace('/orders/', '') ?? '');
        answer(found ? 200 : 404, found ? shown(found) : { message: 'There is no such order' });
      }
    } catch (error) {
      const { kind, field, message } = /** @type {CloverleafError} */ (error);
      const status =
        { unverified: 401, badInput: 400, conflict: 409, expired: 410, declined: 422, busy: 503 }[kind] ??
        502;
      answer(status, { message: error instanceof CloverleafError ? message : 'Something went wrong', field });
    }
  });
}

/** What the customer may see: not what was asked for under which key. @param {Order} order */
function shown({ wish: _, ...rest }) {
  return rest;
}

/** Nothing was made of the wish, and nothing will be. */
const REFUSED = ['badInput', 'declined', 'expired'];

/** @param {import('@cloverleaf/client').TransactionStatus} status @returns {State} */
function stateOf(status) {
  if (status === 'new' || status === 'pending') return 'open';
  if (status === 'paid') return 'paid';
  return status === 'completed' ? 'delivered' : 'ended';
}

/** The raw bytes: what is signed is what was sent. */
async function readBody(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > 65_536) throw new CloverleafError('badInput', 'The body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const {
    CLOVERLEAF_URL: url = 'http://127.0.0.1:8080',
    CLOVERLEAF_KEY: key,
    WEBHOOK_SECRET,
    PORT,
  } = process.env;
  const shop = createShop({ client: createClient({ url, key }), webhookSecret: WEBHOOK_SECRET ?? '' });
  shop.listen(Number(PORT ?? 3000), '127.0.0.1', () => console.log('The shop is open'));
}
