/** POST /hooks/{provider}: what providers tell is kept, and dealt with once, in whatever order it comes. */
import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import { createChance, shuffle } from '../../src/sandbox/chance.ts';
import { keepIncoming } from '../../src/store/inbox.ts';
import { listNotices } from '../../src/store/notices.ts';
import { switchProvider } from '../../src/store/providers.ts';
import { account, counted, dealtWith, endOf, inboxAfter, lastOfInbox, setInbox, tell } from './inbox.ts';
import { other, world } from './pair.ts';
import { eventually } from './patience.ts';
import { send } from './wire.ts';
import { MERCURYO, MOONPAY, PROVIDERS } from './world.ts';
import { deliver, moonpayHook, type Story, seconds, signMoonpay, transakTokens } from './world-hooks.ts';
import { bodyOf, eventsOf, order, reaches, statusesOf, writeOrder } from './world-orders.ts';

setInbox();

describe('told from first to last', () => {
  for (const provider of PROVIDERS) {
    test(`200 moves a transaction of ${provider}: one entry a status, and events that are numbered`, async () => {
      const { id } = await order(world, bodyOf(provider));
      const story = await tell(provider, id);
      const mark = await lastOfInbox();
      const kept = await counted(provider, 'kept');
      for (const hook of story.hooks) {
        const reply = await deliver(world, hook);
        expect([reply.status, reply.body]).toEqual([200, { received: true }]);
        expect(reply.headers.get('cache-control')).toBe('no-store');
        await dealtWith(mark);
      }
      await reaches(world, id, 'completed');
      expect(await statusesOf(world, id)).toEqual(story.statuses);
      const told = await eventsOf(world, id);
      expect([...new Set(told)]).toEqual(story.statuses);
      expect(await endOf(id)).toEqual({ ...story.end, contradicted: false });
      expect(await counted(provider, 'kept')).toBe(kept + story.hooks.length);
      expect((await inboxAfter(mark)).map(({ state }) => state)).toEqual(story.hooks.map(() => 'done'));
      const { rows } = await sql`
        select from inbox where id > ${mark} and (body is not null or headers <> '')`.execute(world.database);
      expect(rows.length).toBe(0);

      const record = await world.get(`/transactions/${id}`, {
        authorization: world.key,
        'x-service-secret': world.account.secret,
      });
      expect(record.body).toMatchObject({
        status: 'completed',
        onramp: provider,
        onrampTransactionId: story.end.theirs,
        transactionHash: story.end.hash,
        inAmount: Number(story.end.paid),
        outAmount: Number(story.end.received),
      });
    });
  }

  test('200 for a body under any content type, or none', async () => {
    const types = [
      'text/plain',
      'application/json; charset=utf-8',
      'application/octet-stream',
      'application/x-ours',
    ];
    for (const type of types) {
      const { provider, headers, body } = moonpayHook({ id: randomUUID(), status: 'pending' }, 'customer_x');
      const reply = await world.post(`/hooks/${provider}`, body, { ...headers, 'content-type': type });
      expect([type, reply.status]).toEqual([type, 200]);
    }
    const { headers, body } = moonpayHook({ id: randomUUID(), status: 'pending' }, 'customer_y');
    const lines = [
      'POST /hooks/moonpay HTTP/1.1',
      'Host: a',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    const bare = await send(world.url, `${lines.join('\r\n')}\r\n\r\n${body}`);
    expect(bare.status).toBe(200);
  });
});

describe('again and in any order', () => {
  for (const provider of PROVIDERS) {
    test(`200 has no effect for what ${provider} has told before`, async () => {
      const id = await writeOrder(world, account, { provider });
      const story = await tell(provider, id);
      const mark = await lastOfInbox();
      for (const hook of story.hooks) {
        expect((await deliver(world, hook)).status).toBe(200);
        await dealtWith(mark);
      }
      await reaches(world, id, 'completed');
      const before = [await endOf(id), await statusesOf(world, id), await eventsOf(world, id)];
      const again = story.hooks.flatMap(hook => [deliver(world, hook), deliver(other, hook)]);
      expect(new Set((await Promise.all(again)).map(({ status }) => status))).toEqual(new Set([200]));
      expect((await dealtWith(mark)).length).toBe(story.hooks.length);
      expect([await endOf(id), await statusesOf(world, id), await eventsOf(world, id)]).toEqual(before);
    });
  }

  test('200 has no effect for the same under a new signature, or in other words', async () => {
    const id = await writeOrder(world, account);
    const data = {
      id: randomUUID(),
      status: 'pending',
      externalTransactionId: id,
      updatedAt: '2026-01-01T00:00:00Z',
    };
    const body = JSON.stringify({ type: 'transaction_updated', data });
    const mark = await lastOfInbox();
    await deliver(world, signMoonpay(body));
    await reaches(world, id, 'pending');
    const before = await eventsOf(world, id);
    for (const said of [body, JSON.stringify({ data, type: 'transaction_updated' }), ` ${body}\n`]) {
      expect((await deliver(world, signMoonpay(said, { t: String(seconds() - 9) }))).status).toBe(200);
    }
    await dealtWith(mark);
    expect(await eventsOf(world, id)).toEqual(before);
    expect((await listNotices(world.database, id)).length).toBe(1);
  });

  test('200 tells nobody of a sale whose deposit has a tag, and was sent, when the same is told once more', async () => {
    const id = await writeOrder(world, account, { side: 'sell', source: 'btc', target: 'eur' });
    const told = { id: randomUUID(), externalTransactionId: id, baseCurrencyAmount: 25 };
    const depositWallet = { walletAddress: 'rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh', walletAddressTag: '104837' };
    const mark = await lastOfInbox();
    for (const [at, status] of ['waitingForDeposit', 'waitingForDeposit', 'pending', 'pending'].entries()) {
      const data = { ...told, status, depositWallet, updatedAt: `2026-01-01T00:00:0${at}Z` };
      expect((await deliver(world, moonpayHook(data, 'sell_transaction_updated'))).status).toBe(200);
      await dealtWith(mark);
    }
    expect((await listNotices(world.database, id)).length).toBe(4);
    expect(await eventsOf(world, id)).toEqual(['new', 'new', 'pending']);
  });

  for (const provider of PROVIDERS) {
    test(`200 ends the same for ${provider}, whatever the order and however often, over two instances`, async () => {
      for (let seed = 1; seed <= 6; seed++) {
        const chance = createChance(seed);
        const id = await writeOrder(world, account, { provider });
        const story = await tell(provider, id);
        const mark = await lastOfInbox();
        const sent = shuffle(
          story.hooks.flatMap(hook => Array.from({ length: 1 + chance(3) }, () => hook)),
          chance,
        );
        const inTurn = chance(2) === 0;
        const sending = [];
        for (const hook of sent) {
          const reply = deliver(chance(2) ? world : other, hook);
          if (inTurn) await reply;
          sending.push(reply);
        }
        const statuses = (await Promise.all(sending)).map(({ status }) => status);
        expect([seed, new Set(statuses)]).toEqual([seed, new Set([200])]);
        await dealtWith(mark);
        await reaches(world, id, 'completed');
        expect([seed, await endOf(id)]).toEqual([seed, { ...story.end, contradicted: false }]);
        const reached = await statusesOf(world, id);
        // Never backwards: what comes late is noted, and that is all.
        expect([seed, reached]).toEqual([seed, story.statuses.filter(status => reached.includes(status))]);
        expect([seed, reached[0], reached.at(-1)]).toEqual([seed, 'new', 'completed']);
        await eventsOf(world, id);
        expect([seed, (await inboxAfter(mark)).length]).toEqual([seed, story.hooks.length]);
      }
    });
  }

  test('200 for 60 transactions told up to three times each, shuffled, 16 at a time, over two instances', async () => {
    const chance = createChance(60);
    const mark = await lastOfInbox();
    const stories: { id: string; story: Story }[] = [];
    for (let at = 0; at < 60; at++) {
      const provider = PROVIDERS[at % 3] ?? MOONPAY;
      const id = await writeOrder(world, account, { provider });
      stories.push({ id, story: await tell(provider, id) });
    }
    const hooks = stories.flatMap(({ story }) =>
      story.hooks.flatMap(hook => Array.from({ length: 1 + chance(3) }, () => hook)),
    );
    const left = shuffle(hooks, chance);
    const statuses = new Set<number>();
    const sender = async () => {
      for (let hook = left.pop(); hook; hook = left.pop())
        statuses.add((await deliver(chance(2) ? world : other, hook)).status);
    };
    await Promise.all(Array.from({ length: 16 }, sender));
    expect([...statuses]).toEqual([200]);
    await eventually(
      async () => (await inboxAfter(mark)).every(({ state }) => state === 'done'),
      'all of it is done',
    );
    for (const { id, story } of stories) {
      expect([id, await endOf(id)]).toEqual([id, { ...story.end, contradicted: false }]);
      await statusesOf(world, id);
      await eventsOf(world, id);
    }
    expect((await inboxAfter(mark)).length).toBe(stories.flatMap(({ story }) => story.hooks).length);
  });
});

test('200 is said when it is kept, not when it is dealt with', async () => {
  const id = await writeOrder(world, account);
  const mark = await lastOfInbox();
  await world.database.transaction().execute(async trx => {
    // Whoever wants to deal with it has to wait for us.
    await sql`select from transactions where id = ${id} for update`.execute(trx);
    const reply = await deliver(
      world,
      moonpayHook({ id: 'a', status: 'pending', externalTransactionId: id }),
    );
    expect(reply.status).toBe(200);
    expect((await inboxAfter(mark)).length).toBe(1);
    expect(await statusesOf(world, id)).toEqual(['new']);
  });
  await reaches(world, id, 'pending');
});

test('200 for 200 at once, each of them kept', async () => {
  const mark = await lastOfInbox();
  const hooks = Array.from({ length: 200 }, (_, at) =>
    moonpayHook({ id: `n${at}`, status: 'pending', externalTransactionId: ulid() }),
  );
  const replies = await Promise.all(hooks.map(hook => deliver(world, hook)));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await inboxAfter(mark)).length).toBe(200);
  await sql`delete from inbox where id > ${mark}`.execute(world.database);
});

test('none is lost when two instances get the same ones at once, in opposite order', async () => {
  for (let round = 0; round < 40; round++) {
    const incoming = Array.from({ length: 100 }, (_, at) => ({
      provider: MOONPAY,
      environment: 'test' as const,
      digest: createHash('sha256').update(`round ${round} ${at}`).digest(),
      headers: '{"headers":{},"search":""}',
      body: Buffer.from('{"type":"other"}'),
    }));
    const kept = [
      keepIncoming(world.database, incoming),
      keepIncoming(other.database, incoming.toReversed()),
    ];
    for (const outcome of await Promise.allSettled(kept))
      expect([round, outcome]).toEqual([round, { status: 'fulfilled' }]);
  }
});

describe('a provider that was disabled', () => {
  test('is still heard about the orders that were made while it was not', async () => {
    const made = await order(world, bodyOf(MERCURYO));
    const story = await tell(MERCURYO, made.id);
    await switchProvider(world.database, MERCURYO, false);
    try {
      await eventually(
        async () => (await world.get('/quotes/eur/btc?amount=77&country=de&errors=all')).body.length === 2,
        'the switch is seen',
      );
      for (const hook of story.hooks) expect((await deliver(world, hook)).status).toBe(200);
      await reaches(world, made.id, 'completed');
    } finally {
      await switchProvider(world.database, MERCURYO, true);
    }
  });
});

test('nothing a provider sent is in the log', async () => {
  const logged = world.logged() + other.logged();
  const { secret } = await transakTokens(world);
  for (const canary of [secret, 'wk_test_cloverleaf', account.publicKey, 'd0d0d0d0d0d0'])
    expect([canary, logged.includes(canary)]).toEqual([canary, false]);
});
