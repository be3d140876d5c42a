/** The cluster: a PostgreSQL for the simulation alone; nothing in it outlives the run. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../src/store/embedded.ts';

export interface Cluster {
  url: string;
  stop(): Promise<void>;
}

/** In memory where there is any: then nothing ever waits for a disk. */
const MEMORY = '/dev/shm';

/** Nothing may tidy up behind our back, and who waits in a circle is told so soon. */
const SETTINGS = { autovacuum: 'off', deadlock_timeout: '20ms', checkpoint_timeout: '1d' };

export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'cloverleaf-simulation-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const server = await startEmbedded({ dataDir: folder });
  const client = new pg.Client(server.url);
  await client.connect();
  for (const [name, value] of Object.entries(SETTINGS))
    await client.query(`alter system set ${name} = '${value}'`);
  await client.query('select pg_reload_conf()');
  await client.end();
  return {
    url: server.url,
    async stop() {
      await server.stop();
      remove();
    },
  };
}
