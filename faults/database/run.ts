/** The run of the database: restarted, away, locked, silent or elsewhere, while quotes and orders go on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Client, checkOut, checkoutLetter, openClient, readIntent } from '../bed/client.ts';
import { startCluster, urlOf } from '../bed/cluster.ts';
import { startLateness } from '../bed/lateness.ts';
import { type Answer, keysOf, type Load, settleWebhooks, startLoad, tell } from '../bed/load.ts';
import { findPort } from '../bed/processes.ts';
import { startRelay } from '../bed/relay.ts';
import { openWorld, type World } from '../bed/world.ts';
import { type Line, type Section, say } from '../report.ts';
import { type Scene, type Trouble, troublesOf } from './troubles.ts';

/** Whoever cannot be served is told so within this. */
const REFUSAL_MS = 1_000;
/** And everything is served again so soon after the database is back. */
const RECOVERY_MS = 2_000;
const REST_MS = 25;
const CALM_MS = 500;
const SETTLE_MS = 30_000;

export async function runDatabase(small: boolean, seed: number): Promise<Section> {
  const began = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'cloverleaf-faults-cluster-'));
  const cluster = await startCluster(folder);
  const relay = await startRelay(cluster.port());
  const world = await openWorld({
    ...{ name: 'database', small, seed, accounts: 1 },
    server: urlOf(relay.port),
  });
  try {
    const database = new URL(world.env.DATABASE_URL ?? '').pathname.slice(1);
    const found = await undergoAll({ world, cluster, relay, database });
    return { run: 'database', seed, seconds: Math.round((performance.now() - began) / 1000), ...found };
  } finally {
    await world.close();
    await relay.close();
    await cluster.stop('fast');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function undergoAll(scene: Scene): Promise<Pick<Section, 'lines' | 'examples'>> {
  const { world } = scene;
  const port = await findPort();
  const instance = await world.start({ port });
  if (!instance) throw new Error('the instance does not start');
  let isUp = true;
  void instance.gone.then(() => {
    isUp = false;
  });
  const client = openClient(`http://127.0.0.1:${port}`, 128);
  const account = world.accounts[0] as World['accounts'][number];
  await checkOut(client, checkoutLetter(account, { provider: 'transak', partnerContext: 'first' }));
  const load = startLoad({ world, client: () => client, restMs: REST_MS });
  const lines: Line[] = [];
  const examples: string[] = [];
  await wait(CALM_MS);
  for (const trouble of troublesOf({ ...scene, load })) {
    const { line, flaws } = await undergo(trouble, { world, client, load });
    lines.push(line);
    examples.push(...flaws);
    if (!isUp) examples.push(`${trouble.what}: the instance has ended`);
    if (!isUp) break;
    say(`${line.what}: ${line.worst}`);
  }
  await load.stop();
  const lost = await settleWebhooks(world, load);
  await client.close();
  return {
    lines: [
      ...lines,
      line('checkouts acknowledged and lost, or made twice', [load.made.size, lost.checkouts.length]),
      line('webhooks acknowledged and lost', [load.told.size, lost.webhooks.length]),
      line('restarts of the service that were needed', [lines.length, isUp ? 0 : 1]),
    ],
    examples: [...examples, ...lost.checkouts, ...lost.webhooks],
  };
}

function line(what: string, [count, violations, worst = '']: [number, number, string?]): Line {
  return { fault: 'F22', what, count, violations, worst };
}

/** Goes through a trouble, and judges every answer that was given meanwhile. */
async function undergo(
  trouble: Trouble,
  { world, client, load }: { world: World; client: Client; load: Load },
): Promise<{ line: Line; flaws: string[] }> {
  const first = load.answers.length;
  const lateness = startLateness();
  let count = 0;
  const slowest = { made: 0, all: 0 };
  for (let time = 0; time < trouble.times; time++) {
    count += await trouble.undergo();
    const { made, all } = await measureReturn(world, client);
    slowest.made = Math.max(slowest.made, made);
    slowest.all = Math.max(slowest.all, all);
    await wait(CALM_MS);
  }
  // On a machine that others use as well, everything is late by as much as its timers are, on both sides.
  const slackMs = 2 * lateness.take();
  lateness.stop();
  const answers = load.answers.slice(first);
  const flaws = answers.flatMap(answer => flawOf(answer, slackMs) ?? []);
  if (slowest.all > RECOVERY_MS + slackMs) flaws.push(`full service after ${Math.round(slowest.all)} ms`);
  const refused = answers.filter(({ status }) => status === 503);
  if (refused.length === 0) flaws.push('nobody was refused: the trouble was none');
  const quotes = answers.filter(({ errand }) => errand === 'quotes' || errand === 'catalog');
  const worst = [
    `quotes and catalog ${quotes.filter(({ status }) => status === 200).length} of ${quotes.length}`,
    `${refused.length} × 503, the slowest in ${Math.round(Math.max(0, ...refused.map(({ ms }) => ms)))} ms`,
    `back after ${seconds(slowest.made)}, all of it ${seconds(slowest.all)}`,
    `slack ${Math.round(slackMs)} ms`,
  ].join('; ');
  return {
    line: line(trouble.what, [count, flaws.length, worst]),
    flaws: flaws.map(flaw => `${trouble.what}: ${flaw}`),
  };
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** What is wrong with an answer that was given while the database was in trouble. */
function flawOf({ errand, status, retryAfter, ms }: Answer, slackMs: number): string | undefined {
  const time = Math.round(ms);
  if (status === 200) return undefined;
  if (errand === 'quotes' || errand === 'catalog') return `${errand} answered ${status} after ${time} ms`;
  // The same key is still being worked on.
  if (status === 409 && errand === 'checkout') return undefined;
  if (status !== 503) return `${errand} answered ${status} after ${time} ms`;
  if (!retryAfter) return `${errand} answered 503 without Retry-After`;
  return ms > REFUSAL_MS + slackMs ? `${errand} answered 503 after ${time} ms` : undefined;
}

/** How long from now until an order can be made; and until its end has been told and the record shows it. */
async function measureReturn(world: World, client: Client): Promise<{ made: number; all: number }> {
  const began = performance.now();
  const account = world.accounts[0] as World['accounts'][number];
  const letter = checkoutLetter(account, { provider: 'moonpay', partnerContext: `return ${began}` });
  const { text } = await untilDone(() => client.post('/checkout/intent', letter));
  const made = performance.now() - began;
  const { transactionId } = readIntent(text);
  await untilDone(() => tell(world, client, transactionId));
  await untilDone(
    () => client.get(`/transactions/${transactionId}`, keysOf(account)),
    answer => answer.includes('"completed"'),
  );
  return { made, all: performance.now() - began };
}

async function untilDone(
  ask: () => ReturnType<Client['get']>,
  isDone = (_: string) => true,
): ReturnType<Client['get']> {
  const until = performance.now() + SETTLE_MS;
  for (;;) {
    const reply = await ask();
    if (reply.status === 200 && isDone(reply.text)) return reply;
    if (performance.now() > until) throw new Error(`no full service: ${reply.status} ${reply.text}`);
    await wait(20);
  }
}
