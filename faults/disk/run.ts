/** The run of full disks: first that of the database, then that of the log; nothing ends, and nothing is lost. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Credentials } from '../../src/app/accounts.ts';
import { type Client, checkOut, checkoutLetter, each, openClient } from '../bed/client.ts';
import { startCluster, urlOf } from '../bed/cluster.ts';
import { startLateness } from '../bed/lateness.ts';
import { type Answer, type Load, settleWebhooks, startLoad } from '../bed/load.ts';
import { findPort, type Running } from '../bed/processes.ts';
import { openWorld, type World } from '../bed/world.ts';
import { type Line, type Section, say } from '../report.ts';
import { openVolume, type Volume } from './volume.ts';

const DATA_MB = 160;
const LOG_MB = 1;
const REST_MS = 15;
const REFUSAL_MS = 1_000;
const RECOVERY_MS = 2_000;
const SETTLE_MS = 60_000;
/** Of these every one is a line in the log. */
const LINES = 6_000;

export async function runDisk(small: boolean, seed: number): Promise<Section> {
  const began = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'cloverleaf-faults-disk-'));
  const volumes: Volume[] = [];
  const section = (found: Pick<Section, 'lines' | 'examples'>): Section => ({
    ...{ run: 'disk', seed, seconds: Math.round((performance.now() - began) / 1000) },
    ...found,
  });
  try {
    volumes.push(openVolume(join(folder, 'data'), DATA_MB), openVolume(join(folder, 'log'), LOG_MB));
    return section(await fillBoth({ small, seed, folder }, volumes as [Volume, Volume]));
  } catch (error) {
    if (volumes.length === 2) throw error;
    const reason = String((error as { stderr?: Buffer }).stderr ?? error).trim();
    return section({ lines: [line('no volume can be mounted here', [0, 0, reason])], examples: [] });
  } finally {
    for (const volume of volumes) volume.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function line(what: string, [count, violations, worst]: [number, number, string]): Line {
  return { fault: 'F23', what, count, violations, worst };
}

interface Scene {
  world: World;
  client: Client;
  running: Running;
  load: Load;
  logFile: string;
}

async function fillBoth(
  { small, seed, folder }: { small: boolean; seed: number; folder: string },
  [data, log]: readonly [Volume, Volume],
): Promise<Pick<Section, 'lines' | 'examples'>> {
  // What is written ahead has a disk of its own, as it should: without it the server itself ends.
  const cluster = await startCluster(data.path, { wal: join(folder, 'wal') });
  const world = await openWorld({
    ...{ name: 'disk', small, seed, accounts: 1 },
    server: urlOf(cluster.port()),
  });
  try {
    const port = await findPort();
    const logFile = join(log.path, 'instance.log');
    const running = await world.start({ port, logFile, env: { LOG_LEVEL: 'info' } });
    if (!running) throw new Error('the instance does not start');
    const client = openClient(`http://127.0.0.1:${port}`, 32);
    const account = world.accounts[0] as Credentials;
    await checkOut(client, checkoutLetter(account, { provider: 'transak', partnerContext: 'first' }));
    const load = startLoad({ world, client: () => client, restMs: REST_MS });
    let isUp = true;
    void running.gone.then(() => {
      isUp = false;
    });
    const scene = { world, client, running, load, logFile };
    const found = [await fillData(scene, data), await fillLog(scene, log)];
    await load.stop();
    const lost = await settleWebhooks(world, load);
    const flaws = [...lost.checkouts, ...lost.webhooks, ...(isUp ? [] : ['the instance has ended'])];
    await client.close();
    return {
      lines: [
        ...found.map(({ line: one }) => one),
        line('acknowledged and lost, or ended', [load.made.size + load.told.size, flaws.length, '']),
      ],
      examples: [...found.flatMap(one => one.flaws), ...flaws],
    };
  } finally {
    await world.close();
    await cluster.stop('fast');
  }
}

/** Writes are refused, reads go on, and everything goes on when there is room again. */
async function fillData({ load, world }: Scene, data: Volume) {
  await wait(1_000);
  const lateness = startLateness();
  const first = load.answers.length;
  data.fill();
  await until(() => load.answers.slice(first).some(({ status }) => status === 503));
  const full = load.answers.length;
  await wait(world.small ? 3_000 : 20_000);
  const answers = load.answers.slice(full);
  data.free();
  const freed = performance.now();
  const isBack = ({ errand, status, began }: Answer) =>
    errand === 'checkout' && status === 200 && began > freed;
  await until(() => load.answers.some(isBack));
  const back = load.answers.find(isBack);
  const backMs = back ? back.began + back.ms - freed : Number.POSITIVE_INFINITY;
  const slackMs = 2 * lateness.take();
  lateness.stop();
  const flaws = answers.flatMap(answer => flawOf(answer, slackMs) ?? []).map(flaw => `data: ${flaw}`);
  if (backMs > RECOVERY_MS + slackMs)
    flaws.push(`data: the first checkout ${Math.round(backMs)} ms after there was room`);
  const of = (status: number) => answers.filter(answer => answer.status === status);
  const slowest = Math.max(0, ...of(503).map(({ ms }) => ms));
  const worst = `${of(200).length} served, ${of(503).length} × 503, the slowest in ${Math.round(slowest)} ms; back after ${Math.round(backMs)} ms`;
  say(`the database's disk: ${worst}`);
  return { line: line('the database’s disk is full', [of(503).length, flaws.length, worst]), flaws };
}

/** What only reads is served; what writes is served, or told to come back. */
function flawOf({ errand, status, retryAfter, ms }: Answer, slackMs: number): string | undefined {
  if (status === 200) return undefined;
  const writes = errand === 'checkout' || errand === 'webhook';
  if (writes && status === 409) return undefined;
  if (writes && status === 503 && retryAfter && ms <= REFUSAL_MS + slackMs) return undefined;
  return `${errand} answered ${status} after ${Math.round(ms)} ms`;
}

/** Lines are let go of and counted; those that are written are whole. */
async function fillLog({ client, load, logFile }: Scene, log: Volume) {
  const first = load.answers.length;
  log.fill();
  const numbers = Array.from({ length: LINES }, (_, at) => at);
  const failed: number[] = [];
  await each(numbers, 16, async () => {
    const { status } = await client.get('/health/live');
    if (status !== 200) failed.push(status);
  });
  const dropped = Number(
    /^cloverleaf_log_lines_dropped_total (\d+)$/m.exec((await client.get('/metrics')).text)?.[1] ?? 0,
  );
  const size = statSync(logFile).size;
  log.free();
  await until(() => statSync(logFile).size > size);
  await wait(500);
  const lines = readFileSync(logFile, 'utf8').split('\n').slice(0, -1);
  const broken = lines.filter(text => !isJson(text));
  const answers = load.answers.slice(first).filter(({ status }) => status !== 200);
  const flaws = [
    ...failed.map(status => `log: answered ${status}`),
    ...answers.map(({ errand, status }) => `log: ${errand} answered ${status}`),
    ...broken.map(text => `log: not a line: ${text.slice(0, 80)}`),
    ...(statSync(logFile).size > size ? [] : ['log: nothing is written although there is room']),
  ];
  const worst = `${dropped} lines let go of and counted, ${lines.length} written and whole`;
  say(`the log's disk: ${worst}`);
  return { line: line('the log’s disk is full', [dropped, flaws.length, worst]), flaws };
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + SETTLE_MS;
  while (!isSo() && performance.now() < end) await wait(20);
}
