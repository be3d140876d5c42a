/** Erasing by command: nothing that tells of people is left of orders that have ended, and all that is read goes on. */
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { allow, findAccount } from '../../src/app/accounts.ts';
import { replayDeliveries } from '../../src/store/deliveries.ts';
import { addNotices } from '../../src/store/notices.ts';
import { type Answers, readAnswers } from './answers.ts';
import { DAY_MS, endedOrder, everything, holdBack, isErased, newShop, run } from './erasures.ts';
import { setAlone, world } from './pair.ts';
import { untilAwaited } from './patience.ts';
import { keyed } from './till.ts';
import { MOONPAY, PROVIDERS } from './world.ts';
import { deliver, moonpayHook, STORIES } from './world-hooks.ts';
import {
  bodyOf,
  eventsOf,
  intend,
  openPage,
  order,
  reaches,
  rowOf,
  statusesOf,
  writeOrder,
} from './world-orders.ts';
import { introduce, press, visit } from './world-person.ts';

setAlone(PROVIDERS);

let answers: Answers;
beforeAll(async () => {
  answers = await readAnswers(world.get);
});

const RIPPLE = 'rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh';
const PERSON = {
  memo: '4071832265',
  uuid: '5ee1f0aa-7d0c-4f0e-9b52-0d6c3d1f7a11',
  partnerContext: 'customer-88213',
  host: 'very-own.example',
};
const BODY = bodyOf(MOONPAY, 'buy', {
  destination: 'xrp',
  wallet: { address: RIPPLE, memo: PERSON.memo },
  uuid: PERSON.uuid,
  partnerContext: PERSON.partnerContext,
  originatingHost: PERSON.host,
  supportedParams: { partnerData: { redirectUrl: { success: `https://${PERSON.host}/thanks?for=me` } } },
});
const BANK = {
  account: {
    ...{ iban: 'DE02120300000000202051', bic: 'BYLADEM1001', bankName: 'a bank' },
    ...{ bankAddress: 'a street', accountName: 'a provider', accountAddress: 'another street' },
  },
  reference: 'REF-77120',
  hint: 'soon',
};

/** An order with all that tells of a person, completed by its provider's webhooks. */
async function purchase(by: string, headers = {}) {
  await allow(world.database, by, { origins: [], redirectHosts: [PERSON.host] });
  await world.look();
  const made = await order(world, BODY, { by, headers });
  const story = (STORIES.moonpay as (typeof STORIES)[string])(made.id, '');
  for (const hook of story.hooks) await deliver(world, hook);
  await reaches(world, made.id, 'completed');
  return { ...made, story };
}

describe('erasing', () => {
  test('leaves no trace of wallet, memo, context, uuid, hosts, hash, deposit and bank in any table, and keeps the books', async () => {
    const { publicKey: by } = await newShop();
    const bought = await purchase(by, keyed('a purchase that is erased'));
    const sold = await order(world, bodyOf(MOONPAY, 'sell'), { by });
    await press(await introduce(await visit(await openPage(world, sold))), 'deposit');
    for (let step = 0; step < 4; step++) {
      world.pass(800);
      await wait(50);
    }
    await reaches(world, sold.id, 'completed');
    const { deposit, hash } = await rowOf(world, sold.id);
    const { address } = deposit as { address: string };
    // What this provider does not have of an order.
    await sql`
      update transactions set bank = ${JSON.stringify(BANK)}, page = 'a sealed page', access = 'what opens it',
        around = 'https://around.example' where id = ${bought.id}`.execute(world.database);
    await addNotices(
      world.database,
      [{ transactionId: bought.id, said: { status: 'new', at: 1, bank: BANK } }],
      new Date(),
    );
    await sql`insert into flows (transaction_id, turn, step, answers, embedder, around, created_at, expires_at)
      values (${bought.id}, 1, 'a sealed step', 'sealed answers', 'https://embedder.example',
        'https://around.example', now(), now() + interval '1 hour')`.execute(world.database);
    await sql`insert into events (id, account_id, transaction_id, sequence, body, created_at)
      select id || '-transaction_completed', account_id, id, sequence, 'the earlier event', now()
      from transactions where id = ${bought.id}`.execute(world.database);
    const telling = [
      ...[RIPPLE, ...Object.values(PERSON), bought.story.end.hash, address, hash],
      ...[BANK.account.iban, BANK.reference, 'a sealed page', 'what opens it', 'around.example'],
      ...['a sealed step', 'sealed answers', 'embedder.example', 'the earlier event'],
    ];
    const before = await everything();
    for (const text of telling) expect(before).toContain(text);
    const kept = await rowOf(world, bought.id);

    expect(await run('account', 'erase', by)).toBe('erased 2 transactions');
    const after = (await everything()).replaceAll(`{${PERSON.host}}`, 'the shop’s own setting');
    for (const text of telling) {
      expect(after).not.toContain(text);
      expect(after).not.toContain(Buffer.from(text).toString('hex'));
    }
    const books = [
      'theirs',
      'amount',
      'paid',
      'received',
      'country',
      'method',
      'status',
      'status_at',
    ] as const;
    const row = await rowOf(world, bought.id);
    for (const name of [...books, 'reason', 'sequence', 'sign_nonce', 'session_id'] as const)
      expect([name, row[name]]).toEqual([name, kept[name]]);
    expect(await statusesOf(world, bought.id)).toEqual(bought.story.statuses);
  });

  test('leaves what is unfinished, what is still to be delivered and what is another’s, and says so; later runs do the rest, once', async () => {
    const [account, stranger] = [await newShop(), await newShop()];
    const ended = await Promise.all(
      ['completed', 'failed', 'canceled', 'expired', 'refunded'].map(status =>
        endedOrder(account, 1, status),
      ),
    );
    const unfinished = await Promise.all(
      ['new', 'pending', 'paid'].map(status => writeOrder(world, account, { status })),
    );
    const held = await endedOrder(account);
    const release = await holdBack(account, held);
    const others = await endedOrder(stranger, 1);

    expect(await run('account', 'erase', account.publicKey)).toBe(
      'erased 5 transactions; 4 left: 3 unfinished, 1 with webhooks not yet delivered',
    );
    for (const id of ended) expect(await isErased(id)).toBe(true);
    for (const id of [...unfinished, held, others]) expect(await isErased(id)).toBe(false);
    expect(await eventsOf(world, held)).toEqual(['new']);
    const again = await run('account', 'erase', account.publicKey, '--json');
    expect(JSON.parse(again)).toEqual({ erased: 0, unfinished: 3, undelivered: 1 });
    await release();
    expect(await run('account', 'erase', account.publicKey)).toBe(
      'erased 1 transaction; 3 left: 3 unfinished',
    );
    expect([await isErased(held), await isErased(others)]).toEqual([true, false]);
    const { rows } = await sql`select from deliveries where endpoint_id = ${held}`.execute(world.database);
    expect(rows).toEqual([]);
  });

  test('goes back as far as --before says, or to --transaction alone', async () => {
    const account = await newShop();
    const [older, old, young] = [
      await endedOrder(account, 20),
      await endedOrder(account, 10),
      await endedOrder(account, 1),
    ];
    const day = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
    const erase = (...words: string[]) => run('account', 'erase', account.publicKey, ...words);
    expect(await erase('--before', day(15).slice(0, 10))).toBe('erased 1 transaction');
    expect(await Promise.all([older, old, young].map(isErased))).toEqual([true, false, false]);
    expect(await erase('--before', day(5), '--transaction', young)).toBe('erased 0 transactions');
    expect(await erase('--transaction', young)).toBe('erased 1 transaction');
    expect(await Promise.all([older, old, young].map(isErased))).toEqual([true, false, true]);
    const others = await endedOrder(await newShop());
    await expect(erase('--transaction', others)).rejects.toThrow(`has no transaction ${others}`);
    for (const text of ['yesterday', '2026-02-30', '2026-1-1', '12', '', '2026-01-01T10:00'])
      await expect(erase('--before', text)).rejects.toThrow('--before must be a date and time');
    await expect(run('account', 'erase', 'nobody')).rejects.toThrow('no account nobody');
    expect([await isErased(old), await isErased(others)]).toEqual([false, false]);
  });

  test('erases what was ordered without a key, as that of public', async () => {
    const account = await findAccount(world.database, 'public', { orPublic: true });
    const id = await endedOrder(account);
    // Of a version that still took the name.
    await world.newAccount({ name: 'public' });
    expect(await run('account', 'erase', 'public')).toBe('erased 1 transaction');
    expect(await isErased(id)).toBe(true);
  });

  test('gets through more than one piece, of orders made at one moment too', async () => {
    const account = await newShop();
    const id = await endedOrder(account, 1);
    for (const [table, changed] of [
      ['transactions', `jsonb_build_object('id', t.id || n, 'session_id', t.session_id || n)`],
      ['entries', `jsonb_build_object('transaction_id', t.transaction_id || n)`],
    ] as const) {
      await sql`
        insert into ${sql.table(table)} select (jsonb_populate_record(t, ${sql.raw(changed)})).*
        from ${sql.table(table)} t cross join generate_series(1, 1100) n
        where account_id = ${account.id}`.execute(world.database);
    }
    expect(await run('account', 'erase', account.publicKey)).toBe('erased 1101 transactions');
    expect(await isErased(`${id}1100`)).toBe(true);
  });

  test('waits for a replay, and leaves what that has made due', async () => {
    const account = await newShop();
    const id = await endedOrder(account);
    await (await holdBack(account, id))();
    await sql`update endpoints set disabled_at = null, url = 'https://127.0.0.1:1' where id = ${id}`.execute(
      world.database,
    );
    let erasing: Promise<string> | undefined;
    await world.database.transaction().execute(async trx => {
      const wish = { eventIds: [`${id}-1`] };
      expect(await replayDeliveries(trx, { id, accountId: account.id }, { wish, most: 10 })).toBe(1);
      await sql`update deliveries set due_at = now() + interval '1 hour' where endpoint_id = ${id}`.execute(
        trx,
      );
      erasing = run('account', 'erase', account.publicKey);
      await untilAwaited(trx, world.database, 'the command waits for the replay');
    });
    expect(await erasing).toBe('erased 0 transactions; 1 left: 1 with webhooks not yet delivered');
    expect(await eventsOf(world, id)).toEqual(['new']);
  });
});

describe('an order that was erased', () => {
  test('is read on both routes and by command, with nothing where people were', async () => {
    const shop = await world.newAccount();
    const { id, story } = await purchase(shop.publicKey);
    await run('account', 'erase', shop.publicKey);
    const headers = { authorization: shop.publicKey, 'x-service-secret': shop.secret };
    const nothing = { walletAddress: '', partnerContext: '', transactionHash: '' };
    const one = await world.get(`/transactions/${id}`, headers);
    expect([one.status, one.body]).toMatchObject([
      200,
      { transactionId: id, status: 'completed', ...nothing },
    ]);
    expect(one.body.onrampTransactionId).toBe(story.end.theirs);
    expect(answers.flaws('/transactions/{transactionId}', one)).toEqual([]);
    const all = await world.get('/transactions', headers);
    expect(all.body.transactions).toMatchObject(
      story.statuses.toReversed().map(status => ({ status, ...nothing })),
    );
    expect(answers.flaws('/transactions', all)).toEqual([]);
    const shown = JSON.parse(await run('transaction', 'show', id));
    expect(shown).toMatchObject({
      id,
      isErased: true,
      walletAddress: '',
      standing: { status: 'completed', hash: '' },
    });
  });

  test('has a page that tells how it ended, without an address, and does not start it over', async () => {
    const { publicKey: by } = await newShop();
    const done = await purchase(by);
    const undone = await order(world, bodyOf(MOONPAY), { by });
    await sql`
      update transactions set status = 'failed', visited_at = now() where id = ${undone.id}`.execute(
      world.database,
    );
    const again = /<form id="again"[^>]* hidden>/;
    expect((await world.get(undone.path)).text).not.toMatch(again);
    await run('account', 'erase', by);
    for (const { path, status } of [
      { ...done, status: 'completed' },
      { ...undone, status: 'failed' },
    ]) {
      const page = await world.get(path);
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(`data-status="${status}"`)]);
      expect(page.text).toMatch(again);
      for (const part of ['id="wallet"', 'id="memo"', 'id="back"']) expect(page.text).not.toContain(part);
    }
    for (const path of [`${undone.path}/again`, `${done.path}/open`]) {
      const { status, body } = await world.post(path, undefined, { origin: world.url });
      expect([path, status, body.field]).toEqual([path, 410, 'session']);
    }
  });

  test('is not copied into another for whoever starts over from one that was not erased', async () => {
    const { publicKey: by } = await newShop();
    const first = await order(world, bodyOf(MOONPAY), { by });
    const lapse = (id: string) =>
      sql`update transactions set status = 'expired' where id = ${id}`.execute(world.database);
    const again = () => world.post(`${first.path}/again`, undefined, { origin: world.url });
    await lapse(first.id);
    const path = new URL((await again()).body.url).pathname;
    const { body: second } = await world.get(`${path}/state`);
    await lapse(second.transactionId);
    await run('account', 'erase', by, '--transaction', second.transactionId);
    const { status, body } = await again();
    expect([status, body.field]).toEqual([410, 'session']);
  });

  test('is not made a second time under its key', async () => {
    const { publicKey: by, id: account } = await newShop();
    const headers = keyed('once and never again');
    await purchase(by, headers);
    await run('account', 'erase', by);
    const again = await intend(world, BODY, { by, headers });
    expect([again.status, again.body.field]).toEqual([410, 'session']);
    expect(answers.flaws('/checkout/intent', again, 'post')).toEqual([]);
    const { rows } = await sql`select from transactions where account_id = ${account}`.execute(
      world.database,
    );
    expect(rows).toHaveLength(1);
  });

  test('knows what was said before, hears what is new, and is erased once more', async () => {
    const { publicKey: by } = await newShop();
    const { id, story } = await purchase(by);
    await run('account', 'erase', by);
    const { sequence } = await rowOf(world, id);
    // Another envelope, so that it is read once more.
    await sql`delete from inbox`.execute(world.database);
    for (const hook of story.hooks) await deliver(world, hook);
    const late = moonpayHook({
      ...{ id: story.end.theirs, externalTransactionId: id, status: 'completed' },
      ...{ updatedAt: new Date().toISOString(), cryptoTransactionId: 'e1'.repeat(32) },
    });
    await deliver(world, late);
    await expect.poll(async () => (await rowOf(world, id)).hash, { timeout: 10_000 }).toBe('e1'.repeat(32));
    const { rows: inbox } = await sql`select state, reason from inbox`.execute(world.database);
    expect(new Set(inbox.map(row => JSON.stringify(row)))).toEqual(new Set(['{"state":"done","reason":""}']));
    const { paid, received, status, wallet_address, ...row } = await rowOf(world, id);
    expect({ paid, received, status, wallet_address, sequence: row.sequence }).toEqual({
      ...{ paid: story.end.paid, received: story.end.received, status: 'completed', wallet_address: '' },
      sequence: sequence + 1,
    });
    expect(await run('account', 'erase', by)).toBe('erased 1 transaction');
    expect(await everything()).not.toContain('e1'.repeat(32));
    expect(await run('account', 'erase', by)).toBe('erased 0 transactions');
  });
});
