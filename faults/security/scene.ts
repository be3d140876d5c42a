/** The scene of the security counts: one instance that tells everything in its log, and the accounts around it. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { allow, type Credentials, revoke } from '../../src/app/accounts.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { findPort } from '../bed/processes.ts';
import { type Receiver, startReceiver } from '../bed/receiver.ts';
import type { World } from '../bed/world.ts';
import { type Caller, JSON_BODY, openCaller, proofOf } from './caller.ts';
import { type Internet, openInternet } from './internet.ts';
import { FILE_PLACES, type FilePlace, type Things } from './routes.ts';

export interface Scene {
  world: World;
  database: Database;
  /** Whose things are asked for, who asks, and who may not any more. */
  own: Credentials;
  other: Credentials;
  revoked: Credentials;
  /** Signs its checkouts, and must. */
  signing: Credentials;
  caller: Caller;
  /** The same, but it serves nobody without a key. */
  closed: Caller;
  things: Things;
  /** What must be found nowhere but with those whose it is. */
  secrets: Set<string>;
  receiver: Receiver;
  internet: Internet;
  /** What the instances log. */
  logFile: string;
  close(): Promise<void>;
}

/** A wallet that is nobody else's, so that it is known again wherever it turns up. */
export const WALLET = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
/** Where people of the accounts may be sent back to. */
export const SHOP = 'shop.example';
/** Whose forwarded header counts. */
export const PROXY = '127.0.0.1';
const STARTING_MS = 30_000;

export async function setScene(world: World): Promise<Scene> {
  const [own, other, revoked, signing] = world.accounts as [
    Credentials,
    Credentials,
    Credentials,
    Credentials,
  ];
  const database = await openDatabase({ url: world.env.DATABASE_URL ?? '' });
  const receiver = await startReceiver(world.chance);
  const internet = await openInternet(world.folder, [Number(receiver.host.split(':')[1])]);
  await revoke(database, revoked.publicKey);
  for (const { publicKey } of [own, signing])
    await allow(database, publicKey, { origins: [], redirectHosts: [SHOP] });
  const logFile = join(world.folder, 'security.log');
  const start = async (env: Record<string, string>) => {
    const port = await findPort();
    const url = `http://127.0.0.1:${port}`;
    const more = {
      LOG_LEVEL: 'debug',
      TRUSTED_PROXIES: `${PROXY}/32`,
      DEFAULT_COUNTRY: 'DE',
      PUBLIC_URL: url,
    };
    const running = await world.start({
      ...{ port, allowedHost: receiver.host, logFile },
      order: { network: internet.order },
      env: { ...more, ...internet.env, ...env },
    });
    if (!running) throw new Error('the instance does not start');
    return openCaller(url);
  };
  const secrets = new Set([world.env.MASTER_KEY ?? '', ...world.accounts.map(({ secret }) => secret)]);
  const [caller, closed] = [await start({}), await start({ ANONYMOUS: 'off' })];
  await awaitOffers(caller);
  return {
    ...{
      world,
      database,
      own,
      other,
      revoked,
      signing,
      caller,
      closed,
      receiver,
      internet,
      logFile,
      secrets,
    },
    things: await makeThings(caller, own, receiver.urlOf(0)),
    async close() {
      caller.close();
      closed.close();
      await receiver.close();
      await internet.close();
      await database.destroy();
    },
  };
}

async function awaitOffers(caller: Caller): Promise<void> {
  const until = Date.now() + STARTING_MS;
  while (
    ((await caller.call({ path: '/quotes/eur/btc?amount=100' })).text.match(/"rate"/g) ?? []).length < 3
  ) {
    if (Date.now() > until) throw new Error('not all providers make offers');
    await wait(100);
  }
}

async function makeThings(caller: Caller, own: Credentials, hookUrl: string): Promise<Things> {
  const { transactionId, payToken } = await buy(caller, own, { partnerContext: 'the first' });
  const endpoints = { path: '/webhooks', headers: [...proofOf(own), JSON_BODY] };
  const addEndpoint = async (url: string) => {
    const { status, text } = await caller.call({
      ...endpoints,
      method: 'POST',
      body: JSON.stringify({ url }),
    });
    if (status !== 201) throw new Error(`no endpoint could be made: ${status} ${text}`);
    return (JSON.parse(text) as { id: string }).id;
  };
  const spareUrl = `${hookUrl}?spare`;
  return {
    publicKey: own.publicKey,
    ...{ transactionId, payToken, hookUrl, wallet: WALLET },
    endpointId: await addEndpoint(hookUrl),
    async spareEndpoint() {
      const { text } = await caller.call(endpoints);
      const { webhooks } = JSON.parse(text) as { webhooks: { id: string; url: string }[] };
      return webhooks.find(({ url }) => url === spareUrl)?.id ?? addEndpoint(spareUrl);
    },
    newStep: () => firstStep(caller, own),
    files: await findFiles(caller, own, payToken),
  };
}

export interface Bought {
  transactionId: string;
  payToken: string;
}

/** Checks out rightly. */
export async function buy(
  caller: Caller,
  own: Credentials,
  more: object,
  also: readonly (readonly [string, string])[] = [],
): Promise<Bought> {
  const body = JSON.stringify({
    ...{ onramp: 'moonpay', source: 'eur', destination: 'btc', amount: 100, wallet: { address: WALLET } },
    ...more,
  });
  const headers = [['authorization', own.publicKey] as const, JSON_BODY, ...also];
  const { status, text } = await caller.call({ method: 'POST', path: '/checkout/intent', headers, body });
  if (status !== 200) throw new Error(`a checkout failed: ${status} ${text}`);
  const { transactionInformation: made } = (
    JSON.parse(text) as { message: { transactionInformation: { transactionId: string; url: string } } }
  ).message;
  return { transactionId: made.transactionId, payToken: new URL(made.url).pathname.split('/').at(-1) ?? '' };
}

/** The token of an order by steps that could begin. */
async function firstStep(caller: Caller, { publicKey }: Credentials): Promise<string> {
  const { text } = await caller.call({
    path: '/legacy/rate/EUR/BTC/creditCard/100',
    headers: [['authorization', publicKey]],
  });
  const rates = JSON.parse(text) as { identifier: string; nextStep?: { url: string } }[];
  const url = rates.find(({ identifier }) => identifier === 'moonpay')?.nextStep?.url ?? '';
  if (!url) throw new Error(`no order by steps can begin: ${text.slice(0, 300)}`);
  return new URL(url).pathname.split('/').at(-1) ?? '';
}

/** Files that our pages load, as they name them themselves. */
async function findFiles(
  caller: Caller,
  own: Credentials,
  payToken: string,
): Promise<Record<FilePlace, string>> {
  const pages: Record<FilePlace, string> = {
    ...{ '/docs': '/docs', '/widget': `/widget?apiKey=${own.publicKey}`, '/pay': `/pay/${payToken}` },
    '/legacy/transaction': '/legacy/transaction/moonpay/return/none',
  };
  const found = {} as Record<FilePlace, string>;
  for (const place of FILE_PLACES) {
    const { text } = await caller.call({ path: pages[place], headers: [['accept', 'text/html']] });
    const [file] = new RegExp(`${place}/assets/[\\w.-]+`).exec(text) ?? [];
    if (!file)
      throw new Error(`the page at ${pages[place]} loads nothing: is everything built (npm run build)?`);
    found[place] = file;
  }
  return found;
}
