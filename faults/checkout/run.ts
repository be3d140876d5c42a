/** The run of checkouts: an instance ends itself at each point of a checkout, and a provider's answer is cut off. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Client, checkOut, checkoutLetter, each, openClient, readIntent } from '../bed/client.ts';
import { ORDERING } from '../bed/order-adapter.ts';
import { findPort } from '../bed/processes.ts';
import { openWorld, type World } from '../bed/world.ts';
import { type Line, type Section, say } from '../report.ts';
import { type OrderServer, startOrderServer } from './order-server.ts';

const POINTS = ['understood', 'priced', 'written', 'asking', 'answered', 'committed'] as const;
type Point = (typeof POINTS)[number];

/** One that only signs a link, one that makes a session, and one that makes an order. */
const PROVIDERS = ['moonpay', 'transak', ORDERING];
const KILLS_PER_POINT = 100;
const CUT_ANSWERS = 1_000;
const CUT_SHARE = 0.4;
const CUT_AT_ONCE = 16;
/** So many customers are at the checkout when it ends. */
const CUSTOMERS = 6;
const LAST_ARRIVAL = 3;
const AT_ONCE = 2;
/** By then an order must have been given to its customer, or ended. */
const SWEEP_MS = 60_000;
/** Longer than anything an unlucky customer has to wait for. */
const PATIENCE_MS = 120_000;
const LONGEST_PAUSE_MS = 4_000;
const DEATH_MS = 30_000;

export async function runCheckout(small: boolean, seed: number): Promise<Section> {
  const began = performance.now();
  const world = await openWorld({ name: 'checkout', small, seed, accounts: 1 });
  const orders = await startOrderServer(world.chance);
  try {
    const { lines, examples } = await checkOutEverything(world, orders);
    return {
      run: 'checkout',
      seed,
      seconds: Math.round((performance.now() - began) / 1000),
      lines,
      examples,
    };
  } finally {
    await world.close();
    await orders.close();
  }
}

/** Somebody who wants one thing, and asks for it under one key until there is an answer. */
interface Customer {
  key: string;
  provider: string;
  /** Which kill they lived through. */
  point: Point | 'cut';
  /** Every answer they were given. */
  answers: string[];
  /** A refusal that ended it. */
  refusal?: string;
  waitedMs: number;
}

async function checkOutEverything(world: World, orders: OrderServer) {
  const scale = world.small ? 20 : 1;
  const customers: Customer[] = [];
  const port = await findPort();
  const order = { ordersUrl: orders.url };
  if (!(await world.start({ port, order }))) throw new Error('the steady instance does not start');
  const steady = openClient(`http://127.0.0.1:${port}`, 64);
  const account = world.accounts[0] as World['accounts'][number];
  for (const provider of PROVIDERS)
    await checkOut(steady, checkoutLetter(account, { provider, partnerContext: 'first' }));

  function welcome(provider: string, point: Customer['point']): Customer {
    const key = `key-${customers.length + 1}`;
    const customer: Customer = { key, provider, point, answers: [], waitedMs: 0 };
    customers.push(customer);
    return customer;
  }

  /** Asks once; whether there is no more to ask for. */
  async function ask(client: Client, customer: Customer): Promise<boolean> {
    const { provider, key } = customer;
    const letter = checkoutLetter(account, { provider, partnerContext: key, key });
    const { status, text } = await client.post('/checkout/intent', letter);
    if (status === 200) customer.answers.push(text);
    else if (status >= 400 && status < 500 && status !== 409) customer.refusal = `${status} ${text}`;
    return customer.answers.length > 0 || customer.refusal !== undefined;
  }

  /** Asks until there is an answer; and once more, as clients do that have lost it. */
  async function askOn(customer: Customer): Promise<void> {
    const began = performance.now();
    for (let pause = 500; !(await ask(steady, customer)); pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      if (performance.now() - began > PATIENCE_MS) break;
      await wait(pause);
    }
    customer.waitedMs = performance.now() - began;
    if (customer.answers.length > 0) await ask(steady, customer);
  }

  const asking: Promise<void>[] = [];
  const kills = new Map<Point, number>(POINTS.map(point => [point, 0]));

  /** Starts an instance that ends itself at the point, and sends customers there. */
  async function killAt(point: Point): Promise<void> {
    const nth = world.chance.whole(1, LAST_ARRIVAL);
    const delayMs = point === 'asking' ? world.chance.pick([0, 2, 8]) : 0;
    const mortalPort = await findPort();
    const mortal = await world.start({
      port: mortalPort,
      order: { ...order, death: { point, nth, delayMs } },
    });
    if (!mortal) return;
    const client = openClient(`http://127.0.0.1:${mortalPort}`, CUSTOMERS);
    const guests = Array.from({ length: CUSTOMERS }, (_, at) =>
      welcome(PROVIDERS[at % PROVIDERS.length] as string, point),
    );
    for (const guest of guests) asking.push(ask(client, guest).then(() => askOn(guest)));
    const isDead = await Promise.race([mortal.gone.then(() => true), wait(DEATH_MS, false)]);
    if (isDead) kills.set(point, (kills.get(point) ?? 0) + 1);
    mortal.kill();
    await client.close();
  }

  for (const point of POINTS) {
    await each(Array.from({ length: KILLS_PER_POINT / scale }), AT_ONCE, () => killAt(point));
    say(`${kills.get(point)} kills at ${point}`);
  }

  orders.cut(CUT_SHARE);
  await each(Array.from({ length: CUT_AT_ONCE }), CUT_AT_ONCE, async () => {
    while (orders.cuts() < CUT_ANSWERS / scale) {
      const customer = welcome(ORDERING, 'cut');
      const isDone = await ask(steady, customer);
      asking.push(askOn(customer));
      // Whoever fails many times in a row is left alone for a while.
      if (!isDone) await wait(500);
    }
  });
  orders.cut(0);
  const lastAt = Date.now();
  say(`${orders.cuts()} answers cut; waiting for ${customers.length} customers`);
  await Promise.all(asking);
  await wait(Math.max(0, lastAt + SWEEP_MS - Date.now()));
  const lines = await judgeAll(world, { customers, kills, orders });
  await steady.close();
  return lines;
}

interface Scene {
  customers: readonly Customer[];
  kills: ReadonlyMap<Point, number>;
  orders: OrderServer;
}

interface TransactionRow {
  id: string;
  session_id: string;
  partner_context: string;
  ready: boolean;
  status: string;
  provider: string;
}

const OPEN = new Set(['new', 'pending', 'paid']);

async function judgeAll(world: World, { customers, kills, orders }: Scene) {
  const rows = await world.query<TransactionRow>('select * from transactions');
  const byKey = new Map<string, TransactionRow[]>();
  for (const row of rows) byKey.set(row.partner_context, [...(byKey.get(row.partner_context) ?? []), row]);
  const examples: string[] = [];
  const flawOf = ({ key, answers, refusal }: Customer): string | undefined => {
    const own = byKey.get(key) ?? [];
    if (own.length > 1) return `${own.length} transactions`;
    const made = own.reduce((sum, { id }) => sum + (orders.made.get(id) ?? 0), 0);
    if (made > 1) return `${made} orders`;
    if (new Set(answers).size > 1) return 'two answers';
    const [answer] = answers;
    if (answer === undefined)
      return refusal === undefined ? `never answered, ${made} orders made` : undefined;
    const { transactionId, sessionId } = readIntent(answer);
    return own[0]?.id === transactionId && own[0].session_id === sessionId
      ? undefined
      : 'acknowledged and lost';
  };

  /** How many there is something wrong with, what it is, and how long the unluckiest had to wait. */
  function review(point: Customer['point']): Pick<Line, 'violations' | 'worst'> {
    const among = customers.filter(customer => customer.point === point);
    const flaws = new Map<string, number>();
    for (const customer of among) {
      const flaw = flawOf(customer);
      if (flaw === undefined) continue;
      examples.push(`${customer.key} ${customer.provider} at ${point}: ${flaw}`);
      flaws.set(flaw, (flaws.get(flaw) ?? 0) + 1);
    }
    const longest = Math.max(0, ...among.map(({ waitedMs }) => waitedMs)) / 1000;
    return {
      violations: [...flaws.values()].reduce((sum, times) => sum + times, 0),
      worst: [
        `${longest.toFixed(1)} s until an answer`,
        ...[...flaws].map(([flaw, times]) => `${times} ${flaw}`),
      ].join('; '),
    };
  }

  const lines: Line[] = POINTS.map(point => ({
    fault: 'F19',
    what: `kill -9 of a checkout: ${point}`,
    count: kills.get(point) ?? 0,
    ...review(point),
  }));
  const stuck = rows.filter(({ ready, status }) => !ready && OPEN.has(status));
  for (const { id, provider, status } of stuck) examples.push(`stuck: ${provider} ${id} is ${status}`);
  return {
    lines: [
      ...lines,
      {
        fault: 'F9',
        what: 'order made, its answer cut off',
        count: orders.cuts(),
        ...review('cut'),
      },
      {
        fault: 'F19',
        what: 'transactions neither ready nor ended 60 s later',
        count: rows.length,
        violations: stuck.length,
        worst: `${customers.filter(({ refusal }) => refusal !== undefined).length} refused`,
      },
    ],
    examples,
  };
}
