/** The swap of a restored database, ended at every change it makes to the disk. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { siteOf } from './embedded-site.ts';
import { decide, finishSwap, workshopOf } from './embedded-swap.ts';

const CHANGES = ['renameSync', 'rmSync', 'mkdirSync', 'writeFileSync'] as const;
const real = Object.fromEntries(CHANGES.map(name => [name, fs[name]]));
const KEY = Buffer.alloc(32, 7);
const NEW_KEY = `${KEY.toString('hex')}\n`;

let root: string;

beforeEach(() => {
  root = fs.mkdtempSync(join(tmpdir(), 'cloverleaf-swap-'));
});

afterEach(() => {
  Object.assign(fs, real);
  syncBuiltinESMExports();
  fs.rmSync(root, { recursive: true });
});

class Killed extends Error {}

/** The n-th change to the disk is not made, nor any after it. */
function killAt(nth: number): void {
  let changes = 0;
  for (const name of CHANGES) {
    const change = real[name] as (...sent: unknown[]) => unknown;
    (fs as unknown as Record<string, unknown>)[name] = (...sent: unknown[]) => {
      if (++changes >= nth) throw new Killed();
      return change(...sent);
    };
  }
  syncBuiltinESMExports();
}

function live(): void {
  Object.assign(fs, real);
  syncBuiltinESMExports();
}

function write(path: string, text: string): void {
  fs.mkdirSync(join(root, path, '..'), { recursive: true });
  fs.writeFileSync(join(root, path), text);
}

function read(path: string): string | undefined {
  return fs.existsSync(join(root, path)) ? fs.readFileSync(join(root, path), 'utf8') : undefined;
}

function prepare(hasOld: boolean): void {
  fs.rmSync(root, { recursive: true, force: true });
  write('restoring/postgres/PG_VERSION', 'new');
  write('restoring/owner.json', '');
  if (!hasOld) return;
  write('postgres/PG_VERSION', 'old');
  write('master.key', 'old key');
}

describe('a swap', () => {
  it.each([
    ['in the place of another database', true],
    ['into an empty folder', false],
  ])('%s is made or not made, wherever it is ended', (_, hasOld) => {
    const outcomes = new Set<string>();
    for (let nth = 1; ; nth++) {
      prepare(hasOld);
      const site = siteOf(root);
      let isKilled = false;
      killAt(nth);
      try {
        decide(site, { masterKey: KEY, keepIn: 'replaced' });
        finishSwap(site);
      } catch (error) {
        expect(error).toBeInstanceOf(Killed);
        isKilled = true;
      }
      live();
      finishSwap(site); // as every start does
      const database = read('postgres/PG_VERSION');
      outcomes.add(`${database} ${read('master.key') === NEW_KEY ? 'new key' : read('master.key')}`);
      if (database === 'new') {
        expect(read('replaced/postgres/PG_VERSION')).toBe(hasOld ? 'old' : undefined);
        expect(read('replaced/master.key')).toBe(hasOld ? 'old key' : undefined);
        expect(fs.existsSync(join(root, 'restored'))).toBe(false);
      } else expect(fs.existsSync(workshopOf(site))).toBe(true);
      if (!isKilled) break;
    }
    expect([...outcomes].sort()).toEqual(
      hasOld ? ['new new key', 'old old key'] : ['new new key', 'undefined undefined'],
    );
  });

  it('leaves the key alone when it brings none', () => {
    prepare(true);
    const site = siteOf(root);
    decide(site, { masterKey: undefined, keepIn: 'replaced' });
    finishSwap(site);
    expect([read('postgres/PG_VERSION'), read('master.key')]).toEqual(['new', 'old key']);
    expect(read('replaced/master.key')).toBeUndefined();
  });
});
