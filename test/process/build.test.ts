/** The build: made again whenever anything that went into it is another, and at no other time. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const LONG_AGO = new Date('2024-01-01');

let checkout: string;

/** The least that can be built, with a version that can be told. */
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'cloverleaf-build-'));
  for (const name of ['build.mjs', 'build-client.mjs', 'build-widget.mjs'])
    cpSync(join(ROOT, 'scripts', name), join(checkout, 'scripts', name), { recursive: true });
  for (const path of ['client/src/index.ts', 'web/widget/address.ts', 'web/widget/element.ts'])
    write(path, 'export {};');
  write('web/widget/app.tsx', 'export {};');
  write('web/widget/widget.css', '');
  write('web/widget/texts/en.json', '{}');
  for (const path of ['package.json', 'package-lock.json', 'node_modules/.package-lock.json'])
    write(path, '{}');
  write('node_modules/greeting/index.js', `export const greeting = 'good morning';`);
  writeSource('one');
  for (const name of ['esbuild', '@esbuild'])
    symlinkSync(join(ROOT, 'node_modules', name), join(checkout, 'node_modules', name));
});

afterEach(() => rmSync(checkout, { recursive: true, force: true }));

function write(path: string, text: string, at = new Date()): void {
  const file = join(checkout, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  utimesSync(file, at, at);
}

function writeSource(version: string, at?: Date): void {
  const text = `import { greeting } from 'greeting';\nconsole.log(greeting, '${version}');`;
  write('src/cli/cloverleaf.ts', text, at);
}

/** Builds what is out of date; what the outcome says of itself. */
function built(): string {
  const script = `await (await import('${join(checkout, 'scripts/build.mjs')}')).build()`;
  execFileSync(process.execPath, ['--input-type=module', '-e', script]);
  return execFileSync(process.execPath, [output()], { encoding: 'utf8' }).trim();
}

const output = () => join(checkout, 'dist', 'cloverleaf.cjs');

describe('the build', () => {
  it('stays while nothing changes', () => {
    expect(built()).toBe('good morning one');
    const { mtimeMs } = statSync(output());
    built();
    expect(statSync(output()).mtimeMs).toBe(mtimeMs);
  });

  it('is made again when older source is put back with its times', () => {
    writeSource('old', LONG_AGO);
    expect(built()).toBe('good morning old');
    writeSource('new');
    expect(built()).toBe('good morning new');
    writeSource('old', LONG_AGO);
    expect(built()).toBe('good morning old');
  });

  it('is made again when packages were installed after it', () => {
    expect(built()).toBe('good morning one');
    write('node_modules/greeting/index.js', `export const greeting = 'good evening';`);
    write('node_modules/.package-lock.json', '{ }');
    expect(built()).toBe('good evening one');
  });

  it('is made again when it is gone', () => {
    built();
    rmSync(output());
    expect(built()).toBe('good morning one');
  });

  it('is put in its place whole: who reads the one before it at that moment has that one', () => {
    expect(built()).toBe('good morning one');
    const before = ['', '.map', '.inputs'].map(ending => {
      const held = join(checkout, `held${ending}`);
      linkSync(output() + ending, held);
      return { held, text: readFileSync(held, 'utf8') };
    });
    writeSource('another');
    expect(built()).toBe('good morning another');
    for (const { held, text } of before) expect(readFileSync(held, 'utf8')).toBe(text);
  });

  it('is made again when something is new in a folder of which all is taken', () => {
    built();
    write('web/widget/texts/de.json', '{}', LONG_AGO);
    built();
    expect(readFileSync(join(checkout, 'dist/web/widget-de.json'), 'utf8')).toBe('{}');
  });
});
