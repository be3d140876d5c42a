/** The run of forgeries: webhooks that are not a provider's, or not new, must change nothing; and nobody can forge ours. */
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Chance } from '../bed/chance.ts';
import {
  type Client,
  checkOut,
  checkoutLetter,
  each,
  openClient,
  readIntent,
  registerEndpoint,
} from '../bed/client.ts';
import { findPort } from '../bed/processes.ts';
import { type Delivered, type Receiver, startReceiver } from '../bed/receiver.ts';
import { type Letter, PROVIDERS, type Provider, signLetter, writeLetter } from '../bed/wire.ts';
import { openWorld, type World } from '../bed/world.ts';
import { type Line, type Section, say } from '../report.ts';
import { FORGERIES, type Forge, type Forgery } from './forgeries.ts';

const DELIVERIES = 100_000;
const CONNECTIONS = 64;
const TRANSACTIONS = 90;
const CAPTURED = 200;
const ALTERATIONS = 50;
const PATIENCE_MS = 60_000;

export async function runForged(small: boolean, seed: number): Promise<Section> {
  const began = performance.now();
  const world = await openWorld({ name: 'forged', small, seed, accounts: 1 });
  const receiver = await startReceiver(world.chance);
  try {
    const { lines, examples } = await forgeEverything(world, receiver);
    return { run: 'forged', seed, seconds: Math.round((performance.now() - began) / 1000), lines, examples };
  } finally {
    await world.close();
    await receiver.close();
  }
}

/** News of one provider: those it has told, and those it will tell. */
type Stock = Record<Provider, { seen: Letter[]; unseen: Letter[] }>;

async function forgeEverything(world: World, receiver: Receiver) {
  const port = await findPort();
  if (!(await world.start({ port, allowedHost: receiver.host })))
    throw new Error('the instance does not start');
  const client = openClient(`http://127.0.0.1:${port}`, CONNECTIONS);
  const account = world.accounts[0] as World['accounts'][number];
  receiver.learn(0, await registerEndpoint(client, account, receiver.urlOf(0)));
  const stock = await tellTruths(world, client);
  const examples: string[] = [];
  const lines: Line[] = [];
  const each1 = Math.ceil((world.small ? DELIVERIES / 20 : DELIVERIES) / FORGERIES.length);
  for (const forgery of FORGERIES) {
    const line = await tryForgery(world, client, { forgery, stock, count: each1 });
    if (line.violations > 0) examples.push(`${line.what}: ${line.worst}`);
    lines.push(line);
  }
  say(`${lines.reduce((sum, { count }) => sum + count, 0)} deliveries forged or sent again`);
  lines.push(await tellTheRest(world, client, stock));
  lines.push(await judgeOurs(world, receiver));
  await client.close();
  return { lines, examples };
}

/** Makes transactions and tells of them what is true; what is left to be told would change every one of them. */
async function tellTruths(world: World, client: Client): Promise<Stock> {
  const stock = Object.fromEntries(
    PROVIDERS.map(name => [name, { seen: [], unseen: [] }]),
  ) as unknown as Stock;
  const account = world.accounts[0] as World['accounts'][number];
  const count = world.small ? TRANSACTIONS / 5 : TRANSACTIONS;
  await each(
    Array.from({ length: count }, (_, at) => at),
    4,
    async at => {
      const provider = PROVIDERS[at % PROVIDERS.length] as Provider;
      const letter = checkoutLetter(account, { provider, partnerContext: `order ${at}` });
      const { transactionId } = readIntent(await checkOut(client, letter));
      const letters = lettersAbout(provider, transactionId, world.chance);
      stock[provider].seen.push(...letters.slice(0, -1));
      stock[provider].unseen.push(...letters.slice(-1));
    },
  );
  await tell(
    world,
    client,
    Object.values(stock).flatMap(({ seen }) => seen),
  );
  return stock;
}

const WORDS: Record<Provider, readonly string[]> = {
  moonpay: ['waitingPayment', 'pending', 'completed'],
  transak: ['PROCESSING', 'COMPLETED', 'REFUNDED'],
  mercuryo: ['buy.pending', 'buy.paid', 'buy.refunded'],
};

function lettersAbout(provider: Provider, reference: string, chance: Chance): Letter[] {
  const facts = {
    reference,
    theirs: chance.hex(16),
    reason: null,
    hash: `0x${chance.hex(40)}`,
    coins: '0.00123',
  };
  return WORDS[provider].map((word, at) =>
    writeLetter(provider, {
      ...{ ...facts, word, at: Date.UTC(2026, 0, 1, at), cents: 12_345, serial: chance.hex(12) },
    }),
  );
}

async function tell(world: World, client: Client, letters: readonly Letter[]): Promise<void> {
  for (const letter of letters) {
    const posted = signLetter(letter, world.keys(), Math.floor(Date.now() / 1000));
    const { status, text } = await client.post(`/hooks/${letter.provider}`, posted);
    if (status !== 200) throw new Error(`a true webhook was refused: ${status} ${text}`);
  }
}

interface Trial {
  forgery: Forgery;
  stock: Stock;
  count: number;
}

async function tryForgery(world: World, client: Client, { forgery, stock, count }: Trial): Promise<Line> {
  const before = await digestAll(world);
  const statuses = new Map<number, number>();
  const providers = forgery.of ?? PROVIDERS;
  await each(Array.from({ length: count }), CONNECTIONS, async () => {
    const provider = world.chance.pick(providers);
    const forge = takeUp(world, stock[provider]);
    const { search = '', ...posted } = forgery.forge(forge);
    const { status } = await client.post(`/hooks/${provider}${search}`, posted);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  });
  const after = await digestAll(world);
  const isExpected = (status: number) => (forgery.refused ? status >= 400 && status < 500 : status === 200);
  const wrong = [...statuses].reduce((sum, [status, times]) => sum + (isExpected(status) ? 0 : times), 0);
  const changed = Object.keys(after.tables).filter(name => after.tables[name] !== before.tables[name]);
  const answers = [...statuses].sort().map(([status, times]) => `${status || 'cut'}: ${times}`);
  if (after.kept > before.kept) answers.push(`${after.kept - before.kept} kept`);
  if (changed.length > 0) answers.push(`changed ${changed.join(', ')}`);
  return {
    fault: forgery.fault,
    what: forgery.name,
    count,
    violations: wrong + changed.length + after.kept - before.kept,
    worst: answers.join(', '),
  };
}

function takeUp(world: World, { seen, unseen }: Stock[Provider]): Forge {
  const { chance } = world;
  const now = Date.now() / 1000;
  return {
    unseen: chance.pick(unseen),
    seen: chance.pick(seen),
    ...{ keys: world.keys(), now: Math.floor(now), next: Math.ceil(now), chance },
  };
}

const TABLES = ['transactions', 'entries', 'notices', 'events'];

/** Everything that news can change, once all that was kept has been dealt with; and how much was kept. */
async function digestAll(world: World): Promise<{ tables: Record<string, string>; kept: number }> {
  const countOf = async (where: string) => {
    const [row] = await world.query<{ count: string }>(`select count(*) from inbox where ${where}`);
    return Number(row?.count);
  };
  const until = Date.now() + PATIENCE_MS;
  while ((await countOf(`state = 'due'`)) > 0 && Date.now() < until) await wait(20);
  const tables: Record<string, string> = {};
  for (const name of TABLES) {
    const [row] = await world.query<{ digest: string }>(
      `select md5(string_agg(t::text, '|' order by t::text)) as digest from ${name} t`,
    );
    tables[name] = row?.digest ?? '';
  }
  return { tables, kept: await countOf('true') };
}

/** What was forged all the time, as it is true: now it must be believed, or refusing the forgeries has shown nothing. */
async function tellTheRest(world: World, client: Client, stock: Stock): Promise<Line> {
  const before = await digestAll(world);
  const letters = Object.values(stock).flatMap(({ unseen }) => unseen);
  await tell(world, client, letters);
  const after = await digestAll(world);
  const unchanged = TABLES.filter(name => after.tables[name] === before.tables[name]);
  const missing = letters.length - (after.kept - before.kept);
  return {
    fault: 'F13',
    what: 'the same, unaltered and signed: believed',
    count: letters.length,
    violations: unchanged.length + missing,
    worst: '',
  };
}

/** Our own events, altered: the published library must believe every original and nothing else. */
async function judgeOurs(world: World, receiver: Receiver): Promise<Line> {
  const until = Date.now() + PATIENCE_MS;
  const wanted = world.small ? CAPTURED / 5 : CAPTURED;
  while (receiver.delivered.size < wanted && Date.now() < until) await wait(50);
  const captured = [...receiver.delivered.values()].slice(0, wanted);
  let believed = 0;
  for (const event of captured) {
    for (let at = 0; at < ALTERATIONS; at++) if (isBelieved(alter(event, at, world.chance))) believed++;
  }
  const doubted = captured.filter(event => !isBelieved(event)).length + receiver.counts.unsigned;
  return {
    fault: 'F13',
    what: `our own ${captured.length} events, each altered ${ALTERATIONS} times`,
    count: captured.length * ALTERATIONS,
    violations: believed + doubted + (wanted - captured.length),
    worst: `${believed} altered believed, ${doubted} true ones not`,
  };
}

function isBelieved({ headers, body, secret }: Delivered): boolean {
  try {
    new Webhook(secret).verify(body, { ...headers });
    return true;
  } catch {
    return false;
  }
}

/** Another id, another moment, another signature, or, most of the time, another body. */
function alter(event: Delivered, at: number, chance: Chance): Delivered {
  const { headers, body } = event;
  const withHeader = (name: string, change: (value: string) => string) => ({
    ...event,
    headers: { ...headers, [name]: change(headers[name] ?? '') },
  });
  if (at < 5) return withHeader('webhook-id', id => `${id.slice(0, -1)}${chance.hex(1)}x`);
  if (at < 10)
    return withHeader('webhook-timestamp', moment => String(Number(moment) + chance.whole(1, 100)));
  if (at < 15) {
    const digit = chance.whole(3, 42);
    return withHeader('webhook-signature', text => exchangeAt(text, digit));
  }
  if (at < 20) return { ...event, body: body.slice(0, chance.whole(1, body.length - 1)) };
  return { ...event, body: exchangeAt(body, chance.whole(0, body.length - 1)) };
}

function exchangeAt(text: string, at: number): string {
  const other = text[at] === 'A' ? 'B' : 'A';
  return text.slice(0, at) + other + text.slice(at + 1);
}
