/** Webhooks out: every event arrives, signed, once where all goes well, and no endpoint holds up another. */
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Command } from 'commander';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { ulid } from 'ulid';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Credentials, createAccount, findAccount } from '../../src/app/accounts.ts';
import { type DeliveryOutcome, startDispatch } from '../../src/app/dispatch.ts';
import { createEndpoints, type Endpoints } from '../../src/app/endpoints.ts';
import type { Loop } from '../../src/app/loop.ts';
import { createSeal } from '../../src/app/seal.ts';
import { webhookCommands } from '../../src/cli/webhooks.ts';
import { readConfig } from '../../src/config.ts';
import type { AccountId } from '../../src/domain/words.ts';
import { type Courier, createCourier } from '../../src/engine/courier.ts';
import { createGuard } from '../../src/engine/guard.ts';
import { webhookSchemas } from '../../src/http/current/webhooks-schema.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { claimDeliveries } from '../../src/store/deliveries.ts';
import { deleteEndpoint } from '../../src/store/endpoints.ts';
import { type NewEvent, writeEvents } from '../../src/store/events.ts';
import { makeDatabase, type Reply, startTestService, type TestService } from '../service.ts';
import { eventually } from './patience.ts';
import { PROVIDERS } from './world.ts';

const MASTER_KEY = '6e'.repeat(32);
const seal = createSeal(Buffer.from(MASTER_KEY, 'hex'), 'endpoint-secrets');
const now = () => Date.now();

let databaseUrl: string;
let drop: () => Promise<void>;
let database: Database;
let site: Receivers;
let endpoints: Endpoints;
const loops: Loop[] = [];
const couriers: Courier[] = [];

beforeAll(async () => {
  ({ url: databaseUrl, drop } = await makeDatabase());
  database = await openDatabase({ url: databaseUrl });
  site = await startReceivers();
  endpoints = createEndpoints({ database, seal, guard: guard(), courier: newCourier(), now });
});

afterEach(async () => {
  await Promise.all(loops.splice(0).map(loop => loop.stop()));
  // What one test leaves due is none of the next one's business.
  await database.deleteFrom('deliveries').execute();
  await database.deleteFrom('endpoints').execute();
});

afterAll(async () => {
  await Promise.all(couriers.map(one => one.close()));
  await site?.close();
  await database?.destroy();
  await drop?.();
});

/** The receivers of these tests live on this machine, which an operator has to allow. */
function guard() {
  return createGuard({ allowedHosts: [`127.0.0.1:${site.port}`] });
}

function newCourier(deadlineMs?: number): Courier {
  const made = createCourier({ guard: guard(), now, ...(deadlineMs && { deadlineMs }) });
  couriers.push(made);
  return made;
}

interface Shop extends Credentials {
  id: AccountId;
}

async function newShop(name: string): Promise<Shop> {
  const made = await createAccount(database, { name, environment: 'test' });
  return { ...made, id: (await findAccount(database, made.publicKey)).id };
}

function dispatch(options: { courier?: Courier; onDelivered?(outcome: DeliveryOutcome): void } = {}): Loop {
  const onFailure = (error: unknown) => expect.unreachable(String(error));
  const loop = startDispatch({ database, seal, courier: newCourier(), now, onFailure, ...options });
  loops.push(loop);
  return loop;
}

interface Got {
  headers: Record<string, string>;
  body: string;
  at: number;
}

/** What a receiver answers: a status, or whatever it does instead of answering. */
type Behaviour = number | ((response: ServerResponse, got: Got) => void);

interface Receiver {
  url: string;
  got: Got[];
  answer(behaviour: Behaviour): void;
}

interface Receivers {
  port: number;
  open(behaviour?: Behaviour): Receiver;
  close(): Promise<void>;
}

/** One server with a receiver behind every path. */
async function startReceivers(): Promise<Receivers> {
  const behaviours = new Map<string, { behaviour: Behaviour; got: Got[] }>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const receiver = behaviours.get(request.url ?? '');
    const body = Buffer.concat(chunks).toString();
    const got = { headers: request.headers as Got['headers'], body, at: Date.now() };
    receiver?.got.push(got);
    const behaviour = receiver?.behaviour ?? 404;
    if (typeof behaviour === 'function') behaviour(response, got);
    else response.writeHead(behaviour).end('seen');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    open(behaviour = 200) {
      const path = `/${randomBytes(6).toString('hex')}`;
      const receiver = { behaviour, got: [] as Got[] };
      behaviours.set(path, receiver);
      return {
        url: `http://127.0.0.1:${port}${path}`,
        got: receiver.got,
        answer(changed) {
          receiver.behaviour = changed;
        },
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** An endpoint of the account at a receiver. */
async function listen(receiver: Receiver, account: Shop): Promise<{ id: string; secret: string }> {
  const { endpoint, secret } = await endpoints.add(account.id, receiver.url);
  return { id: endpoint.id, secret };
}

/** Events of one transaction, one after the other. */
function eventsOf(account: Shop, count = 1, transactionId = ulid()): NewEvent[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `${transactionId}-${at + 1}`,
    accountId: account.id,
    transactionId,
    sequence: at + 1,
    body: JSON.stringify({ transactionId, status: 'paid', inAmount: 100.5, partnerContext: 'Grüße 🍀\n"\\' }),
    at: new Date(),
  }));
}

async function tell(account: Shop, count = 1): Promise<NewEvent[]> {
  const events = eventsOf(account, count);
  await database.transaction().execute(trx => writeEvents(trx, events));
  return events;
}

async function rowsOf(endpointId: string) {
  return database
    .selectFrom('deliveries')
    .selectAll()
    .where('endpoint_id', '=', endpointId)
    .orderBy('event_id')
    .execute();
}

/** Lets the time pass until the next attempts are due. */
async function hurry(endpointId: string): Promise<void> {
  await sql`update deliveries set due_at = now() where endpoint_id = ${endpointId} and state = 'due'`.execute(
    database,
  );
}

async function stateOf(endpointId: string): Promise<string> {
  const states = (await rowsOf(endpointId)).map(({ state }) => state);
  return [...new Set(states)].join();
}

const first = <T>(all: readonly T[]): T => all[0] as T;
const idsOf = (got: readonly Got[]) => got.map(({ headers }) => headers['webhook-id']);

describe('an event', () => {
  test('arrives as it was written, signed so that the receivers’ own package takes it', async () => {
    const account = await newShop('signed');
    const receiver = site.open();
    const { id, secret } = await listen(receiver, account);
    const outcomes: DeliveryOutcome[] = [];
    const loop = dispatch({ onDelivered: outcome => outcomes.push(outcome) });
    const [event] = (await tell(account)) as [NewEvent];
    await loop.wake();

    const { headers, body } = first(receiver.got);
    expect(body).toBe(event.body);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'cloverleaf',
      'webhook-id': `msg_${event.id}`,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      'x-onramper-webhook-signature': createHmac('sha256', secret).update(body).digest('hex'),
      'x-cloverleaf-sequence': '1',
    });
    const verifier = new Webhook(secret);
    expect(verifier.verify(body, headers)).toEqual(JSON.parse(event.body));
    expect(() => verifier.verify(body.replace('100.5', '100.6'), headers)).toThrow('No matching signature');
    expect(() => verifier.verify(body, { ...headers, 'webhook-id': 'msg_other' })).toThrow('No matching');
    expect(outcomes).toEqual([
      { kind: 'delivered', attempts: 1, milliseconds: expect.any(Number), ageMs: expect.any(Number) },
    ]);
    expect(await rowsOf(id)).toMatchObject([
      { state: 'delivered', attempts: 1, last_status: 200, last_error: '', leased_until: null },
    ]);
  });

  test('goes to every enabled endpoint of its account and to no other’s', async () => {
    const [one, other] = [await newShop('one'), await newShop('other')];
    const receivers = [site.open(), site.open(), site.open()] as const;
    await listen(receivers[0], one);
    await listen(receivers[1], one);
    await listen(receivers[2], other);
    const loop = dispatch();
    const [event] = (await tell(one)) as [NewEvent];
    await loop.wake();
    expect(receivers.map(({ got }) => idsOf(got))).toEqual([[`msg_${event.id}`], [`msg_${event.id}`], []]);
  });

  test('that is written twice is told once, and one nobody listens to makes no delivery', async () => {
    const account = await newShop('twice');
    const receiver = site.open();
    const events = eventsOf(account, 3);
    expect(await writeEvents(database, events.slice(0, 1))).toBe(0);
    await listen(receiver, account);
    expect(await writeEvents(database, events)).toBe(2);
    expect(await writeEvents(database, events)).toBe(0);
    expect(await writeEvents(database, [])).toBe(0);
    const loop = dispatch();
    await loop.wake();
    await eventually(() => receiver.got.length === 2, 'both are told');
    await loop.wake();
    expect(idsOf(receiver.got)).toEqual(events.slice(1).map(({ id }) => `msg_${id}`));
  });

  test('of a state change that is rolled back is never told', async () => {
    const account = await newShop('rolled back');
    const receiver = site.open();
    await listen(receiver, account);
    const change = database.transaction().execute(async trx => {
      await writeEvents(trx, eventsOf(account));
      throw new Error('undone');
    });
    await expect(change).rejects.toThrow('undone');
    await dispatch().wake();
    expect(receiver.got).toEqual([]);
  });
});

describe('an endpoint that fails', () => {
  test('is tried again by the schedule, with the same id and body and a signature of that moment', async () => {
    const account = await newShop('failing');
    const receiver = site.open(500);
    const { id, secret } = await listen(receiver, account);
    const loop = dispatch();
    await tell(account);
    await loop.wake();
    const [row] = await rowsOf(id);
    expect(row).toMatchObject({ state: 'due', attempts: 1, last_status: 500, last_error: 'answered 500' });
    const inMs = (row?.due_at.getTime() ?? 0) - Date.now();
    expect(inMs).toBeGreaterThan(2_000);
    expect(inMs).toBeLessThan(5_600);

    await loop.wake();
    expect(receiver.got.length).toBe(1);
    receiver.answer(204);
    await wait(1_100);
    await hurry(id);
    await loop.wake();
    const [before, after] = receiver.got as [Got, Got];
    expect(after.body).toBe(before.body);
    expect(after.headers['webhook-id']).toBe(before.headers['webhook-id']);
    expect(after.headers['webhook-timestamp']).not.toBe(before.headers['webhook-timestamp']);
    expect(new Webhook(secret).verify(after.body, after.headers)).toBeTruthy();
    expect(await rowsOf(id)).toMatchObject([
      { state: 'delivered', attempts: 2, last_status: 204, last_error: '' },
    ]);
  });

  test('with a redirect, a refusal or no answer has failed, and nothing of its answer is kept', async () => {
    const account = await newShop('odd');
    const inner = site.open();
    const behaviours: [Behaviour, number | null, string][] = [
      [
        response => response.writeHead(302, { location: inner.url }).end(),
        302,
        'answered 302: redirects are not followed',
      ],
      [response => response.writeHead(404).end('their secret'), 404, 'answered 404'],
      [response => response.destroy(), null, 'the connection failed (UND_ERR_SOCKET)'],
      [() => {}, null, 'no answer within 300 ms'],
    ];
    const open = await Promise.all(
      behaviours.map(async ([behaviour]) => (await listen(site.open(behaviour), account)).id),
    );
    const loop = dispatch({ courier: newCourier(300) });
    await tell(account);
    await loop.wake();
    for (const [at, [, status, error]] of behaviours.entries()) {
      const [row] = await rowsOf(open[at] as string);
      expect(row).toMatchObject({ state: 'due', last_status: status, last_error: error });
    }
    expect(inner.got).toEqual([]);
  });

  test('is dead after the tenth attempt, listed, and sent again when asked for', async () => {
    const account = await newShop('dead');
    const receiver = site.open(503);
    const { id } = await listen(receiver, account);
    const loop = dispatch();
    const [event] = (await tell(account)) as [NewEvent];
    for (let attempt = 1; attempt <= 10; attempt++) {
      await hurry(id);
      await loop.wake();
      expect(receiver.got.length).toBe(attempt);
    }
    await hurry(id);
    await loop.wake();
    expect(receiver.got.length).toBe(10);
    expect(await endpoints.deliveries(account.id, id, { state: 'dead', limit: 50 })).toMatchObject([
      { eventId: event.id, sequence: 1, attempts: 10, lastStatus: 503, lastError: 'answered 503' },
    ]);

    receiver.answer(200);
    expect(await endpoints.replay(account.id, id, { state: 'dead' })).toBe(1);
    await loop.wake();
    expect(await rowsOf(id)).toMatchObject([{ state: 'delivered', attempts: 1, last_status: 200 }]);
    expect(new Set(idsOf(receiver.got)).size).toBe(1);
    expect(await endpoints.replay(account.id, id, { state: 'dead' })).toBe(0);
  });

  test('with 410 is disabled, and what it was still to be sent is dead', async () => {
    const account = await newShop('gone');
    const receiver = site.open(410);
    const healthy = site.open();
    const { id } = await listen(receiver, account);
    await listen(healthy, account);
    await tell(account, 3);
    await tell(account, 3);
    const loop = dispatch();
    await loop.wake();
    await eventually(async () => (await stateOf(id)) === 'dead', 'all of it is dead');
    expect(receiver.got.length).toBeLessThanOrEqual(2);
    const reason = 'it answered 410: nothing more is wanted there';
    expect(await endpoints.list(account.id)).toMatchObject([
      { id, disabledAt: expect.any(Date), disabledReason: reason },
      { disabledAt: undefined },
    ]);
    const errors = (await rowsOf(id)).map(({ last_error }) => last_error);
    expect(new Set(errors)).toEqual(new Set(['answered 410', reason]));

    // Nothing is kept for it any more, and the others go on.
    await tell(account);
    await eventually(() => healthy.got.length === 7, 'the other hears of everything');
    expect((await rowsOf(id)).length).toBe(6);

    await expect(endpoints.replay(account.id, id, { state: 'dead' })).rejects.toThrow('enable it first');
    receiver.answer(200);
    receiver.got.splice(0);
    expect(await endpoints.enable(account.id, id)).toMatchObject({
      disabledAt: undefined,
      disabledReason: '',
    });
    expect(await endpoints.replay(account.id, id, { state: 'dead' })).toBe(6);
    void loop.wake();
    await eventually(() => receiver.got.length === 6, 'all of it arrives after all');
    expect(await stateOf(id)).toBe('delivered');
  });

  test('whose secret cannot be opened is not sent anything unsigned', async () => {
    const account = await newShop('sealed elsewhere');
    const receiver = site.open();
    const { id } = await listen(receiver, account);
    await database
      .updateTable('endpoints')
      .set({ secret: seal.close('whsec_AAAA', 'another endpoint') })
      .where('id', '=', id)
      .execute();
    await tell(account);
    await dispatch().wake();
    expect(receiver.got).toEqual([]);
    expect(await rowsOf(id)).toMatchObject([
      { state: 'due', attempts: 1, last_error: 'the secret of the endpoint cannot be read' },
    ]);
    await expect(endpoints.test(account.id, id)).rejects.toThrow('cannot be read');
  });
});

describe('order', () => {
  test('is that of the changes where all goes well', async () => {
    const account = await newShop('ordered');
    const receiver = site.open(response => void setTimeout(() => response.writeHead(200).end(), 5));
    await listen(receiver, account);
    const loop = dispatch();
    const told = (await Promise.all(Array.from({ length: 12 }, () => tell(account, 11)))).flat();
    await loop.wake();
    await eventually(() => receiver.got.length === told.length, 'all of it arrives');
    for (const { transactionId } of told) {
      const own = receiver.got.filter(({ body }) => body.includes(transactionId));
      expect(own.map(({ headers }) => Number(headers['x-cloverleaf-sequence']))).toEqual(
        Array.from({ length: 11 }, (_, at) => at + 1),
      );
    }
  });

  test('gives way when one fails: those after it do not wait for its next attempt', async () => {
    const account = await newShop('overtaking');
    const receiver = site.open((response, { headers }) =>
      response.writeHead(headers['x-cloverleaf-sequence'] === '1' ? 500 : 200).end(),
    );
    const { id } = await listen(receiver, account);
    await tell(account, 3);
    const loop = dispatch();
    await loop.wake();
    await eventually(() => receiver.got.length === 3, 'the others are told');
    expect((await rowsOf(id)).map(({ state }) => state)).toEqual(['due', 'delivered', 'delivered']);
  });
});

describe('several at once', () => {
  test('two loops on one database tell each event once', async () => {
    const account = await newShop('two loops');
    const receivers = [site.open(), site.open(), site.open()] as const;
    const ids = await Promise.all(receivers.map(receiver => listen(receiver, account)));
    const others = await openDatabase({ url: databaseUrl });
    const onFailure = (error: unknown) => expect.unreachable(String(error));
    const second = startDispatch({ database: others, seal, courier: newCourier(), now, onFailure });
    const loop = dispatch();
    try {
      const writing = Array.from({ length: 100 }, async () => {
        await tell(account, 3);
        void loop.wake();
        void second.wake();
      });
      await Promise.all(writing);
      await eventually(() => receivers.every(({ got }) => got.length >= 300), 'all of it arrives', {
        longestMs: 25_000,
      });
      await Promise.all([loop.wake(), second.wake()]);
      for (const [at, { got }] of receivers.entries()) {
        expect([got.length, new Set(idsOf(got)).size]).toEqual([300, 300]);
        const rows = await rowsOf(ids[at]?.id ?? '');
        expect(rows.every(({ state, attempts }) => state === 'delivered' && attempts === 1)).toBe(true);
      }
    } finally {
      await second.stop();
      await others.destroy();
    }
  });

  test('dead endpoints do not hold up the others, however much is due to them', async () => {
    const healthyShop = await newShop('healthy');
    const healthy = site.open();
    await listen(healthy, healthyShop);
    const hanging = site.open(() => {});
    const deadShops = await Promise.all(['a', 'b', 'c'].map(name => newShop(`dead ${name}`)));
    for (const account of deadShops) {
      for (let count = 0; count < 15; count++) await listen(hanging, account);
      await tell(account, 1);
      for (let count = 0; count < 20; count++) await tell(account);
    }
    const loop = dispatch();
    void loop.wake();
    await eventually(() => hanging.got.length >= 100, 'the dead ones take what they can get');
    const delays: number[] = [];
    for (let count = 0; count < 30; count++) {
      const began = Date.now();
      const [event] = (await tell(healthyShop)) as [NewEvent];
      void loop.wake();
      await eventually(() => idsOf(healthy.got).includes(`msg_${event.id}`), 'it is told', { everyMs: 1 });
      delays.push(Date.now() - began);
    }
    // The dead ones hang for ten seconds each.
    expect(Math.max(...delays)).toBeLessThan(4_000);
  });

  test('no endpoint has more than four at once, and one that failed has one', async () => {
    const account = await newShop('greedy');
    let [open, most] = [0, 0];
    const receiver = site.open(response => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        response.writeHead(200).end();
      }, 10);
    });
    await listen(receiver, account);
    await Promise.all(Array.from({ length: 40 }, () => tell(account)));
    const loop = dispatch();
    await loop.wake();
    await eventually(() => receiver.got.length === 40, 'all of it arrives');
    expect(most).toBe(4);

    const failing = site.open(response => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        response.writeHead(500).end();
      }, 10);
    });
    [open, most] = [0, 0];
    const other = await newShop('greedy and failing');
    const { id } = await listen(failing, other);
    await tell(other);
    await loop.wake();
    await Promise.all(Array.from({ length: 10 }, () => tell(other)));
    await eventually(() => failing.got.length === 11, 'each of them is attempted');
    expect(most).toBe(1);

    // It is well again with its first success.
    failing.answer(200);
    await hurry(id);
    await loop.wake();
    await eventually(async () => (await stateOf(id)) === 'delivered', 'all of it arrives');
  });

  test('a delivery is nobody else’s while its lease lasts, and anybody’s afterwards', async () => {
    const account = await newShop('leased');
    const { id } = await listen(site.open(), account);
    await tell(account);
    const wish = { most: 10, leaseMs: 60_000, rooms: new Map([[id, 4]]), otherwise: 0 };
    expect((await claimDeliveries(database, wish)).map(({ attempts }) => attempts)).toEqual([1]);
    expect(await claimDeliveries(database, wish)).toEqual([]);
    await sql`update deliveries set leased_until = now() - interval '1 second' where endpoint_id = ${id}`.execute(
      database,
    );
    expect((await claimDeliveries(database, wish)).map(({ attempts }) => attempts)).toEqual([2]);
  });
});

describe('stopping', () => {
  test('ends soon though an endpoint hangs, and leaves its delivery due at once', async () => {
    const account = await newShop('stopping');
    const receiver = site.open(() => {});
    const { id } = await listen(receiver, account);
    await tell(account);
    const outcomes: string[] = [];
    const loop = dispatch({ onDelivered: ({ kind }) => outcomes.push(kind) });
    void loop.wake();
    await eventually(() => receiver.got.length === 1, 'it is being sent');
    const began = Date.now();
    await loop.stop();
    expect(Date.now() - began).toBeLessThan(6_000);
    expect(outcomes).toEqual(['interrupted']);
    const [row] = await rowsOf(id);
    expect(row).toMatchObject({ state: 'due', leased_until: null });
    expect(row?.due_at.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
    receiver.answer(200);
    await dispatch().wake();
    expect(await stateOf(id)).toBe('delivered');
  });
});

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
        ...made.map(({ id }) => deleteEndpoint(database, id)),
      ]);
    }
    await loop.wake();
    for (const id of ids) expect(await rowsOf(id)).toEqual([]);
  });
});

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
      await run('rotate-secret', made.id, '--end');
      expect(JSON.parse(await run('list', 'by hand', '--json'))).toMatchObject([{ rotating: false }]);

      receiver.answer(410);
      expect(await run('test', made.id)).toBe('not accepted: answered 410');
      const [event] = (await tell(account)) as [NewEvent];
      await dispatch().wake();
      const [dead] = JSON.parse(await run('dead', 'by hand', '--json'));
      expect(dead).toMatchObject({ event: event.id, endpoint: made.id, attempts: 1, error: 'answered 410' });
      expect(await run('dead', '--json')).toContain(event.id);
      await expect(run('replay', made.id)).rejects.toThrow('enable it first');
      expect(await run('enable', made.id)).toBe(`enabled ${made.id}`);
      expect(await run('replay', made.id)).toBe('1 due again');
      expect(await run('replay', made.id, '--event', event.id, 'other-1')).toBe('1 due again');
      expect(await run('replay', made.id, '--since', '2020-01-01T00:00:00Z')).toBe('1 due again');
      await expect(run('replay', made.id, '--since', 'yesterday')).rejects.toThrow('is not a moment');

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

describe('the API of a running service', () => {
  let service: TestService;
  let own: { database: Database; endpoints: Endpoints };
  let account: Shop;
  let other: Shop;

  beforeAll(async () => {
    service = await startTestService(
      { MASTER_KEY, WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${site.port}` },
      { only: PROVIDERS },
    );
    own = { database, endpoints };
    database = service.database;
    endpoints = createEndpoints({ database, seal, guard: guard(), courier: newCourier(), now });
    account = await known(service.account);
    other = await known(await service.newAccount());
  });
  afterAll(async () => {
    ({ database, endpoints } = own);
    await service?.close();
  });

  async function known(credentials: Credentials): Promise<Shop> {
    return { ...credentials, id: (await findAccount(database, credentials.publicKey)).id };
  }

  async function call(
    method: string,
    path: string,
    { body, as = account, secret = as.secret }: { body?: unknown; as?: Shop; secret?: string } = {},
  ): Promise<Reply> {
    const response = await fetch(service.url + path, {
      method,
      headers: {
        authorization: as.publicKey,
        'x-service-secret': secret,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status, headers } = response;
    return { status, headers, text, body: text ? JSON.parse(text) : undefined };
  }

  /** Answers are as documented. */
  function expectDocumented(schema: object, body: unknown): void {
    const check = Compile(schema as TSchema);
    expect(check.Errors(body).map(({ instancePath, message }) => `${instancePath} ${message}`)).toEqual([]);
  }

  type Route = [string, string, (object | undefined)?];
  /** Every route of one endpoint, with what it needs. */
  const ROUTES: Route[] = [
    ['DELETE', ''],
    ['POST', '/secret'],
    ['DELETE', '/secret/previous'],
    ['POST', '/test'],
    ['POST', '/enable'],
    ['GET', '/deliveries'],
    ['POST', '/replay', { state: 'dead' }],
  ];

  test('201 shows the secret once; it is stored sealed, listed never, and cached nowhere', async () => {
    const { url } = site.open();
    const made = await call('POST', '/webhooks', { body: { url, more: 'ignored' } });
    expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store']);
    expectDocumented(webhookSchemas.add.response[201], made.body);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      url,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      enabled: true,
      rotating: false,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const list = await call('GET', '/webhooks');
    const { secret, ...shown } = made.body;
    expect([list.status, list.body]).toEqual([200, { webhooks: [shown] }]);
    expectDocumented(webhookSchemas.list.response[200], list.body);
    const rows = JSON.stringify(await database.selectFrom('endpoints').selectAll().execute());
    for (const text of [rows, service.logged()]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(secret.slice('whsec_'.length));
    }
  });

  test('an event is delivered by the service itself, to the endpoint that was added', async () => {
    const receiver = site.open();
    const { body } = await call('POST', '/webhooks', { body: { url: receiver.url } });
    const [event] = (await tell(account)) as [NewEvent];
    await eventually(() => receiver.got.length === 1, 'it is told');
    const got = first(receiver.got);
    expect(new Webhook(body.secret).verify(got.body, got.headers)).toEqual(JSON.parse(event.body));
  });

  test('401 on every route without the account’s secret, or with another’s', async () => {
    const { id } = await listen(site.open(), account);
    const all: Route[] = [
      ['GET', '/webhooks'],
      ['POST', '/webhooks', { url: 'https://hooks.example/' }],
      ...ROUTES.map(([method, path, body]): Route => [method, `/webhooks/${id}${path}`, body]),
    ];
    for (const [method, path, body] of all) {
      for (const secret of ['', 'sk_wrong', other.secret, account.publicKey]) {
        const { status } = await call(method, path, { body, secret });
        expect([method, path, status]).toEqual([method, path, 401]);
      }
    }
    expect((await endpoints.list(account.id)).map(one => one.id)).toEqual([id]);
  });

  test('204 removes an endpoint with its deliveries, and 404 from then on', async () => {
    const { id } = await listen(site.open(), account);
    await tell(account, 2);
    const removed = await call('DELETE', `/webhooks/${id}`);
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect(await rowsOf(id)).toEqual([]);
    expect((await call('DELETE', `/webhooks/${id}`)).status).toBe(404);
    expect((await call('GET', '/webhooks')).body).toEqual({ webhooks: [] });
  });

  test('200 rotates: both secrets are good until the previous one is ended', async () => {
    const receiver = site.open();
    const { id, secret: old } = await listen(receiver, account);
    const next = async () => {
      const count = receiver.got.length;
      await tell(account);
      await eventually(() => receiver.got.length > count, 'it is told');
      return receiver.got[count] as Got;
    };
    const isTaken = (secret: string, { body, headers }: Got) => {
      try {
        return Boolean(new Webhook(secret).verify(body, headers));
      } catch {
        return false;
      }
    };
    const rotated = await call('POST', `/webhooks/${id}/secret`);
    expect([rotated.status, rotated.body.rotating]).toEqual([200, true]);
    expectDocumented(webhookSchemas.rotate.response[200], rotated.body);
    const { secret } = rotated.body;
    const both = await next();
    expect([old, secret].map(one => isTaken(one, both))).toEqual([true, true]);
    expect(both.headers['x-onramper-webhook-signature']).toBe(
      createHmac('sha256', secret).update(both.body).digest('hex'),
    );

    expect((await call('DELETE', `/webhooks/${id}/secret/previous`)).status).toBe(204);
    expect((await call('GET', '/webhooks')).body.webhooks[0].rotating).toBe(false);
    const ended = await next();
    expect([old, secret].map(one => isTaken(one, ended))).toEqual([false, true]);

    // A second rotation ends what the first one kept.
    const secrets = [secret];
    for (let count = 0; count < 2; count++)
      secrets.push((await call('POST', `/webhooks/${id}/secret`)).body.secret);
    const last = await next();
    expect(secrets.map(one => isTaken(one, last))).toEqual([false, true, true]);
  });

  test('200 tests an endpoint at once and tells what came of it', async () => {
    const receiver = site.open();
    const { id, secret } = await listen(receiver, account);
    const good = await call('POST', `/webhooks/${id}/test`);
    expect([good.status, good.body]).toEqual([
      200,
      { accepted: true, status: 200, milliseconds: expect.any(Number) },
    ]);
    expectDocumented(webhookSchemas.test.response[200], good.body);
    const { body, headers } = first(receiver.got);
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'test' });
    expect(headers['webhook-id']).toMatch(/^msg_test_/);
    expect(headers).not.toHaveProperty('x-cloverleaf-sequence');

    receiver.answer(410);
    const bad = await call('POST', `/webhooks/${id}/test`);
    expect(bad.body).toMatchObject({ accepted: false, status: 410, error: 'answered 410' });
    expectDocumented(webhookSchemas.test.response[200], bad.body);
    expect((await call('GET', '/webhooks')).body.webhooks[0].enabled).toBe(true);
    expect(await rowsOf(id)).toEqual([]);

    receiver.answer(response => void setTimeout(() => response.writeHead(200).end(), 300));
    const both = await Promise.all([0, 1].map(() => call('POST', `/webhooks/${id}/test`)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test('200 enables what 410 disabled, and sends what was given up', async () => {
    const receiver = site.open(410);
    const { id } = await listen(receiver, account);
    await tell(account);
    await eventually(async () => (await stateOf(id)) === 'dead', 'it is given up');
    const reason = 'it answered 410: nothing more is wanted there';
    await eventually(
      async () => (await call('GET', '/webhooks')).body.webhooks[0].disabledReason === reason,
      'it is disabled',
    );
    const list = await call('GET', '/webhooks');
    expectDocumented(webhookSchemas.list.response[200], list.body);
    expect(list.body.webhooks).toMatchObject([{ id, enabled: false, disabledAt: expect.any(String) }]);
    const refused = await call('POST', `/webhooks/${id}/replay`, { body: { state: 'dead' } });
    expect([refused.status, refused.body.field]).toEqual([409, 'id']);
    receiver.answer(200);
    const enabled = await call('POST', `/webhooks/${id}/enable`);
    expect([enabled.status, enabled.body.enabled]).toEqual([200, true]);
    expect(enabled.body).not.toHaveProperty('disabledReason');
    expect((await call('POST', `/webhooks/${id}/replay`, { body: { state: 'dead' } })).body).toEqual({
      replayed: 1,
    });
    await eventually(async () => (await stateOf(id)) === 'delivered', 'it arrives after all');
  });

  test('200 lists the newest deliveries, by state and within the limit', async () => {
    const receiver = site.open((response, { headers }) =>
      response.writeHead(headers['x-cloverleaf-sequence'] === '2' ? 500 : 200).end(),
    );
    const { id } = await listen(receiver, account);
    const events = eventsOf(account, 60).map((event, at) => ({
      ...event,
      at: new Date(Date.now() - 60_000 + at),
    }));
    await writeEvents(database, events);
    await eventually(
      async () => (await rowsOf(id)).filter(({ state }) => state === 'delivered').length === 59,
      'all of it is attempted',
    );
    const ask = async (query: string) =>
      (await call('GET', `/webhooks/${id}/deliveries${query}`)).body.deliveries;
    const all = await ask('');
    expect(all.map(({ sequence }: { sequence: number }) => sequence)).toEqual(
      Array.from({ length: 50 }, (_, at) => 60 - at),
    );
    expectDocumented(webhookSchemas.deliveries.response[200], { deliveries: all });
    expect(all[0]).toEqual({
      eventId: events[59]?.id,
      transactionId: events[59]?.transactionId,
      sequence: 60,
      state: 'delivered',
      attempts: 1,
      lastStatus: 200,
      createdAt: events[59]?.at.toISOString(),
      doneAt: expect.stringMatching(/Z$/),
    });
    expect((await ask('?limit=51')).length).toBe(50);
    expect((await ask('?limit=3&state=delivered')).length).toBe(3);
    expect(await ask('?state=dead')).toEqual([]);
    const [due] = await ask('?state=due');
    expect(due).toMatchObject({
      sequence: 2,
      attempts: 1,
      lastStatus: 500,
      lastError: 'answered 500',
      nextAttemptAt: expect.any(String),
    });
    expect(due).not.toHaveProperty('doneAt');
  });

  test('200 replays named events and those since a moment, also from before the endpoint was made', async () => {
    const late = await known(await service.newAccount());
    const old = eventsOf(late).map(event => ({ ...event, at: new Date(Date.now() - 3_600_000) }));
    await writeEvents(database, old);
    const missed = await tell(late, 2);
    const [foreign] = (await tell(account)) as [NewEvent];
    const receiver = site.open();
    const { id } = await listen(receiver, late);
    const replay = async (body: object) =>
      (await call('POST', `/webhooks/${id}/replay`, { as: late, body })).body.replayed;

    expect(await replay({ since: new Date(Date.now() - 60_000).toISOString() })).toBe(2);
    await eventually(() => receiver.got.length === 2, 'what it missed arrives');
    expect(new Set(idsOf(receiver.got))).toEqual(new Set(missed.map(event => `msg_${event.id}`)));

    const [named] = old as [NewEvent];
    expect(await replay({ eventIds: [named.id, named.id, foreign.id, 'unknown-1'] })).toBe(1);
    await eventually(() => receiver.got.length === 3, 'what is named arrives');
    expect(receiver.got[2]?.body).toBe(named.body);

    // What was delivered is sent again when it is asked for.
    await eventually(async () => (await stateOf(id)) === 'delivered', 'all of it is settled');
    expect(await replay({ eventIds: missed.map(event => event.id) })).toBe(2);
    await eventually(() => receiver.got.length === 5, 'it is told again');
    expect(await replay({ since: '2999-01-01T00:00:00+02:00' })).toBe(0);
  });

  test('404 for another account’s endpoint, exactly as for one that does not exist', async () => {
    const receiver = site.open();
    const { id } = await listen(receiver, account);
    for (const [method, path, body] of ROUTES) {
      const bodies = new Set<string>();
      for (const word of [id, ulid(), id.toLowerCase(), 'nope', '%00', '__proto__', 'x'.repeat(90)]) {
        const reply = await call(method, `/webhooks/${word}${path}`, { as: other, body });
        expect([method, path, word, reply.status, reply.body.field]).toEqual([method, path, word, 404, 'id']);
        const { requestId: _requestId, ...rest } = reply.body;
        bodies.add(JSON.stringify(rest));
      }
      expect([method, path, bodies.size]).toEqual([method, path, 1]);
    }
    expect((await call('GET', '/webhooks', { as: other })).body).toEqual({ webhooks: [] });
    expect((await call('GET', '/webhooks')).body.webhooks).toMatchObject([
      { id, enabled: true, rotating: false },
    ]);
    expect(receiver.got).toEqual([]);
  });

  test('400 names url for every URL that may not be called', async () => {
    for (const url of [
      '',
      'nope',
      'http://hooks.example/',
      'https://localhost/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://169.254.169.254/latest/meta-data/',
      'https://user:pass@hooks.example/',
      'https://hooks.example:22/',
      'https://hooks.example/#top',
      `https://hooks.example/${'a'.repeat(2_040)}`,
      'javascript:alert(1)',
      'https://hooks.example/\u0000',
      7,
      null,
      ['https://hooks.example/'],
    ]) {
      const { status, body } = await call('POST', '/webhooks', { body: { url } });
      expect([url, status, body.field]).toEqual([url, 400, 'url']);
      expect(body.message).toMatch(/^url /);
    }
    expect((await call('POST', '/webhooks', { body: {} })).body).toMatchObject({ field: 'url' });
    expect((await call('GET', '/webhooks')).body).toEqual({ webhooks: [] });
  });

  test('400 names what is wrong with a question', async () => {
    const { id } = await listen(site.open(), account);
    for (const [query, field] of [
      ['state=alive', 'state'],
      ['state=', 'state'],
      ['limit=0', 'limit'],
      ['limit=-1', 'limit'],
      ['limit=1.5', 'limit'],
      ['limit=1e2', 'limit'],
      ['limit=', 'limit'],
      ['limit=5&limit=6', 'limit'],
      ['limit=%EF%BC%95', 'limit'],
    ] as const) {
      const reply = await call('GET', `/webhooks/${id}/deliveries?${query}`);
      expect([query, reply.status, reply.body.field]).toEqual([query, 400, field]);
    }
    for (const [body, field] of [
      [{}, 'state'],
      [{ state: 'due' }, 'state'],
      [{ state: 'dead', since: '2026-01-01T00:00:00Z' }, 'state'],
      [{ eventIds: [] }, 'eventIds'],
      [{ eventIds: Array(51).fill('a-1') }, 'eventIds'],
      [{ eventIds: 'a-1' }, 'eventIds'],
      [{ eventIds: ['a\u0000'] }, 'eventIds.0'],
      [{ eventIds: [1] }, 'eventIds.0'],
      [{ since: '2026-02-30T00:00:00Z' }, 'since'],
      [{ since: '2026-01-01' }, 'since'],
      [{ since: '2026-01-01T00:00:00' }, 'since'],
      [{ since: '2016-12-31T23:59:60Z' }, 'since'],
      [{ since: 1_700_000_000 }, 'since'],
      [{ since: '' }, 'since'],
    ] as [object, string][]) {
      const reply = await call('POST', `/webhooks/${id}/replay`, { body });
      expect([body, reply.status, reply.body.field]).toEqual([body, 400, field]);
    }
  });

  test('409 for the twenty-first endpoint, however many are added at once', async () => {
    const { url } = site.open();
    const adding = Array.from({ length: 30 }, () => call('POST', '/webhooks', { body: { url } }));
    const statuses = (await Promise.all(adding)).map(({ status }) => status);
    expect([201, 409].map(wanted => statuses.filter(status => status === wanted).length)).toEqual([20, 10]);
    expect((await call('GET', '/webhooks')).body.webhooks.length).toBe(20);
  });
});
