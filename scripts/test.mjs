// `npm test`: sets up everything the tests need, runs them all, and ends with `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './install.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

ensureInstalled();
ensurePackage('postgresql', () => existsSync('/usr/lib/postgresql'));
ensurePackage('chromium', () => existsSync('/usr/bin/chromium'));
const { build } = await import('./build.mjs');
await build({ force: true });

const chosen = process.argv.slice(2);
const results = [];
if (chosen.length === 0) {
  results.push(step('format and lint', ['biome', 'check', '.']));
  results.push(step('types', ['tsc', '--noEmit']));
  results.push(step('types of the pages', ['tsc', '--noEmit', '-p', 'web/pay']));
  results.push(step('types of the widget', ['tsc', '--noEmit', '-p', 'web/widget']));
  results.push(step('types of the site', ['tsc', '--noEmit', '-p', 'web/site']));
  results.push(step('types of the client', ['tsc', '--noEmit', '-p', 'client']));
  results.push(step('types of its examples', ['tsc', '--noEmit', '-p', 'client/examples']));
  results.push(step('unused code', ['knip']));
  results.push(step('catalog', ['node', 'scripts/generate-catalog.mjs', '--check']));
}
results.push(suites(chosen));

const sum = key => results.reduce((total, result) => total + result[key], 0);
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') > 0 ? 1 : 0;

function step(name, command) {
  const { status } = run(command);
  console.log(`${status === 0 ? '✓' : '✗'} ${name}`);
  return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** All test suites in one run; their counts come back through a file. */
function suites(filters) {
  const folder = mkdtempSync(join(tmpdir(), 'cloverleaf-counts-'));
  const file = join(folder, 'counts.json');
  try {
    const { status } = run(['vitest', 'run', ...filters], { TEST_COUNTS: file });
    const counts = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { passed: 0, failed: 1 };
    // A run that failed without a failed test has failed all the same.
    return status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run([program, ...args], env = {}) {
  const path = `${join(ROOT, 'node_modules', '.bin')}:${process.env.PATH}`;
  return spawnSync(program, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env, PATH: path },
  });
}

/** Debian's packages that the tests use; installed when missing and allowed, asked for otherwise. */
function ensurePackage(name, isThere) {
  if (isThere()) return;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log(`Installing ${name}…`);
    const apt = (...args) =>
      spawnSync('apt-get', args, {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
    apt('update', '-q');
    apt('install', '-y', '-q', '--no-install-recommends', name);
    if (isThere()) return;
  }
  console.error(`The tests need ${name}: install it with apt-get install ${name}`);
  process.exit(1);
}
