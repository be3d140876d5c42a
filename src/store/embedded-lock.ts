/** The lock on a data folder: one process at a time, told apart by the kernel. */
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exitOf, launch, nameOf, self } from './embedded-runner.ts';
import { EmbeddedFault, type Site, statusOf, unusable } from './embedded-site.ts';

/** How long a former server may take to go, and a command to come to its end. */
const FORMER_SERVER_MS = 20_000;

/** Somebody else has the folder. */
export class FolderInUse extends EmbeddedFault {}

/**
 * Locks the data folder, which is made where there is none, and returns the locked file. The lock belongs to the open
 * file, which the server inherits: the kernel frees it when this process and the last process of its server are gone, and
 * at no other time. Whoever has it briefly is waited for by others.
 */
export async function claim(site: Site, isBrief: boolean): Promise<number> {
  const file = openLock(site);
  try {
    await waitForLock(site, file);
    const server = serverPid(site);
    if (server) throw inUse(site, server); // one started by hand, without the lock
    fs.ftruncateSync(file);
    fs.writeSync(file, JSON.stringify({ pid: process.pid, started: startOf(process.pid), isBrief }), 0);
    return file;
  } catch (error) {
    fs.closeSync(file);
    throw error;
  }
}

function openLock(site: Site): number {
  try {
    fs.mkdirSync(dirname(site.root), { recursive: true });
    fs.mkdirSync(site.root, { recursive: true, mode: 0o700 });
    refuseRoot(site);
    return fs.openSync(ownerFile(site), fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
  } catch (error) {
    throw error instanceof EmbeddedFault ? error : unusable(site.name, error);
  }
}

/**
 * Root may use what somebody else has begun, and would leave things in it that they may not: their service would not start
 * again. Whose it is, the lock file tells: folders are handed to root's lesser self as well, and to containers.
 */
function refuseRoot(site: Site): void {
  const owner = fs.statSync(ownerFile(site), { throwIfNoEntry: false })?.uid ?? 0;
  if (self().uid !== 0 || owner === 0) return;
  throw new EmbeddedFault(
    `data folder ${site.name} belongs to the user ${nameOf(owner)}: run this as that user, or give the folder to root with chown -R`,
  );
}

async function waitForLock(site: Site, file: number): Promise<void> {
  const deadline = performance.now() + FORMER_SERVER_MS;
  while (!(await tryLock(file))) {
    // In this order a running server seen without a living owner is truly an orphan: owners sign before they start.
    const server = serverPid(site);
    const owner = readOwner(site);
    const isAlive = owner !== undefined && startOf(owner.pid) === owner.started;
    const stays = isAlive && !owner.isBrief;
    if (stays || performance.now() > deadline) throw inUse(site, owner?.pid ?? server, owner?.isBrief);
    if (server && !isAlive) interrupt(server);
    await delay(50);
  }
}

function interrupt(pid: number): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    // It has ended in the meantime.
  }
}

/** Node has no flock of its own, but a lock taken by a child on our open file stays ours. */
async function tryLock(file: number): Promise<boolean> {
  const code = await exitOf(launch(self(), ['flock', '-n', '3'], ['ignore', 'ignore', 'ignore', file]));
  if (code !== 0 && code !== 1) throw new Error('the command flock is missing or fails here');
  return code === 0;
}

/** Whether somebody has signed for the folder, and not for a moment only. */
export function isHeldToStay(site: Site): boolean {
  const owner = readOwner(site);
  return owner !== undefined && !owner.isBrief;
}

export function release(lock: number): void {
  fs.ftruncateSync(lock); // not removed: there would be two files to lock, the old and a new one
  fs.closeSync(lock);
}

function inUse({ name }: Site, pid: number | undefined, byCommand = false): FolderInUse {
  const advice = byCommand
    ? ', a command: try again when it has ended'
    : ': stop it first, or set DATA_DIR to another folder';
  return new FolderInUse(`data folder ${name} is in use by process ${pid ?? 'unknown'}${advice}`);
}

function ownerFile(site: Site): string {
  return join(site.root, 'owner.json');
}

interface Owner {
  pid: number;
  started: string;
  isBrief?: boolean;
}

function readOwner(site: Site): Owner | undefined {
  try {
    return JSON.parse(fs.readFileSync(ownerFile(site), 'utf8'));
  } catch {
    return undefined; // empty: released, or just locked and not yet signed
  }
}

/** When a process started, in ticks since boot; undefined for none and for a zombie. */
function startOf(pid: number): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before it may hold anything
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** The server that runs on the cluster: it works inside that folder, as no zombie and no reused pid does. */
function serverPid(site: Site): number | undefined {
  try {
    const pid = Number(statusOf(site)[0]);
    return fs.readlinkSync(`/proc/${pid}/cwd`) === fs.realpathSync(site.cluster) ? pid : undefined;
  } catch {
    return undefined;
  }
}
