/** The purchase by steps at providers with pages of their own: from the rates to the end, and every way to go wrong. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFlowOffers } from '../../src/app/flow-offers.ts';
import { createSeal } from '../../src/app/seal.ts';
import { currencies } from '../../src/main.ts';
import { eventually } from './patience.ts';
import { type AnyStep, type StepClient, stepClient, tokenOf } from './steps-client.ts';
import { MASTER_KEY, MERCURYO, MOONPAY, startWorld, TRANSAK, type World } from './world.ts';
import { deliver, STORIES, transakTokens } from './world-hooks.ts';
import { accountOf, openPage, reaches, rowOf, ULID, WALLET } from './world-orders.ts';

const EMAIL = 'canary.person@example.com';
const ANSWERS = { email: EMAIL, cryptocurrencyAddress: WALLET };
const XRP = 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY';
const LONGEST_TOKEN = 2_000;

interface Letter {
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into letters freely
  body: any;
}

let world: World;
let client: StepClient;
const letters: Letter[] = [];
const receiver = createServer(async (request, response) => {
  const text = Buffer.concat((await request.toArray()) as Buffer[]).toString();
  letters.push({ headers: request.headers, text, body: JSON.parse(text) });
  response.end();
});

beforeAll(async () => {
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  world = await startWorld({ WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${port}` });
  client = stepClient(world.url, world.key);
});
afterAll(async () => {
  await world.close();
  receiver.closeAllConnections();
  receiver.close();
});

async function flowOf(txId: string) {
  return world.database
    .selectFrom('flows')
    .selectAll()
    .where('transaction_id', '=', txId)
    .executeTakeFirstOrThrow();
}

async function count(): Promise<number> {
  const { rows } = await sql<{ n: string }>`select count(*) as n from transactions`.execute(world.database);
  return Number(rows[0]?.n);
}

/** Answers the first step of a gateway; the next one. */
async function begin(provider: string, more: object = {}): Promise<AnyStep> {
  const { status, body, text } = await client.post(await client.firstStep(provider), { ...ANSWERS, ...more });
  expect([status, text]).toEqual([200, expect.any(String)]);
  return body;
}

/** Has the provider tell its whole story of an order. */
async function tell(provider: string, txId: string): Promise<void> {
  const { secret } = provider === TRANSAK ? await transakTokens(world) : { secret: '' };
  for (const hook of STORIES[provider]?.(txId, secret).hooks ?? [])
    expect((await deliver(world, hook)).status).toBe(200);
  await reaches(world, txId, 'completed');
}

describe('200', () => {
  it.each([
    [MOONPAY, 'iframe'],
    [TRANSAK, 'iframe'],
    [MERCURYO, 'redirect'],
  ])('for a whole purchase at %s', async (provider, type) => {
    const first = await client.firstStep(provider);
    expect(first).toEqual({
      type: 'form',
      url: expect.stringMatching(`^${world.url}/legacy/transaction/${provider}/form/[A-Za-z0-9_-]+$`),
      data: [
        {
          type: 'string',
          name: 'cryptocurrencyAddress',
          humanName: 'Bitcoin wallet address',
          hint: expect.stringContaining('Bitcoin'),
        },
        { type: 'string', name: 'email', humanName: 'E-mail address' },
      ],
    });
    expect(tokenOf(first).length).toBeLessThan(LONGEST_TOKEN);
    const before = await count();
    const { status, body: page, headers } = await client.post(first, ANSWERS);
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(page).toMatchObject({ type, txId: expect.stringMatching(ULID) });
    if (type === 'iframe')
      expect(page).toMatchObject({ fullscreen: true, neededFeatures: expect.any(String) });
    else expect(page.hint).toContain('Mercuryo');
    expect(await count()).toBe(before + 1);

    const led = await client.open(page.url);
    const payPage = led.headers.get('location') ?? '';
    expect([led.status, payPage]).toEqual([303, expect.stringMatching(`^${world.url}/pay/`)]);
    const theirs = await openPage(world, { id: page.txId, session: '', path: new URL(payPage).pathname });
    expect(new URL(theirs).origin).toBe(world.gate.url);

    await tell(provider, page.txId);
    expect(await rowOf(world, page.txId)).toMatchObject({
      ...{ origin: 'earlier', provider, wallet_address: WALLET, source: 'eur', target: 'btc', ready: true },
    });
    expect(await flowOf(page.txId)).toMatchObject({ answers: null, step: null, turn: 1 });
    expect((await client.open(page.url)).headers.get('location')).toBe(payPage);
  });

  it('whatever the body is called, and with anything appended to the address', async () => {
    for (const type of [
      'text/plain',
      'application/json',
      'text/plain;charset=UTF-8',
      'nonsense',
      undefined,
    ]) {
      const { url } = await client.firstStep(MOONPAY);
      const sent = await fetch(`${url}?country=de&undefined`, {
        method: 'POST',
        headers: type === undefined ? {} : { 'content-type': type },
        body: Buffer.from(JSON.stringify(ANSWERS)),
      });
      expect([type, sent.status]).toEqual([type, 200]);
    }
  });

  it('without a key, for those who have none, and for clients that send none with steps', async () => {
    const nobody = stepClient(world.url, undefined);
    for (const { firstStep } of [nobody, client]) {
      const { status, body } = await nobody.post(await firstStep(MOONPAY), ANSWERS);
      expect([status, body.type]).toEqual([200, 'iframe']);
    }
  });

  it('with an address that came with the ask, which nobody is asked for again', async () => {
    const { body } = await world.get(`/legacy/rate/EUR/BTC/creditCard/100?country=de&address=${WALLET}`, {
      authorization: world.key,
    });
    const { nextStep } = body.find((rate: AnyStep) => rate.identifier === MOONPAY);
    expect(nextStep.data.map(({ name }: AnyStep) => name)).toEqual(['email']);
    expect(nextStep.url).not.toContain(WALLET);
    const { body: page } = await client.post(nextStep, { email: EMAIL });
    expect(await rowOf(world, page.txId)).toMatchObject({ wallet_address: WALLET });
  });

  it('for a sale, which asks for an e-mail address alone', async () => {
    const { body, text } = await world.get('/legacy/sell/BTC/EUR/creditCard/0.01?country=de', {
      authorization: world.key,
    });
    expect(body, text).toMatchObject({ available: true, nextStep: { type: 'form' } });
    expect(body.nextStep.data.map(({ name }: AnyStep) => name)).toEqual(['email']);
    const { body: page } = await client.post(body.nextStep, { email: EMAIL });
    expect(await rowOf(world, page.txId)).toMatchObject({
      ...{ side: 'sell', source: 'btc', target: 'eur', wallet_address: '' },
    });
  });

  it('with a tag where addresses carry one, and without it', async () => {
    for (const tag of ['4294967295', '', undefined]) {
      const first = await client.firstStep(MOONPAY, '/EUR/XRP/creditCard/100');
      const field = first.data.find(({ name }: AnyStep) => name === 'cryptocurrencyAddressTag');
      expect(field).toMatchObject({ type: 'string', required: false });
      const { body: page } = await client.post(first, {
        ...{ email: EMAIL, cryptocurrencyAddress: XRP, cryptocurrencyAddressTag: tag },
      });
      expect(await rowOf(world, page.txId)).toMatchObject({ wallet_address: XRP, wallet_memo: tag || null });
    }
  });

  it('once, however many answer the same step at once', async () => {
    const before = await count();
    const first = await client.firstStep(MOONPAY);
    const replies = await Promise.all(Array.from({ length: 20 }, () => client.post(first, ANSWERS)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)]);
    expect(await count()).toBe(before + 1);
  });

  it('and the page that shows the steps is known by its origin', async () => {
    const answer = async (origin: string) => {
      const { body } = await client.post(await client.firstStep(MOONPAY), ANSWERS, { origin });
      return (await flowOf(body.txId)).embedder;
    };
    expect(await answer('https://shop.example')).toBe('https://shop.example');
    expect(await answer('null')).toBeNull();
  });

  it('and so is the page around it, where the client says what it stands in', async () => {
    const answer = async (referer: string) => {
      const headers = { origin: 'https://widget.example', 'x-widget-referer': referer };
      const { body } = await client.post(await client.firstStep(MOONPAY), ANSWERS, headers);
      return (await flowOf(body.txId)).around;
    };
    expect(await answer('https://shop.example/buy?x=1')).toBe('https://shop.example');
    expect(await answer('javascript:alert(1)')).toBeNull();
  });
});

describe('the event of the earlier surface', () => {
  it('is sent beside the others when the order is complete, with the older signature', async () => {
    const { port } = receiver.address() as AddressInfo;
    const made = await world.post(
      '/webhooks',
      { url: `http://127.0.0.1:${port}/` },
      { authorization: world.key, 'x-service-secret': world.account.secret },
    );
    expect([made.status, made.text]).toEqual([expect.any(Number), expect.stringContaining('whsec_')]);
    const secret = /whsec_[\w+/=-]+/.exec(made.text)?.[0] ?? '';
    const page = await begin(MOONPAY, { partnerContext: { order: 17, price: 1.5 } });
    await tell(MOONPAY, page.txId);
    const own = () => letters.find(({ body }) => body.payload?.txId === page.txId);
    await eventually(() => own() !== undefined, 'the event comes');
    const { body, text, headers } = own() as Letter;
    expect(body).toEqual({
      type: 'transaction_completed',
      payload: {
        txId: page.txId,
        gatewayIdentifier: MOONPAY,
        timestamp: expect.any(Number),
        inCurrency: 'EUR',
        inAmount: 100,
        outCurrency: 'BTC',
        outAmount: 0.00108,
        medium: 'creditCard',
        partnerContext: { order: 17, price: 1.5 },
      },
    });
    expect(Math.abs(Date.now() - body.payload.timestamp)).toBeLessThan(60_000);
    expect(headers['x-onramper-webhook-signature']).toBe(
      createHmac('sha256', secret).update(text).digest('hex'),
    );
    const told = letters.filter(one => one.body.transactionId === page.txId);
    expect(told.map(one => one.body.partnerContext)).toContain('{"order":17,"price":1.5}');
    expect(letters.filter(one => one.text.includes(EMAIL))).toEqual([]);
  });

  it('is not sent for orders of the current surface', async () => {
    const { rows } = await sql`
      select e.id from events e join transactions t on t.id = e.transaction_id
      where e.id like '%-transaction_completed' and t.origin <> 'earlier'`.execute(world.database);
    expect(rows).toEqual([]);
  });
});

describe('400', () => {
  it.each<[field: string, more: object]>([
    ['email', { email: undefined }],
    ['email', { email: 'canary' }],
    ['cryptocurrencyAddress', { cryptocurrencyAddress: undefined }],
    ['cryptocurrencyAddress', { cryptocurrencyAddress: `${WALLET}x` }],
    ['cryptocurrencyAddress', { cryptocurrencyAddress: XRP }],
    ['partnerContext', { partnerContext: 17 }],
    ['partnerContext', { partnerContext: { a: 'x'.repeat(4_096) } }],
  ])('names %s when it is wrong; then it may be corrected', async (field, more) => {
    const before = await count();
    const first = await client.firstStep(MOONPAY);
    const { status, body } = await client.post(first, { ...ANSWERS, ...more });
    expect([status, body]).toEqual([400, { message: expect.any(String), field }]);
    expect(JSON.stringify(body)).not.toContain(WALLET);
    expect(await count()).toBe(before);
    expect((await client.post(first, ANSWERS)).status).toBe(200);
  });

  it.each(['', 'no json', '[]', '"text"', '{"email":1,"email":2}', '{"__proto__":{}}', '\ufeff{}'])(
    'for the body %j',
    async body => {
      const { status, body: problem } = await client.post(await client.firstStep(MOONPAY), body);
      expect([status, problem]).toEqual([400, { message: expect.any(String), field: expect.any(String) }]);
    },
  );
});

describe('403', () => {
  it('for an account whose checkouts must be signed', async () => {
    const { publicKey } = await world.newAccount({ name: 'signing' });
    await sql`update accounts set signed_checkouts = true where public_key = ${publicKey}`.execute(
      world.database,
    );
    const signing = stepClient(world.url, publicKey);
    let reply = await signing.post(await signing.firstStep(MOONPAY), ANSWERS);
    await eventually(async () => {
      reply = await signing.post(await signing.firstStep(MOONPAY), ANSWERS);
      return reply.status === 403;
    }, 'the demand is known');
    expect(reply.body).toEqual({ message: expect.any(String), fatal: true });
  });
});

describe('404', () => {
  it('for another account’s link, an altered one, and one of nobody', async () => {
    const first = await client.firstStep(MOONPAY);
    const { publicKey } = await world.newAccount({ name: 'other' });
    const missing = { message: 'There is no such step' };
    expect((await stepClient(world.url, publicKey).post(first, ANSWERS)).body).toEqual(missing);
    const token = tokenOf(first);
    const altered = (token.startsWith('A') ? 'B' : 'A') + token.slice(1);
    for (const wrong of [altered, token.slice(0, -1), 'x', 'a'.repeat(3_000), '%00', '..%2f'])
      expect((await client.post({ url: first.url.replace(token, wrong) }, ANSWERS)).status).toBe(404);
    expect((await client.post(first, ANSWERS)).status).toBe(200);
  });

  it('for a link under another gateway’s name', async () => {
    const first = await client.firstStep(MOONPAY);
    const other = { url: first.url.replace(`/${MOONPAY}/`, '/transak/') };
    expect((await client.post(other, ANSWERS)).body).toEqual({ message: 'There is no such step' });
    expect((await client.post(first, ANSWERS)).status).toBe(200);
  });

  it('for a step of a page that is answered like a form', async () => {
    const page = await begin(MOONPAY);
    expect((await client.post({ url: page.url.replace('/pay/', '/form/') }, {})).status).toBe(404);
    expect((await client.post({ url: page.url.replace('/pay/', '/wait/') }, {})).status).toBe(404);
    expect(
      (await client.put({ url: page.url.replace('/pay/', '/file/') }, Buffer.from('%PDF-'))).status,
    ).toBe(404);
  });

  it('for a key that nobody has it is a 401, as everywhere', async () => {
    const { status } = await stepClient(world.url, 'pk_test_nobody').post(
      { url: `${world.url}/legacy/transaction/x/form/x` },
      {},
    );
    expect(status).toBe(401);
  });
});

describe('405', () => {
  it('for a step that is taken with another method', async () => {
    const first = await client.firstStep(MOONPAY);
    expect((await client.open(first.url)).status).toBe(405);
    expect((await client.put(first, Buffer.from('{}'))).status).toBe(405);
  });
});

describe('409', () => {
  it('for a step that was answered before, with whatever answers', async () => {
    const first = await client.firstStep(TRANSAK);
    expect((await client.post(first, ANSWERS)).status).toBe(200);
    const again = await client.post(first, ANSWERS);
    expect([again.status, again.body]).toEqual([409, { message: expect.any(String) }]);
    expect((await client.post(first, { ...ANSWERS, email: 'other@example.com' })).status).toBe(409);
  });
});

describe('410', () => {
  it('for terms that have run out', async () => {
    const account = await accountOf(world);
    const seal = createSeal(Buffer.from(MASTER_KEY, 'hex'), 'flow-offers');
    const offers = createFlowOffers({ seal, currencies, now: () => Date.now() });
    const past = createFlowOffers({ seal, currencies, now: () => Date.now() - 600_001 });
    const { url } = await client.firstStep(MOONPAY);
    const offer = offers.read(url.split('/').at(-1) ?? '');
    if (!offer) throw new Error('the link cannot be read');
    const token = past.issue({ ...offer, account });
    const { status, body } = await client.post({ url: url.replace(/[^/]+$/, token) }, ANSWERS);
    expect([status, body]).toEqual([410, { message: expect.any(String), fatal: true }]);
  });
});

describe('413 and 415', () => {
  it('for a body that is too large or compressed', async () => {
    const first = await client.firstStep(MOONPAY);
    const large = JSON.stringify({ ...ANSWERS, more: 'x'.repeat(65_536) });
    expect((await client.post(first, large)).status).toBe(413);
    expect((await client.post(first, ANSWERS, { 'content-encoding': 'gzip' })).status).toBe(415);
  });
});

describe('422', () => {
  it('for an order the provider refuses: nothing more can be done with it', async () => {
    const first = await client.firstStep(TRANSAK);
    world.gate.answer(TRANSAK, {
      part: '/auth/session',
      status: 400,
      body: JSON.stringify({ error: { statusCode: 400, message: 'Wallet is not allowed' } }),
    });
    try {
      const { status, body } = await client.post(first, ANSWERS);
      expect([status, body]).toEqual([422, { message: expect.any(String), fatal: true }]);
      expect((await client.post(first, ANSWERS)).status).toBe(410);
    } finally {
      world.gate.answer(TRANSAK, undefined);
    }
  });
});

describe('502', () => {
  it('for a provider in trouble: the same answers may be sent again', async () => {
    const first = await client.firstStep(TRANSAK);
    world.gate.answer(TRANSAK, { part: '/auth/session', status: 500, body: '{}' });
    const { status, body } = await client.post(first, ANSWERS);
    expect([status, body]).toEqual([502, { message: expect.any(String) }]);
    world.gate.answer(TRANSAK, undefined);
    expect((await client.post(first, ANSWERS)).body).toMatchObject({ type: 'iframe' });
  });
});

describe('what a person says', () => {
  it('stands in no address of ours, no log line and no row in clear', async () => {
    const page = await begin(TRANSAK, { email: 'another.canary@example.com' });
    const sealed = await flowOf(page.txId);
    expect(sealed.answers).toEqual(expect.any(String));
    const { rows } = await sql<{ row: string }>`
      select row_to_json(t)::text as row from transactions t
      union all select row_to_json(f)::text from flows f
      union all select row_to_json(e)::text from events e`.execute(world.database);
    const places = [client.urls.join('\n'), world.logged(), rows.map(({ row }) => row).join('\n')];
    for (const place of places) {
      for (const email of [EMAIL, 'another.canary@example.com']) {
        expect(place).not.toContain(email);
        expect(place).not.toContain(encodeURIComponent(email));
      }
    }
    expect(client.urls.join('\n').replaceAll(`address=${WALLET}`, '')).not.toContain(WALLET);
    expect(world.logged()).not.toContain(WALLET);
  });
});
