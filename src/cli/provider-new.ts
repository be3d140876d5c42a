/** `cloverleaf provider new`: writes the skeleton of a provider's folder, whose cases fail until it is one. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { Fault } from '../domain/fault.ts';
import { registry } from '../providers/registry.ts';
import { skeletonSources } from './provider-skeleton.ts';
import { skeletonCases } from './provider-skeleton-cases.ts';

export function newCommand(provider: Command): void {
  provider
    .command('new')
    .argument('<id>', 'what it is called in the API: lower-case letters and digits')
    .option('--name <name>', 'what people call it')
    .description('write the skeleton of a provider’s folder; in a checkout of the source')
    .action((id: string, { name }: { name?: string }) => {
      const written = writeSkeleton(process.cwd(), { id, name: name ?? capitalized(id) });
      for (const path of written) console.log(path);
      console.log(
        [
          '',
          'now add to src/providers/registry.ts:',
          `  import { ${id} } from './${id}/adapter.ts';`,
          `  import { standin as ${id}Standin } from './${id}/standin.ts';`,
          `  { adapter: ${id}, standin: ${id}Standin },`,
          'draw its icons with: node scripts/render-icons.mjs',
          'and see what is missing with: npx vitest run --project unit src/providers',
        ].join('\n'),
      );
    });
}

export interface NewProvider {
  id: string;
  name: string;
}

/** Writes the folder below a checkout's root; the paths of its files. */
export function writeSkeleton(root: string, provider: NewProvider): string[] {
  const { id } = provider;
  if (!/^[a-z][a-z0-9]{1,31}$/.test(id))
    throw new Fault('badInput', 'id must be 2 to 32 lower-case letters and digits, a letter first', 'id');
  if (!/^[^'"`<>&\\\n]{1,40}$/.test(provider.name))
    throw new Fault('badInput', 'name must be 1 to 40 plain characters', 'name');
  if (!existsSync(join(root, 'src/providers/contract.ts')))
    throw new Fault('badInput', 'there is no src/providers here: run this in a checkout of the source', 'id');
  const folder = `src/providers/${id}`;
  if (existsSync(join(root, folder)) || registry.some(({ adapter }) => adapter.manifest.id === id))
    throw new Fault('badInput', `${folder} is there already`, 'id');
  const files = Object.entries({ ...skeletonSources(provider), ...skeletonCases(provider) });
  for (const [name, text] of files) {
    const path = join(root, folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return files.map(([name]) => `${folder}/${name}`);
}

function capitalized(id: string): string {
  return id.charAt(0).toUpperCase() + id.slice(1);
}
