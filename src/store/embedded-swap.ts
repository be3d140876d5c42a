/** A restored database on its way into a data folder: put in place by renames that whoever comes next goes on with. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from './disk.ts';
import type { Site } from './embedded-site.ts';

/** Where it is made: a data folder of its own inside the data folder. */
export function workshopOf(site: Site): string {
  return join(site.root, 'restoring');
}

export interface Decision {
  /** To be put beside the database. */
  masterKey: Buffer | undefined;
  /** The folder that what was there before is moved to. */
  keepIn: string;
}

/**
 * Decides for what stands in the workshop, which is whole and which nobody uses: the last rename is the decision. Whoever
 * dies before it has changed nothing.
 */
export function decide(site: Site, { masterKey, keepIn }: Decision): void {
  const workshop = workshopOf(site);
  for (const name of fs.readdirSync(workshop))
    if (name !== CLUSTER) fs.rmSync(join(workshop, name), { recursive: true });
  if (masterKey) writeSafely(join(workshop, KEY_FILE), `${masterKey.toString('hex')}\n`);
  writeSafely(join(workshop, ORDER), JSON.stringify({ keepIn }));
  syncFolder(workshop);
  fs.renameSync(workshop, decidedFolder(site));
  syncFolder(site.root);
}

/** Puts in place what was decided for, however far somebody had come with it; to be called under the lock. */
export function finishSwap(site: Site): void {
  const decided = decidedFolder(site);
  if (!fs.existsSync(decided)) return;
  for (const name of [KEY_FILE, CLUSTER]) {
    if (!fs.existsSync(join(decided, name))) continue; // it is in its place already
    if (fs.existsSync(join(site.root, name))) {
      const kept = join(site.root, readKeepIn(decided));
      fs.mkdirSync(kept, { recursive: true, mode: 0o700 });
      fs.renameSync(join(site.root, name), join(kept, name));
      syncFolder(kept);
    }
    fs.renameSync(join(decided, name), join(site.root, name));
  }
  syncFolder(site.root);
  fs.rmSync(decided, { recursive: true });
  syncFolder(site.root);
}

const KEY_FILE = 'master.key';
const CLUSTER = 'postgres';
const ORDER = 'order.json';

function decidedFolder(site: Site): string {
  return join(site.root, 'restored');
}

function readKeepIn(decided: string): string {
  const { keepIn } = JSON.parse(fs.readFileSync(join(decided, ORDER), 'utf8')) as Decision;
  return keepIn;
}

function writeSafely(file: string, text: string): void {
  fs.writeFileSync(file, text, { mode: 0o600, flush: true });
}
