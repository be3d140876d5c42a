/** The client: everything the service does, both ways, as functions that throw nothing but `CloverleafError`. */
import type {
  CheckoutIntent,
  EarlyOutcome,
  PaymentTypesAsk,
  QuoteAsk,
  QuoteEvent,
  QuoteOutcome,
  TransactionFilter,
} from './asks.ts';
import { type Caller, type CallOptions, createCaller, parseAnswer, readChunks } from './call.ts';
import { randomFraction, randomKey } from './chance.ts';
import { createWebhooks, type Webhooks } from './endpoints.ts';
import { badInput, CloverleafError } from './error.ts';
import { readEvents } from './events.ts';
import { amountText, writeExact } from './exact.ts';
import { credentialText, keyText, momentText, pathPart } from './inputs.ts';
import type {
  Assets,
  AssetsQuery,
  Checkout,
  Country,
  Defaults,
  DefaultsQuery,
  OnrampsQuery,
  PaymentType,
  PaymentTypeWithLimits,
  Provider,
  ProviderAvailability,
  Supported,
  SupportedQuery,
  TransactionPage,
  TransactionRecord,
} from './types.ts';

export interface ClientOptions {
  /** Where the service is: `https://ramps.example`. */
  url: string;
  /** The account's public key, `pk_…`. */
  key?: string | undefined;
  /** The account's secret, `sk_…`: for servers only, never for a page. */
  secret?: string | undefined;
  fetch?: typeof fetch | undefined;
  /** How long a call may take, waits and further tries included; 30 seconds when nothing is said, without an end when `Infinity`. */
  timeoutMs?: number | undefined;
  /** Further tries where a try did no harm; 2 when nothing is said. */
  retries?: number | undefined;
  /** Makes idempotency keys. */
  newKey?(): string;
  /** From 0 up to 1: spreads further tries in time. */
  random?(): number;
}

export interface CheckoutOptions extends CallOptions {
  /**
   * To go on with a checkout that was begun before, in another process for instance: the same order again makes no second one.
   * 1 to 255 printable ASCII characters.
   */
  idempotencyKey?: string | undefined;
}

/** Records one by one, or page by page; pages are fetched as they are reached. */
export interface TransactionList extends AsyncIterable<TransactionRecord> {
  pages(): AsyncIterable<TransactionPage>;
}

export interface Client {
  /** Assets and fiat currencies that can be bought or sold. */
  supported(query?: SupportedQuery, options?: CallOptions): Promise<Supported>;
  /** Payment types by id; of one currency with limits, in the source currency. */
  paymentTypes(
    query: PaymentTypesAsk & { fiat: string },
    options?: CallOptions,
  ): Promise<Record<string, PaymentTypeWithLimits>>;
  paymentTypes(query?: PaymentTypesAsk, options?: CallOptions): Promise<Record<string, PaymentType>>;
  /** A sensible first choice for every country. */
  defaults(query?: DefaultsQuery, options?: CallOptions): Promise<Defaults>;
  /** Which assets and payment methods go with which fiat. Needs the key. */
  assets(query?: AssetsQuery, options?: CallOptions): Promise<Assets>;
  /** Providers that serve a pair. Needs the key. */
  onramps(query: OnrampsQuery, options?: CallOptions): Promise<ProviderAvailability[]>;
  /** Providers enabled for the key. Needs the key. */
  allOnramps(options?: CallOptions): Promise<Provider[]>;
  /** Countries that at least one provider serves. */
  countries(options?: CallOptions): Promise<Country[]>;
  /** Prices of all providers, best first; when nobody has one, why. */
  quotes(ask: QuoteAsk, options?: CallOptions): Promise<QuoteOutcome[]>;
  /** The same, each as its provider answers, then all of them in order. Leaving the loop ends the request. */
  streamQuotes(ask: QuoteAsk, options?: CallOptions): AsyncIterable<QuoteEvent>;
  /** Starts a purchase or a sale. Its idempotency key is made before the first try, so that all tries make one order. Needs the key. */
  checkout(intent: CheckoutIntent, options?: CheckoutOptions): Promise<Checkout>;
  /** A transaction at its present status. Needs key and secret. */
  transaction(id: string, options?: CallOptions): Promise<TransactionRecord>;
  /** Records of transactions, newest first: one for each status reached. Needs key and secret. */
  transactions(filter?: TransactionFilter, options?: CallOptions): TransactionList;
  /** The account's webhook endpoints. Needs key and secret. */
  webhooks: Webhooks;
}

const TIMEOUT_MS = 30_000;
const RETRIES = 2;

export function createClient(options: ClientOptions): Client {
  const { newKey = randomKey } = options;
  const caller = createCaller({
    url: options.url.replace(/\/+$/, ''),
    key: credentialText('key', options.key),
    secret: credentialText('secret', options.secret),
    // Called as a function of its own: browsers refuse it as anything else's method.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    retries: options.retries ?? RETRIES,
    random: options.random ?? randomFraction,
  });

  /** What is under `message`, as the catalog has it. */
  async function read<T>(path: string, query: object | undefined, call: CallOptions | undefined): Promise<T> {
    return messageOf(await caller.ask({ path, query, safe: true }, call)) as T;
  }

  function paymentTypes(
    ask: PaymentTypesAsk & { fiat: string },
    call?: CallOptions,
  ): Promise<Record<string, PaymentTypeWithLimits>>;
  function paymentTypes(ask?: PaymentTypesAsk, call?: CallOptions): Promise<Record<string, PaymentType>>;
  async function paymentTypes({ fiat, ...query }: PaymentTypesAsk = {}, call?: CallOptions) {
    const path = '/supported/payment-types';
    if (fiat === undefined) return read<Record<string, PaymentType>>(path, query, call);
    const types = await read<PaymentTypeWithLimits[]>(`${path}/${pathPart('fiat', fiat)}`, query, call);
    return Object.fromEntries(types.map(type => [type.paymentTypeId, type]));
  }

  return {
    supported: (query, call) => read('/supported', query, call),
    paymentTypes,
    defaults: (query, call) => read('/supported/defaults/all', query, call),
    assets: (query, call) => read('/supported/assets', query, call),
    onramps: (query, call) => read('/supported/onramps', query, call),
    allOnramps: call => read('/supported/onramps/all', undefined, call),
    countries: call => read('/supported/countries', undefined, call),
    async quotes(ask, call) {
      return (await caller.ask(quotesCall(ask), call)) as QuoteOutcome[];
    },
    async *streamQuotes(ask, call) {
      const headers = { accept: 'text/event-stream' };
      yield* caller.follow({ ...quotesCall(ask), headers }, call, readQuoteEvents);
    },
    async checkout({ country, state, ...body }, { idempotencyKey = newKey(), ...call } = {}) {
      // A question that was spread into the order: its amount is what is to be received.
      if ('input' in body && body.input === 'destination')
        throw badInput('amount', 'amount must be what is handed over: take sourceAmount of the quote');
      const answer = await caller.ask(
        {
          method: 'POST',
          path: '/checkout/intent',
          query: { country, state },
          headers: { 'idempotency-key': keyText(idempotencyKey) },
          body: writeExact({ ...body }),
          // Because of the key.
          safe: true,
        },
        call,
      );
      return messageOf(answer) as Checkout;
    },
    async transaction(id, call) {
      const path = `/transactions/${pathPart('id', id)}`;
      return (await caller.ask({ path, secret: true, safe: true }, call)) as TransactionRecord;
    },
    transactions: (filter, call) => listTransactions(caller, filter, call),
    webhooks: createWebhooks(caller),
  };
}

function quotesCall({ source, destination, amount, ...query }: QuoteAsk) {
  return {
    path: `/quotes/${pathPart('source', source)}/${pathPart('destination', destination)}`,
    query: { amount: amountText(amount), ...query },
    safe: true,
  };
}

async function* readQuoteEvents(response: Response): AsyncGenerator<QuoteEvent, void, undefined> {
  for await (const { name, data } of readEvents(readChunks(response))) {
    const read = () => parseAnswer(data, response.status);
    if (name === 'outcome') yield { kind: 'outcome', outcome: read() as EarlyOutcome };
    if (name === 'done') {
      yield { kind: 'done', quotes: read() as QuoteOutcome[] };
      return;
    }
  }
  throw new CloverleafError('unreachable', 'The quotes broke off before they were complete');
}

function listTransactions(
  caller: Caller,
  filter: TransactionFilter = {},
  call?: CallOptions,
): TransactionList {
  async function* pages(): AsyncGenerator<TransactionPage, void, undefined> {
    const query = {
      ...filter,
      startDateTime: momentText('startDateTime', filter.startDateTime),
      endDateTime: momentText('endDateTime', filter.endDateTime),
      transactionIds: filter.transactionIds?.join(','),
    };
    let cursor = filter.cursor;
    do {
      const asked = { path: '/transactions', query: { ...query, cursor }, secret: true, safe: true };
      const page = (await caller.ask(asked, call)) as TransactionPage;
      yield page;
      cursor = page.cursor;
    } while (cursor !== undefined);
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { transactions } of pages()) yield* transactions;
    },
  };
}

function messageOf(answer: unknown): unknown {
  return (answer as { message?: unknown } | undefined)?.message;
}
