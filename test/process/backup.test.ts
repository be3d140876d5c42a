/** Backup and restore as an operator meets them: beside the running service, without it, and where they are refused. */
import { existsSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePorts, type Running, run, serve } from './command.ts';

let folder: string;
let env: Record<string, string>;
let service: Running;
let early: string;
let late: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cloverleaf-backup-'));
  env = { DATA_DIR: join(folder, 'data'), PORT: await freePorts(), QUOTE_DEADLINE_MS: '10000' };
  service = await serve(env);
  early = await order();
});

afterAll(async () => {
  await service?.end('SIGKILL');
  await rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
});

const at = (name: string) => join(folder, name);
const master = () => readFileSync(at('data/master.key'), 'utf8');

/** Makes an order; its id. Just after a start a provider may not have told yet what it offers. */
function order(): Promise<string> {
  return vi.waitUntil(tryOrder, { timeout: 60_000, interval: 300 }) as Promise<string>;
}

async function tryOrder(): Promise<string | undefined> {
  const [key = ''] = /pk_test_\w+/.exec(service.out()) ?? [];
  const response = await fetch(`${service.url}/checkout/intent`, {
    method: 'POST',
    headers: { authorization: key, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ onramp: 'moonpay', source: 'eur', destination: 'btc', amount: 100 },
      wallet: { address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' },
    }),
  });
  if (response.status !== 200) return undefined;
  const { message } = (await response.json()) as {
    message: { transactionInformation: { transactionId: string } };
  };
  return message.transactionInformation.transactionId;
}

async function knows(id: string, dataDir = env.DATA_DIR ?? ''): Promise<boolean> {
  const { code, err } = await run(['transaction', 'show', id], { ...env, DATA_DIR: dataDir });
  if (code !== 0) expect(err).toBe(`cloverleaf: no transaction ${id}\n`);
  return code === 0;
}

async function refused(args: string[], more: Record<string, string> = {}): Promise<string> {
  const { code, err, out } = await run(args, { ...env, ...more });
  expect([code, out]).toEqual([1, '']);
  expect(err.trim().split('\n')).toHaveLength(1);
  return err;
}

describe('beside the running service', () => {
  it('backup writes a file for its owner alone, and says that the key is not inside', async () => {
    const { code, out } = await run(['backup', at('running')], env);
    expect(code).toBe(0);
    expect(out).toMatch(/^wrote .*running: \d+ rows, \d+ bytes, as of 20\S+Z, schema \d{4}-\S+\n/);
    expect(out).toContain('the master key is not inside');
    expect(statSync(at('running')).mode & 0o777).toBe(0o600);
    late = await order();
  });

  it('backup --with-key says what the file is then worth, and never prints the key', async () => {
    const { out } = await run(['backup', '--with-key', '--json', at('with-key')], env);
    expect(JSON.parse(out)).toMatchObject({ withKey: true, rows: { transactions: 2 } });
    expect(out).not.toContain(master().trim());
  });

  it('backup never writes over a file', async () => {
    expect(await refused(['backup', at('running')])).toContain('name another one');
  });

  it('restore is refused, even with --replace', async () => {
    for (const more of [[], ['--replace']])
      expect(await refused(['restore', at('running'), ...more])).toContain('is in use by process');
  });
});

describe('without the service', () => {
  it('backup goes on as before', async () => {
    await service.end('SIGTERM');
    const { code, out } = await run(['backup', '--json', at('stopped')], env);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ withKey: false, rows: { transactions: 2 } });
  });

  it('restore puts what is there aside only when it is told to, and the service goes on from there', async () => {
    expect(await refused(['restore', at('running')])).toContain('use --replace to put it aside');
    expect(await knows(late)).toBe(true);
    const { code, out } = await run(['restore', at('running'), '--replace'], env);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^restored \d+ rows as of 20\S+Z, schema \S+\nwhat was there before is in \S+replaced-/,
    );
    expect(readdirSync(at('data')).some(name => name.startsWith('replaced-'))).toBe(true);
    expect([await knows(early), await knows(late)]).toEqual([true, false]);
    service = await serve(env);
    expect((await fetch(`${service.url}/quotes/eur/btc?amount=100`)).status).toBe(200);
    await service.end('SIGTERM');
  });
});

describe('in another folder', () => {
  it('restore asks for the key, and takes it from where it is', async () => {
    const DATA_DIR = at('elsewhere');
    expect(await refused(['restore', at('stopped')], { DATA_DIR })).toContain(
      'the master key is not in the backup: put the file master.key into',
    );
    expect(await refused(['restore', at('stopped')], { DATA_DIR, MASTER_KEY: 'ab'.repeat(32) })).toContain(
      'the master key here is not the one that the backup was made with',
    );
    expect(existsSync(join(DATA_DIR, 'postgres'))).toBe(false);
    const { code } = await run(['restore', at('stopped')], { ...env, DATA_DIR, MASTER_KEY: master().trim() });
    expect(code).toBe(0);
    expect(existsSync(join(DATA_DIR, 'master.key'))).toBe(false);
  });

  it('restore needs nothing but a backup with its key', async () => {
    const DATA_DIR = at('whole');
    const { code } = await run(['restore', '--json', at('with-key')], { ...env, DATA_DIR });
    expect(code).toBe(0);
    expect(readFileSync(join(DATA_DIR, 'master.key'), 'utf8')).toBe(master());
    expect(statSync(join(DATA_DIR, 'master.key')).mode & 0o777).toBe(0o600);
    expect([await knows(early, DATA_DIR), await knows(late, DATA_DIR)]).toEqual([true, true]);
  });

  it('restore puts a damaged key aside when the backup has the right one', async () => {
    const DATA_DIR = at('whole');
    truncateSync(join(DATA_DIR, 'master.key'), 10);
    expect(await refused(['restore', '--replace', at('stopped')], { DATA_DIR })).toContain('is damaged');
    const { code } = await run(['restore', '--replace', at('with-key')], { ...env, DATA_DIR });
    expect(code).toBe(0);
    expect(readFileSync(join(DATA_DIR, 'master.key'), 'utf8')).toBe(master());
  });

  it('restore says in one line that the folder cannot be used', async () => {
    await writeFile(at('file'), '');
    expect(await refused(['restore', at('with-key')], { DATA_DIR: at('file/data') })).toMatch(
      /^cloverleaf: data folder \S+ cannot be used: E/,
    );
  });
});

describe('a file that is not as it was written', () => {
  it('is refused before anything is touched', async () => {
    const DATA_DIR = at('untouched');
    await copyFile(at('stopped'), at('short'));
    truncateSync(at('short'), statSync(at('short')).size - 20);
    expect(await refused(['restore', at('short')], { DATA_DIR })).toContain('is damaged: it was cut off');
    expect(await refused(['restore', at('data/master.key')], { DATA_DIR })).toContain('is damaged');
    expect(await refused(['restore', at('absent')], { DATA_DIR })).toContain('cannot be read');
    expect(existsSync(DATA_DIR)).toBe(false);
  });

  it('is not made where there is no database', async () => {
    expect(await refused(['backup', at('none')], { DATA_DIR: at('nowhere') })).toContain(
      'there is no database in',
    );
    expect(existsSync(at('nowhere'))).toBe(false);
  });
});
