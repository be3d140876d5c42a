/** The pay page’s API: the page itself, the way on to the provider’s own, and what the page is told. */
import { createHash, createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { allow } from '../../src/app/accounts.ts';
import { createSessions } from '../../src/app/sessions.ts';
import { other, setPair, world } from './pair.ts';
import { eventually } from './patience.ts';
import { MERCURYO, MOONPAY, PROVIDERS, TRANSAK } from './world.ts';
import { deliver, moonpayHook } from './world-hooks.ts';
import { bodyOf, expectWatched, openPage, order, reaches, rowOf, WALLET } from './world-orders.ts';
import { visit } from './world-person.ts';

setPair();
afterEach(() => expectWatched(world));

const SHOP = 'https://shop.example';

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
