/** The run of upgrades: two versions on one database, its schema changed under load, and back to the older one. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Client, checkOut, checkoutLetter, openClient, registerEndpoint } from '../bed/client.ts';
import { type Load, settleAll, startLoad } from '../bed/load.ts';
import { findPort, type Running } from '../bed/processes.ts';
import { type Receiver, startReceiver } from '../bed/receiver.ts';
import { openWorld, type World } from '../bed/world.ts';
import { type Line, type Section, say } from '../report.ts';
import { type Balancer, startBalancer } from '../rolling/balancer.ts';
import { type Before, buildBefore } from './before.ts';
import { nameOf, STEPS } from './steps.ts';

const ROUNDS = 15;
const ROUNDS_BEFORE = 3;
/** Rows that are there before the load, so that indexes take a while. */
const ROWS = 200_000;
const REST_MS = 15;
/** For so long two versions serve side by side. */
const TOGETHER_MS = { small: 300, full: 1_000 };

export async function runUpgrade(small: boolean, seed: number): Promise<Section> {
  const began = performance.now();
  const found: Found = { lines: [], examples: [] };
  const add = ({ lines, examples }: Found) => {
    found.lines.push(...lines);
    found.examples.push(...examples);
  };
  add(await throughLoad({ small, seed }, goOnAndBack));
  const before = await buildBefore();
  if (before) {
    add(await throughLoad({ small, seed, before }, scene => join(scene, before)));
    before.remove();
  } else say('there is no history to build the version before from');
  return { run: 'upgrade', seed, seconds: Math.round((performance.now() - began) / 1000), ...found };
}

interface Found {
  lines: Line[];
  examples: string[];
}

interface Scene {
  world: World;
  receiver: Receiver;
  balancer: Balancer;
  client: Client;
  ports: readonly [number, number];
  load: Load;
  running: Running[];
}

/** What happened under the load: how often, what went wrong, and how it is called. */
interface Course {
  what: string;
  count: number;
  flaws: string[];
  worst: string;
}

interface Setting {
  small: boolean;
  seed: number;
  before?: Before;
}

async function throughLoad(
  { small, seed, before }: Setting,
  course: (scene: Scene) => Promise<Course>,
): Promise<Found> {
  const steps = before?.steps;
  const world = await openWorld({ name: 'upgrade', small, seed, accounts: 1, ...(steps && { steps }) });
  const receiver = await startReceiver(world.chance);
  const ports = [await findPort(), await findPort()] as const;
  const balancer = await startBalancer(ports);
  const client = openClient(balancer.url, 64);
  try {
    const bare = { world, receiver, balancer, client, ports };
    const running = [await start(bare, 0, before ? { entry: before.entry } : {})];
    const account = world.accounts[0] as World['accounts'][number];
    for (const provider of ['moonpay', 'transak'])
      await checkOut(client, checkoutLetter(account, { provider, partnerContext: 'first' }));
    receiver.learn(0, await registerEndpoint(client, account, receiver.urlOf(0)));
    await fill(world);
    const load = startLoad({ world, client: () => client, restMs: REST_MS });
    const happened = await course({ ...bare, load, running });
    await load.stop();
    return judge({ receiver, balancer, load }, happened, await settleAll(world, load));
  } finally {
    await client.close();
    await balancer.close();
    await world.close();
    await receiver.close();
  }
}

/** Finished orders of long ago: they weigh, and nobody asks for them. */
async function fill(world: World): Promise<void> {
  const rows = world.small ? ROWS / 20 : ROWS;
  await world.query(
    `insert into transactions select (jsonb_populate_record(t, jsonb_build_object('id', 'old-' || n,
      'session_id', 'old-' || n, 'status', 'expired', 'partner_context', 'old'))).*
    from transactions t, generate_series(1, $1::int) n where t.id = (select min(id) from transactions)`,
    [rows],
  );
  await world.query(
    `insert into entries (transaction_id, status, account_id, at, sequence, reason, theirs, hash)
    select id, 'new', account_id, now() - interval '1 year', 1, '', '', '' from transactions where id like 'old-%'`,
  );
}

async function start(
  { world, receiver, balancer, ports }: Pick<Scene, 'world' | 'receiver' | 'balancer' | 'ports'>,
  at: number,
  version: { entry?: string; env?: Record<string, string> },
): Promise<Running> {
  const port = ports[at] as number;
  const options = { port, name: `upgrade-${at}`, allowedHost: receiver.host, ...version };
  const running = await world.start(options);
  if (!running) throw new Error('an instance does not start');
  await balancer.ready(port);
  return running;
}

/** This version and the next, which has one step more each time; then all of them the next; then back, one by one. */
async function goOnAndBack(scene: Scene): Promise<Course> {
  const { world, running } = scene;
  const rounds = world.small ? 1 : ROUNDS;
  const togetherMs = world.small ? TOGETHER_MS.small : TOGETHER_MS.full;
  const flaws: string[] = [];
  running.push(await start(scene, 1, {}));
  const replace = async (at: number, version: Parameters<typeof start>[2]) => {
    const { code } = await (running[at] as Running).stop();
    if (code !== 0) flaws.push(`an instance ended with ${code}`);
    running[at] = await start(scene, at, version);
    await wait(togetherMs);
  };
  let longestMs = 0;
  for (let round = 1; round <= rounds; round++) {
    const next = { entry: 'faults-next', env: { [STEPS]: String(round) } };
    const began = performance.now();
    await replace(1, next);
    longestMs = Math.max(longestMs, performance.now() - began - togetherMs);
    await replace(0, next);
    await replace(1, {});
    await replace(0, {});
    const taken = await world.query('select from kysely_migration where name = $1', [nameOf(round)]);
    if (taken.length === 0) flaws.push(`${nameOf(round)} was not taken`);
    if (world.small || round % 3 === 0) say(`${round} upgrades and back`);
  }
  return {
    what: 'schema changed by the next version under load, then back',
    count: rounds,
    flaws,
    worst: `longest start with its step ${(longestMs / 1000).toFixed(1)} s`,
  };
}

/** The version before serves, this one joins it and changes the schema, and goes again. */
async function join(scene: Scene, { commit }: Before): Promise<Course> {
  const { world } = scene;
  const flaws: string[] = [];
  const began = performance.now();
  let joined = await start(scene, 1, {});
  const startMs = performance.now() - began;
  const rounds = world.small ? 1 : ROUNDS_BEFORE;
  for (let round = 1; round <= rounds; round++) {
    await wait(world.small ? TOGETHER_MS.small : TOGETHER_MS.full);
    const { code } = await joined.stop();
    if (code !== 0) flaws.push(`an instance ended with ${code}`);
    await wait(TOGETHER_MS.small);
    if (round < rounds) joined = await start(scene, 1, {});
  }
  const [{ count = '0' } = {}] = await world.query<{ count: string }>(
    'select count(*) from kysely_migration',
  );
  return {
    what: `${count} steps: this version beside the one of commit ${commit}, and without it again`,
    count: rounds,
    flaws,
    worst: `first start with its steps ${(startMs / 1000).toFixed(1)} s`,
  };
}

function judge(
  { receiver, balancer, load }: Pick<Scene, 'receiver' | 'balancer' | 'load'>,
  { what, count, flaws, worst }: Course,
  lost: Awaited<ReturnType<typeof settleAll>>,
): Found {
  const failed = load.answers.filter(({ status }) => status !== 200);
  const slowest = Math.round(Math.max(...load.answers.map(({ ms }) => ms)));
  const line = (said: string, [times, violations, figure = '']: [number, number, string?]): Line => ({
    ...{ fault: 'F29', what: said, count: times, violations, worst: figure },
  });
  return {
    lines: [
      line(what, [count, flaws.length, worst]),
      line('requests that failed meanwhile', [
        ...([load.answers.length, failed.length + balancer.cuts()] as const),
        `slowest ${slowest} ms`,
      ]),
      line('checkouts and webhooks acknowledged and lost', [
        ...([load.made.size + load.told.size, lost.checkouts.length + lost.webhooks.length] as const),
        `${receiver.delivered.size} events told, ${lost.events.length} not`,
      ]),
    ],
    examples: [
      ...flaws,
      ...failed.map(({ errand, status, ms }) => `${errand} answered ${status} after ${Math.round(ms)} ms`),
      ...lost.checkouts,
      ...lost.webhooks,
      ...lost.events,
    ],
  };
}
