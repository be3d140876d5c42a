// `npm run bench`: builds the benches and every server they measure, and runs them on a core apart from the servers.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './install.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ENTRIES = [
  ...['bench', 'fleet', 'service', 'bare', 'limit', 'hand', 'floor'],
  ...['rows', 'naive', 'mailbox', 'sink'],
];
const LOAD_CORE = '1';

ensureInstalled();
const { build } = await import('esbuild');
const { NODE } = await import('./build.mjs');
await build({
  absWorkingDir: ROOT,
  entryPoints: Object.fromEntries(
    ENTRIES.map(name => [name === 'bench' ? name : `bench-${name}`, `bench/${name}.ts`]),
  ),
  outdir: 'dist',
  bundle: true,
  packages: 'external',
  ...NODE,
  format: 'esm',
  sourcemap: true,
  logLevel: 'warning',
});

const canPin = spawnSync('taskset', ['-c', LOAD_CORE, 'true']).status === 0;
const command = [
  ...(canPin ? ['taskset', '-c', LOAD_CORE] : []),
  ...[process.execPath, join(ROOT, 'dist', 'bench.js'), ...process.argv.slice(2)],
];
const child = spawn(command[0], command.slice(1), { cwd: ROOT, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('exit', code => process.exit(code ?? 1));
