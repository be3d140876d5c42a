/** Checkouts happen once: for each idempotency key and each signature, whoever sends them again and to whichever instance. */
import { createHmac, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { ulid } from 'ulid';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { type Credentials, findAccount } from '../../src/app/accounts.ts';
import { createSeal } from '../../src/app/seal.ts';
import { addSigningSecret, requireSignature } from '../../src/app/signed-checkout.ts';
import { decimal } from '../../src/domain/money.ts';
import type { AccountId, AssetId, CountryCode, FiatId, MethodId } from '../../src/domain/words.ts';
import { findKey, insertCheckouts, type NewCheckout } from '../../src/store/checkouts.ts';
import type { Reply } from '../service.ts';
import { other, setPair, world } from './pair.ts';
import { eventually } from './patience.ts';
import { count, expectProblem, issue, keyed, setTill } from './till.ts';
import { type Instance, MASTER_KEY, MERCURYO, MOONPAY, PROVIDERS, TRANSAK } from './world.ts';
import { bodyOf, intend, order, orderOf, rowOf, WALLET } from './world-orders.ts';

setPair();
setTill();

const SESSION = '/auth/session';

/** Does something when whatever was signed or quoted before is too old. */
async function later(work: () => Promise<void>): Promise<void> {
  const realNow = Date.now;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => realNow() + 301_000);
  await work().finally(() => clock.mockRestore());
}

describe('once', () => {
  test('200 with the same bytes for the same key and body, from either instance, and one transaction', async () => {
    const { publicKey: by } = await world.newAccount();
    await eventually(
      async () => (await other.get('/supported', { authorization: by })).status === 200,
      'the other instance knows the account',
    );
    for (const provider of PROVIDERS) {
      const headers = keyed(`same ${provider}`);
      const body = bodyOf(provider);
      const turned = Object.fromEntries(Object.entries(body).reverse());
      const first = await intend(world, body, { by, headers });
      orderOf(first);
      for (const [again, at] of [
        [body, world],
        [turned, world],
        [body, other],
      ] as const) {
        const reply = await intend(world, again, { by, headers, at });
        expect([provider, reply.status, reply.text]).toEqual([provider, 200, first.text]);
      }
      expectProblem(await intend(world, { ...body, amount: 101 }, { by, headers }), 422, 'Idempotency-Key');
    }
    expect(await count(by)).toBe(PROVIDERS.length);
  });

  test('200 for the key of another account is a checkout of its own', async () => {
    const { publicKey } = await world.newAccount();
    const headers = keyed('everybody’s'.replace('’', ' '));
    const [one, two] = [
      await order(world, bodyOf(MOONPAY), { headers }),
      await order(world, bodyOf(MOONPAY), { headers, by: publicKey }),
    ];
    expect(one.id).not.toBe(two.id);
    // Not even with a body that would clash.
    expect((await intend(world, bodyOf(MERCURYO), { headers, by: publicKey })).status).toBe(422);
  });

  test('200 with the stored answer although the quote has run out since', async () => {
    const quoteId = await issue({ until: Date.now() + 120_000 });
    const body = bodyOf(MOONPAY, 'buy', { metaData: { quoteId } });
    const headers = keyed('in time');
    const first = await intend(world, body, { headers });
    orderOf(first);
    await later(async () => {
      expect((await intend(world, body, { headers })).text).toBe(first.text);
      expectProblem(await intend(world, body, { headers: keyed('too late') }), 410, 'metaData.quoteId');
      expectProblem(await intend(world, body), 410, 'metaData.quoteId');
    });
  });

  test('200 while the provider is down, for what was answered before', async () => {
    const headers = keyed('before the trouble');
    const first = await intend(world, bodyOf(MERCURYO), { headers });
    world.sandbox.fault(MERCURYO, { kind: 'error', ms: 0 });
    const calls = world.gate.calls(MERCURYO).length;
    const again = await intend(world, bodyOf(MERCURYO), { headers });
    world.sandbox.fault(MERCURYO, { kind: 'none', ms: 0 });
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(world.gate.calls(MERCURYO).length).toBe(calls);
  });

  /** Sends each key to both instances at once, fifty pairs at a time; what came of each. */
  async function race(pairs: number, body: object, by: string): Promise<[Reply, Reply][]> {
    const outcomes: [Reply, Reply][] = [];
    let next = 0;
    const worker = async () => {
      for (let at = next++; at < pairs; at = next++) {
        const asking = { by, headers: keyed(`pair ${at}`) };
        outcomes[at] = await Promise.all([
          intend(world, body, asking),
          intend(world, body, { ...asking, at: other }),
        ]);
      }
    };
    await Promise.all(Array.from({ length: 50 }, worker));
    return outcomes;
  }

  /** One winner each; the loser is told to wait, or told the same. */
  function expectOneEach(outcomes: readonly (readonly Reply[])[]): void {
    const double = outcomes.filter(([one, two]) => one?.status === 200 && two?.status === 200);
    expect(double.filter(([one, two]) => one?.text !== two?.text)).toEqual([]);
    expect(outcomes.filter(pair => !pair.some(({ status }) => status === 200))).toEqual([]);
    expect([...new Set(outcomes.flat().map(({ status }) => status))].sort()).toEqual(
      expect.arrayContaining([200]),
    );
    expect(outcomes.flat().filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    const ids = outcomes
      .map(pair => pair.find(({ status }) => status === 200))
      .map(reply => reply && orderOf(reply).id);
    expect(new Set(ids).size).toBe(outcomes.length);
  }

  async function stranger(): Promise<Credentials> {
    const made = await world.newAccount();
    await eventually(
      async () => (await other.get('/supported', { authorization: made.publicKey })).status === 200,
      'the other instance knows the account',
    );
    return made;
  }

  test('200 once for each of 1,000 keys that two instances get at the same moment', async () => {
    const { publicKey: by } = await stranger();
    const quoteId = await issue({ by, until: Date.now() + 600_000 });
    expectOneEach(await race(1_000, bodyOf(MOONPAY, 'buy', { metaData: { quoteId } }), by));
    expect(await count(by)).toBe(1_000);
  }, 240_000);

  test('none fails when two instances write the same keys at once, in opposite order', async () => {
    const { id: account } = await findAccount(world.database, (await stranger()).publicKey);
    for (let round = 1; round <= 40; round++) {
      const checkouts = () =>
        Array.from({ length: 64 }, (_, at) => newCheckout(account, `round ${round} key ${at}`));
      const written = [
        insertCheckouts(world.database, checkouts()),
        insertCheckouts(other.database, checkouts().toReversed()),
      ];
      const failed = (await Promise.allSettled(written)).filter(({ status }) => status === 'rejected');
      expect([round, failed]).toEqual([round, []]);
    }
  }, 60_000);

  test('one of those that are written together is made where they have one key, and all with a key of their own', async () => {
    const { id: account } = await findAccount(world.database, (await stranger()).publicKey);
    await insertCheckouts(world.database, [newCheckout(account, 'before')]);
    const keys = ['twice', 'alone', 'before', 'twice', 'thrice', 'thrice', 'before', 'thrice'];
    const insertions = await insertCheckouts(
      world.database,
      keys.map(key => newCheckout(account, key)),
    );
    const [made, taken] = ['made', 'keyTaken'];
    expect(insertions).toEqual([made, made, taken, taken, made, taken, taken, taken]);
    const { rows } = await sql`
      select key from idempotency_keys join transactions t on t.id = transaction_id
      where t.account_id = ${account} order by key`.execute(world.database);
    expect(rows).toEqual(['alone', 'before', 'thrice', 'twice'].map(key => ({ key })));
  });

  test('200 with one answer for each of 20 keys that one instance gets four times at once', async () => {
    const { publicKey: by } = await stranger();
    const quoteId = await issue({ by, until: Date.now() + 600_000 });
    const body = bodyOf(MOONPAY, 'buy', { metaData: { quoteId } });
    const keys = Array.from({ length: 80 }, (_, at) => `key ${at % 20}`);
    const replies = await Promise.all(keys.map(key => intend(world, body, { by, headers: keyed(key) })));
    expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
    expect(new Set(replies.map(({ text }) => text)).size).toBe(20);
    expect(await count(by)).toBe(20);
  });

  test('answers and events are kept to the letter, and no answer where there is none yet', async () => {
    const { id: account } = await findAccount(world.database, (await stranger()).publicKey);
    const odd = '{"b":"\\u0041\\n\\"ä🍀\\\\ }]","a":1.50,"a":[1e5,-0.0,0.00000001,[]],"null":null,"":{}}';
    const key = { key: 'kept', digest: '07'.repeat(32), answer: odd, leaseMs: undefined };
    const begun = { ...key, key: 'begun', answer: undefined, leaseMs: 60_000 };
    const plain = { ...key, key: 'plain', answer: 'https://shop.example/"\\' };
    const checkout = newCheckout(account, 'kept');
    const event = { ...checkout.event, body: odd };
    const made = await insertCheckouts(world.database, [
      { ...checkout, key, event },
      { ...newCheckout(account, 'begun'), key: begun },
      { ...newCheckout(account, 'plain'), key: plain },
    ]);
    expect(made).toEqual(['made', 'made', 'made']);
    const kept = await findKey(world.database, account, 'kept');
    expect([kept?.answer, kept?.digest]).toEqual([odd, key.digest]);
    expect(await findKey(world.database, account, 'begun')).toMatchObject({ answer: null, running: true });
    // Not every answer is JSON: starting over answers with an address.
    expect((await findKey(world.database, account, 'plain'))?.answer).toBe(plain.answer);
    const { rows } = await sql`select body from events where id = ${event.id}`.execute(world.database);
    expect(rows).toEqual([{ body: odd }]);
  });

  test('200 once for each of 40 keys that two instances get all at once, in opposite order', async () => {
    const { publicKey: by } = await stranger();
    const quoteId = await issue({ by, until: Date.now() + 600_000 });
    const body = bodyOf(MOONPAY, 'buy', { metaData: { quoteId } });
    for (let round = 1; round <= 5; round++) {
      const keys = Array.from({ length: 40 }, (_, at) => `round ${round} key ${at}`);
      const ask = (at: Instance) => (key: string) => intend(world, body, { by, at, headers: keyed(key) });
      const [here, there] = await Promise.all([
        Promise.all(keys.map(ask(world))),
        Promise.all(keys.toReversed().map(ask(other))),
      ]);
      expectOneEach(here.map((reply, at) => [reply, there[keys.length - 1 - at] as Reply]));
      expect(await count(by)).toBe(40 * round);
    }
  }, 60_000);

  test('200 once for each of 100 keys where the provider is asked, 409 for who comes meanwhile', async () => {
    const { publicKey: by } = await stranger();
    const quoteId = await issue({ by, provider: TRANSAK, until: Date.now() + 600_000 });
    const body = bodyOf(TRANSAK, 'buy', { metaData: { quoteId } });
    const before = world.gate.calls(TRANSAK).filter(({ path }) => path.includes(SESSION)).length;
    const outcomes = await race(100, body, by);
    expectOneEach(outcomes);
    expect(outcomes.flat().filter(({ status }) => status === 409).length).toBeGreaterThan(0);
    expect(await count(by)).toBe(100);
    const asked = world.gate.calls(TRANSAK).filter(({ path }) => path.includes(SESSION)).length - before;
    expect(asked).toBe(100);
  }, 60_000);
});

/** What a checkout leaves to be written. */
function newCheckout(accountId: AccountId, key: string): NewCheckout {
  const [id, now] = [ulid(), new Date()];
  return {
    order: {
      ...{ id, sessionId: ulid(), accountId, environment: 'test', origin: 'current', provider: MOONPAY },
      ...{ side: 'buy', fiat: 'eur' as FiatId, asset: 'btc_bitcoin' as AssetId },
      ...{ method: 'creditcard' as MethodId, country: 'DE' as CountryCode, source: 'eur', target: 'btc' },
      amount: decimal(100),
      promised: { gets: decimal('0.001'), networkFee: decimal(1), providerFee: decimal(4) },
      native: { fiat: 'eur', asset: 'btc', network: 'bitcoin', method: 'credit_debit_card' },
      ...{ walletAddress: WALLET, walletMemo: undefined, partnerContext: '', contextIsObject: false },
      ...{
        uuid: undefined,
        originatingHost: undefined,
        theme: {},
        returnTo: undefined,
        signNonce: undefined,
      },
      ...{ createdAt: now, expiresAt: now },
    },
    event: { id: `${id}-1`, body: JSON.stringify({ transactionId: id, status: 'new' }) },
    lookInMs: 600_000,
    key: { key, digest: '00'.repeat(32), answer: '{}', leaseMs: undefined },
    ready: true,
  };
}

describe('signed', () => {
  let by: string;
  let secret: string;

  beforeAll(async () => {
    by = (await world.newAccount()).publicKey;
    const seal = createSeal(Buffer.from(MASTER_KEY, 'hex'), 'account-signers');
    ({ secret } = await addSigningSecret({ database: world.database, seal }, by));
    await requireSignature(world.database, by, true);
    await eventually(
      async () => (await intend(world, bodyOf(MOONPAY), { by })).status === 403,
      'the switch is seen',
    );
  });

  /** The body with its signature, written from the documentation and not from our code. */
  function signed(body: Record<string, unknown>, nonce: string = randomUUID(), at = Date.now()) {
    const timestamp = Math.floor(at / 1_000);
    const text = (name: string) => encodeURIComponent(String(body[name] ?? ''));
    const wallet = (body.wallet as { address?: string } | undefined)?.address ?? '';
    const signContent = [
      ...['amount', 'destination', 'network'].map(name => `${name}=${text(name)}`),
      `nonce=${nonce}`,
      ...['onramp', 'partnerContext', 'paymentMethod'].map(name => `${name}=${text(name)}`),
      'redirect=',
      `source=${text('source')}`,
      `timestamp=${timestamp}`,
      `type=${text('type')}`,
      `wallet=${encodeURIComponent(wallet)}`,
    ].join('&');
    const signature = createHmac('sha256', secret).update(signContent).digest('hex');
    return { ...body, signContent, signature };
  }

  test('403 unsigned, 200 signed, and with the address that was signed', async () => {
    expectProblem(await intend(world, bodyOf(MOONPAY), { by }), 403, 'signature');
    for (const provider of PROVIDERS) {
      const { id } = await order(world, signed(bodyOf(provider)), { by });
      expect((await rowOf(world, id)).wallet_address).toBe(WALLET);
    }
  });

  test('403 altered afterwards, whatever was altered, and 403 when it is old', async () => {
    const before = await count(by);
    const good = signed(bodyOf(MOONPAY, 'buy', { partnerContext: 'a&b=c' }));
    const changes: object[] = [
      { amount: 101 },
      { amount: 1_000 },
      { wallet: { address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' } },
      { partnerContext: 'a' },
      { onramp: 'mercuryo' },
      { paymentMethod: 'applepay' },
      { network: 'bitcoin' },
      { signContent: good.signContent.replace('amount=100', 'amount=101'), amount: 101 },
      { signature: good.signature.replace(/.$/, last => (last === '0' ? '1' : '0')) },
      { signature: '' },
    ];
    for (const change of changes)
      expectProblem(await intend(world, { ...good, ...change }, { by }), 403, 'signature');
    const old = signed(bodyOf(MOONPAY), randomUUID(), Date.now() - 3_600_000);
    expectProblem(await intend(world, old, { by }), 403, 'signature');
    expect(await count(by)).toBe(before);
    expect((await intend(world, good, { by })).status).toBe(200);
  });

  test('409 for a nonce that was used before, at either instance, which leaves no key behind', async () => {
    await eventually(
      async () => (await intend(world, bodyOf(MOONPAY), { by, at: other })).status === 403,
      'the other instance knows the account',
    );
    for (const provider of [MOONPAY, TRANSAK]) {
      const body = signed(bodyOf(provider));
      await order(world, body, { by });
      const before = await count(by);
      for (const at of [world, other]) {
        expectProblem(await intend(world, body, { by, at }), 409, 'signContent');
        const headers = keyed(`replayed at ${at.url} ${provider}`);
        expectProblem(await intend(world, body, { by, at, headers }), 409, 'signContent');
        const fresh = signed(bodyOf(provider));
        expect((await intend(world, fresh, { by, at, headers })).status).toBe(200);
      }
      expect(await count(by)).toBe(before + 2);
    }
  });

  test('200 again with the key of the checkout itself', async () => {
    const body = signed(bodyOf(MOONPAY));
    const headers = keyed('signed once');
    const first = await intend(world, body, { by, headers });
    expect((await intend(world, body, { by, headers })).text).toBe(first.text);
  });

  test('200 with the kept answer when it is sent again long after it was signed, 403 for everything else', async () => {
    for (const provider of [MOONPAY, TRANSAK]) {
      const headers = keyed(`signed long ago ${provider}`);
      const [body, unanswered] = [signed(bodyOf(provider)), signed(bodyOf(provider))];
      const first = await intend(world, body, { by, headers });
      orderOf(first);
      const before = await count(by);
      const signature = body.signature.replace(/.$/, last => (last === '0' ? '1' : '0'));
      await later(async () => {
        expect((await intend(world, body, { by, headers })).text).toBe(first.text);
        const refused = await Promise.all([
          intend(world, { ...body, signature }, { by, headers }),
          intend(world, { ...body, uuid: randomUUID() }, { by, headers }),
          intend(world, body, { by, headers, query: '?country=fr' }),
          intend(world, body, { by, headers: keyed('never used') }),
          intend(world, body, { by }),
          intend(world, unanswered, { by, headers }),
          intend(world, unanswered, { by, headers: keyed('never used') }),
        ]);
        for (const reply of refused) expectProblem(reply, 403, 'signature');
      });
      expect(await count(by)).toBe(before);
    }
  });

  test('403 when it was signed long ago and no answer is kept for its key', async () => {
    const headers = keyed('signed and never answered');
    const body = signed(bodyOf(MOONPAY));
    orderOf(await intend(world, body, { by, headers }));
    await sql`update idempotency_keys set answer = null where key = 'signed and never answered'`.execute(
      world.database,
    );
    await later(async () => expectProblem(await intend(world, body, { by, headers }), 403, 'signature'));
  });
});
