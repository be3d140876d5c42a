/** The commands that try a provider, as an operator runs them. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './command.ts';

let env: Record<string, string>;

beforeAll(async () => {
  env = { DATA_DIR: await mkdtemp(join(tmpdir(), 'cloverleaf-provider-')), PORT: '0' };
  await run(['account', 'create', '--name', 'shop'], env);
});
afterAll(() => rm(env.DATA_DIR ?? '', { recursive: true, force: true, maxRetries: 50, retryDelay: 100 }));

describe('provider check', () => {
  it('where there is no database says so: credentials may be elsewhere', async () => {
    const DATA_DIR = join(env.DATA_DIR ?? '', 'elsewhere');
    const { code, err } = await run(['provider', 'check', 'moonpay'], { DATA_DIR });
    expect([code, err]).toEqual([1, expect.stringMatching(/^cloverleaf: there is no database in .*\n$/)]);
  });

  it('without credentials says so, and how to go on', async () => {
    const { code, out, err } = await run(['provider', 'check', 'moonpay'], env);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^cloverleaf: moonpay has no credentials for test keys: set apiKey/);
  });

  it('tries the stand-in operation by operation, and writes its quote down without its keys', async () => {
    const file = join(env.DATA_DIR ?? '', 'case.json');
    const { code, out, err } = await run(['provider', 'check', 'transak', '--standin', '--write', file], env);
    expect([code, err]).toEqual([0, '']);
    for (const operation of ['token', 'catalog', 'buy quote', 'sell quote', 'checkout'])
      expect(out).toMatch(new RegExp(`^${operation} +matched `, 'm'));
    expect(out).not.toMatch(/sessionId|standin-transak/);
    const example = JSON.parse(await readFile(file, 'utf8'));
    expect(example).toMatchObject({ do: 'quote', settings: { apiKey: 'demo-apiKey' } });
  });

  it('knows who it knows', async () => {
    const { code, err } = await run(['provider', 'check', 'nosuch', '--standin'], env);
    expect([code, err]).toEqual([1, expect.stringMatching(/there are moonpay, transak/)]);
  });

  it('asks which is meant, live keys or the stand-in', async () => {
    const { code, err } = await run(['provider', 'check', 'moonpay', '--live', '--standin'], env);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^cloverleaf: send --live or --standin, not both/),
    ]);
  });
});

describe('provider new', () => {
  it('is for a checkout of the source, and never writes over a folder', async () => {
    const { code, err } = await run(['provider', 'new', 'moonpay'], env);
    expect([code, err]).toEqual([1, expect.stringMatching(/is there already/)]);
  });
});
