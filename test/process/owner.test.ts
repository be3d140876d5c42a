/** Whose the data is: commands of root and of others, where the service runs as a user of its own. */
import { chownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './command.ts';

/** Debian's `nobody`, whom root runs PostgreSQL as too where it must: it is told apart from that. */
const SERVICE = { uid: 65_534, gid: 65_534 };
/** A checkout in a folder that is closed to others is of no use to them. */
const isOpen = userInfo().uid === 0 && (await run(['--version'], {}, SERVICE)).code === 0;

let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cloverleaf-owner-'));
  env = { DATA_DIR: join(folder, 'data') };
  if (isOpen) chownSync(folder, SERVICE.uid, SERVICE.gid);
});

afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 }));

function owners(): number[] {
  const names = readdirSync(env.DATA_DIR ?? '', { recursive: true, encoding: 'utf8' });
  const all = ['.', ...names].map(name => lstatSync(join(env.DATA_DIR ?? '', name)).uid);
  return [...new Set(all)];
}

describe.runIf(isOpen)('a stopped service of a user of its own', () => {
  it('is not locked out by a command of root, which is refused in one line', async () => {
    const made = await run(['account', 'create', '--name', 'shop'], env, SERVICE);
    expect([made.code, owners()]).toEqual([0, [SERVICE.uid]]);
    for (const args of [
      ['account', 'list'],
      ['backup', join(folder, 'backup')],
    ])
      expect(await run(args, env)).toEqual({
        code: 1,
        out: '',
        err: `cloverleaf: data folder ${env.DATA_DIR} belongs to the user nobody: run this as that user, or give the folder to root with chown -R\n`,
      });
    expect(owners()).toEqual([SERVICE.uid]);
    const again = await run(['account', 'list'], env, SERVICE);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('shop')]);
  });

  it('is told that it may not look, not that there is nothing', async () => {
    const DATA_DIR = join(folder, 'closed');
    mkdirSync(join(DATA_DIR, 'postgres'), { recursive: true, mode: 0o700 });
    for (const args of [
      ['account', 'list'],
      ['backup', join(folder, 'backup')],
    ]) {
      const { code, err } = await run(args, { DATA_DIR }, SERVICE);
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/^cloverleaf: data folder \S+closed cannot be used: EACCES: .*\n$/),
      ]);
    }
  });
});
