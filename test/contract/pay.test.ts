/** The pay page’s API, and whole purchases and sales made by way of it and of the providers’ own pages. */
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { allow } from '../../src/app/accounts.ts';
import { createSessions } from '../../src/app/sessions.ts';
import type { ProviderId, Side } from '../../src/domain/words.ts';
import { type Answers, readAnswers } from './answers.ts';
import { eventually } from './patience.ts';
import { type Instance, MERCURYO, MOONPAY, PROVIDERS, startWorld, TRANSAK, type World } from './world.ts';
import { deliver, moonpayHook } from './world-hooks.ts';
import {
  bodyOf,
  eventsOf,
  expectWatched,
  makeDue,
  type Order,
  openPage,
  order,
  reaches,
  rowOf,
  statusesOf,
  WALLET,
} from './world-orders.ts';
import { type HostedPage, introduce, press, visit } from './world-person.ts';

const STEP_MS = 800;
const SHOP = 'https://shop.example';

let world: World;
let other: Instance;
let answers: Answers;

beforeAll(async () => {
  world = await startWorld({ QUOTE_DEADLINE_MS: '10000' }, { byHand: true, only: PROVIDERS });
  other = await world.startAnother();
  answers = await readAnswers(world.get);
});
afterEach(() => expectWatched(world));
afterAll(async () => {
  await other?.close();
  await world?.close();
});

/** Has an order end without anything having come of it. */
async function expire({ id }: Order): Promise<void> {
  await sql`update transactions set expires_at = now() where id = ${id}`.execute(world.database);
  await makeDue(world, id);
  await reaches(world, id, 'expired');
}

const directivesOf = (headers: Headers) =>
  Object.fromEntries(
    (headers.get('content-security-policy') ?? '').split('; ').map(text => {
      const [name = '', ...sources] = text.split(' ');
      return [name, sources.join(' ')];
    }),
  );

describe('the page', () => {
  for (const provider of PROVIDERS) {
    for (const side of ['buy', 'sell'] as const) {
      test(`200 for a ${side} at ${provider}: HTML that nobody keeps, frames or adds to`, async () => {
        const made = await order(world, bodyOf(provider, side, { wallet: { address: WALLET } }));
        const { status, headers, text } = await world.get(made.path);
        expect(status).toBe(200);
        expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
        expect(headers.get('cache-control')).toBe('no-store');
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('referrer-policy')).toBe('origin');
        expect(directivesOf(headers)).toMatchObject({
          'default-src': "'none'",
          'script-src': "'self'",
          'base-uri': "'none'",
          'connect-src': "'self'",
          'frame-ancestors': "'self'",
          'form-action': `'self' ${world.gate.url}`,
        });
        // What the person is about to do stands there: with what, and where to.
        for (const shown of [WALLET, made.id, side === 'buy' ? '100' : '0.01', 'BTC', 'EUR'])
          expect([shown, text.includes(shown)]).toEqual([shown, true]);
        for (const [link] of text.matchAll(/(?<=(?:src|href)=")(?!data:)[^"]+/g))
          expect(link).toMatch(/^\/[^/]/);
        for (const [, file = ''] of text.matchAll(/(?:src|href)="(\/pay\/assets\/[^"]+)"/g))
          expect([file, (await world.get(file)).status]).toEqual([file, 200]);
      });
    }
  }

  test('200 from another instance, and 200 for the page a provider leads back to', async () => {
    const made = await order(world, bodyOf(MOONPAY));
    expect((await other.get(made.path)).status).toBe(200);
    const back = await other.get(`${made.path}/return?transactionStatus=completed&x=%22%3E%3Cscript%3E`);
    expect([back.status, back.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(back.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(back.text).not.toContain('"><script>');
    expect((await rowOf(world, made.id)).status).toBe('new');
  });

  test('200 can be framed by the account’s own pages, and by nobody else’s', async () => {
    const { publicKey: by } = await world.newAccount();
    const made = await order(world, bodyOf(MOONPAY), { by });
    await allow(world.database, by, { origins: [SHOP], redirectHosts: [] });
    await eventually(
      async () => directivesOf((await world.get(made.path)).headers)['frame-ancestors'] === `'self' ${SHOP}`,
      'the origin is known',
    );
  });

  test('404 for a token that is unknown, altered, cut or of another key', async () => {
    const made = await order(world, bodyOf(MOONPAY));
    const token = made.path.slice('/pay/'.length);
    const flipped = [...token].map((letter, at) => {
      const instead = letter === 'A' ? 'B' : 'A';
      return token.slice(0, at) + instead + token.slice(at + 1);
    });
    const sessions = createSessions(Buffer.alloc(32, 7));
    const wrong = [
      ...flipped,
      token.slice(0, -1),
      `${token}A`,
      token.toLowerCase(),
      made.id,
      made.session,
      sessions.tokenOf(made.session),
      'x',
      '__proto__',
      '%00',
    ];
    for (const one of wrong) {
      const reply = await world.get(`/pay/${one}`, { accept: 'text/html' });
      expect([one, reply.status, reply.headers.get('cache-control')]).toEqual([one, 404, 'no-store']);
    }
    const page = await world.get('/pay/x', { accept: 'text/html' });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(directivesOf(page.headers)['default-src']).toBe("'none'");
    for (const part of ['', '/state', '/events', '/return']) {
      const reply = await world.get(`/pay/${flipped[30]}${part}`);
      expect([part, reply.status, reply.body?.errorCode]).toEqual([part, 404, 404]);
    }
    for (const part of ['/open', '/again']) {
      const reply = await world.post(`/pay/${flipped[30]}${part}`, undefined, { origin: world.url });
      expect([part, reply.status]).toEqual([part, 404]);
    }
  });

  test('404 for a session that was never made, though its token is right', async () => {
    const { path, session } = await order(world, bodyOf(MOONPAY));
    expect(path).toContain(session);
    await sql`update transactions set session_id = ${`X${session.slice(1)}`} where session_id = ${session}`.execute(
      world.database,
    );
    expect((await world.get(path)).status).toBe(404);
  });

  test('200 tells other sites nothing, whatever their origin', async () => {
    const made = await order(world, bodyOf(MOONPAY));
    for (const part of ['', '/state', '/return']) {
      const { status, headers } = await world.get(made.path + part, { origin: SHOP });
      expect([part, status, headers.get('access-control-allow-origin')]).toEqual([part, 200, null]);
    }
  });
});

describe('opening', () => {
  test('403 from anywhere but the page itself', async () => {
    const made = await order(world, bodyOf(MOONPAY));
    const strangers: Record<string, string>[] = [
      {},
      { origin: SHOP },
      { origin: 'null' },
      { origin: world.gate.url },
      { origin: `${world.url}.evil.example` },
      { 'sec-fetch-site': 'cross-site', origin: world.url },
      { 'sec-fetch-site': 'same-site', origin: world.url },
      { 'sec-fetch-site': 'none' },
    ];
    for (const part of ['/open', '/again']) {
      for (const headers of strangers) {
        const reply = await world.post(made.path + part, undefined, headers);
        expect([part, headers, reply.status, reply.body?.field]).toEqual([part, headers, 403, 'Origin']);
      }
    }
    expect((await rowOf(world, made.id)).opened_at).toBeNull();
    const own = await world.post(`${made.path}/open`, undefined, { 'sec-fetch-site': 'same-origin' });
    expect(own.status).toBe(200);
  });

  test('405 for GET, so that no link can do it', async () => {
    const made = await order(world, bodyOf(MOONPAY));
    for (const part of ['/open', '/again']) {
      const { status, headers } = await world.get(made.path + part);
      expect([part, status, headers.get('allow')]).toEqual([part, 405, 'POST']);
    }
  });

  test('200 leads to MoonPay’s own page by a signature that holds, with what was ordered', async () => {
    for (const side of ['buy', 'sell'] as const) {
      const made = await order(world, bodyOf(MOONPAY, side, { wallet: { address: WALLET } }));
      const url = await openPage(world, made);
      expect(url.startsWith(`${world.gate.url}/moonpay/${side}/?`)).toBe(true);
      const [, signed = '', signature = ''] = /^[^?]*(\?.*)&signature=([^&]+)$/.exec(url) ?? [];
      // "URL signing": base 64 of the HMAC of the query string as it stands, encoded for a URL.
      const right = createHmac('sha256', 'sk_test_cloverleaf').update(signed).digest('base64');
      expect(decodeURIComponent(signature)).toBe(right);
      const sent = Object.fromEntries(new URLSearchParams(signed));
      expect(sent).toMatchObject({
        apiKey: 'pk_test_cloverleaf',
        externalTransactionId: made.id,
        baseCurrencyAmount: side === 'buy' ? '100' : '0.01',
        [side === 'buy' ? 'walletAddress' : 'refundWalletAddress']: WALLET,
        redirectURL: `${world.url}${made.path}/return`,
      });
      expect(url).not.toContain('sk_test');
      expect((await visit(url)).stage).toBe('email');
    }
  });

  test('200 leads to Mercuryo’s own page, with the address signed', async () => {
    const made = await order(world, bodyOf(MERCURYO));
    const { searchParams: sent, origin, pathname } = new URL(await openPage(world, made));
    expect([origin, pathname]).toEqual([world.gate.url, '/mercuryo/widget/']);
    const right = createHash('sha512').update(`${WALLET}standin-mercuryo-secret-key`).digest('hex');
    expect([sent.get('signature'), sent.get('address')]).toEqual([right, WALLET]);
    expect(sent.get('merchant_transaction_id')).toBe(made.id);
  });

  test('200 makes the page anew at each opening: Transak’s can be used but once', async () => {
    const made = await order(world, bodyOf(TRANSAK));
    const [one, two] = [await openPage(world, made), await openPage(other, made)];
    expect([new URL(one).origin, new URL(two).origin]).toEqual([world.gate.url, world.gate.url]);
    expect(one).not.toBe(two);
    for (const url of [one, two]) expect((await visit(url)).stage).toBe('email');
    expect((await visit(one)).status).toBe(403);
    const { opened_at } = await rowOf(world, made.id);
    expect(Math.abs((opened_at?.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  test('200 says how the page is shown, as the answer to the checkout did; 303 for a plain form', async () => {
    for (const [provider, opens] of [
      [MOONPAY, 'iframe'],
      [TRANSAK, 'iframe'],
      [MERCURYO, 'redirect'],
    ] as const) {
      const made = await order(world, bodyOf(provider));
      const script = await world.post(`${made.path}/open`, undefined, { origin: world.url });
      expect(script.body).toEqual({ url: expect.any(String), opens });
      expect(script.headers.get('cache-control')).toBe('no-store');
      const form = await world.post(`${made.path}/open`, '', {
        origin: world.url,
        accept: 'text/html',
        'content-type': 'application/x-www-form-urlencoded',
      });
      expect([provider, form.status]).toEqual([provider, 303]);
      expect(new URL(form.headers.get('location') ?? '').origin).toBe(world.gate.url);
    }
  });

  test('410 after the session’s time, and 200 within it however often', async () => {
    const made = await order(world, bodyOf(MOONPAY));
    await openPage(world, made);
    await sql`update transactions set expires_at = now() where id = ${made.id}`.execute(world.database);
    // Whoever went there in time may go there again.
    await openPage(world, made);
    const late = await order(world, bodyOf(MOONPAY));
    await sql`update transactions set expires_at = now() where id = ${late.id}`.execute(world.database);
    const reply = await world.post(`${late.path}/open`, undefined, { origin: world.url });
    expect([reply.status, reply.body.field]).toEqual([410, 'session']);
  });

  test('410 after the end, 422 when the provider had declined', async () => {
    const ends: Record<string, number> = {
      completed: 410,
      canceled: 410,
      expired: 410,
      refunded: 410,
      failed: 422,
    };
    for (const [status, answer] of Object.entries(ends)) {
      const made = await order(world, bodyOf(MOONPAY));
      await openPage(world, made);
      await sql`update transactions set status = ${status} where id = ${made.id}`.execute(world.database);
      await sql`update entries set status = ${status} where transaction_id = ${made.id}`.execute(
        world.database,
      );
      for (const at of [world, other]) {
        const reply = await at.post(`${made.path}/open`, undefined, { origin: at.url });
        expect([status, reply.status, reply.body.field]).toEqual([status, answer, 'session']);
      }
    }
  });

  test('502 when the provider makes no page, and 200 when it does again', async () => {
    const made = await order(world, bodyOf(TRANSAK));
    world.gate.answer(TRANSAK, { part: '/auth/session', status: 500, body: '{}' });
    const reply = await world.post(`${made.path}/open`, undefined, { origin: world.url });
    expect([reply.status, reply.body.field]).toEqual([502, 'onramp']);
    world.gate.answer(TRANSAK, undefined);
    expect((await rowOf(world, made.id)).status).toBe('new');
    await openPage(world, made);
  });
});

describe('the state', () => {
  test('200 with all that the page shows, and as it changes', async () => {
    const made = await order(world, bodyOf(MOONPAY));
    const read = async () => {
      const reply = await world.get(`${made.path}/state`);
      expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-store']);
      return reply.body;
    };
    expect(await read()).toMatchObject({
      transactionId: made.id,
      status: 'new',
      sequence: 1,
      finished: false,
      can: { open: true, again: false },
      hash: '',
    });
    const { expiresIn } = await read();
    expect(expiresIn).toBeGreaterThan(500_000);
    expect(expiresIn).toBeLessThanOrEqual(600_000);
    await openPage(world, made);
    const say = (data: object) =>
      deliver(world, moonpayHook({ id: 'one', externalTransactionId: made.id, ...data }));
    await say({ status: 'pending' });
    await reaches(world, made.id, 'pending');
    expect(await read()).toMatchObject({ status: 'pending', sequence: 2, finished: false });
    await say({ status: 'failed', failureReason: 'card_declined' });
    await reaches(world, made.id, 'failed');
    expect(await read()).toMatchObject({
      status: 'failed',
      reason: 'Card declined',
      can: { open: false, again: true },
      expiresIn: 0,
    });
  });
});

/** Follows the events of an order; what was told so far, with the time each came at. */
async function follow(at: Instance, path: string) {
  const told: { status: string; sequence: number; at: number }[] = [];
  let ended = false;
  const asked = request(`${at.url}${path}/events`, { agent: false }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  response.setEncoding('utf8').on('data', chunk => {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, data] = /^event: status\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (data) told.push({ ...JSON.parse(data), at: Date.now() });
    }
  });
  response.on('end', () => {
    ended = true;
  });
  response.on('error', () => {});
  return {
    status: response.statusCode,
    headers: response.headers,
    told,
    ended: () => ended,
    stop: () => void asked.destroy(),
  };
}

describe('the events', () => {
  test('200 tell at once what is, and within two seconds what another instance has written, to the end', async () => {
    const made = await order(world, bodyOf(TRANSAK));
    const page = await introduce(await visit(await openPage(world, made)));
    await eventually(async () => (await rowOf(world, made.id)).theirs !== '', 'the order is known');
    // The webhooks go to the first instance.
    const stream = await follow(other, made.path);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    await eventually(() => stream.told.length > 0, 'the present state is told');
    expect(stream.told[0]?.status).toBe('new');
    const delays: number[] = [];
    const hear = async (status: string) => {
      await reaches(world, made.id, status);
      const written = Date.now();
      await eventually(() => stream.told.at(-1)?.status === status, `${status} is told`);
      delays.push((stream.told.at(-1)?.at ?? 0) - written);
    };
    await press(await press(page, 'card'), 'approve');
    await hear('pending');
    world.pass(STEP_MS);
    await hear('paid');
    world.pass(STEP_MS);
    await hear('completed');
    // Of three, not all can have been held up by a machine that is busy with something else.
    expect(Math.min(...delays)).toBeLessThan(2_000);
    await eventually(stream.ended, 'it ends with the order');
    const sequences = stream.told.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
    const again = await follow(other, made.path);
    await eventually(again.ended, 'what has ended is told once');
    expect(again.told.map(({ status }) => status)).toEqual(['completed']);
  });

  test('429 for more than ten readers of one order, with when to come back', async () => {
    const made = await order(world, bodyOf(MOONPAY));
    const streams = [];
    for (let reader = 0; reader < 10; reader++) streams.push(await follow(world, made.path));
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    const reply = await world.get(`${made.path}/events`);
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    for (const stream of streams) stream.stop();
    await eventually(async () => {
      const stream = await follow(world, made.path);
      stream.stop();
      return stream.status === 200;
    }, 'there is room again');
  });
});

describe('starting over', () => {
  test('200 after expiry makes a new transaction with the same order, at another page', async () => {
    const sent = bodyOf(MOONPAY, 'buy', {
      partnerContext: 'order 8',
      uuid: randomUUID(),
      supportedParams: { theme: { isDark: true, primaryColor: '#123456' } },
    });
    const made = await order(world, sent);
    await expire(made);
    const reply = await world.post(`${made.path}/again`, undefined, { origin: world.url });
    expect([reply.status, reply.body]).toEqual([200, { url: expect.any(String) }]);
    const path = new URL(reply.body.url).pathname;
    expect(path).not.toBe(made.path);
    const state = (await world.get(`${path}/state`)).body;
    expect(state).toMatchObject({ status: 'new', sequence: 1, can: { open: true } });
    const [before, after] = [await rowOf(world, made.id), await rowOf(world, state.transactionId)];
    const same = [
      ...['account_id', 'environment', 'provider', 'side', 'fiat', 'asset', 'method', 'country', 'source'],
      ...['target', 'amount', 'native', 'wallet_address', 'wallet_memo', 'partner_context', 'uuid'],
      ...['originating_host', 'theme', 'return_to', 'origin'],
    ] as (keyof typeof before)[];
    for (const name of same) expect([name, after[name]]).toEqual([name, before[name]]);
    expect(after.created_at > before.created_at).toBe(true);
    expect(after.expires_at.getTime() - after.created_at.getTime()).toBe(600_000);
    expect((await rowOf(world, made.id)).status).toBe('expired');
    // The new one can be gone on with.
    await openPage(world, { ...made, path });
  });

  test('200 twice for who presses twice leads to one new transaction', async () => {
    const made = await order(world, bodyOf(MOONPAY));
    await expire(made);
    const press = (at: Instance) => at.post(`${made.path}/again`, undefined, { origin: at.url });
    const pages = (await Promise.all([press(world), press(world)])).map(({ body }) => body.url);
    pages.push((await press(world)).body.url);
    expect(new Set(pages).size).toBe(1);
  });

  test('303 for a plain form, 409 while it is going on or done, 410 never for what came to nothing', async () => {
    for (const provider of PROVIDERS) {
      const made = await order(world, bodyOf(provider));
      const again = (headers: Record<string, string> = {}) =>
        world.post(`${made.path}/again`, undefined, { origin: world.url, ...headers });
      const early = await again();
      expect([early.status, early.body.field]).toEqual([409, 'session']);
      await expire(made);
      const form = await again({ accept: 'text/html' });
      expect([form.status, form.headers.get('location')]).toEqual([
        303,
        expect.stringContaining(`${world.url}/pay/`),
      ]);
    }
    const paid = await order(world, bodyOf(MOONPAY));
    await deliver(
      world,
      moonpayHook({ id: randomUUID(), status: 'completed', externalTransactionId: paid.id }),
    );
    await reaches(world, paid.id, 'completed');
    const done = await world.post(`${paid.path}/again`, undefined, { origin: world.url });
    expect(done.status).toBe(409);
  });
});

interface Step {
  /** A button, or nothing when time alone passes. */
  press?: string;
  /** Fields of its form. */
  with?: Record<string, string>;
  reaches?: string;
}

interface Journey {
  what: string;
  provider: ProviderId;
  side: Side;
  steps: Step[];
  statuses: string[];
  more?: object;
}

const PAID_BY_CARD: Record<string, Step[]> = {
  moonpay: [{ press: 'card', reaches: 'pending' }, { press: 'approve' }, {}, { reaches: 'completed' }],
  transak: [
    { press: 'card' },
    { press: 'approve', reaches: 'pending' },
    { reaches: 'paid' },
    { reaches: 'completed' },
  ],
  mercuryo: [
    { press: 'card', reaches: 'pending' },
    { press: 'approve', reaches: 'paid' },
    {},
    { reaches: 'completed' },
  ],
};
const SOLD: Record<string, Step[]> = {
  moonpay: [{ press: 'deposit', reaches: 'pending' }, { reaches: 'paid' }, {}, { reaches: 'completed' }],
  transak: [{ press: 'deposit', reaches: 'pending' }, {}, { reaches: 'paid' }, { reaches: 'completed' }],
  mercuryo: [{ press: 'deposit', reaches: 'pending' }, { reaches: 'paid' }, {}, { reaches: 'completed' }],
};
const BOUGHT_STATUSES: Record<string, string[]> = {
  moonpay: ['new', 'pending', 'completed'],
  transak: ['new', 'pending', 'paid', 'completed'],
  mercuryo: ['new', 'pending', 'paid', 'completed'],
};
const ALL = ['new', 'pending', 'paid', 'completed'];
const REFUND = { wallet: { address: WALLET } };
const FAILS: Step[] = [{ press: 'deposit-refund', reaches: 'pending' }, { reaches: 'paid' }, {}];

const JOURNEYS: Journey[] = [
  ...PROVIDERS.map(
    (provider): Journey => ({
      what: 'a purchase by card',
      provider,
      side: 'buy',
      steps: PAID_BY_CARD[provider] ?? [],
      statuses: BOUGHT_STATUSES[provider] ?? [],
    }),
  ),
  ...PROVIDERS.map(
    (provider): Journey => ({
      what: 'a sale',
      provider,
      side: 'sell',
      steps: SOLD[provider] ?? [],
      statuses: ALL,
    }),
  ),
  ...[TRANSAK, MERCURYO].map(
    (provider): Journey => ({
      what: 'a purchase that is refunded afterwards',
      provider,
      side: 'buy',
      steps: [...(PAID_BY_CARD[provider] ?? []), { press: 'refund', reaches: 'refunded' }],
      statuses: [...ALL, 'refunded'],
    }),
  ),
  ...[MOONPAY, MERCURYO].map(
    (provider): Journey => ({
      what: 'a sale whose coins go back to the wallet',
      provider,
      side: 'sell',
      more: REFUND,
      steps: [...FAILS, { reaches: 'refunded' }],
      statuses: ['new', 'pending', 'paid', 'refunded'],
    }),
  ),
  {
    what: 'a sale that fails, with no wallet for the coins to go back to',
    provider: MERCURYO,
    side: 'sell',
    steps: [...FAILS, { reaches: 'failed' }],
    statuses: ['new', 'pending', 'paid', 'failed'],
  },
  ...[TRANSAK, MERCURYO].map(
    (provider): Journey => ({
      what: 'a purchase that the person cancels',
      provider,
      side: 'buy',
      steps: [{ press: 'cancel', reaches: 'canceled' }],
      statuses: ['new', 'canceled'],
    }),
  ),
  {
    what: 'a purchase that the person cancels, for which there is no other word',
    provider: MOONPAY,
    side: 'buy',
    steps: [
      { press: 'card', reaches: 'pending' },
      { press: 'cancel', reaches: 'failed' },
    ],
    statuses: ['new', 'pending', 'failed'],
  },
  {
    what: 'a purchase whose card is declined',
    provider: TRANSAK,
    side: 'buy',
    steps: [
      { press: 'card', with: { number: '4000 0000 0000 0002' } },
      { press: 'give-up', reaches: 'failed' },
    ],
    statuses: ['new', 'failed'],
  },
];

describe('from the checkout to the record, by way of the provider’s pages', () => {
  for (const { what, provider, side, steps, statuses, more } of JOURNEYS) {
    test(`200 for ${what} at ${provider}: ${statuses.join(', ')}`, async () => {
      const made = await order(world, bodyOf(provider, side, { partnerContext: 'journey', ...more }));
      let page: HostedPage = await introduce(await visit(await openPage(world, made)));
      for (const step of steps) {
        if (step.press) page = await press(page, step.press, step.with);
        else {
          world.pass(STEP_MS);
          page = await visit(page.url, { cookie: page.cookie });
        }
        if (step.reaches) await reaches(world, made.id, step.reaches);
      }
      expect(await statusesOf(world, made.id)).toEqual(statuses);
      const told = await eventsOf(world, made.id);
      expect(told.filter((status, at) => status !== told[at - 1])).toEqual(statuses);

      const keys = { authorization: world.key, 'x-service-secret': world.account.secret };
      const list = await world.get(`/transactions?transactionIds=${made.id}`, keys);
      expect(answers.flaws('/transactions', list)).toEqual([]);
      const records = list.body.transactions;
      expect(records.map(({ status }: { status: string }) => status)).toEqual(statuses.toReversed());
      const [last] = records;
      expect((await world.get(`/transactions/${made.id}`, keys)).body).toEqual(last);
      expect(last).toMatchObject({
        apiKey: world.key,
        country: 'de',
        onramp: provider,
        onrampTransactionId: expect.stringMatching(/./),
        transactionId: made.id,
        transactionType: side,
        partnerContext: 'journey',
        paymentMethod: 'creditcard',
      });
      if (last.status === 'completed') {
        expect([last.inAmount, last.outAmount > 0]).toEqual([side === 'buy' ? 100 : 0.01, true]);
        expect(last.transactionHash).toMatch(/^[0-9a-f]{64}$/);
      }
      expect(records.at(-1)).toMatchObject({ status: 'new', transactionHash: '', outAmount: 0 });
      // The person sees the same.
      const { status, can } = (await world.get(`${made.path}/state`)).body;
      expect([status, can.open]).toEqual([statuses.at(-1), false]);
      expect((await rowOf(world, made.id)).contradicted).toBe(false);
    });
  }

  test('200 shows where to send what is sold, as long as it is waited for', async () => {
    const made = await order(world, bodyOf(MOONPAY, 'sell'));
    const page = await introduce(await visit(await openPage(world, made)));
    await eventually(async () => (await rowOf(world, made.id)).deposit !== null, 'the address is known');
    const [, address = ''] = /<dt>Address<\/dt><dd[^>]*><code>([^<]+)/.exec(page.text) ?? [];
    const state = (await world.get(`${made.path}/state`)).body;
    expect(state.deposit).toMatchObject({ address, amount: '0.01' });
    await press(page, 'deposit');
    world.pass(STEP_MS);
    await reaches(world, made.id, 'paid');
    expect((await world.get(`${made.path}/state`)).body.deposit).toBeNull();
  });
});
