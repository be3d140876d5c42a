/** The run of full disks: that of the database, that of the log, and that of all the embedded one has; nothing is lost. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Credentials } from '../../src/app/accounts.ts';
import { startEmbedded } from '../../src/store/embedded.ts';
import { type Client, checkOut, checkoutLetter, each, openClient } from '../bed/client.ts';
import { startCluster, urlOf } from '../bed/cluster.ts';
import { startLateness } from '../bed/lateness.ts';
import { type Answer, type Errand, type Load, settleWebhooks, startLoad } from '../bed/load.ts';
import { findPort } from '../bed/processes.ts';
import { openWorld, type World } from '../bed/world.ts';
import { type Line, type Section, say } from '../report.ts';
import { openVolume, type Volume } from './volume.ts';

const DATA_MB = 160;
const LOG_MB = 1;
const REST_MS = 15;
const REFUSAL_MS = 1_000;
const RECOVERY_MS = 2_000;
/** As long as it may take to start the server again, which has to read what was written ahead. */
const RESTART_MS = 5_000;
const WRITES: readonly Errand[] = ['checkout', 'webhook'];
const SETTLE_MS = 60_000;
/** Of these every one is a line in the log. */
const LINES = 6_000;

export async function runDisk(small: boolean, seed: number): Promise<Section> {
  const began = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'cloverleaf-faults-disk-'));
  const volumes: Volume[] = [];
  const section = (found: readonly Found[]): Section => ({
    ...{ run: 'disk', seed, seconds: Math.round((performance.now() - began) / 1000) },
    lines: found.map(one => one.line),
    examples: found.flatMap(one => one.flaws),
  });
  try {
    const open = (name: string, megabytes: number) => {
      const volume = openVolume(join(folder, name), megabytes);
      volumes.push(volume);
      return volume;
    };
    const [data, log, all] = [open('data', DATA_MB), open('log', LOG_MB), open('all', DATA_MB)];
    return section([
      ...(await fillApart({ small, seed, folder }, data, log)),
      ...(await fillAll({ small, seed, folder }, all)),
    ]);
  } catch (error) {
    if (volumes.length === 3) throw error;
    const reason = String((error as { stderr?: Buffer }).stderr ?? error).trim();
    return section([{ line: line('no volume can be mounted here', [0, 0, reason]), flaws: [] }]);
  } finally {
    for (const volume of volumes) volume.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Setting {
  small: boolean;
  seed: number;
  folder: string;
}

interface Found {
  line: Line;
  flaws: readonly string[];
}

function line(what: string, [count, violations, worst]: [number, number, string]): Line {
  return { fault: 'F23', what, count, violations, worst };
}

interface Scene {
  world: World;
  client: Client;
  load: Load;
  logFile: string;
}

/** What is written ahead has a disk of its own, as it should. */
async function fillApart({ small, seed, folder }: Setting, data: Volume, log: Volume): Promise<Found[]> {
  const cluster = await startCluster(data.path, { wal: join(folder, 'wal') });
  try {
    const setting = { small, seed, folder: log.path, server: urlOf(cluster.port()), disks: 'on disks apart' };
    return await inScene(setting, async scene => [await fillData(scene, data), await fillLog(scene, log)]);
  } finally {
    await cluster.stop('fast');
  }
}

/** All of the embedded database is on one disk, as with a newcomer: without room to write ahead the server itself ends. */
async function fillAll({ small, seed, folder }: Setting, all: Volume): Promise<Found[]> {
  let ends = 0;
  const embedded = await startEmbedded({
    dataDir: join(all.path, 'data'),
    log(said) {
      if (said.includes('ended by itself')) ends++;
    },
  });
  try {
    const setting = { small, seed, folder, server: embedded.url, disks: 'on one disk' };
    return await inScene(setting, async scene => {
      const found = await endServer(scene, all);
      return [{ ...found, line: { ...found.line, count: ends } }];
    });
  } finally {
    await embedded.stop();
  }
}

/** An instance under load, what is done to it, and what was acknowledged and lost in the end. */
async function inScene(
  { small, seed, folder, server, disks }: Setting & { server: string; disks: string },
  play: (scene: Scene) => Promise<Found[]>,
): Promise<Found[]> {
  const world = await openWorld({ ...{ name: 'disk', small, seed, accounts: 1 }, server });
  try {
    const port = await findPort();
    const logFile = join(folder, 'instance.log');
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
    const found = await play({ world, client, load, logFile });
    await load.stop();
    const lost = await settleWebhooks(world, load);
    const flaws = [...lost.checkouts, ...lost.webhooks, ...(isUp ? [] : ['the instance has ended'])];
    await client.close();
    const count = load.made.size + load.told.size;
    const what = `acknowledged and lost, or ended, ${disks}`;
    return [...found, { line: line(what, [count, flaws.length, '']), flaws }];
  } finally {
    await world.close();
  }
}

/** Writes are refused, reads go on, and everything goes on when there is room again. */
function fillData(scene: Scene, data: Volume): Promise<Found> {
  return fill(scene, data, { what: 'the database’s disk is full', refused: WRITES, backMs: RECOVERY_MS });
}

/** What needs the database is refused while it cannot start; it is started again when there is room. */
function endServer(scene: Scene, all: Volume): Promise<Found> {
  return fill(scene, all, {
    what: 'the embedded database’s disk is full, and its server ends',
    refused: [...WRITES, 'transactions'],
    backMs: RESTART_MS,
    /** Asks for the next file of what is written ahead, for which there is no room. */
    meanwhile: () => scene.world.query('select pg_switch_wal()').then(() => false, isEnded),
  });
}

interface Filling {
  what: string;
  /** What may be told to come back. */
  refused: readonly Errand[];
  /** Within which time checkouts are served again. */
  backMs: number;
  /** What else is done to it; true when that has had its effect. */
  meanwhile?(): Promise<boolean>;
}

async function fill({ load, world }: Scene, volume: Volume, filling: Filling): Promise<Found> {
  const { what, refused, meanwhile } = filling;
  await wait(1_000);
  const lateness = startLateness();
  const first = load.answers.length;
  volume.fill();
  if (meanwhile) await until(meanwhile);
  await until(() => load.answers.slice(first).some(({ status }) => status === 503));
  const full = load.answers.length;
  await wait(world.small ? 3_000 : 20_000);
  const answers = load.answers.slice(full);
  volume.free();
  const freed = performance.now();
  const isBack = ({ errand, status, began }: Answer) =>
    errand === 'checkout' && status === 200 && began > freed;
  await until(() => load.answers.some(isBack));
  const back = load.answers.find(isBack);
  const backMs = back ? back.began + back.ms - freed : Number.POSITIVE_INFINITY;
  const slackMs = 2 * lateness.take();
  lateness.stop();
  const flaws = answers.flatMap(answer => flawOf(answer, refused, slackMs) ?? []);
  if (backMs > filling.backMs + slackMs)
    flaws.push(`the first checkout ${Math.round(backMs)} ms after there was room`);
  const of = (status: number) => answers.filter(answer => answer.status === status);
  const slowest = Math.max(0, ...of(503).map(({ ms }) => ms));
  const worst = `${of(200).length} served, ${of(503).length} × 503, the slowest in ${Math.round(slowest)} ms; back after ${Math.round(backMs)} ms`;
  say(`${what}: ${worst}`);
  return {
    line: line(what, [of(503).length, flaws.length, worst]),
    flaws: flaws.map(flaw => `${what}: ${flaw}`),
  };
}

/** Whether the server has gone, and does not only refuse. */
function isEnded(error: unknown): boolean {
  return !/No space left/.test(String(error));
}

/** All else is served; what may be refused is served, or told to come back. */
function flawOf(
  { errand, status, retryAfter, ms }: Answer,
  refused: readonly Errand[],
  slackMs: number,
): string | undefined {
  if (status === 200) return undefined;
  const mayWait = refused.includes(errand);
  if (mayWait && status === 409) return undefined;
  if (mayWait && status === 503 && retryAfter && ms <= REFUSAL_MS + slackMs) return undefined;
  return `${errand} answered ${status} after ${Math.round(ms)} ms`;
}

/** Lines are let go of and counted; those that are written are whole. */
async function fillLog({ client, load, logFile }: Scene, log: Volume): Promise<Found> {
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
  // Keys of checkouts that ended halfway on the other full disk are held for a while longer.
  const answers = load.answers.slice(first).filter(({ status }) => status !== 200 && status !== 409);
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

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + SETTLE_MS;
  while (!(await isSo()) && performance.now() < end) await wait(20);
}
