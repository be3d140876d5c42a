/** Debian's PostgreSQL for a whole run: a cluster of our own in a temporary folder, on a Unix socket only. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { TestProject } from 'vitest/node';

const VERSIONS = '/usr/lib/postgresql';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'cloverleaf-debian-'));
  const user = unprivileged();
  await chmod(folder, 0o700);
  if (user) await chown(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const bin = programs();
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-A', 'trust', '-U', 'cloverleaf', '-E', 'UTF8', '--no-locale'],
    {
      ...user,
      cwd: folder,
      stdio: 'ignore',
    },
  );
  const server = spawn(join(bin, 'postgres'), ['-D', data, '-k', folder, '-c', 'listen_addresses='], {
    ...user,
    cwd: folder,
    stdio: 'ignore',
  });
  const url = `postgres://cloverleaf@localhost:5432/postgres?host=${encodeURIComponent(folder)}&sslmode=disable`;
  await accepting(url);
  project.provide('postgresUrl', url);
  return async () => {
    const ended = once(server, 'exit');
    server.kill('SIGINT');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
}

function programs(): string {
  const newest = existsSync(VERSIONS)
    ? readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a))[0]
    : undefined;
  if (!newest) throw new Error('Debian’s PostgreSQL is missing: apt-get install postgresql');
  return join(VERSIONS, newest, 'bin');
}

/** PostgreSQL refuses to run as root; the package brings a user of its own. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (userInfo().uid !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function accepting(url: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      return;
    } catch (error) {
      if (tries > 300) throw error;
      await wait(50);
    } finally {
      await client.end().catch(() => {});
    }
  }
}
