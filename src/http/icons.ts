/** Icons: which file on disk an icon's address means; nothing but what is known is ever served. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { IconFiles } from './pages.ts';

const ENDINGS = ['.svg', '-32.png', '-160.png'];
/** Whose icon stands for a provider that was added. */
const ADDED = 'openramp';

export function createIconFiles(root: string, isAdded: (provider: string) => boolean): IconFiles {
  const files = new Map<string, string>();
  const catalog = join(root, 'catalog', 'icons');
  for (const kind of ['crypto', 'fiat', 'payment', 'network']) {
    for (const name of readdirSync(join(catalog, kind)))
      files.set(`${kind}/${name}`, join(catalog, kind, name));
  }
  const providers = join(root, 'src', 'providers');
  for (const entry of readdirSync(providers, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    for (const ending of ENDINGS) {
      files.set(`onramp/${entry.name}${ending}`, join(providers, entry.name, `icon${ending}`));
    }
  }
  return (kind, file) => files.get(`${kind}/${file}`) ?? (kind === 'onramp' ? iconOfAdded(file) : undefined);

  function iconOfAdded(file: string): string | undefined {
    const ending = ENDINGS.find(one => file.endsWith(one) && isAdded(file.slice(0, -one.length)));
    return ending && files.get(`onramp/${ADDED}${ending}`);
  }
}
