/** The embedded PostgreSQL as it starts: once, again, in odd folders, and refused where somebody else is. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import {
  base,
  dataDir,
  kill,
  PATIENTLY,
  query,
  seed,
  servers,
  setEmbeddedStage,
  spawnHelper,
  start,
  startHelper,
} from '../../test/embedded-stage.ts';
import { attachEmbedded, EmbeddedFault, startEmbedded } from './embedded.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
setEmbeddedStage();

function inUseBy({ pid }: { pid: number }): string {
  return `data folder ${dataDir} is in use by process ${pid}: stop it first, or set DATA_DIR to another folder`;
}

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

  it('has memory for what it holds when it starts again', async () => {
    const first = await start(dataDir);
    expect(await query(first.url, 'SHOW shared_buffers')).toEqual([{ shared_buffers: '64MB' }]);
    await query(
      first.url,
      "CREATE TABLE note AS SELECT repeat('x', 1000) AS text FROM generate_series(1, 90000)",
    );
    await first.stop();
    const second = await start(dataDir);
    const [setting] = await query(second.url, 'SHOW shared_buffers');
    expect(Number.parseInt(String(setting?.shared_buffers), 10)).toBeGreaterThan(90);
  });

  it('refuses a second process at once, naming the folder and the owner', async () => {
    seed();
    const owner = await startHelper();
    await expect(startEmbedded({ dataDir })).rejects.toThrow(new EmbeddedFault(inUseBy(owner)));
    expect(await attachEmbedded(dataDir)).toBeDefined();
  });

  it('waits for a command that has the folder, and leaves its server alone', async () => {
    seed();
    const command = await startHelper();
    const signed = join(dataDir, 'owner.json');
    const owner = JSON.parse(fs.readFileSync(signed, 'utf8'));
    expect(owner).toMatchObject({ pid: command.pid, isBrief: false });
    fs.writeFileSync(signed, JSON.stringify({ ...owner, isBrief: true }));
    const starting = start(dataDir);
    expect(await Promise.race([starting, delay(500)])).toBeUndefined();
    command.process.kill('SIGINT');
    await starting;
    expect(command.lines).toEqual(['started', 'drained 42']);
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
    expect(loser.lines).toEqual([`fault ${inUseBy(winner)}`]);
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

  it('gives none while a command has it, which is about to end it', async () => {
    seed();
    const command = await startEmbedded({ dataDir, isBrief: true });
    servers.push(command);
    expect(await query(command.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await attachEmbedded(dataDir)).toBeUndefined();
  });
});
