/** Restoring: a backup becomes the database of a data folder, whole or not at all, whenever it is killed. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../domain/fault.ts';
import { loadBackup } from './backup.ts';
import type { Header, Sum } from './backup-file.ts';
import { startEmbedded } from './embedded.ts';
import { claim, release } from './embedded-lock.ts';
import { chooseRunner, own } from './embedded-runner.ts';
import { EmbeddedFault, type Site, siteOf, unusable } from './embedded-site.ts';
import { type Decision, decide, finishSwap, workshopOf } from './embedded-swap.ts';

export interface RestoreOrder extends Decision {
  dataDir: string;
  file: string;
  /** Whether what is there may be put aside. */
  replace: boolean;
}

export interface Restored {
  header: Header;
  sum: Sum;
  /** Where what was there before is now; undefined when there was nothing. */
  kept: string | undefined;
}

export async function restoreEmbedded(order: RestoreOrder): Promise<Restored> {
  const site = siteOf(order.dataDir);
  try {
    const lock = await claim(site, true);
    try {
      return await restoreInto(site, order);
    } finally {
      release(lock);
    }
  } catch (error) {
    // What the file or the new database has to say is said already.
    const isDisk = (error as NodeJS.ErrnoException).syscall !== undefined;
    throw isDisk ? unusable(order.dataDir, error) : error;
  }
}

async function restoreInto(site: Site, order: RestoreOrder): Promise<Restored> {
  finishSwap(site);
  requireRoom(site, order.replace);
  const loaded = await loadAside(site, order.file);
  decide(site, order);
  finishSwap(site);
  const kept = join(site.root, order.keepIn);
  return { ...loaded, kept: fs.existsSync(kept) ? kept : undefined };
}

/** Whether there is a database in the folder, or one on its way into it. */
export function hasDatabase(dataDir: string): boolean {
  const { cluster, root } = siteOf(dataDir);
  try {
    // What may not be looked at is not missing.
    return [cluster, join(root, 'restored')].some(path => fs.statSync(path, { throwIfNoEntry: false }));
  } catch (error) {
    throw unusable(dataDir, error);
  }
}

function requireRoom({ name, root, cluster }: Site, replace: boolean): void {
  if (!fs.existsSync(cluster)) return;
  if (!replace)
    throw new Fault('conflict', `there is a database in ${name} already: use --replace to put it aside`);
  if (fs.statSync(cluster).dev !== fs.statSync(root).dev)
    throw new EmbeddedFault(`${cluster} is on a disk of its own and cannot be put aside`);
}

/** Makes the database in the workshop; when this returns, all of it is on the disk and nobody uses it. */
async function loadAside(site: Site, file: string): Promise<{ header: Header; sum: Sum }> {
  own(site.root, await chooseRunner());
  await clearWorkshop(site);
  const server = await startEmbedded({ dataDir: workshopOf(site) });
  try {
    const loaded = await loadBackup(server.url, file);
    await server.stop();
    return loaded;
  } catch (error) {
    await server.stop();
    fs.rmSync(workshopOf(site), { recursive: true });
    throw error;
  }
}

/** A restore that was killed may have left a server behind, which goes first. */
async function clearWorkshop(site: Site): Promise<void> {
  const workshop = siteOf(workshopOf(site));
  if (!fs.existsSync(workshop.root)) return;
  release(await claim(workshop, true));
  fs.rmSync(workshop.root, { recursive: true });
}
