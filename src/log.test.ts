/** Log lines: each is there or counted, and nothing in them hides from whoever reads them. */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLog, showUnseen } from './log.ts';

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'cloverleaf-log-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

it('are all written, in their order, whether they come in one turn of the loop or in many', async () => {
  const file = join(folder, 'log');
  const { stream, dropped } = openLog(fs.openSync(file, 'a'));
  const lines = Array.from({ length: 2_000 }, (_, nth) => `{"nth":${nth}}\n`);
  for (const [nth, line] of lines.entries()) {
    stream.write(line);
    if (nth % 7 === 0) await nextTurn();
  }
  await expect
    .poll(() => fs.readFileSync(file, 'utf8').length, { timeout: 5_000 })
    .toBe(lines.join('').length);
  expect(fs.readFileSync(file, 'utf8')).toBe(lines.join(''));
  expect(dropped()).toBe(0);
});

it('are counted, each of them, when nobody takes them, and never half written', async () => {
  const pipe = join(folder, 'pipe');
  expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
  // Open at both ends, so that there is somebody who might read, and nobody has to wait for it.
  const fd = fs.openSync(pipe, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
  const { stream, dropped } = openLog(fd);
  const WRITTEN = 1_000;
  for (let nth = 0; nth < WRITTEN; nth++) {
    stream.write(`${JSON.stringify({ nth, said: 'x'.repeat(1_000) })}\n`);
    if (nth % 3 === 0) await nextTurn();
  }
  await nextTurn();
  expect(dropped()).toBeGreaterThan(0);
  const lines = (await readAll(fd)).trimEnd().split('\n');
  expect(lines.length + dropped()).toBe(WRITTEN);
  const nths = lines.map(line => JSON.parse(line).nth as number);
  expect(nths).toEqual([...nths].sort((a, b) => a - b));
  fs.closeSync(fd);
});

/** All that comes until nothing has come for a while. */
async function readAll(fd: number): Promise<string> {
  const piece = Buffer.alloc(65_536);
  let all = '';
  for (let idle = 0; idle < 15; ) {
    try {
      all += piece.toString('latin1', 0, fs.readSync(fd, piece));
      idle = 0;
    } catch (error) {
      if ((error as { code?: string }).code !== 'EAGAIN') throw error;
      idle++;
      await delay(50);
    }
  }
  return all;
}

it('are one object of JSON each, whatever was said, and show what cannot be seen', () => {
  const said = 'a\u202eb\u2066c\u2028d\u2029e\u0085f\u200bg\u007fh\u0000i\u001b[31m\nj\u{e0041}';
  let written = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written += chunk;
      done();
    },
  });
  pino({ base: null, hooks: { streamWrite: showUnseen } }, stream).warn({ word: said }, said);
  expect(written.split('\n').length).toBe(2);
  expect(written.trimEnd()).toMatch(/^[\x20-\x7e]+$/);
  expect(JSON.parse(written)).toMatchObject({ word: said, msg: said });
});
