/** What commands refuse, and what they leave: nothing odd is stored, and nothing is made for what is refused anyway. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSeal } from '../../src/app/seal.ts';
import { accountCommands } from '../../src/cli/accounts.ts';
import { inboxCommands } from '../../src/cli/inbox.ts';
import { providerCommands } from '../../src/cli/providers.ts';
import { sandboxCommands } from '../../src/cli/sandbox.ts';
import { readConfig } from '../../src/config.ts';
import { putSetting, removeSetting } from '../../src/store/providers.ts';
import { setAlone, world } from './pair.ts';
import { eventually } from './patience.ts';
import { MASTER_KEY, MOONPAY, PROVIDERS } from './world.ts';

setAlone(PROVIDERS);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cloverleaf-commands-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a command with these settings; what it printed. */
async function runWith(env: Record<string, string>, words: readonly string[]): Promise<string> {
  const program = new Command('cloverleaf').exitOverride();
  for (const add of [accountCommands, inboxCommands, providerCommands, sandboxCommands])
    add(program, () => readConfig(env));
  const printed: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation(text => void printed.push(text));
  const table = vi
    .spyOn(console, 'table')
    .mockImplementation(rows => void printed.push(JSON.stringify(rows)));
  try {
    await program.parseAsync(words, { from: 'user' });
    return printed.join('\n');
  } finally {
    table.mockRestore();
    log.mockRestore();
  }
}

const run = (...words: string[]) => runWith({ DATABASE_URL: world.databaseUrl, MASTER_KEY }, words);

describe('in a folder without a database', () => {
  test.each([
    ['there is no database', ['provider', 'enable', 'moonpay']],
    ['there is no database', ['provider', 'disable', 'moonpay']],
    ['no provider is named nobody', ['account', 'create', '--name', 'shop', '--providers', 'nobody']],
    ['name at least one provider', ['account', 'create', '--name', 'shop', '--providers', '']],
    ['--name must be', ['account', 'create', '--name', '']],
    ['take another name', ['account', 'create', '--name', 'public']],
    ['no provider is named nobody', ['provider', 'set', 'nobody', 'apiKey', 'x']],
    ['moonpay has no setting other', ['provider', 'set', 'moonpay', 'other', 'x']],
    ['value must not be empty', ['provider', 'set', 'moonpay', 'apiKey', ' ']],
    ['one for live keys', ['provider', 'set', 'moonpay', 'secretKey', 'sk_live_1']],
    [
      'url must begin with https',
      ['provider', 'add', 'openramp', '--id', 'acme', '--url', 'http://acme.example'],
    ],
  ])('“%s” leaves nothing there: %j', async (said, words) => {
    const DATA_DIR = join(folder, 'elsewhere');
    await expect(runWith({ DATA_DIR }, words)).rejects.toThrow(said);
    expect(existsSync(DATA_DIR)).toBe(false);
  });
});

describe('account', () => {
  test.each(['', ' ', 'a'.repeat(101), 'two\nlines', 'a\u2028b', 'a\u0000'])(
    'names are a line of 1 to 100 characters, not %j',
    async name => {
      await expect(run('account', 'create', '--name', name)).rejects.toThrow(
        '--name must be a line of 1 to 100',
      );
      const wish = ['account', 'prefer', 'world', 'moonpay', '--client', name];
      await expect(run(...wish)).rejects.toThrow('--client must be a line of 1 to 100');
    },
  );

  test('providers are named once each, blanks are none, and all stands alone', async () => {
    const { publicKey } = await world.newAccount();
    const choose = (...words: string[]) => run('account', 'providers', publicKey, ...words);
    expect(await choose('moonpay,,transak, ', 'MoonPay')).toMatch(/may use only moonpay, transak$/);
    await expect(choose('', ',')).rejects.toThrow('name at least one provider, or all');
    await expect(choose('all', 'moonpay')).rejects.toThrow('all stands alone');
    expect(await choose('all', ',')).toMatch(/may use all providers$/);
  });

  test('those that were added can be named when an account is made', async () => {
    await run('provider', 'add', 'openramp', '--id', 'acme', '--url', 'https://acme.example');
    const made = await run('account', 'create', '--name', 'adding', '--providers', 'acme', '--json');
    expect(JSON.parse(made)).toMatchObject({ name: 'adding' });
  });

  test('a revoked one is given no secret, and ending a rotation can be told in JSON', async () => {
    const { name, publicKey } = await world.newAccount({ name: 'leaving' });
    const ended = await run('account', 'rotate-secret', publicKey, '--end', '--json');
    expect(JSON.parse(ended)).toEqual({ name, publicKey });
    await run('account', 'revoke', publicKey);
    await expect(run('account', 'rotate-secret', publicKey)).rejects.toThrow(`${publicKey} is revoked`);
  });

  test('list shows what is preferred', async () => {
    const { publicKey } = await world.newAccount();
    await run('account', 'prefer', publicKey, 'moonpay');
    await run('account', 'prefer', publicKey, 'transak', '--client', 'app');
    const rows = JSON.parse(await run('account', 'list')) as { publicKey: string; preferred: string }[];
    const { preferred } = rows.find(row => row.publicKey === publicKey) ?? {};
    expect(preferred?.split(', ').sort()).toEqual(['moonpay', 'transak for app']);
  });
});

describe('provider', () => {
  test('set trims what it is given, so that blanks hide no live key', async () => {
    await expect(run('provider', 'set', 'moonpay', 'secretKey', ' sk_live_2')).rejects.toThrow(
      'one for live keys',
    );
  });

  test('set says where a test environment moves real money', async () => {
    const warned = /^alchemypay: appId is set for test keys\nAlchemy Pay’s test environment moves real money/;
    expect(await run('provider', 'set', 'alchemypay', 'appId', 'x')).toMatch(warned);
    expect(await run('provider', 'set', 'alchemypay', 'appId', 'x', '--live')).not.toContain('real money');
    expect(await run('provider', 'set', 'mercuryo', 'widgetId', 'x')).not.toContain('real money');
  });

  test('a live key that was stored among test settings opens no line, and the log and check say so', async () => {
    const seal = createSeal(Buffer.from(MASTER_KEY, 'hex'), 'provider-settings');
    const settings = { apiKey: 'pk_test_1', secretKey: ' sk_live_1', webhookKey: 'wk_1' };
    const places = Object.keys(settings).map(
      name => ({ provider: MOONPAY, environment: 'test', name }) as const,
    );
    for (const place of places) {
      const value = settings[place.name as keyof typeof settings];
      await putSetting(world.database, { ...place, sealed: seal.close(value, `moonpay:test:${place.name}`) });
    }
    const quoting = async () => {
      const { body } = await world.get('/quotes/eur/btc?amount=117&country=de&errors=all');
      return (body as { ramp: string }[]).some(({ ramp }) => ramp === MOONPAY);
    };
    await eventually(async () => !(await quoting()), 'it is asked nothing');
    expect(world.logged()).toContain('secretKey is one for live keys: set it with --live');
    await expect(run('provider', 'check', 'moonpay')).rejects.toThrow(
      'moonpay is not used: secretKey is one for live',
    );
    for (const place of places) await removeSetting(world.database, place);
    await eventually(quoting, 'its stand-in serves again');
  });

  test('check finds out before any call whether its case can be written', async () => {
    const check = (file: string) => run('provider', 'check', 'moonpay', '--standin', '--write', file);
    for (const file of [join(folder, 'none', 'case.json'), folder])
      await expect(check(file)).rejects.toThrow(`--write: ${file} cannot be written`);
  });
});

describe('webhooks that wait for a person', () => {
  const hooks = async () =>
    (
      await sql<{ name: string; state: string; body: Buffer | null; headers: string }>`
        select convert_from(digest, 'utf8') as name, state, body, headers from inbox order by id`.execute(
        world.database,
      )
    ).rows;
  let ids: Record<string, string>;
  beforeEach(async () => {
    await sql`delete from inbox`.execute(world.database);
    const { rows } = await sql<{ id: string; name: string }>`
      insert into inbox (provider, environment, digest, headers, body, state, received_at, due_at)
      select 'moonpay', 'test', name::bytea, '{}', 'of a person', state, came::timestamptz, 'infinity'
      from (values ('old', 'parked', '2026-01-30'), ('new', 'parked', '2026-02-02'), ('due', 'due', '2026-01-30'))
        as i (name, state, came)
      returning id, convert_from(digest, 'utf8') as name`.execute(world.database);
    ids = Object.fromEntries(rows.map(({ id, name }) => [name, id]));
  });
  afterAll(() => sql`delete from inbox`.execute(world.database));

  const WHOLE = { body: Buffer.from('of a person'), headers: '{}' };
  const EMPTY = { body: null, headers: '' };

  test('are forgotten by their ids, and others are not', async () => {
    expect(await run('inbox', 'forget', ids.new ?? '')).toBe('forgot 1');
    expect(await hooks()).toEqual([
      { name: 'old', state: 'parked', ...WHOLE },
      { name: 'new', state: 'done', ...EMPTY },
      { name: 'due', state: 'due', ...WHOLE },
    ]);
    await expect(run('inbox', 'forget', ids.due ?? '')).rejects.toThrow(`no webhook ${ids.due} waits`);
  });

  test('are forgotten when they came before a day', async () => {
    expect(await run('inbox', 'forget', '--before', '2026-02-01')).toBe('forgot 1');
    expect((await hooks()).map(({ name, state }) => [name, state])).toEqual([
      ['old', 'done'],
      ['new', 'parked'],
      ['due', 'due'],
    ]);
  });

  test.each([[[]], [['1', '--before', '2026-02-01']]])(
    'are not forgotten without saying which: %j',
    async words => {
      await expect(run('inbox', 'forget', ...words)).rejects.toThrow('name their ids, or --before');
    },
  );

  test('are not forgotten before a moment that there is not', async () => {
    await expect(run('inbox', 'forget', '--before', 'yesterday')).rejects.toThrow('--before must be a date');
  });
});

describe('what is not there', () => {
  test.each(['retry', 'forget'])('is named by inbox %s', async word => {
    await expect(run('inbox', word, '99999', '099998')).rejects.toThrow('no webhook 99999, 99998 waits');
    await expect(run('inbox', word, 'x')).rejects.toThrow('x is not an id of the inbox');
  });

  test.each(['abc', '0', '-1', '1.5', '60001', ''])('is no number of milliseconds: --ms %j', async ms => {
    await expect(run('sandbox', 'fault', 'moonpay', 'slow', `--ms=${ms}`)).rejects.toThrow(
      '--ms must be 1 to 60000',
    );
  });
});
