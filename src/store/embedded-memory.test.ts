/** Memory for the embedded PostgreSQL, as it follows from what is there and from where it runs. */
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buffersFor } from './embedded-memory.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

let cluster: string;
beforeEach(() => {
  cluster = mkdtempSync(join(tmpdir(), 'cloverleaf-memory-'));
  for (const database of ['1', '4', '5']) hold(database, '1259', 500 * MIB);
});
afterEach(() => rmSync(cluster, { recursive: true }));

/** A file that is as long as it says, and takes no room. */
function hold(database: string, file: string, bytes: number): void {
  const folder = join(cluster, 'base', database);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), '');
  truncateSync(join(folder, file), bytes);
}

it('is 64 MB for a new database, whatever PostgreSQL keeps for itself', () => {
  expect(buffersFor(cluster, 16 * GIB)).toBe('64MB');
  hold('16384', '16385', 20 * MIB);
  expect(buffersFor(cluster, 16 * GIB)).toBe('64MB');
});

it('is as much as there are data, of all databases and all pieces', () => {
  hold('16384', '16385', GIB);
  hold('16384', '16385.1', 300 * MIB);
  hold('16900', '16901', 76 * MIB);
  expect(buffersFor(cluster, 16 * GIB)).toBe('1400MB');
});

it('is a quarter of the memory at most, and 64 MB where that is less', () => {
  hold('16384', '16385', 9 * GIB);
  expect(buffersFor(cluster, 16 * GIB)).toBe('4096MB');
  expect(buffersFor(cluster, 1000 * MIB + 7)).toBe('250MB');
  expect(buffersFor(cluster, 128 * MIB)).toBe('64MB');
});

it('is never more than a quarter of what this machine has', () => {
  hold('16384', '16385', totalmem());
  expect(Number.parseInt(buffersFor(cluster), 10)).toBeLessThanOrEqual(Math.max(64, totalmem() / 4 / MIB));
});
