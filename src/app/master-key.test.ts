/** The master key: made once, whole or not at all, and never written over. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findMasterKey, putMasterKey } from './master-key.ts';

let dataDir = '';
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'cloverleaf-key-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

describe('the master key beside the data', () => {
  test('of many first starts one makes it, and all of them find that one', async () => {
    const keys = Array.from({ length: 20 }, (_, index) => Buffer.alloc(32, index));
    const made = await Promise.all(keys.map(key => putMasterKey(dataDir, key)));
    expect(made.filter(Boolean)).toEqual([true]);
    expect(await findMasterKey(undefined, dataDir)).toEqual(keys[made.indexOf(true)]);
    expect(readdirSync(dataDir)).toEqual(['master.key']);
    expect(statSync(join(dataDir, 'master.key')).mode & 0o777).toBe(0o600);
  });

  test('one that is there stays, even a damaged one, which is told', async () => {
    writeFileSync(join(dataDir, 'master.key'), 'half a ke');
    expect(await putMasterKey(dataDir, Buffer.alloc(32))).toBe(false);
    expect(readFileSync(join(dataDir, 'master.key'), 'utf8')).toBe('half a ke');
    await expect(findMasterKey(undefined, dataDir)).rejects.toThrow('master.key is damaged');
  });

  test('where it cannot be written, none is left, and the trouble is told in one line', async () => {
    const file = join(dataDir, 'a-file');
    writeFileSync(file, '');
    await expect(putMasterKey(join(file, 'data'), Buffer.alloc(32))).rejects.toThrow(
      /^DATA_DIR: the master key cannot be used \(ENOTDIR/,
    );
  });

  test('none is undefined, and one that the operator gives goes before', async () => {
    expect(await findMasterKey(undefined, dataDir)).toBeUndefined();
    expect(await findMasterKey(Buffer.alloc(32, 7), dataDir)).toEqual(Buffer.alloc(32, 7));
  });
});
