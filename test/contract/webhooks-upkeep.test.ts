/** Webhooks out over time: what is removed and what stays, and the commands that see to them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Command } from 'commander';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test, vi } from 'vitest';
import { webhookCommands } from '../../src/cli/webhooks.ts';
import { readConfig } from '../../src/config.ts';
import { clearEndpoint, removeEndpoint } from '../../src/store/endpoints.ts';
import { type NewEvent, writeEvents } from '../../src/store/events.ts';
import {
  database,
  databaseUrl,
  dispatch,
  endpoints,
  eventsOf,
  first,
  listen,
  MASTER_KEY,
  newShop,
  rowsOf,
  setOutbox,
  site,
  tell,
} from './outbox.ts';

setOutbox();

describe('removing', () => {
  test('waits for a change that is being written, and fails neither', async () => {
    const account = await newShop('removing');
    const { id } = await listen(site.open(), account);
    let removed: Promise<void> | undefined;
    await database.transaction().execute(async trx => {
      await writeEvents(trx, eventsOf(account));
      removed = endpoints.remove(account.id, id);
      await wait(100);
    });
    await removed;
    await clear(id);
    expect([await rowsOf(id), await endpoints.list(account.id)]).toEqual([[], []]);
  });

  test('while a change is about to be written costs that change nothing', async () => {
    const account = await newShop('removed');
    const { id } = await listen(site.open(), account);
    let written: Promise<number> | undefined;
    await database.transaction().execute(async trx => {
      await trx.selectFrom('endpoints').select('id').where('id', '=', id).forUpdate().execute();
      written = writeEvents(database, eventsOf(account));
      await wait(100);
      await trx.deleteFrom('endpoints').where('id', '=', id).execute();
    });
    expect(await written).toBe(0);
  });

  test('many at once while events are written and sent leaves nothing behind', async () => {
    const account = await newShop('churning');
    const loop = dispatch();
    const ids: string[] = [];
    for (let round = 0; round < 5; round++) {
      const made = await Promise.all(Array.from({ length: 4 }, () => listen(site.open(), account)));
      ids.push(...made.map(({ id }) => id));
      await Promise.all([
        ...Array.from({ length: 20 }, async () => {
          await tell(account, 2);
          void loop.wake();
        }),
        ...made.map(({ id }) => removeEndpoint(database, id)),
      ]);
    }
    await loop.wake();
    await Promise.all(ids.map(clear));
    for (const id of ids) expect(await rowsOf(id)).toEqual([]);
    expect(await database.selectFrom('endpoints').select('id').execute()).toEqual([]);
  });
});

/** Clears away what is left of an endpoint, as upkeep does. */
async function clear(id: string): Promise<void> {
  while (!(await clearEndpoint(database, id)));
}

describe('the command line', () => {
  test('adds, lists, tests, rotates, shows the dead, replays, enables and removes', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'cloverleaf-webhooks-'));
    const config = () =>
      readConfig({
        DATA_DIR: dataDir,
        DATABASE_URL: databaseUrl,
        MASTER_KEY,
        WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${site.port}`,
      });
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    const run = async (...words: string[]): Promise<string> => {
      log.mockClear();
      const program = new Command('cloverleaf').exitOverride();
      webhookCommands(program, config);
      await program.parseAsync(['webhook', ...words], { from: 'user' });
      return log.mock.calls.flat().join('\n');
    };
    const exitCode = process.exitCode;
    try {
      const account = await newShop('by hand');
      const receiver = site.open();
      const made = JSON.parse(await run('add', 'by hand', receiver.url, '--json'));
      expect(made).toEqual({
        id: expect.any(String),
        url: receiver.url,
        secret: expect.stringMatching(/^whsec_/),
      });
      expect(await run('test', made.id)).toMatch(/^accepted with 200 after \d+ ms$/);
      const { body, headers } = first(receiver.got);
      expect(new Webhook(made.secret).verify(body, headers)).toMatchObject({ type: 'test' });
      const list = JSON.parse(await run('list', account.publicKey, '--json'));
      expect(list).toMatchObject([{ id: made.id, url: receiver.url, rotating: false, disabled: '' }]);
      expect(JSON.stringify(list)).not.toContain('whsec_');

      const rotated = await run('rotate-secret', made.id);
      expect(rotated).toMatch(
        /^endpoint {2}\w+\nurl .*\nsecret {4}whsec_\S+\n\nThe secret is shown this once/,
      );
      expect(JSON.parse(await run('list', 'by hand', '--json'))).toMatchObject([{ rotating: true }]);
      expect(JSON.parse(await run('rotate-secret', made.id, '--end', '--json'))).toEqual({ id: made.id });
      expect(JSON.parse(await run('list', 'by hand', '--json'))).toMatchObject([{ rotating: false }]);

      receiver.answer(410);
      expect(await run('test', made.id)).toBe('not accepted: answered 410');
      const [event] = (await tell(account)) as [NewEvent];
      const loop = dispatch();
      await loop.wake();
      // What is due again later stays so: nobody tells the endpoint, which would be disabled for its answer.
      await loop.stop();
      const [dead] = JSON.parse(await run('dead', 'by hand', '--json'));
      expect(dead).toMatchObject({ event: event.id, endpoint: made.id, attempts: 1, error: 'answered 410' });
      expect(await run('dead', '--json')).toContain(event.id);
      await expect(run('replay', made.id)).rejects.toThrow('enable it first');
      expect(await run('enable', made.id)).toBe(`enabled ${made.id}`);
      expect(await run('replay', made.id)).toBe('1 due again');
      expect(await run('replay', made.id, '--event', event.id, `msg_${event.id}`)).toBe('1 due again');
      await expect(run('replay', made.id, '--event', event.id, 'other-1')).rejects.toThrow(
        'no event other-1',
      );
      expect(await run('replay', made.id, '--since', '2020-01-01')).toBe('1 due again');
      await expect(run('replay', made.id, '--since', 'yesterday')).rejects.toThrow('--since must be a date');

      expect(await run('remove', made.id)).toBe(`removed ${made.id}`);
      await expect(run('test', made.id)).rejects.toThrow('There is no such webhook endpoint');
      await expect(run('add', 'by hand', 'http://10.0.0.1/')).rejects.toThrow('url must begin with https://');
      await expect(run('add', 'nobody', receiver.url)).rejects.toThrow('no account nobody');
    } finally {
      process.exitCode = exitCode;
      log.mockRestore();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
