/** POST /hooks/{provider}: what providers tell is proven, kept, and dealt with once, in whatever order it comes. */
import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { ulid } from 'ulid';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '../../src/app/accounts.ts';
import { createChance, shuffle } from '../../src/sandbox/chance.ts';
import { keepIncoming, listParked, retryParked } from '../../src/store/inbox.ts';
import { listNotices } from '../../src/store/notices.ts';
import { switchProvider } from '../../src/store/providers.ts';
import { listContradicted } from '../../src/store/transactions.ts';
import { eventually } from './patience.ts';
import { send } from './wire.ts';
import { type Instance, MERCURYO, MOONPAY, PROVIDERS, startWorld, TRANSAK, type World } from './world.ts';
import {
  deliver,
  type Hook,
  mercuryoHook,
  moonpayHook,
  STORIES,
  type Story,
  seconds,
  signMercuryo,
  signMoonpay,
  signTransak,
  transakHook,
  transakTokens,
} from './world-hooks.ts';
import {
  accountOf,
  bodyOf,
  eventsOf,
  expectWatched,
  order,
  reaches,
  rowOf,
  statusesOf,
  writeOrder,
} from './world-orders.ts';

let world: World;
let other: Instance;
let account: Account;

beforeAll(async () => {
  world = await startWorld({ QUOTE_DEADLINE_MS: '10000' }, { byHand: true, only: PROVIDERS });
  other = await world.startAnother();
  account = await accountOf(world);
  // The first checkout gets the service its token, the second one tells the other instance of it.
  for (const at of [world, other]) await order(world, bodyOf(TRANSAK), { at });
});
afterEach(async () => {
  await expectWatched(world);
});
afterAll(async () => {
  await other?.close();
  await world?.close();
});

interface InboxRow {
  id: string;
  state: string;
  reason: string;
  attempts: number;
}

/** Everything in the inbox since a moment. */
async function inboxAfter(id: string): Promise<InboxRow[]> {
  const { rows } = await sql<InboxRow>`
    select id, state, reason, attempts from inbox where id > ${id} order by id`.execute(world.database);
  return rows;
}

async function lastOfInbox(): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select coalesce(max(id), 0)::text as id from inbox`.execute(world.database);
  return rows[0]?.id ?? '0';
}

/** Waits until nothing that came after this is left to be dealt with. */
async function dealtWith(after: string): Promise<InboxRow[]> {
  await eventually(async () => {
    const rows = await inboxAfter(after);
    return rows.every(({ state, attempts }) => state !== 'due' || attempts > 0);
  }, 'the inbox has been looked at');
  return inboxAfter(after);
}

async function counted(provider: string, outcome: string, at: Instance = world): Promise<number> {
  const { text } = await at.get('/metrics');
  const line = `cloverleaf_webhooks_in_total{provider="${provider}",outcome="${outcome}"} `;
  const found = text.split('\n').find(one => one.startsWith(line));
  return Number(found?.slice(line.length) ?? 0);
}

async function tell(provider: string, reference: string): Promise<Story> {
  const { secret } = await transakTokens(world);
  const story = STORIES[provider]?.(reference, secret);
  if (!story) throw new Error(`there is no story of ${provider}`);
  return story;
}

/** The end of a story, as the transaction has it. */
async function endOf(id: string) {
  const { status, theirs, hash, paid, received, contradicted } = await rowOf(world, id);
  return { status, theirs, hash, paid, received, contradicted };
}

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

describe('forged', () => {
  async function expectRefused(forgeries: Record<string, Hook>): Promise<void> {
    const mark = await lastOfInbox();
    for (const [what, hook] of Object.entries(forgeries)) {
      const before = await counted(hook.provider, 'refused');
      const reply = await deliver(world, hook);
      expect([what, reply.status, reply.body?.field]).toEqual([what, 401, 'signature']);
      expect([what, await counted(hook.provider, 'refused')]).toEqual([what, before + 1]);
    }
    expect(await inboxAfter(mark)).toEqual([]);
  }

  const flip = (text: string, at: number) => {
    const bytes = Buffer.from(text);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes;
  };

  test('401 for MoonPay’s with anything about it that is not signed so', async () => {
    const id = await writeOrder(world, account);
    const body = JSON.stringify({
      type: 'transaction_updated',
      data: { id: 'x', status: 'completed', externalTransactionId: id },
    });
    const good = signMoonpay(body);
    const signature = good.headers['moonpay-signature-v2'] ?? '';
    const as = (text: string): Hook => ({ ...good, headers: { 'moonpay-signature-v2': text } });
    await expectRefused({
      'no signature': { ...good, headers: {} },
      'the other header': { ...good, headers: { 'moonpay-signature': signature } },
      'another key': signMoonpay(body, { key: 'wk_test_other' }),
      'Mercuryo’s key': signMoonpay(body, { key: 'standin-mercuryo-sign-key' }),
      'no key': signMoonpay(body, { key: '' }),
      'cut short': as(signature.slice(0, -1)),
      'a digit more': as(`${signature}0`),
      'in capitals': as(signature.toUpperCase()),
      'another second': as(signature.replace(/t=\d/, 't=2')),
      'two signatures': as(`${signature},s=${'0'.repeat(64)}`),
      'a list of them': as(`${signature},${`s=${'0'.repeat(64)},`.repeat(60)}`),
      'the body but for one bit': { ...good, body: flip(body, 40) },
      'a body that is no text': { ...good, body: Buffer.from([0xff, 0xfe, 0x00]) },
      'a longer body': { ...good, body: `${body} ` },
      'no body': { ...good, body: '' },
    });
    await expectRefused({ 'Mercuryo’s to MoonPay': { ...signMercuryo(body), provider: MOONPAY } });
    expect(await statusesOf(world, id)).toEqual(['new']);
    expect((await deliver(world, good)).status).toBe(200);
    await reaches(world, id, 'completed');
  });

  test('200 and 401 by the second that is signed: 300 either way, and in no other form', async () => {
    const now = seconds();
    const table: [string, number][] = [
      [String(now), 200],
      [String(now - 290), 200],
      [String(now + 290), 200],
      [String(now - 310), 401],
      [String(now + 310), 401],
      [String(now - 29 * 86_400), 401],
      [String(now * 1_000), 401],
      [`-${now}`, 401],
      [`${now}.0`, 401],
      [`+${now}`, 401],
      [`0x${now.toString(16)}`, 401],
      ['', 401],
      [' ', 401],
      ['0', 401],
      ['NaN', 401],
      [`${now},t=${now}`, 401],
    ];
    const seen = [];
    for (const [t] of table) {
      const body = JSON.stringify({ type: 'other', at: randomUUID() });
      seen.push([t, (await deliver(world, signMoonpay(body, { t }))).status]);
    }
    expect(seen).toEqual(table);
  });

  test('401 for Mercuryo’s and Transak’s with anything about it that is not signed so', async () => {
    const { secret } = await transakTokens(world);
    const mercuryo = mercuryoHook({ id: '0ab', type: 'buy', status: 'paid' });
    const claims = { webhookData: { id: 'x', status: 'COMPLETED' }, eventID: 'ORDER_COMPLETED' };
    const transak = signTransak(claims, secret);
    const jwt = (JSON.parse(String(transak.body)) as { data: string }).data;
    const with_ = (data: unknown): Hook => ({ ...transak, body: JSON.stringify({ data }) });
    const [header = '', payload = '', signature = ''] = jwt.split('.');
    const swapped = Buffer.from(JSON.stringify({ ...claims, eventID: 'ORDER_FAILED' })).toString('base64url');
    await expectRefused({
      'no signature': { ...mercuryo, headers: {} },
      'another key': signMercuryo(mercuryo.body, 'other'),
      'one bit': { ...mercuryo, body: flip(String(mercuryo.body), 60) },
      'blanks put into a word': { ...mercuryo, body: String(mercuryo.body).replace('paid', 'completed') },
      'in capitals': {
        ...mercuryo,
        headers: { 'x-signature': mercuryo.headers['x-signature']?.toUpperCase() ?? '' },
      },
      'another token': signTransak(claims, 'other'),
      'the API secret': signTransak(claims, 'transak-sandbox-secret'),
      'an empty token': signTransak(claims, ''),
      'another algorithm': signTransak(claims, secret, { alg: 'HS512' }),
      'no algorithm': signTransak(claims, secret, { alg: 'none' }),
      'more to be understood': signTransak(claims, secret, { alg: 'HS256', crit: ['exp'] }),
      unsigned: with_(`${header}.${payload}.`),
      'another payload': with_(`${header}.${swapped}.${signature}`),
      'no token at all': with_('x'),
      'a number': with_(7),
      'a list': with_([jwt]),
      'not JSON': { ...transak, body: jwt },
    });
  });

  test('404 for a provider there is not, whatever is sent', async () => {
    const mark = await lastOfInbox();
    for (const name of ['nobody', 'MoonPay', '__proto__', 'constructor', 'a'.repeat(40)]) {
      const reply = await world.post(`/hooks/${name}`, '{}', { 'content-type': 'application/json' });
      expect([name, [400, 404].includes(reply.status)]).toEqual([name, true]);
    }
    expect((await world.post('/hooks/nobody', '{}')).status).toBe(404);
    expect(await inboxAfter(mark)).toEqual([]);
  });

  test('405 for anything but POST, with what is allowed', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const response = await fetch(`${world.url}/hooks/moonpay`, { method });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
  });

  test('413 for a body beyond 256 KiB, signed or not', async () => {
    const mark = await lastOfInbox();
    const large = JSON.stringify({ type: 'other', text: 'x'.repeat(256 * 1_024) });
    for (const hook of [signMoonpay(large), { ...signMoonpay(large), headers: {} }]) {
      const reply = await deliver(world, hook);
      expect([reply.status, reply.body?.errorCode]).toEqual([413, 413]);
    }
    expect(await inboxAfter(mark)).toEqual([]);
    const justFits = signMoonpay(large.slice(0, 256 * 1_024 - 2).concat('"}'));
    expect((await deliver(world, justFits)).status).toBe(200);
  });
});

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
    expect(await retryParked(world.database, [row?.id ?? ''])).toBe(1);
    await reaches(world, id, 'pending');
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

describe('Transak’s token', () => {
  const asked = () => world.gate.calls(TRANSAK).filter(({ path }) => path.includes('refresh-token')).length;

  /** Somebody else gets a new one, as another deployment with the same credentials would: ours is void. */
  async function voidToken(): Promise<void> {
    const response = await fetch(`${world.sandbox.url}/transak/api/partners/api/v2/refresh-token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'api-secret': 'transak-sandbox-secret' },
      body: JSON.stringify({ apiKey: '00000000-0000-4000-8000-7472616e7361' }),
    });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  }

  test('200 with the token before the present one, at both instances, and 401 with the one before that', async () => {
    const first = (await transakTokens(world)).secret;
    await order(world, bodyOf(TRANSAK), { at: other });
    await voidToken();
    const before = asked();
    await order(world, bodyOf(TRANSAK), { at: other });
    expect(asked()).toBe(before + 1);
    const { secret: second, previous } = await transakTokens(world);
    expect([previous, second === first]).toEqual([first, false]);
    // The first instance has not heard of the new token yet.
    for (const at of [world, other]) {
      for (const token of [first, second]) {
        const id = await writeOrder(world, account, { provider: TRANSAK });
        const theirs = randomUUID();
        const hook = transakHook({ id: theirs, status: 'PROCESSING', partnerOrderId: id }, token);
        await eventually(async () => (await deliver(at, hook)).status === 200, 'it is proven');
        await reaches(world, id, 'pending');
      }
    }
    // It goes on with the one the other got, without asking for another.
    await order(world, bodyOf(TRANSAK));
    expect(asked()).toBe(before + 1);
    await voidToken();
    await order(world, bodyOf(TRANSAK));
    const { secret: third } = await transakTokens(world);
    const hook = (token: string) => transakHook({ id: randomUUID(), status: 'PROCESSING' }, token, 'KYC');
    expect((await deliver(world, hook(third))).status).toBe(200);
    expect((await deliver(world, hook(second))).status).toBe(200);
    expect((await deliver(world, hook(first))).status).toBe(401);
  });

  test('200 at an instance that has never asked for one', async () => {
    const { secret } = await transakTokens(world);
    const fresh = await world.startAnother();
    try {
      const hook = transakHook({ id: randomUUID(), status: 'PROCESSING' }, secret, 'KYC');
      expect((await deliver(fresh, hook)).status).toBe(200);
    } finally {
      await fresh.close();
    }
  });

  test('one is asked for by two instances that need it at once', async () => {
    for (const at of [world, other]) await order(world, bodyOf(TRANSAK), { at });
    await voidToken();
    const before = asked();
    await Promise.all([world, other, world, other].map(at => order(world, bodyOf(TRANSAK), { at })));
    expect(asked()).toBe(before + 1);
  });

  test('200 for several at once, the first that an instance gets after a change of token', async () => {
    const fresh = await world.startAnother();
    try {
      const { secret } = await transakTokens(world);
      const hooks = Array.from({ length: 8 }, () =>
        transakHook({ id: randomUUID(), status: 'PROCESSING' }, secret, 'KYC'),
      );
      const replies = await Promise.all(hooks.map(hook => deliver(fresh, hook)));
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    } finally {
      await fresh.close();
    }
  });

  test('200 for a checkout at an instance that is two tokens behind', async () => {
    const behind = await world.startAnother();
    try {
      await order(world, bodyOf(TRANSAK), { at: behind });
      await voidToken();
      await order(world, bodyOf(TRANSAK));
      await voidToken();
      await order(world, bodyOf(TRANSAK), { at: behind });
    } finally {
      await behind.close();
    }
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
