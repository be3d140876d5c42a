/** The launcher: what V8 made of a file is kept for the next start, and never trusted when it does not fit. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const LAUNCHER = new URL('../../bin/launch.mjs', import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), 'cloverleaf-launch-'));
const file = join(folder, 'program.cjs');
const kept = `${file}.compiled`;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program that says something, and lives for longer than it takes until it is kept; what it said. */
async function launch(says: string): Promise<string> {
  writeFileSync(file, `console.log(${JSON.stringify(says)}, __dirname.length); setTimeout(() => {}, 300);`);
  const script = `const { launch } = await import('${LAUNCHER}'); launch('${file}', 50);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (said += String(chunk)));
  await once(child, 'close');
  return said;
}

describe('the launcher', () => {
  it('keeps what was compiled, goes by it the next time, and makes it anew for another program', async () => {
    const first = `first ${folder.length}\n`;
    expect(await launch('first')).toBe(first);
    const compiled = readFileSync(kept);
    expect(await launch('first')).toBe(first);
    expect(readFileSync(kept)).toEqual(compiled);

    // Of the same length, too.
    for (const other of ['tsrif', 'another program']) {
      expect(await launch(other)).toBe(`${other} ${folder.length}\n`);
      expect(readFileSync(kept)).not.toEqual(compiled);
    }
  });

  it('runs without it when it is damaged, and makes it anew', async () => {
    const whole = readFileSync(kept);
    for (const damage of [
      () => truncateSync(kept, whole.length / 2),
      () => writeFileSync(kept, flipped(whole)),
    ]) {
      damage();
      expect(await launch('another program')).toBe(`another program ${folder.length}\n`);
      expect(readFileSync(kept).length).toBe(whole.length);
    }
  });

  it('runs where nothing can be kept', async () => {
    rmSync(kept);
    // Whatever is in the way of the file that it would become.
    const child = `${kept}/in the way`;
    mkdirSync(child, { recursive: true });
    expect(await launch('first')).toBe(`first ${folder.length}\n`);
    expect(existsSync(child)).toBe(true);
  });
});

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const middle = copy.length >> 1;
  copy[middle] = (copy[middle] as number) ^ 0xff;
  return copy;
}
