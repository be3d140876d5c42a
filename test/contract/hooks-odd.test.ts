/** Webhooks that are proven and odd: they name no transaction, contradict another, cannot be read, or cannot be dealt with. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { listParked, retryParked } from '../../src/store/inbox.ts';
import { listNotices } from '../../src/store/notices.ts';
import { listContradicted } from '../../src/store/transactions.ts';
import { account, counted, dealtWith, endOf, inboxAfter, lastOfInbox, setInbox, tell } from './inbox.ts';
import { other, world } from './pair.ts';
import { eventually } from './patience.ts';
import { MOONPAY, PROVIDERS, TRANSAK } from './world.ts';
import {
  deliver,
  type Hook,
  mercuryoHook,
  moonpayHook,
  signMercuryo,
  signMoonpay,
  signTransak,
  transakHook,
  transakTokens,
} from './world-hooks.ts';
import { bodyOf, eventsOf, order, reaches, rowOf, statusesOf, WALLET, writeOrder } from './world-orders.ts';

setInbox();

describe('what names no transaction', () => {
  const soon = () => sql`update inbox set due_at = now() where state = 'due'`.execute(world.database);

  for (const provider of PROVIDERS) {
    test(`200 for one of ${provider} that comes before its checkout, and is applied when that is there`, async () => {
      const id = ulid();
      const story = await tell(provider, id);
      const mark = await lastOfInbox();
      for (const hook of story.hooks) expect((await deliver(world, hook)).status).toBe(200);
      const rows = await dealtWith(mark);
      expect(rows.map(({ state }) => state)).toEqual(story.hooks.map(() => 'due'));
      await writeOrder(world, account, { id, provider });
      await soon();
      await reaches(world, id, 'completed');
      expect(await endOf(id)).toEqual({ ...story.end, contradicted: false });
      expect((await inboxAfter(mark)).map(({ state }) => state)).toEqual(story.hooks.map(() => 'done'));
    });
  }

  test.each([
    ['another wallet', { walletAddress: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' }],
    ['another coin', { currency: { code: 'doge' } }],
  ])('200 for coins under our name that went to %s: the order is not paid by them', async (_where, more) => {
    const made = await order(world, bodyOf(MOONPAY));
    const mark = await lastOfInbox();
    const theirs = { status: 'completed', externalTransactionId: made.id };
    await deliver(world, moonpayHook({ ...theirs, id: randomUUID(), ...more }));
    expect(await dealtWith(mark)).toMatchObject([
      { state: 'due', reason: `it tells of another wallet or coin than ${made.id}` },
    ]);
    expect((await rowOf(world, made.id)).status).toBe('new');
    const ours = { walletAddress: WALLET.toUpperCase(), currency: { code: 'BTC' } };
    await deliver(world, moonpayHook({ ...theirs, id: randomUUID(), ...ours }));
    await reaches(world, made.id, 'completed');
  });

  test('200 for one that is nobody’s: tried for 24 hours, then parked and listed, and tried again when told to', async () => {
    const id = ulid();
    const mark = await lastOfInbox();
    const parked = await counted(MOONPAY, 'unknownOrder');
    await deliver(world, moonpayHook({ id: randomUUID(), status: 'pending', externalTransactionId: id }));
    const [row] = await dealtWith(mark);
    expect(row?.state).toBe('due');
    const back = (hours: number) =>
      sql`update inbox set received_at = now() - ${`${hours} hours`}::interval, due_at = now() where id > ${mark}`.execute(
        world.database,
      );
    await back(23.9);
    await eventually(async () => ((await inboxAfter(mark))[0]?.attempts ?? 0) > 1, 'it was tried again');
    expect((await inboxAfter(mark))[0]?.state).toBe('due');
    await back(24.1);
    await eventually(async () => (await inboxAfter(mark))[0]?.state === 'parked', 'it is parked');
    const [listed] = await listParked(world.database, 1);
    expect(listed).toMatchObject({
      id: row?.id,
      provider: 'moonpay',
      environment: 'test',
      reason: expect.stringMatching(/names no transaction/),
    });
    const both = (await counted(MOONPAY, 'unknownOrder')) + (await counted(MOONPAY, 'unknownOrder', other));
    expect(both).toBe(parked + 1);
    await writeOrder(world, account, { id });
    expect(await retryParked(world.database, [row?.id ?? ''])).toEqual([row?.id]);
    await reaches(world, id, 'pending');
  });

  test('200 at an instance whose clock is slow: it is not tried on and on', async () => {
    const real = Date.now;
    const slow = vi.spyOn(Date, 'now').mockImplementation(() => real() - 3_600_000);
    try {
      const mark = await lastOfInbox();
      await deliver(
        world,
        moonpayHook({ id: randomUUID(), status: 'pending', externalTransactionId: ulid() }),
      );
      await dealtWith(mark);
      const { rows } = await sql<{ later: boolean }>`
        select due_at > received_at + interval '500 milliseconds' as later from inbox where id > ${mark}`.execute(
        world.database,
      );
      expect(rows).toEqual([{ later: true }]);
    } finally {
      slow.mockRestore();
    }
  });

  test('200 for another provider’s transaction moves nothing', async () => {
    const id = await writeOrder(world, account, { provider: TRANSAK });
    const mark = await lastOfInbox();
    await deliver(world, moonpayHook({ id: randomUUID(), status: 'completed', externalTransactionId: id }));
    const [row] = await dealtWith(mark);
    expect(row?.state).toBe('due');
    expect(await statusesOf(world, id)).toEqual(['new']);
    await sql`delete from inbox where id > ${mark}`.execute(world.database);
  });

  test('200 finds a transaction by the provider’s own id alone', async () => {
    const id = await writeOrder(world, account);
    const theirs = randomUUID();
    const mark = await lastOfInbox();
    await deliver(world, moonpayHook({ id: theirs, status: 'pending', externalTransactionId: id }));
    await reaches(world, id, 'pending');
    await deliver(world, moonpayHook({ id: theirs, status: 'completed' }));
    await reaches(world, id, 'completed');
    expect((await dealtWith(mark)).map(({ state }) => state)).toEqual(['done', 'done']);
  });
});

describe('what cannot be', () => {
  const ends = ['failed', 'completed'];

  for (const told of [ends, [...ends].reverse()]) {
    test(`200 for ${told.join(', then ')}: both are kept, and a person is told to look`, async () => {
      const id = await writeOrder(world, account);
      const theirs = randomUUID();
      const mark = await lastOfInbox();
      for (const status of told) {
        await deliver(world, moonpayHook({ id: theirs, status, externalTransactionId: id }));
        await dealtWith(mark);
      }
      await eventually(async () => (await rowOf(world, id)).contradicted, 'it is noticed');
      expect((await endOf(id)).status).toBe('completed');
      expect((await listNotices(world.database, id)).map(({ status }) => status).sort()).toEqual([
        'completed',
        'failed',
      ]);
      expect((await listContradicted(world.database, 10)).map(one => one.id)).toContain(id);
      const logged = world.logged() + other.logged();
      const alarm = logged.split('\n').find(line => line.includes(id) && line.includes('"level":50'));
      expect(alarm).toBeDefined();
      const texts = await Promise.all([world, other].map(async at => (await at.get('/metrics')).text));
      expect(texts.join('\n')).toMatch(/^cloverleaf_contradictions_total\{provider="moonpay"\} [1-9]/m);
    });
  }

  test('200 for a second try after a first one failed contradicts nothing', async () => {
    const id = await writeOrder(world, account);
    await deliver(world, moonpayHook({ id: randomUUID(), status: 'failed', externalTransactionId: id }));
    await reaches(world, id, 'failed');
    await deliver(world, moonpayHook({ id: randomUUID(), status: 'completed', externalTransactionId: id }));
    await reaches(world, id, 'completed');
    expect((await rowOf(world, id)).contradicted).toBe(false);
    expect(await statusesOf(world, id)).toEqual(['new', 'failed', 'completed']);
  });

  test('200 for a second try that goes on where a first one failed: its status is told anew, with its own time', async () => {
    const id = await writeOrder(world, account);
    const say = (theirs: string, status: string) =>
      deliver(world, moonpayHook({ id: theirs, status, externalTransactionId: id }));
    await say('first', 'pending');
    await reaches(world, id, 'pending');
    await say('first', 'failed');
    await reaches(world, id, 'failed');
    await say('second', 'pending');
    await reaches(world, id, 'pending');
    const headers = { authorization: world.key, 'x-service-secret': world.account.secret };
    const { transactions } = (await world.get(`/transactions?transactionIds=${id}`, headers)).body;
    expect(transactions.map(({ status }: { status: string }) => status)).toEqual([
      'pending',
      'failed',
      'new',
    ]);
    const { body: present } = await world.get(`/transactions/${id}`, headers);
    expect(present).toEqual(transactions[0]);
    expect(present.onrampTransactionId).toBe('second');
    const since = await world.get(`/transactions?startDateTime=${transactions[0].statusDate}`, headers);
    expect(since.body.transactions).toContainEqual(present);
    expect(await eventsOf(world, id)).toEqual(['new', 'pending', 'failed', 'pending']);
    const { rows } = await sql<{ body: string }>`
      select body from events where transaction_id = ${id} order by sequence desc limit 1`.execute(
      world.database,
    );
    expect(JSON.parse(rows[0]?.body ?? '').statusDate).toBe(present.statusDate);
  });

  test('200 for an order that was left behind ends nothing while another one lives', async () => {
    const id = await writeOrder(world, account);
    const say = (theirs: string, status: string) =>
      deliver(world, moonpayHook({ id: theirs, status, externalTransactionId: id }));
    await say('live', 'pending');
    await reaches(world, id, 'pending');
    const mark = await lastOfInbox();
    await say('left', 'failed');
    await dealtWith(mark);
    expect(await endOf(id)).toMatchObject({ status: 'pending', theirs: 'live', contradicted: false });
    await say('live', 'completed');
    await reaches(world, id, 'completed');
    expect(await statusesOf(world, id)).toEqual(['new', 'pending', 'completed']);
  });

  test('200 for a status word nobody knows: nothing moves, and it is counted', async () => {
    const { secret } = await transakTokens(world);
    const hooks: Record<string, (id: string) => Hook> = {
      moonpay: id => moonpayHook({ id: 'm1', status: 'teleported', externalTransactionId: id }),
      transak: id => transakHook({ id: 't1', status: 'TELEPORTED', partnerOrderId: id }, secret),
      mercuryo: id =>
        mercuryoHook({ id: '0m1', type: 'buy', status: 'teleported', merchant_transaction_id: id }),
    };
    for (const provider of PROVIDERS) {
      const id = await writeOrder(world, account, { provider });
      const mark = await lastOfInbox();
      const both = async () =>
        (await counted(provider, 'unknownWord')) + (await counted(provider, 'unknownWord', other));
      const before = await both();
      expect((await deliver(world, hooks[provider]?.(id) as Hook)).status).toBe(200);
      expect((await dealtWith(mark)).map(({ state }) => state)).toEqual(['done']);
      expect([provider, await eventsOf(world, id), (await rowOf(world, id)).theirs]).toEqual([
        provider,
        ['new'],
        '',
      ]);
      expect([provider, await both()]).toEqual([provider, before + 1]);
    }
  });

  test('200 for what is proven and cannot be read: parked, and counted', async () => {
    const { secret } = await transakTokens(world);
    const unreadable: Record<string, Hook> = {
      'no JSON': signMoonpay('transaction_updated'),
      'no text': signMoonpay(Buffer.from([0xff, 0xfe, 0x80])),
      'no data': signMoonpay('{"type":"transaction_updated"}'),
      'no status': moonpayHook({ id: 'x' }),
      'a status of the wrong kind': moonpayHook({ id: 'x', status: { a: 1 } }),
      'an amount that is none': moonpayHook({ id: 'x', status: 'completed', baseCurrencyAmount: 'NaN' }),
      nothing: signMoonpay(''),
      'an empty callback': signMercuryo('{}'),
      'an order without an id': signTransak({ webhookData: {}, eventID: 'ORDER_CREATED' }, secret),
    };
    for (const [what, hook] of Object.entries(unreadable)) {
      const mark = await lastOfInbox();
      const both = async () =>
        (await counted(hook.provider, 'unreadable')) + (await counted(hook.provider, 'unreadable', other));
      const before = await both();
      expect([what, (await deliver(world, hook)).status]).toEqual([what, 200]);
      expect([what, await dealtWith(mark)]).toMatchObject([
        what,
        [{ state: 'parked', reason: expect.stringMatching(/^cannot be read/) }],
      ]);
      expect([what, await both()]).toEqual([what, before + 1]);
    }
  });

  test('200 for events that are about no order: nothing is kept, and nothing moves', async () => {
    const { secret } = await transakTokens(world);
    const mark = await lastOfInbox();
    const others = [
      moonpayHook({ id: 'c1', status: 'approved' }, 'identity_check_updated'),
      signTransak({ webhookData: { id: 'u1' }, eventID: 'KYC_APPROVED' }, secret),
    ];
    for (const hook of others) expect((await deliver(world, hook)).status).toBe(200);
    expect(await inboxAfter(mark)).toEqual([]);
  });

  describe('beyond all that was foreseen', () => {
    beforeAll(async () => {
      await sql`create function refuse() returns trigger language plpgsql as
        $$ begin if new.theirs = 'poison' then raise exception 'poisoned'; end if; return new; end $$`.execute(
        world.database,
      );
      await sql`create trigger poison before update on transactions for each row execute function refuse()`.execute(
        world.database,
      );
    });
    afterAll(() => sql`drop trigger if exists poison on transactions`.execute(world.database));

    let poisoned: string;
    let mark: string;

    test('200 at the next one after one that nobody could deal with', async () => {
      const id = await writeOrder(world, account);
      mark = await lastOfInbox();
      poisoned = await writeOrder(world, account);
      await deliver(world, moonpayHook({ id: 'poison', status: 'pending', externalTransactionId: poisoned }));
      await deliver(world, moonpayHook({ id: 'fine', status: 'pending', externalTransactionId: id }));
      await reaches(world, id, 'pending');
      await eventually(
        async () => (await inboxAfter(mark))[0]?.reason.includes('poisoned') === true,
        'it is put off, with the reason',
      );
      expect((await inboxAfter(mark))[0]?.state).toBe('due');
    });

    test('it is parked after a day like any other, for a person to see', async () => {
      await sql`update inbox set received_at = now() - interval '25 hours', due_at = now() where id > ${mark} and state = 'due'`.execute(
        world.database,
      );
      await eventually(
        async () => (await listParked(world.database, 1))[0]?.reason.includes('poisoned') === true,
        'it is listed',
        { longestMs: 5_000 },
      );
    });

    test('200 is kept until it can be dealt with', async () => {
      await sql`drop trigger poison on transactions`.execute(world.database);
      await sql`update inbox set due_at = now() where state = 'due'`.execute(world.database);
      await retryParked(world.database, 'all');
      await reaches(world, poisoned, 'pending');
    });
  });
});
