/** The checkout route without a service behind it: ways back, signatures, keys, and what is refused. */
import { describe, expect, it } from 'vitest';
import { core, post, setCheckout, understood } from '../../../test/checkout-route.ts';
import { REFUSED } from '../../../test/contract/checkout-cases.ts';
import { ADDRESSES, BUY, bytesOf, type Case, withValue } from '../../../test/contract/checkout-letters.ts';
import { send } from '../../../test/contract/wire.ts';
import { DeclinedFault } from '../../domain/fault.ts';
import { decimal } from '../../domain/money.ts';

setCheckout();

describe('the way back', () => {
  const redirectOf = (success: string) =>
    understood(withValue('supportedParams.partnerData.redirectUrl.success', success));

  it.each([
    ['https://shop.example', 'https://shop.example/'],
    ['https://shop.example/thanks?order=1#done', 'https://shop.example/thanks?order=1#done'],
    ['HTTPS://SHOP.EXAMPLE:443/a/../b', 'https://shop.example/b'],
    ['https%3A%2F%2Fshop.example%2Fthanks%3Forder%3D1', 'https://shop.example/thanks?order=1'],
    ['https%3A%2F%2Fshop.example%2F%3Fnext%3D%252Fhome', 'https://shop.example/?next=%2Fhome'],
    ['https://shop.example/?next=%2Fhome', 'https://shop.example/?next=%2Fhome'],
    ['https://shop.example/?a=b@c', 'https://shop.example/?a=b@c'],
    ['https://shop.example/caf\u00e9', 'https://shop.example/caf%C3%A9'],
    ['http://localhost:3000/thanks', 'http://localhost:3000/thanks'],
    ['http://127.0.0.1:3000/', 'http://127.0.0.1:3000/'],
    ['http%3A%2F%2F%5B%3A%3A1%5D%3A3000%2F', 'http://[::1]:3000/'],
    ['https://localhost:3000/', 'https://localhost:3000/'],
  ])('%s is kept as %s', async (sent, kept) => {
    expect((await redirectOf(sent)).returnTo).toBe(kept);
  });
});

describe('a signature', () => {
  it('is checked against the texts of the body as they stand', async () => {
    const body = {
      ...BUY,
      onramp: 'MoonPay',
      source: 'EUR',
      destination: 'xrp',
      network: 'Ripple',
      amount: '@',
      type: undefined,
      wallet: { address: ADDRESSES.ripple, memo: '7' },
      signContent: 'amount=…',
      signature: 'good',
    };
    const wish = await understood(JSON.stringify(body).replace('"@"', '100.00'));
    expect(wish.signNonce).toBe('n1');
    expect(core.signatures).toEqual([
      {
        fields: {
          amount: '100.00',
          source: 'EUR',
          destination: 'xrp',
          network: 'Ripple',
          onramp: 'MoonPay',
          partnerContext: 'order-1',
          paymentMethod: 'creditcard',
          redirect: 'https%3A%2F%2Fshop.example%2Fthanks',
          type: undefined,
          wallet: { address: ADDRESSES.ripple, memo: '7' },
        },
        sent: { signContent: 'amount=…', signature: 'good' },
      },
    ]);
  });

  it('that is wrong ends it', async () => {
    const { status, body } = await post({ ...BUY, signContent: 'x', signature: 'bad' });
    expect([status, body.field, core.wishes]).toEqual([403, 'signature', []]);
  });
});

describe('an idempotency key', () => {
  const keyOf = async (body: object | string, more: Partial<Case> = {}) =>
    (await understood(body, { headers: ['Idempotency-Key: k 1'], ...more })).idempotency;

  it('comes with a digest that is the same for the same body however it is written', async () => {
    const one = await keyOf(BUY);
    expect(one).toEqual({ key: 'k 1', digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const turned = JSON.stringify(Object.fromEntries(Object.entries(BUY).reverse()), null, 2);
    expect(await keyOf(turned)).toEqual(one);
  });

  it('comes with another digest for any other request', async () => {
    const requests: [object | string, Partial<Case>?][] = [
      [BUY],
      [{ ...BUY, amount: 101 }],
      [JSON.stringify(BUY).replace('100', '100.0')],
      [{ ...BUY, note: 'x' }],
      [{ ...BUY, note: null }],
      [withValue('wallet.address', ADDRESSES.bitcoin.toUpperCase())],
      [BUY, { query: '?country=fr' }],
    ];
    const digests = new Set<string | undefined>();
    for (const [body, more] of requests) digests.add((await keyOf(body, more))?.digest);
    expect(digests.size).toBe(requests.length);
  });

  it('may be as long as 255 characters', async () => {
    const key = 'x'.repeat(255);
    expect((await keyOf(BUY, { headers: [`idempotency-key: ${key}`] }))?.key).toBe(key);
  });
});

describe('a refusal of the core', () => {
  it('is passed on, with the bounds of the provider', async () => {
    core.intend = () => {
      const limits = { min: decimal('20'), max: decimal('30000') };
      throw new DeclinedFault({ reason: 'limit', message: 'Amount should be in between', limits });
    };
    const { status, body } = await post(BUY);
    expect(status).toBe(422);
    expect(body).toMatchObject({ type: 'LimitMismatch', errorId: 6101, minAmount: 20, maxAmount: 30_000 });
  });
});

describe('refused, and the field named', () => {
  const pristine = Object.getOwnPropertyNames(Object.prototype).sort().join();

  it.each(Object.entries(REFUSED))('%s', async (_kind, cases) => {
    const wrong: string[] = [];
    for (const { what, status = 400, fields, ...request } of cases) {
      const answer = await send(core.url, bytesOf(request)).catch((error: Error) => error);
      const found = answer instanceof Error ? answer.message : `${answer.status} ${answer.body?.field}`;
      const isNamed = fields.some(field => found === `${status} ${field}`);
      const isSaid = !(answer instanceof Error) && Boolean(answer.body?.message);
      if (!isNamed || !isSaid) wrong.push(`${what}: ${found}`);
    }
    expect(wrong).toEqual([]);
    expect(core.wishes).toEqual([]);
    expect(Object.getOwnPropertyNames(Object.prototype).sort().join()).toBe(pristine);
    expect('polluted' in {}).toBe(false);
  });

  it('with many cases', () => {
    expect(Object.values(REFUSED).flat().length).toBeGreaterThan(700);
  });
});
