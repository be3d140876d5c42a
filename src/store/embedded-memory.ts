/** How much memory the embedded PostgreSQL keeps pages in: as much as it has data, within a share of the machine's. */
import * as fs from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';

const MIB = 1024 * 1024;
/** A new database needs no more, and every start pays, in time and memory, for what is set aside. */
const LEAST = 64 * MIB;
/** What PostgreSQL's own documentation begins with; the system keeps pages too, and the service has needs of its own. */
const SHARE = 1 / 4;
/** Databases of PostgreSQL itself, which are always there and hardly ever read, have lower numbers. */
const FIRST_DATABASE = 16_384;

/** What `shared_buffers` is set to for a cluster. */
export function buffersFor(cluster: string, memory = memoryHere()): string {
  const wanted = Math.min(sizeOfData(join(cluster, 'base')), memory * SHARE);
  return `${Math.floor(Math.max(LEAST, wanted) / MIB)}MB`;
}

/** Bytes that may be used here: the machine's, or fewer in a container. */
function memoryHere(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}

/** Bytes of all files of the databases in a folder. */
function sizeOfData(folder: string): number {
  const databases = fs.readdirSync(folder).filter(name => Number(name) >= FIRST_DATABASE);
  const files = databases.flatMap(name =>
    fs.readdirSync(join(folder, name)).map(file => join(folder, name, file)),
  );
  return files.reduce((bytes, file) => bytes + fs.statSync(file).size, 0);
}
