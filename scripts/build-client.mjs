// Builds the client: as a package into client/dist, and as one script for pages into dist/web/client.js.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CLIENT = join(ROOT, 'client');

/** The script that the service hands out. */
export async function bundleClient() {
  const esbuild = await import('esbuild');
  await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: { client: 'client/src/index.ts' },
    outdir: 'dist/web',
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['chrome100', 'firefox100', 'safari15.4'],
    logLevel: 'warning',
  });
}

/** Modules and their declarations, file by file. */
export function buildPackage(outDir = join(CLIENT, 'dist')) {
  rmSync(outDir, { recursive: true, force: true });
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  const { status } = spawnSync(tsc, ['-p', join(CLIENT, 'tsconfig.build.json'), '--outDir', outDir], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('the client cannot be built');
  // The compiler names modules by what is run, declarations by what they were written from.
  for (const name of readdirSync(outDir).filter(one => one.endsWith('.d.ts'))) {
    const path = join(outDir, name);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await bundleClient();
  buildPackage();
}
