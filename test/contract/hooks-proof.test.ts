/** POST /hooks/{provider} takes what is proven to be the provider’s, by whichever of its secrets holds, and nothing else. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { account, counted, inboxAfter, lastOfInbox, setInbox } from './inbox.ts';
import { other, world } from './pair.ts';
import { eventually } from './patience.ts';
import { MOONPAY, TRANSAK } from './world.ts';
import {
  deliver,
  type Hook,
  mercuryoHook,
  seconds,
  signMercuryo,
  signMoonpay,
  signTransak,
  transakHook,
  transakTokens,
} from './world-hooks.ts';
import { bodyOf, order, reaches, statusesOf, writeOrder } from './world-orders.ts';

setInbox();

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
