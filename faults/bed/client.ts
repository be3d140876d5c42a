/** A client of the service: posts over kept connections and says what came of it, were it that nobody answered. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import type { Credentials } from '../../src/app/accounts.ts';

export interface Reply {
  /** 0 when there was no answer. */
  status: number;
  text: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Whether anybody listened: without an answer the connection was then cut. */
  wasSent: boolean;
}

export interface Client {
  url: string;
  post(path: string, letter: Letter): Promise<Reply>;
  get(path: string, headers?: Letter['headers']): Promise<Reply>;
  close(): Promise<void>;
}

interface Letter {
  headers: Readonly<Record<string, string>>;
  body: string | Buffer;
}

const PATIENCE_MS = 30_000;
const UNHEARD = new Set(['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT']);

export function openClient(url: string, connections: number): Client {
  const pool = new Pool(url, {
    connections,
    pipelining: 1,
    connectTimeout: 2_000,
    headersTimeout: PATIENCE_MS,
    bodyTimeout: PATIENCE_MS,
  });
  async function request(sent: Omit<Dispatcher.RequestOptions, 'origin'>): Promise<Reply> {
    try {
      const { statusCode, headers, body } = await pool.request(sent);
      return { status: statusCode, text: await body.text(), headers, wasSent: true };
    } catch (error) {
      const { code = '' } = error as { code?: string };
      return { status: 0, text: '', headers: {}, wasSent: !UNHEARD.has(code) };
    }
  }
  return {
    url,
    post: (path, { headers, body }) => request({ method: 'POST', path, headers, body }),
    get: (path, headers = {}) => request({ method: 'GET', path, headers }),
    close: () => pool.destroy(),
  };
}

export interface Wanted {
  provider: string;
  /** Comes back in the record: the client's own name of the order. */
  partnerContext: string;
  key?: string;
}

/** A checkout as a shop asks for it. */
export function checkoutLetter(
  { publicKey }: Credentials,
  { provider, partnerContext, key }: Wanted,
): Letter {
  const body = {
    onramp: provider,
    source: 'eur',
    destination: 'btc',
    amount: 100,
    paymentMethod: 'creditcard',
    partnerContext,
    wallet: { address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' },
  };
  return {
    headers: {
      'content-type': 'application/json',
      authorization: publicKey,
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  };
}

const STARTING_MS = 30_000;

/** Checks out at a service that may just have been started: then not all providers have told what they offer. */
export async function checkOut(client: Client, letter: Letter): Promise<string> {
  const until = Date.now() + STARTING_MS;
  for (;;) {
    const { status, text } = await client.post('/checkout/intent', letter);
    if (status === 200) return text;
    if (status !== 503 || Date.now() > until) throw new Error(`a checkout failed: ${status} ${text}`);
    await wait(200);
  }
}

/** Which transaction, and under which session. */
export function readIntent(text: string): { transactionId: string; sessionId: string } {
  const { message } = JSON.parse(text) as {
    message: { sessionInformation: { sessionId: string }; transactionInformation: { transactionId: string } };
  };
  return {
    transactionId: message.transactionInformation.transactionId,
    sessionId: message.sessionInformation.sessionId,
  };
}

/** Registers an endpoint for an account's events; its secret. */
export async function registerEndpoint(
  client: Client,
  { publicKey, secret }: Credentials,
  url: string,
): Promise<string> {
  const { status, text } = await client.post('/webhooks', {
    headers: { 'content-type': 'application/json', authorization: publicKey, 'x-service-secret': secret },
    body: JSON.stringify({ url }),
  });
  if (status !== 201) throw new Error(`no endpoint could be made: ${status} ${text}`);
  return (JSON.parse(text) as { secret: string }).secret;
}

/** Does something for each, so many at a time. */
export async function each<T>(
  list: readonly T[],
  atOnce: number,
  work: (one: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < list.length) await work(list[next++] as T);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
