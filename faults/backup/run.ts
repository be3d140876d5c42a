/** The run of backups: taken under load and looked through, and ended at any point, as restores are. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { checkBackup } from '../../src/store/backup-file.ts';
import { checkOut, checkoutLetter, openClient } from '../bed/client.ts';
import { startLoad } from '../bed/load.ts';
import { findPort } from '../bed/processes.ts';
import { openWorld, type World } from '../bed/world.ts';
import { type Line, type Section, say } from '../report.ts';
import { type Command, type Ended, killPostgres, startCommand } from './commands.ts';
import { findMisfits } from './fit.ts';
import { type Restores, startRestores } from './restores.ts';

/** A hundred kills in all. */
const KILLS = { backup: 40, restore: 40, postgres: 20 };
const BACKUPS = 20;
const REST_MS = 10;

export async function runBackup(small: boolean, seed: number): Promise<Section> {
  const began = performance.now();
  const world = await openWorld({ name: 'backup', small, seed, accounts: 1 });
  try {
    const found = await backUpAndRestore(world);
    return { run: 'backup', seed, seconds: Math.round((performance.now() - began) / 1000), ...found };
  } finally {
    await world.close();
  }
}

/** What happened, how often, and what was wrong with it. */
interface Tally {
  count: number;
  flaws: string[];
  worst: string;
}

async function backUpAndRestore(world: World): Promise<Pick<Section, 'lines' | 'examples'>> {
  const scale = world.small ? 20 : 1;
  const live = await underLoad(world, async (made, pause) => ({
    taken: await takeMany(world, { made, pause, count: BACKUPS / Math.min(scale, 10) }),
    killed: await killBackups(world, world.small ? 2 : KILLS.backup),
  }));
  say(`${live.taken.count} backups under load, ${live.killed.count} killed`);
  const restores = await startRestores(world, live.taken.files);
  const killed = await killRestores(world, restores);
  const beheaded = await killServers(world, restores);
  const line = (what: string, { count, flaws, worst }: Tally): Line => ({
    ...{ fault: 'F29', what, count, violations: flaws.length, worst },
  });
  return {
    lines: [
      line('backups under load that lack something acknowledged, or do not fit together', live.taken),
      line('kill -9 of a backup: files that look whole and are not', live.killed),
      line('kill -9 of a restore: neither the old database nor the new one', killed),
      line('kill -9 of PostgreSQL under a backup or a restore: the same', beheaded),
      line('restores begun again that did not end well', restores.again),
    ],
    examples: [live.taken, live.killed, killed, beheaded, restores.again].flatMap(({ flaws }) => flaws),
  };
}

type MadeSoFar = () => ReturnType<typeof startLoad>['made'];

async function underLoad<T>(
  world: World,
  work: (made: MadeSoFar, pause: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const port = await findPort();
  if (!(await world.start({ port }))) throw new Error('the instance does not start');
  const client = openClient(`http://127.0.0.1:${port}`, 32);
  const account = world.accounts[0] as World['accounts'][number];
  for (const provider of ['moonpay', 'transak'])
    await checkOut(client, checkoutLetter(account, { provider, partnerContext: 'first' }));
  const load = startLoad({ world, client: () => client, restMs: REST_MS });
  try {
    // So that no two backups hold the same.
    const pause = async () => {
      for (const before = load.made.size; load.made.size < before + 5; ) await wait(20);
    };
    return await work(() => load.made, pause);
  } finally {
    await load.stop();
    await client.close();
  }
}

interface Taking {
  made: MadeSoFar;
  pause(): Promise<void>;
  count: number;
}

async function takeMany(world: World, { made, pause, count }: Taking): Promise<Tally & { files: string[] }> {
  const files: string[] = [];
  const flaws: string[] = [];
  let most = 0;
  for (let at = 0; at < count; at++) {
    await pause();
    const file = join(world.folder, `backup-${at}`);
    const acknowledged = [...made().values()];
    const { code, said } = await startCommand(['backup', file], world.env).ended;
    if (code !== 0) throw new Error(`a backup failed: ${said}`);
    const trial = { serverUrl: world.env.DATABASE_URL ?? '', file, made: acknowledged };
    flaws.push(...(await findMisfits({ ...trial, name: `backup_${process.pid}_${at}` })));
    most = Math.max(most, acknowledged.length);
    files.push(file);
  }
  return { count, flaws, files, worst: `${most} checkouts acknowledged before the last` };
}

/** Each at a moment of its own; whatever has the name afterwards must be whole. */
async function killBackups(world: World, count: number): Promise<Tally> {
  const flaws: string[] = [];
  const first = await startCommand(['backup', join(world.folder, 'timed')], world.env).ended;
  let kills = 0;
  let whole = 0;
  for (let tries = 0; kills < count && tries < count * 3; tries++) {
    const file = join(world.folder, `killed-${tries}`);
    const command = startCommand(['backup', file], world.env);
    await Promise.race([wait(world.chance.below(first.ms * 1.2)), command.ended]);
    const isKilled = command.kill();
    if (isKilled) kills++;
    await command.ended;
    if (!existsSync(file)) continue;
    if (isKilled) whole++;
    await checkBackup(file).catch(error => flaws.push(`killed-${tries}: ${error.message}`));
    rmSync(file);
  }
  const again = await startCommand(['backup', join(world.folder, 'killed-0')], world.env).ended;
  if (again.code !== 0) flaws.push(`after all kills a backup failed: ${again.said}`);
  return { count: kills, flaws, worst: `${kills - whole} left no file, ${whole} a whole one` };
}

async function killRestores(world: World, restores: Restores): Promise<Tally> {
  const count = world.small ? 2 : KILLS.restore;
  const flaws: string[] = [];
  const after = { old: 0, new: 0 };
  let kills = 0;
  for (let tries = 0; kills < count && tries < count * 3; tries++) {
    const began = restores.begin();
    const moment = world.chance.pick(MOMENTS);
    const end = world.chance.below(restores.usualMs);
    await Promise.race([
      moment === undefined ? wait(end) : seen(restores.folder, moment, began),
      began.ended,
    ]);
    if (began.kill()) kills++;
    await began.ended;
    const found = await restores.look();
    if (found === 'neither')
      flaws.push(`killed ${moment ?? `after ${Math.round(end)} ms`}: ${restores.trouble()}`);
    else after[found]++;
    await restores.finish();
    if (kills % 10 === 9) say(`${kills} restores killed`);
  }
  return { count: kills, flaws, worst: `${after.old} times the old one, ${after.new} times the new one` };
}

/** When a name appears in the data folder; undefined for a moment by the clock. */
const MOMENTS = [
  ...[undefined, undefined, undefined, 'restoring', 'restoring/postgres.new', 'restoring/postgres'],
  ...['restoring/postgres/postmaster.pid', 'restored', 'replaced-'],
];

async function seen(folder: string, moment: string, { ended }: Command): Promise<void> {
  const before = kept(folder);
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const isThere = () =>
    moment === 'replaced-' ? kept(folder) > before : existsSync(join(folder, ...moment.split('/')));
  while (!isOver && !isThere()) await wait(1);
}

function kept(folder: string): number {
  return readdirSync(folder).filter(name => name.startsWith('replaced-')).length;
}

/** The server goes, and the command has to see how it ends. */
async function killServers(world: World, restores: Restores): Promise<Tally> {
  const count = world.small ? 2 : KILLS.postgres;
  const flaws: string[] = [];
  let kills = 0;
  let failed = 0;
  for (let tries = 0; kills < count && tries < count * 5; tries++) {
    const file = join(world.folder, `beheaded-${tries}`);
    const command = tries % 2 === 0 ? restores.begin() : startCommand(['backup', file], restores.env);
    await wait(world.chance.below(restores.usualMs));
    if (killPostgres(restores.folder)) kills++;
    const { code, said }: Ended = await command.ended;
    if (code !== 0) failed++;
    if (code !== 0 && said === '') flaws.push('a command failed and said nothing');
    if (existsSync(file)) await checkBackup(file).catch(error => flaws.push(error.message));
    if ((await restores.look()) === 'neither') flaws.push(restores.trouble());
    await restores.finish();
  }
  return { count: kills, flaws, worst: `${failed} commands failed and said why` };
}
