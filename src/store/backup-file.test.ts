/** The file of a backup: what is written is read again, and nothing else is believed. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkBackup, type Header, readBackup, type Writer, writeBackup } from './backup-file.ts';

const HEADER: Header = {
  format: 'cloverleaf backup',
  version: 1,
  madeBy: '0.1.0',
  madeAt: '2026-01-01T00:00:00.000Z',
  steps: ['0001-foundation'],
  keyCheck: null,
};
const ROWS = ['1\tone\n', '2\t\\\\.\n', '3\tthree\\nlines\n'];

let folder: string;
let good: Buffer;
let count = 0;

beforeAll(async () => {
  folder = fs.mkdtempSync(join(tmpdir(), 'cloverleaf-backup-'));
  await writeBackup(join(folder, 'good'), writeAll);
  good = fs.readFileSync(join(folder, 'good'));
});

afterAll(() => fs.rmSync(folder, { recursive: true }));

async function writeAll(writer: Writer): Promise<Record<string, number>> {
  await writer.line(HEADER);
  await writer.line({ table: 'notes', columns: ['id', 'word'], counters: {} });
  for (const row of ROWS) await writer.rows(Buffer.from(row));
  await writer.endRows();
  await writer.line({ table: 'empty', columns: ['id'], counters: { id: '7' } });
  await writer.endRows();
  return { notes: 3, empty: 0 };
}

function save(content: Buffer): string {
  const file = join(folder, `file${++count}`);
  fs.writeFileSync(file, content);
  return file;
}

/** It, and drafts of it. */
function namedLike(file: string): string[] {
  return fs.readdirSync(folder).filter(name => name.startsWith(basename(file)));
}

/** How links are made from now on. */
function replaceLink(linkSync: typeof fs.linkSync): void {
  Object.assign(fs, { linkSync });
  syncBuiltinESMExports();
}

/** With other text inside. */
function altered(from: string, to: string): string {
  return save(gzipSync(gunzipSync(good).toString().replace(from, to)));
}

describe('a backup’s file', () => {
  it('that can be nowhere is told of in one line', async () => {
    const nowhere = join(folder, 'good', 'below');
    await expect(writeBackup(nowhere, writeAll)).rejects.toThrow(/^the backup cannot be written: ENOTDIR/);
  });

  it('gives back what was written, and is for its owner alone', async () => {
    const found: Record<string, string> = {};
    const { header, sum } = await readBackup(join(folder, 'good'), async ({ table, rows }) => {
      found[table] = '';
      for await (const piece of rows) found[table] += piece;
      return found[table].split('\n').length - 1;
    });
    expect(found).toEqual({ notes: ROWS.join(''), empty: '' });
    expect(header).toEqual(HEADER);
    expect(sum.rows).toEqual({ notes: 3, empty: 0 });
    expect(fs.statSync(join(folder, 'good')).mode & 0o777).toBe(0o600);
  });

  it('is refused wherever it is cut off', async () => {
    const file = save(good);
    for (let length = good.length - 1; length >= 0; length--) {
      fs.truncateSync(file, length);
      await expect(checkBackup(file), `${length} bytes`).rejects.toThrow(/is damaged|is no backup/);
    }
  });

  it('is refused with any byte changed that is not gzip’s own small talk', async () => {
    const file = save(good);
    for (let at = 0; at < good.length; at++) {
      const changed = Buffer.from(good);
      changed[at] = (changed[at] ?? 0) ^ 0x20;
      fs.writeFileSync(file, changed);
      const isTalk = at >= 4 && at <= 9; // when and where it was made, which nobody reads
      if (isTalk) await checkBackup(file);
      else await expect(checkBackup(file), `byte ${at}`).rejects.toThrow(/is damaged|is no backup/);
    }
  });

  it.each([
    ['a changed row', 'one', 'eno', /its sum is another one$/],
    ['a lost row', '1\tone\n', '', /its sum is another one$/],
    ['more behind its end', '"}\n', '"}\n{}\n', /something stands behind its end$/],
    ['a lost end', '"sha256"', '"sha"', /its end is missing$/],
    [
      'a newer form',
      '"version":1',
      '"version":2',
      /was made by the newer version 0\.1\.0, in a form not known/,
    ],
    ['another maker', 'cloverleaf backup', 'something else', /is no backup of Cloverleaf$/],
  ])('with %s is refused', async (_, from, to, reason) => {
    await expect(checkBackup(altered(from, to))).rejects.toThrow(reason);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('hello\n'.repeat(100))],
    ['another archive', gzipSync('hello\n'.repeat(100))],
  ])('is not taken for one that holds %s', async (_, content) => {
    await expect(checkBackup(save(content))).rejects.toThrow(/is damaged|is no backup/);
  });

  it('that does not exist is named', async () => {
    await expect(checkBackup(join(folder, 'absent'))).rejects.toThrow(/absent cannot be read: ENOENT/);
    await expect(checkBackup(folder)).rejects.toThrow(/cannot be read: EISDIR/);
  });
});

describe('writing', () => {
  it('never touches a file that is there', async () => {
    const file = save(Buffer.from('precious'));
    await expect(writeBackup(file, writeAll)).rejects.toThrow(/already: name another one$/);
    expect(fs.readFileSync(file, 'utf8')).toBe('precious');
  });

  describe.each([
    ['links', undefined],
    ['no links', 'EPERM'],
  ])('where there are %s', (_, code) => {
    const { linkSync } = fs;
    beforeAll(() => {
      if (code)
        replaceLink(() => {
          throw Object.assign(new Error('no links'), { code });
        });
    });
    afterAll(() => replaceLink(linkSync));

    it('gives its name to the whole of it, and leaves no draft', async () => {
      const file = join(folder, `named${++count}`);
      const { bytes } = await writeBackup(file, writeAll);
      await checkBackup(file);
      expect(fs.statSync(file).size).toBe(bytes);
      expect(namedLike(file)).toEqual([basename(file)]);
    });

    it('never touches a file that has come there meanwhile', async () => {
      const file = join(folder, `overtaken${++count}`);
      const overtaken = async (writer: Writer) => {
        fs.writeFileSync(file, 'precious');
        return writeAll(writer);
      };
      await expect(writeBackup(file, overtaken)).rejects.toThrow(/already: name another one$/);
      expect(fs.readFileSync(file, 'utf8')).toBe('precious');
      expect(namedLike(file)).toEqual([basename(file)]);
    });
  });

  it('leaves nothing behind when it fails, and takes away what the killed left', async () => {
    const file = join(folder, 'failing');
    fs.writeFileSync(`${file}.part-99999999`, 'of a process that is gone');
    fs.writeFileSync(`${file}.part-1`, 'of a process that runs');
    const failing = async (writer: Writer) => {
      await writeAll(writer);
      throw new Error('no more rows');
    };
    await expect(writeBackup(file, failing)).rejects.toThrow('no more rows');
    expect(namedLike(file)).toEqual(['failing.part-1']);
  });

  it('says that it cannot be written', async () => {
    await expect(writeBackup(join(folder, 'no/such/folder'), writeAll)).rejects.toThrow(
      /^the backup cannot be written: ENOENT/,
    );
    await expect(writeBackup('/proc/nothing', writeAll)).rejects.toThrow(/cannot be written/);
  });

  it('says so too when the disk is full halfway', async () => {
    const file = join(folder, 'full');
    fs.symlinkSync('/dev/full', `${file}.part-${process.pid}`);
    const writeMuch = async (writer: Writer) => {
      await writer.line(HEADER);
      for (let piece = 0; piece < 100; piece++) await writer.rows(randomBytes(65_536));
      return {};
    };
    await expect(writeBackup(file, writeMuch)).rejects.toThrow(/^the backup cannot be written: ENOSPC/);
    expect(namedLike(file)).toEqual([]);
  });
});
