/** One seed: a world from its first purchase to its last delivery, and what was wrong in it. */
import { createChance } from '../faults/bed/chance.ts';
import { newId } from '../src/engine/ids.ts';
import { ask } from './client.ts';
import { openCustomers, type Purchase } from './customers.ts';
import { openFleet, settingOf } from './fleet.ts';
import { inspect } from './inspection.ts';
import { type Instance, startInstance, stop } from './instance.ts';
import { type Journal, openJournal } from './journal.ts';
import type { Kind } from './kinds.ts';
import { beginChance, countFills } from './machine/chance.ts';
import { beginDatabase, endDatabase } from './machine/database.ts';
import { endServers } from './machine/http.ts';
import { addressesReached, beginNetwork } from './machine/network.ts';
import {
  after,
  beginTime,
  countHappened,
  elapsed,
  passTime,
  pause,
  sleep,
  ticks,
  WORLD,
} from './machine/time.ts';
import { counts } from './machine/trouble.ts';
import { makePeace, rage } from './nemesis.ts';
import { openSenders } from './senders.ts';
import { type Account, openShops } from './shops.ts';
import type { Template } from './template.ts';

export interface Outcome {
  seed: number;
  transactions: number;
  statements: number;
  happened: number;
  virtualMs: number;
  digest: string;
  violations: readonly string[];
  reached: Partial<Record<Kind, number>>;
}

export interface SeedOptions {
  seed: number;
  purchases: number;
  template: Template;
  /** Told of everything that happens. */
  print?: ((line: string) => void) | undefined;
}

const BUSY_MS = 25_000;
const LONGEST_MS = 1_800_000;
const MINUTE_MS = 60_000;
/** Long enough apart for every planned attempt to fall due in between. */
const NIGHTS_MS = [6, 35, 180, 1_560].map(minutes => minutes * MINUTE_MS);
const MORNING_MS = 3_000;
/** By then every provider may be asked again that was left alone: that time does not pass while a machine is asleep. */
const EVENING_MS = 65_000;
/** How soon an instance that could not start is started again. */
const RETRY_MS = 2_000;

export async function runSeed({ seed, purchases, template, print }: SeedOptions): Promise<Outcome> {
  const journal = openJournal(print);
  const prototype = Reflect.ownKeys(Object.prototype).join();
  drainIds();
  beginTime();
  beginNetwork();
  beginChance(seed);
  template.restore();
  beginDatabase();
  let transactions = 0;
  try {
    transactions = await live({ seed, purchases, template, journal, print });
  } catch (error) {
    journal.violate('simulation', String((error as Error).stack ?? error).slice(0, 600));
  }
  if (Reflect.ownKeys(Object.prototype).join() !== prototype)
    journal.violate('P9', 'Object.prototype has changed');
  noteDatabase(journal);
  endDatabase();
  endServers();
  return {
    seed,
    transactions,
    statements: counts.statements,
    happened: countHappened(),
    virtualMs: elapsed(),
    digest: journal.digest(),
    violations: journal.violations,
    reached: Object.fromEntries(journal.reached),
  };
}

interface Life {
  seed: number;
  purchases: number;
  template: Template;
  journal: Journal;
  print: SeedOptions['print'];
}

async function live({ seed, purchases, template, journal, print }: Life): Promise<number> {
  const chance = createChance(seed);
  const { accounts, endpoints } = template;
  sleep(MINUTE_MS);
  const fleet = openFleet({ seed, chance, journal });
  const shops = openShops(endpoints, { chance, journal });
  const onLine = watchLines(accounts, { journal, print });
  const instances: Instance[] = [];
  const start = (number: number): Instance =>
    startInstance({
      ...{ number, skewMs: chance.whole(-200, 200), sandboxUrl: fleet.url, journal, onLine },
      // Whoever watches over it tries again.
      onFailed: instance => void after(RETRY_MS, () => restart(instance), WORLD),
    });
  const restart = (gone: Instance) => {
    const at = instances.indexOf(gone);
    if (at >= 0) instances[at] = start(at + 1);
  };
  instances.push(start(1), start(2));
  const serving = () => instances;
  const senders = openSenders({ chance, journal, fleet, instances: serving });
  const works: Promise<void>[] = [];
  const customers = openCustomers({
    chance,
    journal,
    accounts,
    instances: serving,
    onOpened: purchase => void works.push(beginStory(purchase)),
  });

  /** Not everybody who opens a page does anything there. */
  async function beginStory(purchase: Purchase): Promise<void> {
    const { acknowledged, provider, side } = purchase;
    const reference = acknowledged?.transactionId ?? '';
    if (chance.below(1) < 0.1) return journal.reach('a person who leaves');
    await pause(chance.whole(100, 4_000));
    const theirs = fleet.made.get(reference)?.[0] ?? `${provider}-${chance.hex(12)}`;
    await senders.tell({ reference, provider, side }, theirs);
  }

  const stage = {
    ...{ chance, journal, fleet, shops, restart },
    hosts: endpoints.map(({ host }) => host),
    instances: serving,
    sendStrange: senders.sendStrange,
  };

  async function everything(): Promise<void> {
    while (instances.some(({ state }) => state === 'starting')) await pause(50);
    const raging = rage(stage, { deeds: chance.whole(6, 14), within: BUSY_MS });
    const buying = Array.from({ length: purchases }, async (_, number) => {
      await pause(chance.whole(0, BUSY_MS));
      await customers.buy(number);
    });
    await Promise.all([...buying, raging]);
    makePeace(stage);
    journal.note('peace');
    for (const instance of instances) if (instance.state === 'gone') restart(instance);
    for (let done = 0; done < works.length; done = works.length) await Promise.all(works);
    while (instances.some(({ state }) => state === 'starting')) await pause(50);
    await pause(EVENING_MS);
    for (const night of NIGHTS_MS) {
      sleep(night);
      journal.reach('every machine asleep for hours');
      await pause(MORNING_MS);
    }
    await senders.replay();
    await checkLists(accounts, instances, { journal, purchases: customers.purchases });
    await Promise.all(instances.map(instance => stop(instance, journal)));
  }

  let isOver = false;
  after(
    0,
    () =>
      void everything().then(
        () => {
          isOver = true;
        },
        error => {
          journal.violate('simulation', String((error as Error).stack).slice(0, 600));
          isOver = true;
        },
      ),
    WORLD,
  );
  await passTime(() => isOver || ticks() > LONGEST_MS);
  if (!isOver) journal.violate('liveness', 'the world never came to rest');
  for (const place of addressesReached())
    if (/^(10\.0\.0\.99|127\.|169\.254\.)/.test(place))
      journal.violate('F18', `somebody connected to ${place}`);
  const { transactions } = inspect({
    ...{ journal, senders, fleet, shops, endpoints },
    purchases: customers.purchases,
  });
  return transactions;
}

/** Ids are drawn from bytes that are fetched many at a time: what a seed before has left over must not count in this one. */
function drainIds(): void {
  const draw = () => {
    const before = countFills();
    newId(0);
    return countFills() > before;
  };
  while (!draw());
  let period = 1;
  while (!draw()) period++;
  for (let left = period - 1; left > 0; left--) draw();
}

/** P8: no secret and no whole address in any line. */
function watchLines(
  accounts: readonly Account[],
  { journal, print }: Pick<Life, 'journal' | 'print'>,
): (line: string) => void {
  const secrets = [
    ...accounts.map(({ secret }) => secret),
    ...[settingOf('moonpay', 'secretKey'), settingOf('moonpay', 'webhookKey')],
    ...[settingOf('transak', 'apiSecret'), settingOf('mercuryo', 'signKey')],
    ...[
      'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
      'ada@example.com',
    ],
    ...['whsec_'],
  ];
  const pattern = new RegExp(secrets.map(secret => secret.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'));
  return line => {
    const found = pattern.exec(line);
    if (found) journal.violate('P8', `${found[0].slice(0, 8)}… stands in a log line`);
    if (/^\{"level":[56].*"err":/.test(line)) journal.lastError = line.slice(0, 900);
    if (print && /^\{"level":[4-6]/.test(line)) print(line.trimEnd());
  };
}

/** P5: each account is shown its own transactions, page by page, all of them and no other. */
async function checkLists(
  accounts: readonly Account[],
  instances: readonly Instance[],
  { journal, purchases }: { journal: Journal; purchases: readonly Purchase[] },
): Promise<void> {
  for (const account of accounts) {
    const shown = new Set<string>();
    let cursor: string | undefined;
    do {
      const [instance] = instances.filter(({ state }) => state === 'serving');
      if (!instance) return journal.violate('liveness', 'nobody serves after the faults have stopped');
      const reply = await ask(instance.place, {
        path: `/transactions?limit=50${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
        headers: { authorization: account.publicKey, 'x-service-secret': account.secret },
      });
      if (reply.status !== 200)
        return journal.violate('P5', `/transactions answered ${reply.status} ${reply.text}`);
      const page = JSON.parse(reply.text) as { transactions: { transactionId: string }[]; cursor?: string };
      for (const { transactionId } of page.transactions) shown.add(transactionId);
      cursor = page.cursor;
    } while (cursor);
    for (const { acknowledged, account: owner, key } of purchases) {
      if (!acknowledged) continue;
      const isShown = shown.has(acknowledged.transactionId);
      if (isShown !== (owner === account))
        journal.violate('P5', `${key} is ${isShown ? '' : 'not '}shown to ${account.id}`);
    }
  }
}

function noteDatabase(journal: Journal): void {
  journal.reach('a statement that waited for a lock', counts.blocked);
  journal.reach('a statement cancelled', counts.cancelled);
  journal.reach('a statement refused for want of space', counts.full);
  journal.reach('a connection refused by the database', counts.refused);
  journal.reach('a statement whose answer was lost', counts.lostAnswers);
  if (counts.deadlocks > 0) journal.violate('deadlock', `${counts.deadlocks} statements waited in a circle`);
}
