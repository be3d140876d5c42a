/** The embedded PostgreSQL where it is installed by halves, and where it may not run as whoever starts it. */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  base,
  copyModules,
  dataDir,
  kill,
  MODULES,
  makeHome,
  NATIVE,
  PATIENTLY,
  query,
  seed,
  serverPid,
  setEmbeddedStage,
  spawnHelper,
  start,
  startHelper,
} from '../../test/embedded-stage.ts';
import { EmbeddedFault, startEmbedded } from './embedded.ts';
import { restoreEmbedded } from './restore.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
setEmbeddedStage();

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

describe.runIf(isRoot)('root in a folder of somebody else', () => {
  const files = () =>
    ['.', ...fs.readdirSync(dataDir, { recursive: true, encoding: 'utf8' })].map(name => join(dataDir, name));
  const owners = () => new Set(files().map(file => fs.lstatSync(file).uid));
  const restore = () =>
    restoreEmbedded({ dataDir, file: 'none', replace: true, masterKey: undefined, keepIn: 'kept' });

  it.each([
    ['start', () => startEmbedded({ dataDir })],
    ['restore', restore],
  ])('is refused the %s in one line that names the user, and leaves all of it to them', async (_, begin) => {
    seed();
    for (const file of files()) fs.lchownSync(file, 54321, 54321);
    await expect(begin()).rejects.toThrow(
      new EmbeddedFault(
        `data folder ${dataDir} belongs to the user 54321: run this as that user, or give the folder to root with chown -R`,
      ),
    );
    expect(owners()).toEqual(new Set([54321]));
  });

  it('may begin where nobody has: a container is handed such folders', async () => {
    fs.mkdirSync(dataDir);
    fs.chownSync(dataDir, 33, 33);
    const server = await startEmbedded({ dataDir });
    await server.stop();
    expect(fs.existsSync(join(dataDir, 'postgres'))).toBe(true);
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

function succeeds([program = '', ...args]: string[]): boolean {
  return spawnSync(program, args).status === 0;
}
