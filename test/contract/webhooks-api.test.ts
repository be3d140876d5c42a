/** The API of webhooks out: endpoints and deliveries of a running service. */
import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Credentials, findAccount } from '../../src/app/accounts.ts';
import { webhookSchemas } from '../../src/http/current/webhooks-schema.ts';
import { type NewEvent, writeEvents } from '../../src/store/events.ts';
import { type Reply, startTestService, type TestService } from '../service.ts';
import {
  database,
  endpoints,
  eventsOf,
  first,
  type Got,
  idsOf,
  listen,
  MASTER_KEY,
  rowsOf,
  type Shop,
  setOutbox,
  site,
  stateOf,
  tell,
  turnTo,
} from './outbox.ts';
import { eventually } from './patience.ts';
import { PROVIDERS } from './world.ts';

setOutbox();

describe('the API of a running service', () => {
  let service: TestService;
  let turnBack = () => {};
  let account: Shop;
  let other: Shop;

  beforeAll(async () => {
    service = await startTestService(
      { MASTER_KEY, WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${site.port}` },
      { only: PROVIDERS },
    );
    turnBack = turnTo(service.database);
    account = await known(service.account);
    other = await known(await service.newAccount());
  });
  afterAll(async () => {
    turnBack();
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

  test('204 and 200 for a request that names a type and says nothing, as many clients send them', async () => {
    const { body } = await call('POST', '/webhooks', { body: { url: site.open().url } });
    const send = (method: string, path: string) =>
      fetch(`${service.url}/webhooks/${body.id}${path}`, {
        method,
        headers: {
          authorization: account.publicKey,
          'x-service-secret': account.secret,
          'content-type': 'application/json',
        },
      });
    expect((await send('POST', '/test')).status).toBe(200);
    expect((await send('POST', '/secret')).status).toBe(200);
    expect((await send('DELETE', '/secret/previous')).status).toBe(204);
    expect((await send('POST', '/replay')).status).toBe(400);
    expect((await send('DELETE', '')).status).toBe(204);
  });

  test('204 removes an endpoint, 404 from then on, and soon its deliveries are gone too', async () => {
    const { id } = await listen(site.open(), account);
    await tell(account, 2);
    const removed = await call('DELETE', `/webhooks/${id}`);
    expect([removed.status, removed.text]).toEqual([204, '']);
    for (const [method, path, body] of ROUTES)
      expect((await call(method, `/webhooks/${id}${path}`, { body })).status).toBe(404);
    expect((await call('GET', '/webhooks')).body).toEqual({ webhooks: [] });
    await eventually(async () => (await rowsOf(id)).length === 0, 'its deliveries are gone');
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

    const held: ServerResponse[] = [];
    receiver.answer(response => void held.push(response));
    const both = [0, 1].map(() => call('POST', `/webhooks/${id}/test`));
    expect((await Promise.race(both)).status).toBe(409);
    await eventually(() => held.length === 1, 'the other is under way');
    held[0]?.writeHead(200).end();
    expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 409]);
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

  test('201 for any number of endpoints, however many are added at once', async () => {
    const { url } = site.open();
    const adding = Array.from({ length: 30 }, () => call('POST', '/webhooks', { body: { url } }));
    const ids = (await Promise.all(adding)).map(({ status, body }) => [status, body.id]);
    const known = (await call('GET', '/webhooks')).body.webhooks.map(({ id }: { id: string }) => [201, id]);
    expect(ids.sort()).toEqual(known.sort());
    expect(new Set(ids.map(String)).size).toBe(30);
  });
});
