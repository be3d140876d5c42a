/** Admission: whom a request counts on, and what is refused when there is too much to do. */
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type Account, PUBLIC_ACCOUNT } from '../app/accounts.ts';
import type { AccountId, ProviderId } from '../domain/words.ts';
import { type AdmissionOptions, createAdmission, networkOf } from './admission.ts';

const LIMITS = { rateLimitPerKey: 5, rateLimitPerAddress: 2 };
const SHOP = { id: 'shop' as AccountId, environment: 'test' } as Account;

function setUp(change: Partial<AdmissionOptions> = {}) {
  const state = {
    late: false,
    crowded: false,
    sated: 'nobody',
    address: '203.0.113.9' as string | undefined,
  };
  const admission = createAdmission({
    limits: LIMITS,
    mostAsking: 3,
    callers: { recognize: authorization => (/key$/.test(authorization) ? SHOP : undefined) },
    addressOf: () => state.address,
    legacyPath: '/legacy',
    crowd: {
      refuses: ({ id }) => (state.crowded ? 'crowded' : id === state.sated ? 'share' : undefined),
    },
    isLate: () => state.late,
    ticks: () => 0,
    ...change,
  });
  const limit = (url: string, authorization?: string) =>
    admission.limit({ url } as IncomingMessage, authorization)?.reason;
  const shed = (url: string, response = new EventEmitter(), authorization?: string) =>
    admission.shed(Object.assign(response, { req: { url } }) as ServerResponse, authorization)?.reason;
  return { admission, state, limit, shed };
}

const many = (times: number, act: () => string | undefined) => Array.from({ length: times }, act);

describe('a request', () => {
  it('counts on its key, whatever stands before it', () => {
    const { limit } = setUp();
    const spellings = ['key', 'Bearer key', 'bearer key', 'Basic key'];
    const told = spellings.flatMap(spelling => many(5, () => limit('/supported', spelling)));
    expect(told.filter(one => one === undefined)).toHaveLength(10);
    expect(told.at(-1)).toBe('key');
  });

  it('counts on its address without a key, and with one that nobody has', () => {
    const { limit, state } = setUp();
    const told = [...many(3, () => limit('/supported')), ...many(3, () => limit('/supported', 'guess'))];
    expect(told).toEqual([undefined, undefined, undefined, undefined, 'address', 'address']);
    expect(limit('/supported', 'key')).toBeUndefined();
    state.address = '203.0.113.10';
    expect(limit('/supported')).toBeUndefined();
  });

  it('counts on all addresses together that tell nothing', () => {
    const { limit, state } = setUp();
    state.address = undefined;
    expect(many(5, () => limit('/supported')).at(-1)).toBe('address');
  });

  it('for an order is counted apart from questions', () => {
    const { limit } = setUp();
    many(20, () => limit('/quotes/eur/btc', 'key'));
    expect(limit('/quotes/eur/btc', 'key')).toBe('key');
    expect(limit('/checkout/intent', 'key')).toBeUndefined();
    expect(limit('/transactions?limit=5', 'key')).toBeUndefined();
    expect(limit('/legacy/transaction/moonpay/form/token', 'key')).toBeUndefined();
  });

  it.each(['/health/live', '/health/ready', '/hooks/moonpay'])('for %s is never counted', url => {
    const { limit } = setUp();
    expect(many(50, () => limit(url)).every(one => one === undefined)).toBe(true);
  });

  it('is never refused where there is no limit', () => {
    const { limit } = setUp({ limits: { rateLimitPerKey: 0, rateLimitPerAddress: 0 } });
    const told = [...many(50, () => limit('/supported')), ...many(50, () => limit('/supported', 'key'))];
    expect(told.every(one => one === undefined)).toBe(true);
  });

  it('that is refused is told what the limit is, and when to come back', () => {
    const { admission } = setUp();
    const request = { url: '/supported' } as IncomingMessage;
    const [refusal] = Array.from({ length: 5 }, () => admission.limit(request, undefined)).filter(Boolean);
    expect(refusal?.headers).toEqual([
      ...['retry-after', '1', 'ratelimit-policy', '"address";q=4;w=2', 'ratelimit', '"address";r=0;t=1'],
    ]);
  });
});

describe('when everything is late', () => {
  it.each([
    '/quotes/eur/btc?amount=1',
    '/supported?type=sell',
    '/legacy/rate/eur/btc/creditCard/100',
    '/docs',
    '/%63heckout/intent',
  ])('%s is refused', url => {
    const { shed, state } = setUp();
    state.late = true;
    expect(shed(url)).toBe('late');
  });

  it.each([
    ...['/checkout/intent', '/pay/token', '/transactions', '/transactions/01J', '/webhooks'],
    ...['/legacy/transaction/moonpay/form/token', '/hooks/moonpay', '/health/live', '/metrics'],
  ])('%s is served', url => {
    const { shed, state } = setUp();
    state.late = true;
    state.crowded = true;
    expect(many(50, () => shed(url)).every(one => one === undefined)).toBe(true);
  });
});

describe('when all quotes that can be are under way', () => {
  it('further ones are refused, on either surface, and nothing else', () => {
    const { shed, state } = setUp();
    state.crowded = true;
    const quotes = ['/quotes/eur/btc', '/legacy/rate/eur/btc/creditCard/1', '/legacy/sell/btc/eur/sepa/1'];
    expect(quotes.map(url => shed(url))).toEqual(['crowded', 'crowded', 'crowded']);
    expect(shed('/supported')).toBeUndefined();
  });

  it('further ones of whoever has its share are refused, by key or by address, and nobody else’s', () => {
    const { shed, state } = setUp({ mostAsking: 9 });
    const quote = (authorization?: string) => shed('/quotes/eur/btc', new EventEmitter(), authorization);
    state.sated = 'shop';
    expect([quote('Bearer key'), quote(), quote('guess')]).toEqual(['share', undefined, undefined]);
    state.sated = '203.0.113.9';
    expect([quote('Bearer key'), quote(), quote('guess')]).toEqual([undefined, 'share', 'share']);
  });
});

describe('questions being answered', () => {
  it('are as many as may be, and one more for each that is done', () => {
    const { shed } = setUp();
    const first = new EventEmitter();
    expect([shed('/docs', first), shed('/docs'), shed('/docs'), shed('/docs')]).toEqual([
      ...[undefined, undefined, undefined, 'busy'],
    ]);
    first.emit('close');
    expect(shed('/docs')).toBeUndefined();
  });
});

describe('whose share it is', () => {
  it('is the account’s, and of those without one the address’s', () => {
    const { admission } = setUp();
    const request = {} as IncomingMessage;
    expect(admission.callerOf(SHOP, request)).toEqual({
      id: 'shop',
      perSecond: LIMITS.rateLimitPerKey,
      reach: SHOP.environment,
    });
    expect(admission.callerOf({ ...SHOP, id: PUBLIC_ACCOUNT }, request)).toEqual({
      id: '203.0.113.9',
      perSecond: LIMITS.rateLimitPerAddress,
      reach: PUBLIC_ACCOUNT,
    });
    const narrow = { ...SHOP, providers: ['moonpay', 'transak'] as ProviderId[] };
    expect(admission.callerOf(narrow, request).reach).toBe(`${SHOP.environment} moonpay,transak`);
  });

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:ffff:ffff:ffff:ffff', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['::1', '0:0:0:0::/64'],
    [undefined, 'unknown'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
