/** A fresh clone of the tree as it is, with what is not committed yet. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** What is kept in git, or would be; nothing that was made or fetched. */
export function makeClone(): string {
  const clone = mkdtempSync(join(tmpdir(), 'cloverleaf-clone-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const path of listed.split('\0').filter(Boolean)) {
    if (!existsSync(join(ROOT, path))) continue;
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    cpSync(join(ROOT, path), join(clone, path));
  }
  linkPackages(clone);
  return clone;
}

export function removeClone(clone: string): void {
  rmSync(clone, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
}

/** The packages that are installed already stand in for fetching them again, under the lockfile they were installed by. */
function linkPackages(clone: string): void {
  const [from, to] = [join(ROOT, 'node_modules'), join(clone, 'node_modules')];
  mkdirSync(to);
  for (const name of readdirSync(from))
    if (name !== '.installed-from') symlinkSync(join(from, name), join(to, name));
  const lock = readFileSync(join(clone, 'package-lock.json'));
  writeFileSync(join(to, '.installed-from'), createHash('sha256').update(lock).digest('hex'));
}
