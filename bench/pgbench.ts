/** pgbench: the same INSERT from PostgreSQL's own bench, where it is installed. */
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SERVER_CORE, startPinned } from './child.ts';
import { CONNECTIONS, insertOrder, orderValues } from './plain.ts';
import type { Load } from './span.ts';

const VERSIONS = '/usr/lib/postgresql';

/** Debian keeps it with the server; elsewhere it is gone without. */
export function findPgbench(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
  return versions.map(version => join(VERSIONS, version, 'bin', 'pgbench')).find(path => existsSync(path));
}

/** The same INSERT from C, over as many connections. */
export async function runPgbench(program: string, databaseUrl: string, milliseconds: number): Promise<Load> {
  const { searchParams, username, port, pathname } = new URL(databaseUrl);
  const values = orderValues({ id: '', sessionId: '', at: new Date() }).map((value, at) =>
    at < 2 ? 'gen_random_uuid()::text' : literal(value),
  );
  const [head = ''] = insertOrder('plain.rows').split(' values ');
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  const child = startPinned(SERVER_CORE, [
    program,
    ...['-n', '-f', '-', '-c', String(CONNECTIONS), '-j', '1', '-T', String(seconds)],
    ...['-h', searchParams.get('host') ?? '', '-p', port, '-U', username, pathname.slice(1)],
  ]);
  child.stdin.end(`${head} values (${values.join(', ')});\n`);
  let text = '';
  child.stdout.on('data', chunk => {
    text += chunk;
  });
  await once(child, 'close');
  const perSecond = Number(/tps = ([\d.]+)/.exec(text)?.[1]);
  if (!(perSecond > 0)) throw new Error(`pgbench said: ${text}`);
  const p50 = Number(/latency average = ([\d.]+)/.exec(text)?.[1]);
  return { requests: perSecond * seconds, seconds, p50, p99: Number.NaN };
}

function literal(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  const text = value instanceof Date ? value.toISOString() : String(value);
  return `'${text.replaceAll("'", "''")}'`;
}
