/** GET /rate and /sell of the earlier surface, where there is no price: what a gateway declines, and what nobody can read. */
import { describe, expect, test } from 'vitest';
import type { FaultKind } from '../../src/sandbox/faults.ts';
import { shape, shapesOf } from './answers.ts';
import { ADDRESS, entries, firstOf, names, setRates, world } from './rates.ts';
import { send, target } from './wire.ts';
import { MERCURYO, MOONPAY, PROVIDERS, TRANSAK } from './world.ts';

setRates();

describe('errors of a gateway', () => {
  test('200 MIN and MAX have the limit in fiat, and that much is accepted', async () => {
    for (const [amount, type, word] of [
      ['1', 'MIN', 'minimum'],
      ['9000000', 'MAX', 'maximum'],
    ] as const) {
      const list = await entries(`eur/btc/creditCard/${amount}?country=de`);
      expect([names(list), shapesOf(list)]).toEqual([
        PROVIDERS,
        [shape('identifier duration available error')],
      ]);
      for (const { identifier, available, error } of list) {
        expect([available, error]).toEqual([
          false,
          {
            type,
            message: `The ${word} transaction accepted is ${error.limit} EUR`,
            limit: expect.any(Number),
          },
        ]);
        const path = `eur/btc/creditCard/${error.limit}?country=de&gateway=${identifier}`;
        expect([path, (await firstOf(path)).available]).toEqual([path, true]);
      }
    }
  });

  test('200 mixes those that can with those that cannot, which come last', async () => {
    const list = await entries('eur/btc/creditCard/22?country=de');
    expect(list.map(({ available }) => available)).toEqual([true, true, false]);
    expect(list[2]).toMatchObject({ identifier: MERCURYO, error: { type: 'MIN', limit: 25 } });
  });

  test('200 OTHER where a gateway does not sell it there, or not so', async () => {
    for (const path of ['usd/btc/pix/100?country=de', 'krw/stx/creditCard/100000?country=kp']) {
      const list = await entries(path);
      expect(names(list)).toEqual(PROVIDERS);
      for (const { error } of list) {
        expect([path, error]).toEqual([path, { type: 'OTHER', message: expect.any(String), limit: 0 }]);
      }
    }
  });

  const FAULTS: [FaultKind, typeof MOONPAY][] = [
    ['hang', MOONPAY],
    ['error', TRANSAK],
    ['garbage', MERCURYO],
    ['reset', MOONPAY],
    ['lie', TRANSAK],
  ];
  test.each(FAULTS)(
    '200 UNREACHABLE beside the others’ rates when a gateway has the fault %s',
    async (kind, provider) => {
      world.sandbox.fault(provider, { kind, ms: 0 });
      try {
        const list = await entries(
          `eur/btc/creditCard/${200 + FAULTS.findIndex(([one]) => one === kind)}?country=de`,
        );
        expect(list.map(({ available }) => available)).toEqual([true, true, false]);
        expect(list[2]).toEqual({
          identifier: provider,
          available: false,
          duration: expect.anything(),
          error: { type: 'UNREACHABLE', message: expect.stringMatching(/^The provider /), limit: 0 },
        });
      } finally {
        world.sandbox.fault(provider, { kind: 'none', ms: 0 });
      }
    },
  );
});

describe('a least worth in euros', () => {
  test('200 MIN for what is worth less, in euros and in other money', async () => {
    for (const { error } of await entries('eur/btc/creditCard/100?country=de&minAmountEur=150')) {
      expect(error).toEqual({
        type: 'MIN',
        message: 'The minimum transaction accepted is 150 EUR',
        limit: 150,
      });
    }
    const dollars = await entries('usd/btc/creditCard/100?country=de&minAmountEur=150');
    for (const { error } of dollars.filter(entry => entry.error?.type === 'MIN')) {
      expect(error.limit).toBeGreaterThan(150);
      expect(error.limit).toBeLessThan(200);
    }
    expect(dollars.filter(({ available }) => available)).toEqual([]);
  });

  test('200 says it in crypto when the amount is in crypto, and that much is accepted', async () => {
    const query = 'country=de&amountInCrypto=true&minAmountEur=500';
    for (const { identifier, error } of await entries(`eur/btc/creditCard/0.002?${query}`)) {
      expect([identifier, error.type, error.limit > 0.004]).toEqual([identifier, 'MIN', true]);
      const path = `eur/btc/creditCard/${error.limit}?${query}&gateway=${identifier}`;
      expect([path, (await firstOf(path)).available]).toEqual([path, true]);
    }
  });

  test('200 as if it were not there when it is met, or zero', async () => {
    for (const least of ['100', '99.99', '0', '0.00']) {
      const list = await entries(`eur/btc/creditCard/100?country=de&minAmountEur=${least}`);
      expect([least, list.every(({ available }) => available)]).toEqual([least, true]);
    }
  });
});

describe('bad input', () => {
  const rate = (change: Partial<Record<'from' | 'to' | 'method' | 'amount' | 'query', string>>) => {
    const { from = 'eur', to = 'btc', method = 'creditCard', amount = '100', query = 'country=de' } = change;
    return `/legacy/rate/${from}/${to}/${method}/${amount}?${query}`;
  };
  const q = (query: string) => rate({ query: `country=de&${query}` });
  const amounts = [
    ...[
      '0',
      '0.0',
      '-1',
      '-0',
      '+5',
      '1e3',
      '1E3',
      '0x10',
      '0b1',
      '.5',
      '5.',
      '1,5',
      '1.5.5',
      '5%20',
      '%205',
    ],
    ...['NaN', 'Infinity', 'null', 'undefined', 'true', '1_000', '100abc', '5n', '$5', '01', '00'],
    ...[
      '9'.repeat(16),
      '9'.repeat(400),
      '1.001',
      '%D9%A1%D9%A0',
      '1%00',
      '1%0a',
      "1'--",
      '%7B%7D',
      '%5B5%5D',
    ],
  ];
  const words = ['zzz', 'nope', '%20', 'a'.repeat(65), '__proto__', 'constructor', 'b%00', '%F0%9F%92%B0'];
  const cases: [field: string, paths: string[]][] = [
    ['amount', amounts.map(amount => rate({ amount }))],
    [
      'amount',
      ['0.000000001', '1e-8'].map(amount => rate({ amount, query: 'country=de&amountInCrypto=true' })),
    ],
    ['fromCurrency', [...words, 'btc', 'usdc_polygon'].map(from => rate({ from }))],
    ['toCurrency', [...words, 'eur', 'usdc', 'usdt', 'btc_polygon'].map(to => rate({ to }))],
    ['paymentMethod', [...words, 'credit%20card', 'card'].map(method => rate({ method }))],
    [
      'country',
      ['', 'zz', 'deu', 'Germany', 'dE', '49', '%00', 'de%20'].map(one => rate({ query: `country=${one}` })),
    ],
    ['country', [rate({ query: 'country=de&country=de' })]],
    ['state', ['state=', 'state=New+York', 'state=bavaria', 'state=BY'].map(q)],
    ['includeIcons', ['includeIcons=', 'includeIcons=TRUE', 'includeIcons=1'].map(q)],
    [
      'amountInCrypto',
      ['amountInCrypto=', 'amountInCrypto=yes', 'amountInCrypto=true&amountInCrypto=true'].map(q),
    ],
    ['address', ['address=', 'address=x', `address=${ADDRESS}x`, `address=${'a'.repeat(300)}`].map(q)],
    [
      'address',
      ['address=0x95222290dd7278aa3ddd389cc1e1d165cc4bafe5', `address=${ADDRESS}&address=${ADDRESS}`].map(q),
    ],
    ['addressTag', ['addressTag=1', `address=${ADDRESS}&addressTag=1`, 'addressTag='].map(q)],
    ['minAmountEur', ['', '-1', '1e3', 'abc', '1.001', '5.', 'NaN'].map(one => q(`minAmountEur=${one}`))],
    ['gateway', ['', 'nope', '__proto__', 'moonpay,transak', '%00'].map(one => q(`gateway=${one}`))],
  ];

  test.each(cases)('400 names %s', async (field, paths) => {
    const wrong: string[] = [];
    for (const path of paths) {
      const { status, text } = await send(world.url, target(path));
      const body = JSON.parse(text) as { message?: string; field?: string };
      const isRight = status === 400 && body.field === field && body.message;
      if (!isRight || Object.keys(body).length !== 2) wrong.push(`${path.slice(0, 120)} ${status} ${text}`);
    }
    expect(wrong).toEqual([]);
  });

  test('400 names the parameter of a sale', async () => {
    for (const [path, field] of [
      ['sell/zzz/eur/creditCard/1', 'crypto'],
      ['sell/eur/eur/creditCard/1', 'crypto'],
      ['sell/usdc/eur/creditCard/1', 'crypto'],
      ['sell/btc/zzz/creditCard/1', 'fiat'],
      ['sell/btc/eth/creditCard/1', 'fiat'],
      ['sell/btc/eur/nope/1', 'paymentMethod'],
      ['sell/btc/eur/creditCard/0', 'amount'],
      ['sell/btc/eur/creditCard/0.000000001', 'amount'],
      ['sell/btc/nope/1', 'paymentMethod'],
      ['sell/btc/creditCard/1e1', 'amount'],
      ['sell/btc/creditCard/1?country=zz', 'country'],
    ] as const) {
      const { status, body } = await world.get(`/legacy/${path}`);
      expect([path, status, body]).toEqual([path, 400, { message: expect.any(String), field }]);
    }
  });

  test('4xx in few words for paths that lead nowhere or cannot be read', async () => {
    for (const path of [
      '/legacy/rate',
      '/legacy/rate/eur/btc/creditCard',
      '/legacy/rate/eur/btc/creditCard/100/extra',
      '/legacy/rate/eur//creditCard/100',
      '/legacy/rate/%/btc/creditCard/100',
      '/legacy/rate/%ff/btc/creditCard/100',
      '/legacy/sell/btc',
      '/legacy/Gateways',
    ]) {
      const { status, body } = await send(world.url, target(path));
      expect([path, status === 400 || status === 404, Object.keys(body ?? {}).sort()]).toEqual([
        path,
        true,
        ['field', 'message'],
      ]);
    }
  });

  test('200 afterwards: nothing was 5xx', async () => {
    expect((await world.get('/metrics')).text).not.toMatch(
      /cloverleaf_request_seconds_count\{[^}]*status="5/,
    );
    expect(world.logged()).not.toContain('unexpected error');
    expect(cases.flatMap(([, paths]) => paths).length).toBeGreaterThan(90);
  });
});
