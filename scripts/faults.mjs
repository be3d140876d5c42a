// `npm run faults`: builds the fault runs and the instances they end, and runs them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './install.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Whoever wants two runs side by side, and knows what their figures are then worth, builds the second elsewhere. */
const DIST = resolve(ROOT, process.env.FAULTS_DIST ?? 'dist');

// Two runs at once would starve each other, and one would build over the other. The name is the kernel's and goes with us.
try {
  await once(createServer().unref().listen(`\0cloverleaf-faults-${DIST}`), 'listening');
} catch {
  console.error('faults: another run is under way on this machine');
  process.exit(1);
}

ensureInstalled();
const { bundle, EXTERNAL, SCRIPT } = await import('./build.mjs');
await bundle({ 'faults-instance': 'faults/bed/instance.ts' }, { ...SCRIPT, outdir: DIST });
await bundle(
  {
    faults: 'faults/faults.ts',
    'faults-instance': 'faults/bed/starter.mjs',
    'faults-command': 'faults/security/command.ts',
    'faults-next': 'faults/upgrade/next.ts',
    'faults-cli': 'src/cli/cloverleaf.ts',
    'faults-house': 'faults/providers/house.ts',
    'faults-load': 'faults/overload/load.ts',
    // What an aggregator costs that does nothing else, measured beside ours; and providers that cost next to nothing.
    'bench-limit': 'bench/limit.ts',
    'bench-fleet': 'bench/fleet.ts',
  },
  { outdir: DIST, external: [...EXTERNAL, 'esbuild', 'playwright-core'] },
);

const child = spawn(process.execPath, [join(DIST, 'faults.js'), ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('exit', code => process.exit(code ?? 1));
