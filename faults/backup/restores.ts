/** Restores of two backups in turn, into one data folder that always holds one of them. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { checkBackup } from '../../src/store/backup-file.ts';
import { startEmbedded } from '../../src/store/embedded.ts';
import type { World } from '../bed/world.ts';
import { type Command, startCommand } from './commands.ts';

export interface Restores {
  folder: string;
  env: Readonly<Record<string, string>>;
  /** How long one takes that is left alone. */
  usualMs: number;
  /** Begins to restore the backup that is not there. */
  begin(): Command;
  /** Which of the two is there now. */
  look(): Promise<'old' | 'new' | 'neither'>;
  /** What was there last, when it was neither. */
  trouble(): string;
  /** Restores the other one again where it did not come so far; whatever was put aside is removed. */
  finish(): Promise<void>;
  again: { count: number; flaws: string[]; worst: string };
}

export async function startRestores(world: World, files: readonly string[]): Promise<Restores> {
  const [one = '', other = ''] = [files[0], files.at(-1)];
  const folder = join(world.folder, 'restored-data');
  const env = { DATA_DIR: folder, MASTER_KEY: world.env.MASTER_KEY ?? '' };
  const first = await startCommand(['restore', one], env).ended;
  if (first.code !== 0) throw new Error(`a restore failed: ${first.said}`);
  const again = { count: 0, flaws: [] as string[], worst: '' };
  const expected = new Map([
    [one, (await checkBackup(one)).sum.rows],
    [other, (await checkBackup(other)).sum.rows],
  ]);
  let present = one;
  let wanted = other;
  let found: 'old' | 'new' | 'neither' = 'old';
  let trouble = '';

  const isThere = (rows: Readonly<Record<string, number>>, file: string) =>
    JSON.stringify(rows) === JSON.stringify(expected.get(file));

  async function countAll(): Promise<Record<string, number>> {
    const server = await startEmbedded({ dataDir: folder });
    const client = new pg.Client(server.url);
    try {
      await client.connect();
      const counted: Record<string, number> = {};
      for (const table of Object.keys(expected.get(one) ?? {})) {
        const { rows } = await client.query(`select count(*)::int as count from ${table}`);
        counted[table] = rows[0].count;
      }
      return counted;
    } finally {
      await client.end();
      await server.stop();
    }
  }

  const begin = () => startCommand(['restore', wanted, '--replace'], env);
  async function look(): Promise<typeof found> {
    try {
      const rows = await countAll();
      found = isThere(rows, present) ? 'old' : isThere(rows, wanted) ? 'new' : 'neither';
      trouble = `${rows.transactions} transactions`;
    } catch (error) {
      found = 'neither';
      trouble = (error as Error).message;
    }
    return found;
  }

  return {
    folder,
    env,
    usualMs: first.ms,
    begin,
    look,
    trouble: () => trouble,
    async finish() {
      if (found !== 'new') {
        again.count++;
        const { code, said } = await begin().ended;
        if (code !== 0) again.flaws.push(said);
        else if ((await look()) !== 'new') again.flaws.push(`afterwards there are ${trouble}`);
      }
      for (const name of readdirSync(folder))
        if (name.startsWith('replaced-')) rmSync(join(folder, name), { recursive: true });
      [present, wanted] = [wanted, present];
    },
    again,
  };
}
