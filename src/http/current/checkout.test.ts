/** The checkout route without a service behind it: what is understood, what is answered, what is refused. */
import type { AddressInfo } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, { type FastifyInstance } from 'fastify';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  ADDRESSES,
  BUY,
  bytesOf,
  type Case,
  REDIRECT_HOSTS,
  REFUSED,
  SELL,
  UUID,
  withValue,
} from '../../../test/contract/checkout-cases.ts';
import { send } from '../../../test/contract/wire.ts';
import type { Account } from '../../app/accounts.ts';
import type { Intent, Wish } from '../../app/checkout.ts';
import type { SentSignature, SignedFields } from '../../app/signed-checkout.ts';
import { DeclinedFault, Fault } from '../../domain/fault.ts';
import { writeJson } from '../../domain/json.ts';
import { decimal } from '../../domain/money.ts';
import type { AccountId } from '../../domain/words.ts';
import { currencies } from '../../main.ts';
import { describeProblem } from '../problem.ts';
import { checkoutRoutes } from './checkout.ts';
import { checkoutSchemas } from './checkout-schema.ts';

const ACCOUNT: Account = {
  id: 'a1' as AccountId,
  name: 'shop',
  publicKey: 'pk_test_1',
  environment: 'test',
  providers: undefined,
  preferred: {},
  origins: [],
  redirectHosts: REDIRECT_HOSTS,
  signedCheckouts: false,
  signers: [],
  secretDigests: [],
  createdAt: new Date(0),
  revokedAt: undefined,
};
const INTENT: Intent = {
  sessionId: 's1',
  transactionId: 't1',
  url: 'https://ramp.example/pay/token',
  opens: 'iframe',
  permissions: ['camera', 'payment'],
  expiresAt: 1_800_000_000_999,
};

/** What the core was told, and what it does about it. */
let wishes: Wish[];
let signatures: { fields: SignedFields; sent: SentSignature }[];
let intend: (wish: Wish) => Intent;
let located: string | undefined;
let app: FastifyInstance;
let url: string;

beforeEach(() => {
  wishes = [];
  signatures = [];
  intend = () => INTENT;
  located = 'DE';
});

beforeAll(async () => {
  app = fastify().withTypeProvider<TypeBoxTypeProvider>();
  app.setSerializerCompiler(() => writeJson);
  app.setErrorHandler((error, request, reply) => {
    const { status, body } = describeProblem(error, request.id);
    reply.code(status).header('content-type', 'application/json');
    return reply.send(writeJson(body));
  });
  app.decorateRequest('account');
  app.addHook('onRequest', async request => {
    request.account = ACCOUNT;
  });
  await app.register(
    checkoutRoutes({
      currencies,
      checkout: {
        async intend(wish, write) {
          wishes.push(wish);
          return write(intend(wish));
        },
      },
      signed: {
        check(_account, fields, sent) {
          signatures.push({ fields, sent });
          if (sent.signature === 'bad')
            throw new Fault('forbidden', 'The checkout must be signed', 'signature');
          return sent.signature === undefined ? undefined : { nonce: 'n1' };
        },
      },
      isProvider: id => ['moonpay', 'transak'].includes(id),
      locate: () => located,
      clientIp: () => '198.51.100.7',
    }),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});
afterAll(() => app.close());

async function post(body: object | string, more: Partial<Case> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await send(url, bytesOf({ query: '', ...more, body: text }));
  return { ...answer, body: answer.body as Record<string, unknown> };
}

/** What the core was told of a body that must be understood. */
async function understood(body: object | string, more: Partial<Case> = {}): Promise<Wish> {
  const { status, text } = await post(body, more);
  expect([status, text]).toEqual([200, text]);
  const [wish] = wishes.splice(0);
  return wish as Wish;
}

describe('a checkout', () => {
  it('is understood as it is meant', async () => {
    const wish = await understood({ ...BUY, metaData: { quoteId: 'q1' } });
    expect(wish).toMatchObject({
      account: { id: 'a1' },
      provider: 'moonpay',
      side: 'buy',
      fiat: { id: 'eur' },
      asset: { id: 'btc_bitcoin' },
      method: 'creditcard',
      country: 'DE',
      source: 'eur',
      target: 'btc',
      wallet: { address: ADDRESSES.bitcoin },
      quoteId: 'q1',
      partnerContext: 'order-1',
      uuid: UUID,
      originatingHost: 'shop.example',
      theme: { isDark: false, themeName: 'light-theme', primaryColor: '#241d1c', borderRadius: undefined },
      returnTo: 'https://shop.example/thanks',
      signNonce: undefined,
      idempotency: undefined,
      clientIp: '198.51.100.7',
    });
    expect(wish.amount.toString()).toBe('100');
  });

  it('is answered in the shape clients know', async () => {
    const { status, headers, body } = await post(BUY);
    expect([status, headers['cache-control'], headers['content-type']]).toEqual([
      200,
      'no-store',
      'application/json; charset=utf-8',
    ]);
    expect(body).toEqual({
      message: {
        validationInformation: true,
        status: 'in_progress',
        sessionInformation: {
          onramp: 'moonpay',
          source: 'eur',
          destination: 'btc',
          amount: 100,
          type: 'buy',
          paymentMethod: 'creditcard',
          network: 'bitcoin',
          uuid: UUID,
          originatingHost: 'shop.example',
          wallet: BUY.wallet,
          supportedParams: { theme: BUY.supportedParams.theme },
          country: 'DE',
          expiringTime: 1_800_000_000,
          sessionId: 's1',
        },
        transactionInformation: {
          transactionId: 't1',
          url: 'https://ramp.example/pay/token',
          type: 'iframe',
          params: { permissions: 'camera; payment' },
        },
      },
    });
  });

  it('needs little', async () => {
    const { body } = await post({
      onramp: 'MoonPay',
      source: 'EUR',
      destination: 'USDC_Polygon',
      amount: 25.5,
      wallet: { address: ADDRESSES.ethereum },
    });
    const { sessionInformation } = body.message as Record<string, object>;
    expect(sessionInformation).toEqual({
      onramp: 'moonpay',
      source: 'EUR',
      destination: 'USDC_Polygon',
      amount: 25.5,
      type: 'buy',
      paymentMethod: 'creditcard',
      network: 'polygon',
      wallet: { address: ADDRESSES.ethereum },
      supportedParams: { theme: {} },
      country: 'DE',
      expiringTime: 1_800_000_000,
      sessionId: 's1',
    });
    expect(wishes[0]).toMatchObject({ source: 'eur', target: 'usdc_polygon', partnerContext: '' });
  });

  it('may sell, with or without an address for coins to come back to', async () => {
    expect(await understood(SELL)).toMatchObject({
      side: 'sell',
      fiat: { id: 'eur' },
      asset: { id: 'btc_bitcoin' },
      method: 'sepabanktransfer',
      wallet: undefined,
    });
    const { body } = await post(SELL);
    expect(body).toMatchObject({ message: { sessionInformation: { wallet: {} } } });
    wishes = [];
    const address = ADDRESSES.bitcoin;
    expect((await understood({ ...SELL, wallet: { address } })).wallet).toEqual({ address });
  });

  it('keeps every digit of the amount', async () => {
    const text = JSON.stringify({ ...SELL, source: 'eth', amount: '@' });
    const wish = await understood(text.replace('"@"', '123456789.123456789012345678'));
    expect(wish.amount.toString()).toBe('123456789.123456789012345678');
    expect((await understood(text.replace('"@"', '1.50'))).amount.toString()).toBe('1.5');
  });

  it('takes null for absent wherever something may be absent', async () => {
    const nothing = Object.fromEntries(
      ['type', 'paymentMethod', 'network', 'uuid', 'partnerContext', 'originatingHost', 'metaData'].map(
        name => [name, null],
      ),
    );
    const empty = await understood({ ...BUY, ...nothing, supportedParams: null });
    expect(empty).toMatchObject({
      method: 'creditcard',
      uuid: undefined,
      quoteId: undefined,
      returnTo: undefined,
    });
    expect(empty.theme).toEqual({ isDark: false });
    for (const path of [
      'supportedParams.theme',
      'supportedParams.partnerData',
      'supportedParams.partnerData.redirectUrl',
      'supportedParams.partnerData.redirectUrl.success',
      'supportedParams.theme.isDark',
      'supportedParams.theme.primaryColor',
      'metaData.quoteId',
      'wallet.memo',
    ]) {
      await understood(withValue(path, null));
    }
  });

  it('ignores what is the service’s to say, and what nobody knows', async () => {
    const { body } = await post({
      ...BUY,
      status: 'completed',
      country: 'KP',
      transactionId: 'x',
      sessionId: 'x',
      apiKey: 'pk_prod_x',
      expiringTime: 1,
      validationInformation: false,
      toString: 1,
      nobody: { knows: [1, 'x', null] },
    });
    expect(body).toMatchObject({
      message: {
        status: 'in_progress',
        validationInformation: true,
        sessionInformation: { country: 'DE', sessionId: 's1', expiringTime: 1_800_000_000 },
        transactionInformation: { transactionId: 't1' },
      },
    });
  });

  it('goes by the country sent, else by that of the address', async () => {
    expect((await understood(BUY, { query: '?country=fr&colour=green' })).country).toBe('FR');
    located = undefined;
    const refused = await post(BUY);
    expect([refused.status, refused.body.field]).toEqual([400, 'country']);
    expect(wishes).toEqual([]);
  });

  it('needs no network where a coin says it, and finds a bare code on the network it names', async () => {
    for (const [destination, network, id] of [
      ['btc', undefined, 'btc_bitcoin'],
      ['BTC', 'Bitcoin', 'btc_bitcoin'],
      ['USDC', 'POLYGON', 'usdc_polygon'],
      ['usdc_base', 'base', 'usdc_base'],
    ] as const) {
      const address = id === 'btc_bitcoin' ? ADDRESSES.bitcoin : ADDRESSES.ethereum;
      const wish = await understood({ ...BUY, destination, network, wallet: { address } });
      expect(wish.asset.id).toBe(id);
    }
  });

  it('passes a memo on where the chain has them', async () => {
    const wallet = { address: ADDRESSES.ripple, memo: '12345' };
    const wish = await understood({ ...BUY, destination: 'xrp', network: undefined, wallet });
    expect(wish.wallet).toEqual(wallet);
  });

  it('may say a theme in every form', async () => {
    for (const [member, value, text] of [
      ['primaryColor', '#abc', '#abc'],
      ['primaryColor', '#aabbccdd', '#aabbccdd'],
      ['cardColor', 'rgb(1, 2, 3)', 'rgb(1, 2, 3)'],
      ['cardColor', 'rgba(1,2,3,0.5)', 'rgba(1,2,3,0.5)'],
      ['cardColor', 'hsl(120, 50%, 50%)', 'hsl(120, 50%, 50%)'],
      ['borderRadius', 8, '8'],
      ['borderRadius', 0.5, '0.5'],
      ['borderRadius', '8px', '8px'],
      ['borderRadius', '0.5rem', '0.5rem'],
      ['isDark', true, true],
    ] as const) {
      const body = withValue(`supportedParams.theme.${member}`, value);
      const { body: answer } = await post(body);
      expect(answer).toMatchObject({
        message: { sessionInformation: { supportedParams: { theme: { [member]: value } } } },
      });
      expect([member, wishes.pop()?.theme[member]]).toEqual([member, text]);
    }
    await understood(withValue('supportedParams.theme', { unknown: { x: 1 } }));
  });

  it('may come with any form of its content type', async () => {
    for (const type of [
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'application/json;charset="UTF-8"',
    ]) {
      await understood(BUY, { headers: [`Content-Type: ${type}`, 'Content-Encoding: identity'] });
    }
  });
});

describe('the document', () => {
  const { body: request, response } = checkoutSchemas.intent;

  it('holds good requests and their answers', async () => {
    for (const body of [BUY, SELL, withValue('metaData.quoteId', 'q1'), { ...BUY, supportedParams: null }]) {
      expect([...Compile(request).Errors(body)]).toEqual([]);
      expect([...Compile(response[200]).Errors((await post(body)).body)]).toEqual([]);
    }
  });

  it('holds problems, those of a provider among them', async () => {
    expect([...Compile(response['4xx']).Errors((await post({})).body)]).toEqual([]);
    intend = () => {
      throw new DeclinedFault({ reason: 'limit', message: 'too much', limits: { max: decimal('0.5') } });
    };
    const { body } = await post(BUY);
    expect([...Compile(response[422]).Errors(body)]).toEqual([]);
    expect(response[422]).toHaveProperty('properties.maxAmount');
  });
});

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
    expect(signatures).toEqual([
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
    expect([status, body.field, wishes]).toEqual([403, 'signature', []]);
  });
});

describe('an idempotency key', () => {
  const keyOf = async (body: object | string, more: Partial<Case> = {}) =>
    (await understood(body, { headers: ['Idempotency-Key: k 1'], ...more })).idempotency;

  it('comes with a digest that is the same for the same body however it is written', async () => {
    const one = await keyOf(BUY);
    expect(one).toEqual({ key: 'k 1', digest: expect.any(Buffer) });
    expect(one?.digest.length).toBe(32);
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
    for (const [body, more] of requests) digests.add((await keyOf(body, more))?.digest.toString('hex'));
    expect(digests.size).toBe(requests.length);
  });

  it('may be as long as 255 characters', async () => {
    const key = 'x'.repeat(255);
    expect((await keyOf(BUY, { headers: [`idempotency-key: ${key}`] }))?.key).toBe(key);
  });
});

describe('a refusal of the core', () => {
  it('is passed on, with the bounds of the provider', async () => {
    intend = () => {
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
      const answer = await send(url, bytesOf(request)).catch((error: Error) => error);
      const found = answer instanceof Error ? answer.message : `${answer.status} ${answer.body?.field}`;
      const isNamed = fields.some(field => found === `${status} ${field}`);
      const isSaid = !(answer instanceof Error) && Boolean(answer.body?.message);
      if (!isNamed || !isSaid) wrong.push(`${what}: ${found}`);
    }
    expect(wrong).toEqual([]);
    expect(wishes).toEqual([]);
    expect(Object.getOwnPropertyNames(Object.prototype).sort().join()).toBe(pristine);
    expect('polluted' in {}).toBe(false);
  });

  it('with many cases', () => {
    expect(Object.values(REFUSED).flat().length).toBeGreaterThan(700);
  });
});
