// Builds the widget into dist/web: the page's script and style, the script for other people's pages, the address rules, the texts.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TEXTS = join(ROOT, 'web', 'widget', 'texts');
const OUTPUT = join(ROOT, 'dist', 'web');

export async function bundleWidget() {
  const esbuild = await import('esbuild');
  const common = {
    absWorkingDir: ROOT,
    outdir: 'dist/web',
    bundle: true,
    minify: true,
    target: ['chrome111', 'firefox116', 'safari16.4'],
    legalComments: 'none',
    logLevel: 'warning',
  };
  await esbuild.build({
    ...common,
    entryPoints: {
      'widget-app': 'web/widget/app.tsx',
      'widget-address': 'web/widget/address.ts',
    },
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  // The style is a file of its own: it is there before the script is.
  await esbuild.build({ ...common, entryPoints: { 'widget-app': 'web/widget/widget.css' } });
  await esbuild.build({ ...common, entryPoints: { widget: 'web/widget/element.ts' }, format: 'iife' });
  mkdirSync(OUTPUT, { recursive: true });
  for (const name of readdirSync(TEXTS)) {
    const texts = JSON.parse(readFileSync(join(TEXTS, name), 'utf8'));
    writeFileSync(join(OUTPUT, `widget-${basename(name, '.json')}.json`), JSON.stringify(texts));
  }
}
