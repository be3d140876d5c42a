/** Where an embedded PostgreSQL lives on disk, and what its own files say of it. */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** One line for the operator; the caller prints the message and exits 1. */
export class EmbeddedFault extends Error {}

export const NAME = 'cloverleaf';
export const PORT = 5432; // only a part of the socket's file name: nothing listens on the network
export const INSTEAD = 'set DATABASE_URL to use your own PostgreSQL';

export interface Site {
  name: string; // the data folder as the operator wrote it
  root: string;
  cluster: string;
  log: string;
  socket: string;
}

export function siteOf(dataDir: string): Site {
  const root = resolve(dataDir);
  const run = join(root, 'run');
  const hash = createHash('sha256')
    .update(`${process.getuid?.() ?? 0}:${root}`)
    .digest('hex')
    .slice(0, 16);
  const fits = Buffer.byteLength(socketFile(run)) <= 100; // the kernel takes 107 bytes
  const socket = fits ? run : join(tmpdir(), `${NAME}-${hash}`);
  return { name: dataDir, root, cluster: join(root, 'postgres'), log: join(root, 'postgres.log'), socket };
}

export function socketFile(folder: string): string {
  return join(folder, `.s.PGSQL.${PORT}`);
}

export function unusable(dataDir: string, error: unknown): EmbeddedFault {
  return new EmbeddedFault(`data folder ${dataDir} cannot be used: ${messageOf(error)}`, { cause: error });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The lines of postmaster.pid: the first is the server's pid, the eighth its state. */
export function statusOf(site: Site): string[] {
  try {
    return fs.readFileSync(join(site.cluster, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}
