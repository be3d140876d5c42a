/** Webhooks out: every event arrives, signed, once where all goes well, and no endpoint holds up another. */
import { createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { type DeliveryOutcome, startDispatch } from '../../src/app/dispatch.ts';
import { openDatabase } from '../../src/store/database.ts';
import { claimDeliveries } from '../../src/store/deliveries.ts';
import { clearEndpoint } from '../../src/store/endpoints.ts';
import { type NewEvent, writeEvents } from '../../src/store/events.ts';
import {
  type Behaviour,
  database,
  databaseUrl,
  dispatch,
  endpoints,
  eventsOf,
  first,
  type Got,
  hurry,
  idsOf,
  listen,
  newCourier,
  newShop,
  now,
  rowsOf,
  seal,
  setOutbox,
  site,
  stateOf,
  tell,
} from './outbox.ts';
import { eventually } from './patience.ts';

setOutbox();

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

  test('waits for the one before it, also when its change was begun earlier and held up', async () => {
    const account = await newShop('held up');
    await listen(site.open(), account);
    const [one, two] = eventsOf(account, 2) as [NewEvent, NewEvent];
    await database.transaction().execute(async trx => {
      await sql`select now()`.execute(trx);
      await writeEvents(database, [one]);
      await writeEvents(trx, [two]);
    });
    const wish = { most: 9, leaseMs: 20_000, rooms: new Map(), otherwise: 9 };
    const claimed = (await claimDeliveries(database, wish)).filter(({ eventId }) =>
      [one.id, two.id].includes(eventId),
    );
    expect(claimed.map(({ sequence }) => sequence)).toEqual([1]);
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
      [response => response.destroy(), null, 'connection closed before an answer'],
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
    await eventually(() => clearEndpoint(database, id), 'what is left is given up');
    expect(await stateOf(id)).toBe('dead');
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
    // What has arrived is marked a moment later.
    await eventually(async () => (await stateOf(id)) === 'delivered', 'all of it arrives after all');
    expect(receiver.got.length).toBe(6);
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
    const states = async () => (await rowsOf(id)).map(({ state }) => state).join();
    await eventually(async () => (await states()) === 'due,delivered,delivered', 'the others are told');
    expect(receiver.got.length).toBe(3);
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
    await eventually(() => open === 0, 'all of it is answered');

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
  test('ends soon though an endpoint hangs, and leaves its delivery due at once, with all its attempts', async () => {
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
    expect(row).toMatchObject({ state: 'due', leased_until: null, attempts: 0 });
    expect(row?.due_at.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
    receiver.answer(200);
    await dispatch().wake();
    expect(await stateOf(id)).toBe('delivered');
  });
});
