/** The master key of a backup that is restored into a PostgreSQL of one's own: there before the rows, or not at all. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { checkMasterKey } from '../../src/app/master-key.ts';
import { backupCommands } from '../../src/cli/backup.ts';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/store/database.ts';
import { makeDatabase } from '../service.ts';

const MASTER_KEY = randomBytes(32).toString('hex');
let folder: string;
let source: Awaited<ReturnType<typeof makeDatabase>>;
let target: Awaited<ReturnType<typeof makeDatabase>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cloverleaf-backup-key-'));
  [source, target] = [await makeDatabase(), await makeDatabase()];
  const database = await openDatabase({ url: source.url });
  await checkMasterKey(Buffer.from(MASTER_KEY, 'hex'), database);
  await database.destroy();
  await run({ DATABASE_URL: source.url, MASTER_KEY }, 'backup', '--with-key', backup());
});

afterAll(async () => {
  await source?.drop();
  await target?.drop();
  await rm(folder, { recursive: true, force: true });
});

const backup = () => join(folder, 'with-key');
const keyOf = (dataDir: string) => join(dataDir, 'master.key');

async function run(env: Record<string, string>, ...words: string[]): Promise<void> {
  const program = new Command();
  backupCommands(program, () => readConfig(env));
  const said = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    await program.parseAsync(words, { from: 'user' });
  } finally {
    said.mockRestore();
  }
}

const restore = (url: string, dataDir: string) =>
  run({ DATABASE_URL: url, DATA_DIR: dataDir }, 'restore', backup());

test('is taken away again where the rows are refused', async () => {
  const dataDir = join(folder, 'refused', 'data');
  await expect(restore(source.url, dataDir)).rejects.toThrow('the database is not empty');
  expect(existsSync(keyOf(dataDir))).toBe(false);
});

test('never takes the place of another one', async () => {
  const dataDir = join(folder, 'taken');
  const other = `${randomBytes(32).toString('hex')}\n`;
  await mkdir(dataDir);
  await writeFile(keyOf(dataDir), other);
  await expect(restore(target.url, dataDir)).rejects.toThrow('the master key here is not the one');
  expect(await readFile(keyOf(dataDir), 'utf8')).toBe(other);
});

test('is put into a folder that was not there, for its owner alone', async () => {
  const dataDir = join(folder, 'new machine', 'data');
  await restore(target.url, dataDir);
  expect(await readFile(keyOf(dataDir), 'utf8')).toBe(`${MASTER_KEY}\n`);
  expect((await stat(keyOf(dataDir))).mode & 0o777).toBe(0o600);
});
