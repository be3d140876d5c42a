/** The run of webhooks: repeated, shuffled, early, contradicting each other, while instances are ended under them. */
import { setTimeout as wait } from 'node:timers/promises';
import { ulid } from 'ulid';
import { createChance } from '../bed/chance.ts';
import {
  type Client,
  checkOut,
  checkoutLetter,
  each,
  openClient,
  readIntent,
  registerEndpoint,
} from '../bed/client.ts';
import { type Receiver, startReceiver } from '../bed/receiver.ts';
import { type Supervisor, startSupervisor } from '../bed/supervisor.ts';
import { PROVIDERS, signLetter } from '../bed/wire.ts';
import { openWorld, type World } from '../bed/world.ts';
import { type Line, type Section, say } from '../report.ts';
import { type News, type Told, tellHistories } from './history.ts';
import { inspect } from './inspection.ts';

const TRANSACTIONS = 2_000;
const WEBHOOKS = 10_000;
const CONNECTIONS = 64;
const ACCOUNTS = 8;
/** One transaction in so many is written after its webhooks have begun to come. */
const EARLY_EVERY = 10;
/** A provider gives up some day; what it gave up on then counts as lost. */
const MOST_TRIES = 10_000;
/** How long everything may take to be dealt with and told, after the last kill. */
const RECOVERY_MS = 300_000;

export async function runWebhooks(small: boolean, seed: number): Promise<Section> {
  const began = performance.now();
  const world = await openWorld({ name: 'webhooks', small, seed, accounts: ACCOUNTS });
  const receiver = await startReceiver(world.chance);
  try {
    const supervisor = await startSupervisor(world, receiver.host);
    const { lines, examples } = await tellEverything(world, receiver, supervisor);
    supervisor.stop();
    return {
      run: 'webhooks',
      seed,
      seconds: Math.round((performance.now() - began) / 1000),
      lines,
      examples,
    };
  } finally {
    await world.close();
    await receiver.close();
  }
}

async function tellEverything(world: World, receiver: Receiver, supervisor: Supervisor) {
  const { chance } = world;
  const scale = world.small ? 20 : 1;
  const clients = supervisor.urls.map(url => openClient(url, CONNECTIONS));
  await registerEndpoints(world, receiver, clients);
  const made = await makeTransactions(world, clients, (TRANSACTIONS - TRANSACTIONS / EARLY_EVERY) / scale);
  const early = Array.from({ length: TRANSACTIONS / EARLY_EVERY / scale }, (_, at) => ({
    id: ulid(),
    like: made[at] as Told,
    provider: (made[at] as Told).provider,
  }));
  say(`${made.length} transactions made`);
  const transactions = [...made, ...early];
  const news = tellHistories(transactions, WEBHOOKS / scale, createChance(world.seed));
  const ripeAt = new Map(
    early.map(({ id }) => [id, Math.min(2, news.filter(({ reference }) => reference === id).length)]),
  );
  const copies = chance.shuffle(news.flatMap(one => Array.from({ length: chance.whole(1, 5) }, () => one)));

  const post = createPostman(world, clients, supervisor);
  supervisor.startKilling();
  const killingSince = performance.now();
  const progress = setInterval(
    () => say(`${post.counts.done} of ${copies.length} acknowledged, ${supervisor.counts.kills} kills`),
    15_000,
  );
  let isWaiting = true;
  const writing = writeEarly();
  await each(copies, CONNECTIONS, one => post.deliver(one));
  isWaiting = false;
  clearInterval(progress);
  const before = await writing;
  await supervisor.stopKilling();
  const killingMs = performance.now() - killingSince;
  say('all acknowledged; waiting for the rest to be dealt with');
  const recovery = await recover(world, {
    since: supervisor.counts.lastAt,
    unknown: news.filter(({ kind }) => kind === 'unknown order').length,
  });
  const found = await inspect(world, { transactions, news, receiver });
  for (const client of clients) await client.close();

  /** Writes each transaction that is early when some of its webhooks have been acknowledged. */
  async function writeEarly(): Promise<number> {
    let count = 0;
    for (let left = early; left.length > 0; ) {
      const ripe = left.filter(({ id }) => !isWaiting || post.acknowledgedOf(id) >= (ripeAt.get(id) ?? 0));
      for (const transaction of ripe) {
        count += post.acknowledgedOf(transaction.id);
        await copyTransaction(world, transaction.like.id, transaction.id);
      }
      left = left.filter(one => !ripe.includes(one));
      await wait(50);
    }
    return count;
  }

  const { kills, serving, inWorker } = supervisor.counts;
  const { sent, cutBefore, cutAfter, refused } = post.counts;
  const { counts } = found;
  const line = (
    fault: string,
    what: string,
    [count, violations, worst = '']: [number, number, string?],
  ): Line => ({
    ...{ fault, what, count, violations, worst },
  });
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const lines = [
    line('F11', 'transactions whose record is not the oracle’s', [transactions.length, found.wrongRecords]),
    line('F11', 'two orders under one reference: status depends on which was heard first', [
      counts.leftBehind,
      found.dependent,
    ]),
    line('F11', 'webhooks acknowledged and lost', [news.length, found.lost, `${sent} sent`]),
    line('F11', 'valid webhooks refused', [news.length, refused, [...post.refusals].join(', ')]),
    line('F11', 'log entries doubled, out of order or never said', [counts.entries, found.wrongEntries]),
    line('F11', 'events doubled, missing or out of order', [counts.events, found.wrongEvents]),
    line('F11', 'events not told', [counts.events, found.untold]),
    line('F11', 'events told under two contents, under an unknown id, or not signed', [
      ...([receiver.counts.deliveries, found.wrongDeliveries] as const),
      `${receiver.counts.deliveries - receiver.delivered.size} repeated by id (allowed)`,
    ]),
    line('F12', 'kill -9 of one of two instances', [
      ...([kills, recovery.failed] as const),
      `one in ${seconds(killingMs / kills)}, ${serving} of one that served; after the last all taken up ${seconds(recovery.takenMs)}, told ${seconds(recovery.toldMs)}`,
    ]),
    line('F20', 'killed before the webhook was kept', [cutBefore, 0]),
    line('F20', 'killed after it was kept, before the answer', [cutAfter, 0]),
    line('F20', 'killed with a database transaction of the worker open', [inWorker, 0]),
    line('F20', 'killed in a delivery, which was then repeated', [counts.reattempted, 0]),
    line('F16', 'webhooks acknowledged before their transaction was there', [before, found.lostEarly]),
    line('F16', 'webhooks of unknown orders, kept', [counts.unknown, found.unknownGone]),
    line('F16', 'webhooks that cannot be read, parked', [counts.unreadable, found.unreadableGone]),
    line('F17', 'contradictions missed, or words overwritten', [counts.contradicted, found.overwritten]),
  ];
  return { lines, examples: found.examples };
}

async function registerEndpoints(
  world: World,
  receiver: Receiver,
  [client]: readonly Client[],
): Promise<void> {
  if (!client) return;
  for (const [at, account] of world.accounts.entries())
    receiver.learn(at, await registerEndpoint(client, account, receiver.urlOf(at)));
}

/** All through the API, as shops do. */
async function makeTransactions(world: World, clients: readonly Client[], count: number): Promise<Told[]> {
  const made: Told[] = new Array(count);
  const wanted = Array.from({ length: count }, (_, at) => at);
  await each(wanted, 8, async at => {
    const provider = PROVIDERS[at % PROVIDERS.length] as Told['provider'];
    const account = world.accounts[at % ACCOUNTS] as World['accounts'][number];
    const client = clients[at % clients.length] as Client;
    const text = await checkOut(client, checkoutLetter(account, { provider, partnerContext: `order ${at}` }));
    made[at] = { id: readIntent(text).transactionId, provider };
  });
  return made;
}

/** One more transaction like another, with all that a checkout leaves behind, in one commit. */
async function copyTransaction(world: World, like: string, id: string): Promise<void> {
  await world.query(
    `with t as (
      insert into transactions
      select (jsonb_populate_record(t, jsonb_build_object('id', $2::text, 'session_id', $2::text, 'status', 'new',
        'status_at', now(), 'reason', '', 'theirs', '', 'hash', '', 'paid', null, 'received', null,
        'contradicted', false, 'sequence', 1))).*
      from transactions t where id = $1
      returning *
    ), entry as (
      insert into entries (transaction_id, status, account_id, at, sequence, reason, theirs, hash)
      select id, 'new', account_id, now(), 1, '', '', '' from t
    ), event as (
      insert into events (id, account_id, transaction_id, sequence, body, created_at)
      select id || '-1', account_id, id, 1, '{"status":"new"}', now() from t
      returning id, account_id
    )
    insert into deliveries (event_id, endpoint_id, due_at)
    select event.id, endpoints.id, now() from event join endpoints using (account_id)`,
    [like, id],
  );
}

interface Postman {
  /** Sends until it is acknowledged, as providers do. */
  deliver(news: News): Promise<void>;
  /** What was refused, and how. */
  refusals: ReadonlySet<string>;
  /** How many webhooks of a transaction have been. */
  acknowledgedOf(id: string): number;
  counts: Readonly<{ done: number; sent: number; refused: number; cutBefore: number; cutAfter: number }>;
}

function createPostman(world: World, clients: readonly Client[], supervisor: Supervisor): Postman {
  const acknowledged = new Set<News>();
  const refusals = new Set<string>();
  const byTransaction = new Map<string, number>();
  const counts = { done: 0, sent: 0, refused: 0, cutBefore: 0, cutAfter: 0 };

  /** Whether the instance that died had kept it already; another may have dealt with it since. */
  async function isKept(news: News, body: string | Buffer): Promise<boolean> {
    const rows = await world.query(
      `select from inbox where body = $1 union all
      select from notices where transaction_id = $2 and (said ->> 'at')::bigint = $3`,
      [Buffer.from(body), news.reference, news.said?.at ?? 0],
    );
    return rows.length > 0;
  }

  function acknowledge(news: News): void {
    counts.done++;
    if (acknowledged.has(news)) return;
    acknowledged.add(news);
    byTransaction.set(news.reference, (byTransaction.get(news.reference) ?? 0) + 1);
  }

  return {
    async deliver(news) {
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const url = await supervisor.find();
        const client = clients.find(one => one.url === url) as Client;
        const posted = signLetter(news, world.keys(), Math.floor(Date.now() / 1000));
        const { status, wasSent } = await client.post(`/hooks/${news.provider}`, posted);
        if (wasSent) counts.sent++;
        if (status >= 200 && status < 300) return acknowledge(news);
        if (status >= 400 && status < 500) {
          counts.refused++;
          refusals.add(`${status} ${news.provider}`);
        }
        if (wasSent && status === 0 && !acknowledged.has(news)) {
          if (await isKept(news, posted.body)) counts.cutAfter++;
          else counts.cutBefore++;
        }
        await wait(20 + world.chance.below(80));
      }
    },
    refusals,
    acknowledgedOf: id => byTransaction.get(id) ?? 0,
    counts,
  };
}

/** Waits until the inbox holds nothing but what nobody knows, and everything has been told. */
async function recover(world: World, { since, unknown }: { since: number; unknown: number }) {
  const passed = () => performance.now() - since;
  const until = async (table: string, where: string, most = 0) => {
    for (;;) {
      const [row] = await world.query<{ count: string }>(
        `select count(*) from ${table} where state = 'due' ${where}`,
      );
      if (Number(row?.count) <= most || passed() > RECOVERY_MS) return passed();
      await wait(50);
    }
  };
  if (world.small) await endLeases(world);
  const takenMs = await until('inbox', 'and attempts = 0');
  await endWaits(world);
  await until('inbox', '', unknown);
  const toldMs = await until('deliveries', '');
  return { takenMs, toldMs, failed: passed() < RECOVERY_MS ? 0 : 1 };
}

/** In a small run nobody waits for the leases of the dead to end. */
async function endLeases(world: World): Promise<void> {
  await world.query(`update deliveries set leased_until = null where state = 'due'`);
}

/** What came long before its transaction is tried again after as long a while: it is tried now instead. */
async function endWaits(world: World): Promise<void> {
  await world.query(`update inbox set due_at = now() where state = 'due'`);
}
