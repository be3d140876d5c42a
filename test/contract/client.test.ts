/** The client against the real service: what it hands over is what was answered, and what it sends is understood. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CheckoutIntent,
  type Client,
  type ClientOptions,
  createClient,
  isQuote,
  type QuoteEvent,
  signCheckout,
  verifyWebhook,
  type WebhookEvent,
} from '../../client/src/index.ts';
import { createSeal } from '../../src/app/seal.ts';
import { addSigningSecret, requireSignature } from '../../src/app/signed-checkout.ts';
import { eventually } from './patience.ts';
import { MASTER_KEY, MOONPAY, PROVIDERS, startWorld, type World } from './world.ts';
import { WALLET } from './world-orders.ts';

const COUNTRY = 'de';
const ASK = { source: 'eur', destination: 'btc', amount: '100', country: COUNTRY };
const BUY: CheckoutIntent = { ...ASK, onramp: MOONPAY, wallet: { address: WALLET } };
const ETHER = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

let world: World;
let client: Client;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  const { host } = new URL(receiver.url);
  world = await startWorld({ WEBHOOK_ALLOWED_HOSTS: host }, { only: PROVIDERS });
  client = connect();
});
afterAll(async () => {
  await world?.close();
  receiver?.server.close();
});

function connect(options: Partial<ClientOptions> = {}): Client {
  const { publicKey: key, secret } = world.account;
  return createClient({ url: world.url, key, secret, ...options });
}

interface Receiver {
  url: string;
  server: Server;
  secrets: string[];
  events: WebhookEvent[];
  refusals: unknown[];
}

/** A shop's endpoint that believes what the client verifies. */
async function startReceiver(): Promise<Receiver> {
  const [secrets, events, refusals]: [string[], WebhookEvent[], unknown[]] = [[], [], []];
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const delivered = { body: Buffer.concat(chunks), headers: request.headers, secret: secrets };
    await verifyWebhook(delivered).then(
      event => events.push(event),
      error => refusals.push(error),
    );
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, server, secrets, events, refusals };
}

/** What was read, with text for numbers again where the answer has them. */
function asAnswered(read: unknown, answered: unknown): unknown {
  if (typeof read === 'string' && typeof answered === 'number') return Number(read);
  if (Array.isArray(read)) return read.map((one, at) => asAnswered(one, (answered as unknown[])[at]));
  if (typeof read !== 'object' || read === null) return read;
  const shown = answered as Record<string, unknown>;
  return Object.fromEntries(Object.entries(read).map(([key, one]) => [key, asAnswered(one, shown[key])]));
}

async function collect<T>(all: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of all) found.push(one);
  return found;
}

const fails = (about: object) => expect.objectContaining({ name: 'CloverleafError', ...about });

describe('the catalog', () => {
  test.each<[string, (client: Client) => Promise<unknown>]>([
    ['/supported', one => one.supported()],
    ['/supported?type=sell', one => one.supported({ type: 'sell' })],
    ['/supported/payment-types?country=de', one => one.paymentTypes({ country: COUNTRY })],
    ['/supported/defaults/all?country=de', one => one.defaults({ country: COUNTRY })],
    ['/supported/defaults/all?country=de&type=sell', one => one.defaults({ country: COUNTRY, type: 'sell' })],
    ['/supported/assets?source=eur&country=de', one => one.assets({ source: 'eur', country: COUNTRY })],
    ['/supported/onramps/all', one => one.allOnramps()],
    [
      '/supported/onramps?source=eur&destination=btc&country=de&recommendations=true',
      one => one.onramps({ source: 'eur', destination: 'btc', country: COUNTRY, recommendations: true }),
    ],
    ['/supported/countries', one => one.countries()],
  ])('%s is handed over as it was answered', async (path, read) => {
    const { body } = await world.get(path, { authorization: world.key });
    expect(asAnswered(await read(client), body.message)).toEqual(body.message);
  });

  test('has the payment types of a currency by their id, with limits in text', async () => {
    const { body } = await world.get('/supported/payment-types/eur?country=de&destination=btc', {
      authorization: world.key,
    });
    const types = await client.paymentTypes({ fiat: 'eur', country: COUNTRY, destination: 'btc' });
    expect(asAnswered(Object.values(types), body.message)).toEqual(body.message);
    expect(types.creditcard?.details.limits.aggregatedLimit?.min).toMatch(/^\d+(\.\d+)?$/);
  });
});

describe('quotes', () => {
  test('are handed over as they were answered, with every figure in text', async () => {
    const quotes = await client.quotes(ASK);
    const { body } = await world.get('/quotes/eur/btc?amount=100&country=de', { authorization: world.key });
    expect(quotes.map(({ ramp }) => ramp)).toEqual(body.map(({ ramp }: { ramp: string }) => ramp));
    expect(quotes.every(isQuote)).toBe(true);
    for (const quote of quotes.filter(isQuote)) {
      for (const figure of [quote.rate, quote.networkFee, quote.transactionFee, quote.payout])
        expect(figure).toMatch(/^\d+(\.\d+)?$/);
    }
  });

  test('for selling are as exact, to the last of eighteen places', async () => {
    const amount = '0.123456789012345678';
    const quotes = await client.quotes({
      source: 'eth',
      destination: 'eur',
      amount,
      country: COUNTRY,
      errors: 'all',
    });
    expect(quotes.length).toBeGreaterThan(0);
    await expect(
      client.quotes({ ...ASK, source: 'eth', destination: 'eur', amount: `${amount}9` }),
    ).rejects.toEqual(fails({ kind: 'badInput', field: 'amount' }));
  });

  test('stream in, one by one and then in order', async () => {
    const events: QuoteEvent[] = await collect(client.streamQuotes(ASK));
    const last = events.pop();
    const ramps = events.map(event => (event.kind === 'outcome' ? event.outcome.ramp : 'done'));
    expect(ramps.sort()).toEqual([...PROVIDERS].sort());
    expect(last?.kind === 'done' && last.quotes.map(({ ramp }) => ramp).sort()).toEqual(ramps);
    for (const event of events) {
      if (event.kind === 'outcome' && isQuote(event.outcome))
        expect(event.outcome.payout).toMatch(/^0\.\d+$/);
    }
  });

  test('may be left before they are complete', async () => {
    for await (const event of client.streamQuotes(ASK)) {
      expect(event.kind).toBe('outcome');
      break;
    }
  });

  test('that nobody has say what would do', async () => {
    const outcomes = await client.quotes({ ...ASK, amount: '0.01' });
    for (const outcome of outcomes) {
      if (isQuote(outcome)) throw new Error('a cent is no amount');
      expect(outcome.errors[0]).toMatchObject({ type: 'LimitMismatch', errorId: 6101 });
      expect(outcome.errors[0]?.minAmount).toMatch(/^\d+(\.\d+)?$/);
    }
  });
});

describe('a checkout', () => {
  test('makes an order of a quote, which can be read and listed', async () => {
    const quote = (await client.quotes(ASK)).filter(isQuote).find(({ ramp }) => ramp === MOONPAY);
    const made = await client.checkout({
      ...BUY,
      metaData: { quoteId: quote?.quoteId },
      partnerContext: 'order 7',
    });
    expect(made.sessionInformation).toMatchObject({ amount: '100', type: 'buy', country: 'DE' });
    expect(made.sessionInformation.expiringTime).toBeTypeOf('number');
    const { transactionId, url } = made.transactionInformation;
    expect((await fetch(url)).status).toBe(200);
    const record = await client.transaction(transactionId);
    expect(record).toMatchObject({
      status: 'new',
      inAmount: '100',
      outAmount: '0',
      partnerContext: 'order 7',
    });
    expect(await collect(client.transactions({ transactionIds: [transactionId] }))).toEqual([record]);
  });

  test('of a sale keeps every place of the amount', async () => {
    const amount = '0.123456789012345678';
    const sale = {
      source: 'eth',
      destination: 'eur',
      amount,
      country: COUNTRY,
      paymentMethod: 'sepabanktransfer',
    };
    const [quote] = (await client.quotes(sale)).filter(isQuote);
    const made = await client.checkout({
      ...sale,
      onramp: quote?.ramp ?? '',
      type: 'sell',
      wallet: { address: ETHER },
    });
    expect(made.sessionInformation.amount).toBe(amount);
    const record = await client.transaction(made.transactionInformation.transactionId);
    expect([record.transactionType, record.inAmount]).toEqual(['sell', amount]);
  });

  test('whose answers are lost is made once', async () => {
    let lost = 0;
    const losing: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (lost++ > 1) return response;
      await response.body?.cancel();
      throw new TypeError('terminated');
    };
    const partnerContext = `lost ${Date.now()}`;
    const made = await connect({ fetch: losing }).checkout({ ...BUY, partnerContext });
    const records = await collect(client.transactions());
    const own = records.filter(record => record.partnerContext === partnerContext);
    expect(own.map(({ transactionId }) => transactionId)).toEqual([
      made.transactionInformation.transactionId,
    ]);
  });

  test('under the same key is the same order, and another order is refused under it', async () => {
    const [first, second] = await Promise.all([
      client.checkout(BUY, { idempotencyKey: 'basket 1' }),
      client.checkout(BUY, { idempotencyKey: 'basket 1' }),
    ]);
    expect(second).toEqual(first);
    await expect(client.checkout({ ...BUY, amount: '101' }, { idempotencyKey: 'basket 1' })).rejects.toEqual(
      fails({ kind: 'conflict', status: 422, field: 'Idempotency-Key' }),
    );
  });

  test('that is signed is taken as it is, and not otherwise', async () => {
    const account = await world.newAccount();
    const seal = createSeal(Buffer.from(MASTER_KEY, 'hex'), 'account-signers');
    const { secret } = await addSigningSecret({ database: world.database, seal }, account.publicKey);
    await requireSignature(world.database, account.publicKey, true);
    const page = createClient({ url: world.url, key: account.publicKey });
    const unsigned = () =>
      page.checkout(BUY).then(
        () => 200,
        error => error.status as number,
      );
    await eventually(async () => (await unsigned()) === 403, 'checkouts must be signed');
    const signed = await signCheckout({ ...BUY, amount: '100.50' }, { secret });
    const altered = page.checkout({ ...signed, amount: '1000.50' });
    await expect(altered).rejects.toEqual(fails({ kind: 'forbidden', field: 'signature' }));
    expect((await page.checkout(signed)).status).toBe('in_progress');
    await expect(page.checkout(signed)).rejects.toEqual(fails({ kind: 'conflict', field: 'signContent' }));
  });
});

describe('transactions', () => {
  test('are handed out over all pages, newest first, each once', async () => {
    for (const amount of ['100', '101', '102']) await client.checkout({ ...BUY, amount });
    const all = await collect(client.transactions());
    expect(all.length).toBeGreaterThan(3);
    expect(await collect(client.transactions({ limit: 2 }))).toEqual(all);
    const pages = await collect(client.transactions({ limit: 2 }).pages());
    expect(pages.map(({ transactions }) => transactions.length)).toEqual([
      ...Array.from({ length: Math.ceil(all.length / 2) - 1 }, () => 2),
      2 - (all.length % 2),
    ]);
    expect(await collect(client.transactions({ endDateTime: new Date(0) }))).toEqual([]);
  });
});

describe('webhooks', () => {
  test('are added, told, rotated, replayed and removed', async () => {
    const endpoint = await client.webhooks.add(receiver.url);
    receiver.secrets.push(endpoint.secret);
    expect(await client.webhooks.test(endpoint.id)).toMatchObject({ accepted: true, status: 204 });
    const { transactionInformation } = await client.checkout(BUY);
    const { transactionId } = transactionInformation;
    const told = () => receiver.events.filter(event => event.kind === 'transaction');
    await eventually(() => told().length === 1, 'the order is told of');
    const record = await client.transaction(transactionId);
    expect(told()[0]).toEqual({
      kind: 'transaction',
      id: `msg_${transactionId}-1`,
      sequence: 1,
      transaction: record,
    });
    const settled = async () => (await client.webhooks.deliveries(endpoint.id, { state: 'delivered' }))[0];
    await eventually(async () => (await settled()) !== undefined, 'the delivery is noted');
    expect(await settled()).toMatchObject({ transactionId, sequence: 1, attempts: 1, lastStatus: 204 });

    // The receiver keeps the old secret: both sign until the rotation is ended.
    const rotated = await client.webhooks.rotate(endpoint.id);
    expect(rotated.rotating).toBe(true);
    expect(await client.webhooks.replay(endpoint.id, { eventIds: [told()[0]?.id ?? ''] })).toBe(1);
    await eventually(() => told().length === 2, 'the event is told again');
    receiver.secrets.splice(0, 1, rotated.secret);
    await client.webhooks.endRotation(endpoint.id);
    expect(await client.webhooks.list()).toMatchObject([{ id: endpoint.id, rotating: false, enabled: true }]);
    expect(await client.webhooks.replay(endpoint.id, { since: new Date(record.statusDate) })).toBe(1);
    await eventually(() => told().length === 3, 'the event is told with the new secret');
    expect(receiver.refusals).toEqual([]);

    await client.webhooks.remove(endpoint.id);
    expect(await client.webhooks.list()).toEqual([]);
    await expect(client.webhooks.enable(endpoint.id)).rejects.toEqual(fails({ kind: 'notFound' }));
  });
});

describe('errors', () => {
  test('can be told apart', async () => {
    const stranger = connect({ key: 'pk_test_00000000000000000000000000' });
    await expect(stranger.supported()).rejects.toEqual(fails({ kind: 'unauthorized', status: 401 }));
    const nobody = connect({ key: undefined });
    await expect(nobody.checkout(BUY)).rejects.toEqual(fails({ kind: 'unauthorized' }));
    await expect(connect({ secret: 'sk_no' }).transaction('x')).rejects.toEqual(
      fails({ kind: 'unauthorized' }),
    );
    await expect(client.transaction('01JGFJJZ00ABCDEFGHJKMNPQRS')).rejects.toEqual(
      fails({ kind: 'notFound' }),
    );
    await expect(client.quotes({ ...ASK, destination: 'nope' })).rejects.toEqual(
      fails({ kind: 'badInput', field: 'destination', requestId: expect.stringMatching(/^[\w-]{8,64}$/) }),
    );
    await expect(client.checkout({ ...BUY, wallet: { address: 'nope' } })).rejects.toEqual(
      fails({ kind: 'badInput', field: 'wallet.address' }),
    );
    await expect(client.checkout({ ...BUY, amount: '0.01' })).rejects.toEqual(
      fails({ kind: 'declined', reason: 'LimitMismatch', minAmount: expect.stringMatching(/^\d+/) }),
    );
    await expect(connect({ url: 'http://127.0.0.1:9', retries: 0 }).countries()).rejects.toEqual(
      fails({ kind: 'unreachable', status: undefined }),
    );
  });
});

describe('the script for pages', () => {
  test('is served to any site, and kept for as long as it is the same', async () => {
    const { status, headers, text } = await world.get('/client.js', { origin: 'https://shop.example' });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(headers.get('access-control-allow-origin')).toBe('https://shop.example');
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    const etag = headers.get('etag') ?? '';
    expect((await world.get('/client.js', { 'if-none-match': etag })).status).toBe(304);
    const [version] = /[\w-]{16}/.exec(etag) ?? [];
    const exact = await world.get(`/client.js?v=${version}`);
    expect(exact.headers.get('cache-control')).toContain('immutable');
    expect(headers.get('cache-control')).toBe('public, no-cache');
    const script = (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as {
      createClient: typeof createClient;
    };
    expect(await script.createClient({ url: world.url }).countries()).toEqual(await client.countries());
  });
});
