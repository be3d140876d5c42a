/** The run of pairs: two instances on one database are asked the same at the same time, and told of changes. */
import { setTimeout as wait } from 'node:timers/promises';
import { createAccount, revoke } from '../../src/app/accounts.ts';
import type { ProviderId } from '../../src/domain/words.ts';
import { openDatabase } from '../../src/store/database.ts';
import { switchProvider } from '../../src/store/providers.ts';
import {
  type Client,
  checkOut,
  checkoutLetter,
  each,
  openClient,
  type Reply,
  readIntent,
  registerEndpoint,
} from '../bed/client.ts';
import { tell } from '../bed/load.ts';
import { ORDERING } from '../bed/order-adapter.ts';
import { findPort } from '../bed/processes.ts';
import { openWorld, type World } from '../bed/world.ts';
import { type OrderServer, startOrderServer } from '../checkout/order-server.ts';
import { type Line, type Section, say } from '../report.ts';
import { type SlotReceiver, startSlotReceiver } from './slots.ts';

const PAIRS = 1_000;
const REVOCATIONS = 20;
const AT_ONCE = 8;
/** One that only signs a link, one that makes a session, and one that makes an order. */
const PROVIDERS = ['moonpay', 'transak', ORDERING];
/** Changes are seen by everybody so soon. */
const SEEN_MS = 5_000;
const PATIENCE_MS = 60_000;
/** The second try is due five seconds after the first, give or take a tenth. */
const SECOND_TRY_MS = 4_500;

type Both = readonly [Client, Client];

export async function runPairs(small: boolean, seed: number): Promise<Section> {
  const began = performance.now();
  const world = await openWorld({ name: 'pairs', small, seed, accounts: 1 });
  const orders = await startOrderServer(world.chance);
  const receiver = await startSlotReceiver();
  try {
    const both = await startBoth(world, orders, receiver);
    const found = [
      await pairCheckouts(world, both, orders),
      await pairWebhooks(world, both),
      await countTries(world, receiver),
      await switchProviders(world, both),
      await revokeKeys(world, both),
    ];
    for (const client of both) await client.close();
    return {
      run: 'pairs',
      seed,
      seconds: Math.round((performance.now() - began) / 1000),
      lines: found.map(({ line }) => line),
      examples: found.flatMap(({ flaws }) => flaws),
    };
  } finally {
    await world.close();
    await orders.close();
    await receiver.close();
  }
}

interface Found {
  line: Line;
  flaws: string[];
}

function foundOf(what: string, { count, flaws, worst }: { count: number; flaws: string[]; worst: string }) {
  say(`${what}: ${flaws.length} of ${count}`);
  return { line: { fault: 'F25', what, count, violations: flaws.length, worst }, flaws };
}

async function startBoth(world: World, orders: OrderServer, receiver: SlotReceiver): Promise<Both> {
  const account = world.accounts[0] as World['accounts'][number];
  const started = ['one', 'two'].map(async name => {
    const port = await findPort();
    const running = await world.start({
      port,
      name,
      allowedHost: receiver.host,
      order: { ordersUrl: orders.url },
    });
    if (!running) throw new Error('an instance does not start');
    return openClient(`http://127.0.0.1:${port}`, 32);
  });
  const [one, two] = (await Promise.all(started)) as [Client, Client];
  for (const client of [one, two])
    for (const provider of PROVIDERS)
      await checkOut(client, checkoutLetter(account, { provider, partnerContext: 'first' }));
  await registerEndpoint(one, account, receiver.url);
  return [one, two];
}

/** The same checkout under the same key, at both at once. */
async function pairCheckouts(world: World, both: Both, orders: OrderServer): Promise<Found> {
  const account = world.accounts[0] as World['accounts'][number];
  const pairs = Array.from({ length: world.small ? PAIRS / 20 : PAIRS }, (_, at) => at);
  const flaws: string[] = [];
  const answers = new Map<string, string>();
  let lost = 0;

  await each(pairs, AT_ONCE, async at => {
    const provider = PROVIDERS[at % PROVIDERS.length] as string;
    const key = `pair-${at}`;
    const letter = checkoutLetter(account, { provider, partnerContext: key, key });
    const replies = await Promise.all(both.map(client => client.post('/checkout/intent', letter)));
    lost += replies.filter(({ status }) => status === 409).length;
    for (const { status, text } of replies)
      if (status !== 200 && status !== 409) flaws.push(`${key} ${provider}: ${status} ${text}`);
    const later = await untilTaken(() => world.chance.pick(both).post('/checkout/intent', letter));
    const given = [...replies, later].filter(({ status }) => status === 200).map(({ text }) => text);
    if (new Set(given).size !== 1) flaws.push(`${key} ${provider}: ${new Set(given).size} answers`);
    answers.set(key, given[0] ?? '');
  });

  const rows = await world.query<{ id: string; partner_context: string }>(
    `select id, partner_context from transactions where partner_context like 'pair-%'`,
  );
  for (const [key, answer] of answers) {
    const own = rows.filter(row => row.partner_context === key);
    const made = own.reduce((sum, { id }) => sum + (orders.made.get(id) ?? 0), 0);
    if (own.length !== 1) flaws.push(`${key}: ${own.length} transactions`);
    if (made > 1) flaws.push(`${key}: ${made} orders`);
    if (answer !== '' && own[0]?.id !== readIntent(answer).transactionId)
      flaws.push(`${key}: not its answer`);
  }
  const worst = `${lost} told 409, the others the same answer`;
  return foundOf('one Idempotency-Key at both at once', { count: pairs.length, flaws, worst });
}

/** As a client does whose key is still being worked on. */
async function untilTaken(ask: () => Promise<Reply>): Promise<Reply> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const reply = await ask();
    if (reply.status !== 409 || performance.now() > until) return reply;
    await wait(50);
  }
}

/** The same webhook at both at once: it is kept once, and has its effect once. */
async function pairWebhooks(world: World, both: Both): Promise<Found> {
  const rows = await world.query<{ id: string }>(
    `select id from transactions where provider = 'moonpay' and partner_context like 'pair-%'`,
  );
  const flaws: string[] = [];
  await each(rows, AT_ONCE, async ({ id }) => {
    const replies = await Promise.all(both.map(client => tell(world, client, id)));
    for (const { status } of replies)
      if (status !== 200) flaws.push(`${id}: a webhook was answered ${status}`);
  });
  const standing = `
    select t.id, t.status,
      (select count(*) from notices n where n.transaction_id = t.id) as notices,
      (select count(*) from entries e where e.transaction_id = t.id) as entries,
      (select count(*) from events e where e.transaction_id = t.id) as events
    from transactions t where t.id = any($1)`;
  const isSettled = (row: Record<string, unknown>) =>
    row.status === 'completed' && row.notices === '1' && row.entries === row.events;
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await world.query<Record<string, unknown>>(standing, [rows.map(({ id }) => id)]);
    const wrong = found.filter(row => !isSettled(row));
    if (wrong.length > 0 && performance.now() < until) {
      await wait(200);
      continue;
    }
    flaws.push(...wrong.map(row => `in doubt: ${JSON.stringify(row)}`));
    return foundOf('one webhook at both at once', { count: rows.length, flaws, worst: '' });
  }
}

/** Every event was refused once: so there are two tries of each, one for each slot of the schedule. */
async function countTries(world: World, { tries }: SlotReceiver): Promise<Found> {
  const until = performance.now() + PATIENCE_MS * 3;
  for (;;) {
    const [row] = await world.query<{ count: string }>(
      `select count(*) from deliveries where state <> 'delivered'`,
    );
    if (row?.count === '0' || performance.now() > until) break;
    await wait(200);
  }
  const rows = await world.query<{ event_id: string; attempts: number; state: string }>(
    'select event_id, attempts, state from deliveries',
  );
  let soonest = Number.POSITIVE_INFINITY;
  const flaws = rows.flatMap(({ event_id, attempts, state }) => {
    const [first = 0, second = 0, ...more] = tries.get(`msg_${event_id}`) ?? [];
    soonest = Math.min(soonest, second - first);
    const isRight = state === 'delivered' && attempts === 2 && more.length === 0;
    if (isRight && second - first >= SECOND_TRY_MS) return [];
    return [`${event_id}: ${state} after ${attempts}, tried again after ${Math.round(second - first)} ms`];
  });
  const worst = `second try at the soonest ${(soonest / 1000).toFixed(1)} s after the first`;
  return foundOf('events, two slots each, both instances delivering', { count: rows.length, flaws, worst });
}

/** A provider is switched off and on again, by a third process: both instances see it. */
async function switchProviders(world: World, both: Both): Promise<Found> {
  const database = await openDatabase({ url: world.env.DATABASE_URL ?? '' });
  const flaws: string[] = [];
  let slowest = 0;
  let count = 0;
  try {
    for (const enabled of [false, true]) {
      await switchProvider(database, 'moonpay' as ProviderId, enabled);
      const seen = both.map(client => {
        count++;
        const path = `/quotes/eur/btc?amount=${100 + count}&errors=all`;
        return until(
          () => client.get(path),
          ({ text }) => text.includes('"moonpay"') === enabled,
        );
      });
      slowest = Math.max(slowest, ...(await Promise.all(seen)));
    }
  } finally {
    await database.destroy();
  }
  if (slowest > SEEN_MS) flaws.push(`a switch was seen after ${Math.round(slowest)} ms`);
  return foundOf('provider switched off and on', {
    count,
    flaws,
    worst: `seen after ${Math.round(slowest)} ms`,
  });
}

/** A key is revoked: within a moment no instance serves it. */
async function revokeKeys(world: World, both: Both): Promise<Found> {
  const database = await openDatabase({ url: world.env.DATABASE_URL ?? '' });
  const count = world.small ? 3 : REVOCATIONS;
  const times: number[] = [];
  try {
    for (let at = 0; at < count; at++) {
      const { publicKey } = await createAccount(database, { name: `short-lived ${at}`, environment: 'test' });
      const ask = (client: Client) => client.get('/supported/onramps/all', { authorization: publicKey });
      for (const client of both)
        await until(
          () => ask(client),
          ({ status }) => status === 200,
        );
      await wait(world.chance.below(1_000));
      await revoke(database, publicKey);
      times.push(
        ...(await Promise.all(
          both.map(client =>
            until(
              () => ask(client),
              ({ status }) => status === 401,
            ),
          ),
        )),
      );
    }
  } finally {
    await database.destroy();
  }
  const flaws = times
    .filter(ms => ms > SEEN_MS)
    .map(ms => `a revocation was seen after ${Math.round(ms)} ms`);
  const worst = `seen after ${Math.round(Math.max(...times))} ms`;
  return foundOf('key revoked, both instances', { count: times.length, flaws, worst });
}

/** Asks until the answer is so; how long that took. */
async function until(ask: () => Promise<Reply>, isSo: (reply: Reply) => boolean): Promise<number> {
  const began = performance.now();
  while (!isSo(await ask())) {
    if (performance.now() - began > PATIENCE_MS) break;
    await wait(20);
  }
  return performance.now() - began;
}
