/** GET /rate and /sell of the earlier surface: every gateway's word on one wish. Prices stand still, so they can be compared. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseJson } from '../../src/domain/json.ts';
import { decimal } from '../../src/domain/money.ts';
import type { FaultKind } from '../../src/sandbox/faults.ts';
import type { Reply } from '../service.ts';
import { type Answers, readAnswers, shape, shapesOf } from './answers.ts';
import { send, target } from './wire.ts';
import { MERCURYO, MOONPAY, PROVIDERS, startWorld, TRANSAK, type World } from './world.ts';

const DEADLINE_MS = 2_000;
const ADDRESS = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
const RATE = '/legacy/rate/{fromCurrency}/{toCurrency}/{paymentMethod}/{amount}';

let world: World;
let answers: Answers;
/** Of an account with a few providers that have been here for long. */
let key: string;

beforeAll(async () => {
  world = await startWorld({ QUOTE_DEADLINE_MS: String(DEADLINE_MS) });
  answers = await readAnswers(world.get);
  key = (await world.newAccount({ providers: PROVIDERS })).publicKey;
});
afterAll(() => world?.close());

interface Entry {
  identifier: string;
  available: boolean;
  duration: { seconds: number; message: string };
  rate: number;
  fees: number;
  receivedCrypto: number;
  requiredKYC: (string | string[])[];
  nextStep: { type: string; url: string; data: { name: string }[] };
  error: { type: string; message: string; limit: number };
  icon?: string;
}

async function ask(path: string, headers: Record<string, string> = { authorization: key }): Promise<Reply> {
  const reply = await world.get(`/legacy/rate/${path}`, headers);
  expect([path, reply.status]).toEqual([path, 200]);
  expect([path, answers.flaws(RATE, reply)]).toEqual([path, []]);
  return reply;
}

const entries = async (path: string): Promise<Entry[]> => (await ask(path)).body;
/** An entry with every number as it was written. */
const exact = ({ text }: Reply) => parseJson(text) as Record<keyof Entry, string>[];
const firstOf = async (path: string): Promise<Entry> => {
  const [entry] = await entries(path);
  if (!entry) expect.fail(`no entry for ${path}`);
  return entry;
};
const names = (list: readonly { identifier: string }[]) => list.map(({ identifier }) => identifier).sort();

describe('a purchase', () => {
  test('200 has one entry per gateway with all its fields, the best first', async () => {
    const list = await entries('EUR/BTC/creditCard/150?country=de');
    expect(names(list)).toEqual(PROVIDERS);
    expect(shapesOf(list)).toEqual([
      shape('identifier duration available rate fees requiredKYC receivedCrypto nextStep'),
    ]);
    const received = list.map(({ receivedCrypto }) => receivedCrypto);
    expect(received).toEqual([...received].sort((a, b) => b - a));
    for (const { duration, requiredKYC } of list) {
      expect(duration).toEqual({
        seconds: expect.any(Number),
        message: expect.stringMatching(/^About \d+ /),
      });
      expect(requiredKYC.length).toBeGreaterThan(0);
    }
  });

  test('200 for every gateway there is, without a key', async () => {
    const { body } = await ask('eur/btc/creditcard/151?country=de', {});
    const providers = await world.get('/supported/onramps/all', { authorization: world.key });
    expect(names(body)).toEqual(providers.body.message.map(({ id }: { id: string }) => id).sort());
  });

  test('200 is what /quotes says, in other words', async () => {
    const rates = exact(await ask('eur/eth/creditcard/250?country=de'));
    const quotes = parseJson(
      (await world.get('/quotes/eur/eth?amount=250&country=de', { authorization: key })).text,
    ) as Record<string, string>[];
    expect(
      rates.map(({ identifier, rate, fees, receivedCrypto }) => ({ identifier, rate, fees, receivedCrypto })),
    ).toEqual(
      quotes.map(({ ramp, rate, networkFee = '', transactionFee = '', payout }) => ({
        identifier: ramp,
        rate,
        fees: decimal(networkFee).plus(decimal(transactionFee)).toString(),
        receivedCrypto: payout,
      })),
    );
  });

  test('200 gives as crypto what is left after fees, at the rate, cut to the crypto’s precision', async () => {
    for (const [path, places, amount] of [
      ['eur/btc/creditCard/123.45', 8, '123.45'],
      ['usd/eth/creditCard/321', 18, '321'],
      ['eur/USDC_POLYGON/sepaBankTransfer/200', 6, '200'],
    ] as const) {
      const list = exact(await ask(`${path}?country=de`)).filter(
        ({ available }) => String(available) === 'true',
      );
      expect([path, list.length > 0]).toEqual([path, true]);
      for (const { identifier, rate, fees, receivedCrypto } of list) {
        const left = decimal(amount).minus(decimal(fees)).div(decimal(rate));
        const off = left.minus(decimal(receivedCrypto)).abs();
        // The rate has twelve digits.
        const slack = decimal(`1e-${places}`).plus(left.times('1e-11'));
        expect([path, identifier, off.lte(slack)]).toEqual([path, identifier, true]);
        expect(decimal(receivedCrypto).decimalPlaces()).toBeLessThanOrEqual(places);
      }
    }
  });

  test('200 whatever case, word for the method, id or slash is used', async () => {
    const plain = exact(await ask('eur/usdc_polygon/sepabanktransfer/140?country=de'));
    for (const path of [
      'EUR/USDC_POLYGON/sepaBankTransfer/140?country=DE',
      'Eur/usdc_POLYGON/SEPABANKTRANSFER/140/?country=de',
      'eur/Usdc_Polygon/sepaBankTransfer/140.00?country=de&',
      'eur/usdc_polygon/sepabanktransfer/140?country=de&onlyCryptos=BTC&x[y]=1',
    ]) {
      const same = exact(await ask(path));
      expect([path, same.map(({ receivedCrypto }) => receivedCrypto)]).toEqual([
        path,
        plain.map(({ receivedCrypto }) => receivedCrypto),
      ]);
    }
  });

  test('200 knows the earlier word of every method /gateways lists', async () => {
    const { body } = await world.get('/legacy/gateways?country=all');
    const methods: string[] = body.gateways.flatMap(
      (one: { paymentMethods: string[] }) => one.paymentMethods,
    );
    for (const method of new Set([...methods, 'prompt-pay', 'promptpay'])) {
      const { status } = await world.get(`/legacy/rate/eur/btc/${method}/100?country=de&gateway=moonpay`);
      expect([method, status]).toEqual([method, 200]);
    }
  });

  test('200 with icons carries one on every entry, available or not', async () => {
    const list = await entries('eur/btc/creditCard/1?country=de&includeIcons=true');
    expect(list.map(({ identifier, icon }) => [identifier, icon])).toEqual(
      list.map(({ identifier }) => [identifier, `${world.url}/icons/onramp/${identifier}.svg`]),
    );
    expect((await world.get(String(list[0]?.icon).replace(world.url, ''))).status).toBe(200);
  });

  test('200 asks one gateway alone when it is named', async () => {
    expect(names(await entries('eur/btc/creditCard/160?country=de&gateway=transak'))).toEqual([TRANSAK]);
    expect(names(await entries('eur/btc/creditCard/160?country=de&gateway=MoonPay'))).toEqual([MOONPAY]);
    const { publicKey } = await world.newAccount({ providers: [MOONPAY] });
    const reply = await ask('eur/btc/creditCard/160?country=de&gateway=transak', {
      authorization: publicKey,
    });
    expect(reply.body).toEqual([]);
  });

  test('200 for all countries together finds a price wherever there is one', async () => {
    const here = await entries('usd/btc/ach/200?country=de');
    expect(here.filter(({ available }) => available)).toEqual([]);
    const anywhere = await entries('usd/btc/ach/200?country=all');
    expect(names(anywhere)).toEqual(PROVIDERS);
    expect(anywhere.filter(({ available }) => available).length).toBeGreaterThan(0);
  });

  test('200 is not to be stored, and can be read by any page, with credentials', async () => {
    const { headers } = await ask('eur/btc/creditCard/100?country=de', { origin: 'https://shop.example' });
    expect([
      headers.get('cache-control'),
      headers.get('access-control-allow-origin'),
      headers.get('access-control-allow-credentials'),
    ]).toEqual(['no-store', 'https://shop.example', 'true']);
  });
});

describe('the first step', () => {
  test('200 leads to a form of the earlier surface, by an address that has no query and tells nothing', async () => {
    for (const { identifier, nextStep } of await entries('eur/btc/creditCard/170?country=de')) {
      const [base, token = ''] = nextStep.url.split('/form/');
      expect([nextStep.type, base]).toEqual(['form', `${world.url}/legacy/transaction/${identifier}`]);
      expect(token).toMatch(/^[\w.-]{40,}$/);
      expect(nextStep.data.map(({ name }) => name)).toEqual(['cryptocurrencyAddress', 'email']);
    }
  });

  test('200 does not ask for an address that was sent, and never shows it', async () => {
    const list = await entries(`eur/btc/creditCard/171?country=de&address=${ADDRESS}`);
    expect(names(list)).toEqual(PROVIDERS);
    for (const { nextStep } of list) {
      expect(nextStep.data.map(({ name }) => name)).not.toContain('cryptocurrencyAddress');
      expect(JSON.stringify(nextStep)).not.toContain(ADDRESS);
    }
    const tagged = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh';
    expect(
      names(await entries(`eur/xrp/creditCard/172?country=de&address=${tagged}&addressTag=1234`)).length,
    ).toBe(PROVIDERS.length);
    expect(world.logged()).not.toContain(ADDRESS);
  });

  test('200 makes and keeps nothing', async () => {
    const counted = async () => {
      const { rows } = await sql<{ count: string }>`
        select (select count(*) from transactions) + (select count(*) from flows) as count`.execute(
        world.database,
      );
      return String(rows[0]?.count);
    };
    const before = await counted();
    await entries('eur/btc/creditCard/173?country=de');
    await world.get('/legacy/sell/btc/eur/sepaBankTransfer/0.01?country=de');
    expect(await counted()).toBe(before);
  });
});

describe('an amount in crypto', () => {
  test('200 says the fiat to pay, which brings it to one smallest unit', async () => {
    for (const [pair, method, amount, unit] of [
      ['eur/btc', 'creditCard', '0.00321', '0.00000001'],
      ['eur/usdc_polygon', 'sepaBankTransfer', '250.5', '0.000001'],
      ['usd/eth', 'creditCard', '0.1', '0.000000000000000001'],
    ] as const) {
      const list = exact(await ask(`${pair}/${method}/${amount}?country=de&amountInCrypto=true`));
      const priced = list.filter(({ available }) => String(available) === 'true');
      expect([pair, priced.length > 1]).toEqual([pair, true]);
      const costs = priced.map(({ receivedCrypto }) => decimal(receivedCrypto));
      expect([...costs].sort((a, b) => a.cmp(b))).toEqual(costs);
      for (const { identifier, receivedCrypto, rate } of priced) {
        const way = `${pair}/${method}/${receivedCrypto}?country=de&gateway=${identifier}`;
        const [forward] = exact(await ask(way));
        const over = decimal(forward?.receivedCrypto ?? '0').minus(decimal(amount));
        const slack = decimal('0.01').div(decimal(rate)).times(2).plus(decimal(unit));
        expect([pair, identifier, over.abs().lte(slack)]).toEqual([pair, identifier, true]);
      }
    }
  });

  test('200 says what is too little and too much in crypto, and that much is accepted', async () => {
    for (const [amount, type] of [
      ['0.0000001', 'MIN'],
      ['400', 'MAX'],
    ] as const) {
      const list = await entries(`eur/btc/creditCard/${amount}?country=de&amountInCrypto=true`);
      expect(names(list)).toEqual(PROVIDERS);
      for (const { identifier, error } of list) {
        const word = type === 'MIN' ? 'minimum' : 'maximum';
        expect(error).toEqual({
          type,
          message: expect.stringMatching(new RegExp(`^The ${word} transaction accepted is [0-9.]+ BTC$`)),
          limit: expect.any(Number),
        });
        const limit = error.message.match(/is ([0-9.]+) BTC/)?.[1];
        expect(Number(limit)).toBe(error.limit);
        const path = `eur/btc/creditCard/${limit}?country=de&amountInCrypto=true&gateway=${identifier}`;
        expect([path, (await firstOf(path)).available]).toEqual([path, true]);
      }
    }
  });
});

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

describe('a sale', () => {
  const SELL = '/legacy/sell/{crypto}/{fiat}/{paymentMethod}/{amount}';

  test('200 is one entry, the best: what is paid out for the crypto', async () => {
    const reply = await world.get('/legacy/sell/BTC/EUR/sepaBankTransfer/0.01?country=de', {
      authorization: key,
    });
    expect([reply.status, answers.flaws(SELL, reply)]).toEqual([200, []]);
    const quotes = await world.get('/quotes/btc/eur?amount=0.01&paymentMethod=sepabanktransfer&country=de', {
      authorization: key,
    });
    expect(reply.body).toMatchObject({
      identifier: quotes.body[0].ramp,
      available: true,
      receivedCrypto: quotes.body[0].payout,
      nextStep: { type: 'form' },
    });
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  test('200 by what public clients call being paid in coins, with a payout of our choice', async () => {
    const { status, body } = await world.get(
      '/legacy/sell/BTC/EUR/blockchain/0.1?amountInCrypto=true&country=de',
      { authorization: key },
    );
    expect([status, body.available]).toEqual([200, true]);
  });

  test('200 without a fiat is in that of the country, or in euros', async () => {
    for (const [country, fiat] of [
      ['de', 'eur'],
      ['us', 'usd'],
      ['aq', 'eur'],
    ]) {
      const ways = ['sell/btc/creditCard/0.01', `sell/btc/${fiat}/creditCard/0.01/`].map(path =>
        world.get(`/legacy/${path}?country=${country}`, { authorization: key }),
      );
      const [short, long] = await Promise.all(ways);
      const brief = (reply: Reply | undefined) => [reply?.status, reply?.body.identifier, reply?.body.rate];
      expect([country, brief(short)]).toEqual([country, brief(long)]);
    }
  });

  test('200 with the error that is easiest to mend, and its limit in crypto', async () => {
    const { body } = await world.get('/legacy/sell/btc/eur/sepaBankTransfer/0.0000001?country=de', {
      authorization: key,
    });
    expect([body.available, body.error.type]).toEqual([false, 'MIN']);
    expect(body.error.message).toBe(`The minimum transaction accepted is ${body.error.limit} BTC`);
    const nobody = await world.get('/legacy/sell/btc/krw/pix/1?country=kp', { authorization: key });
    expect([nobody.status, nobody.body.error.type]).toEqual([200, 'OTHER']);
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
