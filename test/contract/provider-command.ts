/** The command `cloverleaf provider …`, run on the database of a world. */
import { Command } from 'commander';
import { vi } from 'vitest';
import { providerCommands } from '../../src/cli/providers.ts';
import { readConfig } from '../../src/config.ts';
import { MASTER_KEY, type World } from './world.ts';

export async function runProvider({ databaseUrl }: World, ...words: string[]): Promise<void> {
  const program = new Command();
  providerCommands(program, () => readConfig({ DATABASE_URL: databaseUrl, MASTER_KEY }));
  const said = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    await program.parseAsync(['provider', ...words], { from: 'user' });
  } finally {
    said.mockRestore();
  }
}
