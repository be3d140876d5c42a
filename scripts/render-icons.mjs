// Providers' icons as PNG, 32 and 160 pixels wide, drawn from the icon.svg in each provider's folder.
//
//   node scripts/render-icons.mjs                 install the renderer into a temp folder and draw all icons
//   node scripts/render-icons.mjs --from <dir>    the same, with the renderer already installed in <dir>

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROVIDERS = fileURLToPath(new URL('../src/providers', import.meta.url));
/** An exact version, so that two runs give the same bytes. */
const RENDERER = '@resvg/resvg-js@2.6.2';
const WIDTHS = [32, 160];

const at = process.argv.indexOf('--from');
const folder = at > 0 ? process.argv[at + 1] : install();
try {
  render(folder);
} finally {
  if (at < 0) rmSync(folder, { recursive: true, force: true });
}

function install() {
  const made = mkdtempSync(join(tmpdir(), 'cloverleaf-icons-'));
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  execFileSync('npm', ['install', '--prefix', made, ...flags, RENDERER], { stdio: 'inherit', cwd: made });
  return made;
}

function render(installed) {
  const { Resvg } = createRequire(join(installed, 'index.js'))('@resvg/resvg-js');
  for (const provider of readdirSync(PROVIDERS)) {
    const source = join(PROVIDERS, provider, 'icon.svg');
    if (!existsSync(source)) continue;
    const svg = readFileSync(source, 'utf8');
    for (const width of WIDTHS) {
      const png = new Resvg(svg, { fitTo: { mode: 'width', value: width } }).render().asPng();
      writeFileSync(join(PROVIDERS, provider, `icon-${width}.png`), png);
      console.log(`${provider}/icon-${width}.png ${png.length} bytes`);
    }
  }
}
