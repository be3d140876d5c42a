/** The embedded PostgreSQL under kills of everything at every moment. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  dataDir,
  kill,
  PATIENTLY,
  query,
  seed,
  serverPid,
  servers,
  setEmbeddedStage,
  spawnHelper,
  start,
  startHelper,
} from '../../test/embedded-stage.ts';
import { attachEmbedded, startEmbedded } from './embedded.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
setEmbeddedStage();

describe('startEmbedded', () => {
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
    await vi.waitUntil(() => hasEnded(server), PATIENTLY);
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

  it('keeps what the server said before it ended by itself, up to a limit, and nothing of an earlier start', async () => {
    seed();
    const log = join(dataDir, 'postgres.log');
    const tells = (starts: number) =>
      vi.waitFor(
        () => expect(fs.readFileSync(log, 'utf8').match(/starting PostgreSQL/g)).toHaveLength(starts),
        PATIENTLY,
      );
    fs.writeFileSync(log, 'starting PostgreSQL');
    await start(dataDir);
    await tells(1);
    process.kill(serverPid(), 'SIGKILL');
    await tells(2);
    fs.appendFileSync(log, ' '.repeat(2 ** 20));
    process.kill(serverPid(), 'SIGKILL');
    await tells(1);
  });

  it('starts it again as soon as what keeps it from starting is gone', async () => {
    seed();
    const lines: string[] = [];
    const server = await startEmbedded({ dataDir, log: line => lines.push(line) });
    servers.push(server);
    const log = join(dataDir, 'postgres.log');
    fs.rmSync(log);
    fs.mkdirSync(log);
    process.kill(serverPid(), 'SIGKILL');
    await vi.waitUntil(() => lines.some(line => line.includes('cannot be started: EISDIR')), PATIENTLY);
    fs.rmdirSync(log);
    await vi.waitFor(() => query(server.url, 'SELECT 1'), PATIENTLY);
  });
});

/** Whether a process is gone, or only waits for somebody to be told. */
function hasEnded(pid: number): boolean {
  try {
    return /\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return true;
    throw error;
  }
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
