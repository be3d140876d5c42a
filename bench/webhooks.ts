/** Bench Bv: signed webhooks of a provider, acknowledged when they are kept, against one INSERT and two mailboxes. */
import { setTimeout as wait } from 'node:timers/promises';
import { registry } from '../src/providers/registry.ts';
import { insertRows } from './checkouts.ts';
import type { Child } from './child.ts';
import { cpuOf } from './cpu.ts';
import { median, percentile } from './figures.ts';
import { writeOrders } from './history.ts';
import { LETTERS_EACH, sampleLetter, writeLetters } from './letters.ts';
import { type Reply, runClosedLoop, runOpenLoop } from './load.ts';
import { createPlainTables } from './plain-tables.ts';
import { type Load, loadOf, measureSpans, type Spans, type Target } from './span.ts';
import { type Row, short, spreadOf } from './table.ts';
import { type Desk, type World, withClient } from './world.ts';

const CONNECTIONS = 64;
const PROVIDER = 'moonpay';
const PATH = `/hooks/${PROVIDER}`;
/** More than any server here takes in a second. */
const MOST_PER_SECOND = 15_000;
const SETTLE_MS = 180_000;

type Name = 'ours' | 'alone' | 'each' | 'batched' | 'raw';

/** What was seen of the service after the letters were in. */
interface Aftermath {
  /** Letters that were acknowledged and not yet dealt with when the last one was in. */
  behind: number;
  /** How many were dealt with a second from then on. */
  perSecond: number;
  /** Microseconds of CPU of the service for a letter from its arrival until it was dealt with. */
  wholeMicros: number;
}

export async function benchWebhooks(world: World): Promise<Row[]> {
  const milliseconds = world.pacing.quick ? 1_000 : 3_000;
  const most = (MOST_PER_SECOND * milliseconds) / 1000;
  const secret = secretOf(PROVIDER);
  const postgres = await world.spreadPostgres();
  const desk = await world.startDesk();
  const plainUrl = await createPlainTables(world);
  const raw = await world.startBaseline('rows', [plainUrl, 'letters', JSON.stringify(sampleLetter(secret))]);
  const each = await world.startBaseline('mailbox', [plainUrl, 'each', secret]);
  const batched = await world.startBaseline('mailbox', [plainUrl, 'batched', secret]);
  const newLetters = async (server: Child, count: number) => {
    const orders = Math.ceil(count / LETTERS_EACH);
    return writeLetters(
      PATH,
      secret,
      server === desk ? await makeOrders(desk, orders) : inventOrders(orders),
    );
  };

  const aftermaths: Aftermath[] = [];
  let letters: Buffer[] = [];
  let sent = 0;
  let cpuBefore = 0;
  /** Letters are written before the clock starts, and not many more than the last time showed to be needed. */
  const posting = (name: Name, server: Child): Target<Name> => {
    let needed = most;
    return {
      name,
      pid: server.pid,
      async prepare() {
        letters = await newLetters(server, needed);
        cpuBefore = cpuOf(server.pid);
      },
      async run(ms) {
        const load = await post(server, letters, ms);
        sent = load.requests;
        needed = Math.min(most, Math.ceil(((load.requests / load.seconds) * milliseconds * 1.5) / 1000));
        return load;
      },
    };
  };
  const alone = posting('alone', desk);
  const targets: Target<Name>[] = [
    {
      ...posting('ours', desk),
      async settle() {
        const { behind, perSecond } = await settle(desk);
        aftermaths.push({ behind, perSecond, wholeMicros: ((cpuOf(desk.pid) - cpuBefore) * 1000) / sent });
      },
    },
    {
      ...alone,
      run: ms => whileHeld(desk, () => alone.run(ms)),
      settle: async () => void (await settle(desk)),
    },
    posting('each', each),
    posting('batched', batched),
    { name: 'raw', pid: raw.pid, run: ms => insertRows(raw, ms, CONNECTIONS) },
  ];
  const spans = await measureSpans(targets, {
    pacing: world.pacing,
    postgres,
    helpers: [world.fleet.pid],
    milliseconds,
    warmUp: world.pacing.quick ? 1_000 : 10_000,
  });

  const half = Math.round(spans.of('ours', 'perSecond') / 2);
  const calm: number[] = [];
  for (let round = 0; round < Math.min(3, world.pacing.rounds); round++) {
    const prepared = await newLetters(desk, (half * milliseconds) / 1000);
    calm.push(await postAtRate(desk, prepared, half));
    await settle(desk);
  }
  for (const child of [desk, raw, each, batched]) await child.stop();
  const calmRow = { ...judgeCalm(half, calm), doubtful: spans.isDisturbed('ours') };
  return [...judge(spans), calmRow, ...judgeAftermath(aftermaths, spans)];
}

function judge({ of, all, isDisturbed }: Spans<Name>): Row[] {
  const rate = (name: Name) => `${spreadOf(all(name, 'perSecond').map(Math.round))}/s`;
  const over = (what: string, ours: Name, baseline: Name): Row => ({
    bench: 'Bv',
    what,
    ours: `${ours === 'ours' || ours === 'alone' ? '' : `${ours} `}${rate(ours)}`,
    baseline: `${baseline} ${rate(baseline)}`,
    figure: of(ours, 'perSecond') / of(baseline, 'perSecond'),
    doubtful: isDisturbed(ours, baseline),
  });
  const cost = (what: string, ours: Name): Row => ({
    bench: 'Bv',
    what,
    ours: `${short(of(ours, 'cpuMicros'))} µs`,
    baseline: `batched ${short(of('batched', 'cpuMicros'))} µs`,
    figure: of(ours, 'cpuMicros') / of('batched', 'cpuMicros'),
    doubtful: isDisturbed(ours, 'batched'),
  });
  return [
    { ...over('acknowledged a second over one INSERT', 'alone', 'raw'), goal: { id: 'G11', least: 0.75 } },
    { ...over('the same', 'alone', 'raw'), goal: { id: 'G11', least: 0.9, stretch: true } },
    {
      ...over('acknowledged a second over one INSERT each', 'alone', 'each'),
      goal: { id: 'G11', least: 1.8 },
    },
    { ...cost('CPU of the server per event over batched', 'alone'), goal: { id: 'G11', most: 1.2 } },
    {
      ...over('while they are applied too, over one INSERT', 'ours', 'raw'),
      goal: { id: 'G11', least: 0.75 },
    },
    {
      ...over('while they are applied too, over one INSERT each', 'ours', 'each'),
      goal: { id: 'G11', least: 1.8 },
    },
    over('acknowledged a second over batched', 'alone', 'batched'),
    over('batched over one INSERT', 'batched', 'raw'),
    over('one INSERT each over one INSERT', 'each', 'raw'),
    {
      bench: 'Bv',
      what: `p99 of an event at full rate, over batched`,
      ours: `${short(of('alone', 'p99'))} ms`,
      baseline: `batched ${short(of('batched', 'p99'))} ms`,
      figure: of('alone', 'p99') / of('batched', 'p99'),
    },
  ];
}

function judgeCalm(half: number, p99s: readonly number[]): Row {
  return {
    bench: 'Bv',
    what: `p99 of an event at half the rate, ${half}/s, while they are applied too`,
    ours: `${short(median(p99s))} ms`,
    baseline: '',
    figure: median(p99s),
    unit: ' ms',
    goal: { id: 'G11', most: 100 },
  };
}

function judgeAftermath(aftermaths: readonly Aftermath[], { of }: Spans<Name>): Row[] {
  const middle = (figure: keyof Aftermath) => median(aftermaths.map(one => one[figure]));
  return [
    {
      bench: 'Bv',
      what: 'applied a second once none come in, over those acknowledged',
      ours: `${short(Math.round(middle('perSecond')))}/s, ${short(Math.round(middle('behind')))} behind`,
      baseline: `${short(Math.round(of('ours', 'perSecond')))}/s`,
      figure: middle('perSecond') / of('ours', 'perSecond'),
    },
    {
      bench: 'Bv',
      what: 'CPU of the server per event until it is applied, over batched, which only keeps',
      ours: `${short(middle('wholeMicros'))} µs`,
      baseline: `batched ${short(of('batched', 'cpuMicros'))} µs`,
      figure: middle('wholeMicros') / of('batched', 'cpuMicros'),
    },
  ];
}

/** What the provider's stand-in signs with. */
function secretOf(provider: string): string {
  const found = registry.find(({ adapter }) => adapter.manifest.id === provider);
  const secret = found?.standin.settings.webhookKey;
  if (!secret) throw new Error(`${provider} has no secret for its webhooks`);
  return secret;
}

async function makeOrders({ databaseUrl, key }: Desk, count: number): Promise<string[]> {
  return withClient(databaseUrl, async client => {
    const { rows } = await client.query('select id from accounts where public_key = $1', [key]);
    const [{ id }] = rows as [{ id: string }];
    return writeOrders(client, id, count);
  });
}

let invented = 0;

/** For those who never look whether there is such an order. */
function inventOrders(count: number): string[] {
  return Array.from({ length: count }, () => String(++invented).padStart(26, '0'));
}

async function post(server: Child, letters: readonly Buffer[], milliseconds: number): Promise<Load> {
  let next = 0;
  const result = await runClosedLoop({
    url: server.url,
    connections: CONNECTIONS,
    milliseconds,
    ask(connection) {
      const letter = letters[next++];
      return letter && connection.send(letter);
    },
    onReply: requireKept,
  });
  return loadOf(result);
}

/** The p99 of letters that arrive at their moments. */
async function postAtRate(server: Child, letters: readonly Buffer[], perSecond: number): Promise<number> {
  const samples = await runOpenLoop({
    url: server.url,
    perSecond,
    requests: letters.length,
    ask: (connection, at) => connection.send(letters[at] as Buffer),
  });
  for (const { reply } of samples) requireKept(reply);
  return percentile(
    samples.map(({ ms }) => ms),
    99,
  );
}

function requireKept({ status, body }: Reply): void {
  if (status !== 200) throw new Error(`a webhook was answered ${status} ${body}`);
}

/** Lets nothing be written of what was said, so that webhooks are kept and nothing else is done meanwhile. */
async function whileHeld<T>({ databaseUrl }: Desk, act: () => Promise<T>): Promise<T> {
  return withClient(databaseUrl, async client => {
    await client.query('begin; lock table notices in exclusive mode');
    const result = await act();
    await client.query('commit');
    return result;
  });
}

/** Waits until the service has dealt with all that came, and takes away what it means to do later. */
async function settle({ databaseUrl }: Desk): Promise<Pick<Aftermath, 'behind' | 'perSecond'>> {
  return withClient(databaseUrl, async client => {
    const count = async () => {
      const { rows } = await client.query(`select count(*)::int as due from inbox where state = 'due'`);
      return (rows as [{ due: number }])[0].due;
    };
    const began = performance.now();
    const behind = await count();
    for (let due = behind; due > 0; due = await count()) {
      if (performance.now() - began > SETTLE_MS) throw new Error(`${due} webhooks are not dealt with`);
      await wait(50);
    }
    const seconds = (performance.now() - began) / 1000;
    await client.query(`delete from tasks where kind = 'look-up'`);
    return { behind, perSecond: behind / seconds };
  });
}
