/** Bad input by parameter: every case is a 4xx whose JSON names the parameter, on every route that takes it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../service.ts';
import { send, target } from './wire.ts';
import { PROVIDERS } from './world.ts';

let service: TestService;
const pristine = Object.getOwnPropertyNames(Object.prototype).sort().join();

beforeAll(async () => {
  service = await startTestService({}, { only: PROVIDERS });
});
afterAll(() => service?.close());

/** What is wrong with how a path is refused; undefined when it is refused as it should be. */
async function misjudged(path: string, fields: readonly string[]): Promise<string | undefined> {
  const said = path.length > 120 ? `${path.slice(0, 120)}…` : path;
  try {
    const { status, body } = await send(
      service.url,
      target(path, [`Authorization: ${service.account.publicKey}`]),
    );
    if (status < 400 || status > 499) return `${status} ${said}`;
    if (!body?.message) return `${status} without a JSON message ${said}`;
    return fields.includes(String(body.field)) ? undefined : `${status} names ${body.field} ${said}`;
  } catch (error) {
    return `${(error as Error).message} ${said}`;
  }
}

async function expectRefused(paths: readonly string[], fields: readonly string[]): Promise<void> {
  const wrong: string[] = [];
  for (const path of paths) {
    const found = await misjudged(path, fields);
    if (found) wrong.push(found);
  }
  expect(paths.length).toBeGreaterThan(0);
  expect(wrong).toEqual([]);
}

const encoded = (values: readonly string[]) => values.map(value => encodeURIComponent(value));

/** Query texts for a parameter: each value, and every wrong way of sending several. */
function queries(name: string, values: readonly string[], good: string): string[] {
  return [
    ...values.map(value => `${name}=${value}`),
    `${name}=${good}&${name}=${good}`,
    `${name}=${good}&${name}=`,
  ];
}

const AMOUNTS = [
  ...encoded([
    '',
    ' ',
    'NaN',
    'Infinity',
    '-Infinity',
    'null',
    'undefined',
    'true',
    '0x10',
    '0b11',
    '0o7',
    '1e3',
    '1E3',
    '1e309',
    '1e-30',
    '.5',
    '5.',
    '+5',
    '1_000',
    ' 5',
    '5 ',
    '5\n',
    '\t5',
    '100abc',
    '1,5',
    '1.5.5',
    '--5',
    '5n',
    '$5',
    '5€',
    '0',
    '0.0',
    '-0',
    '-1',
    '1.000000000000000000000000000001',
    '9007199254740993',
    '9'.repeat(400),
    '1'.repeat(6000),
    '１００',
    '١٠٠',
    '१००',
    '1\u200b00',
    '\ufeff100',
    '\u2212100',
    '100\u0000',
    "1' OR '1'='1",
    '1; drop table accounts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text itself is the case
    '${7*7}',
    '{{7*7}}',
    '100\r\nX-Injected: 1',
    '[100]',
    '{"a":1}',
  ]),
  '%',
  '%zz',
  '%c0%b1',
  '%ed%a0%80',
  '%ff',
  '5%',
];
const AMOUNT_ROUTES = [
  '/quotes/eur/btc?country=de&',
  '/quotes/btc/eur?country=de&',
  '/quotes/eur/btc?country=de&input=destination&',
  '/quotes/btc/eur?country=de&type=sell&paymentMethod=sepabanktransfer&',
];

const COUNTRIES = [
  ...encoded([
    '',
    ' ',
    'd',
    'deu',
    '49',
    'd1',
    'zz',
    'xx',
    'ZZ',
    'uk',
    'eu',
    'UK',
    'EU',
    'all',
    'ALL',
    'De',
    'dE',
    'de\u0000',
    'de\n',
    ' de',
    'de,fr',
    'de fr',
    '🇩🇪',
    'ｄｅ',
    '__proto__',
    'constructor',
    '*',
    'x'.repeat(300),
    'x'.repeat(5000),
  ]),
  '%',
  '%00',
  '%c0%ae',
];
const COUNTRY_ROUTES = [
  '/supported/payment-types?',
  '/supported/payment-types/eur?',
  '/supported/defaults/all?',
  '/supported/assets?',
  '/supported/onramps?source=eur&destination=btc&',
  '/quotes/eur/btc?amount=100&',
  '/quotes/btc/eur?amount=0.01&',
];

const SIDES = encoded([
  '',
  ' ',
  'BUY',
  'Buy',
  'SELL',
  '1',
  '0',
  'yes',
  'hold',
  'buy,sell',
  'buy ',
  'true',
  '__proto__',
  '{}',
]);
const SIDE_ROUTES = [
  '/supported?',
  '/supported/payment-types?country=de&',
  '/supported/payment-types/eur?country=de&',
  '/supported/defaults/all?country=de&',
  '/supported/assets?country=de&',
  '/quotes/eur/btc?country=de&amount=100&',
];

const SWITCHES = encoded([
  '',
  ' ',
  'TRUE',
  'True',
  '1',
  '0',
  'yes',
  'no',
  'on',
  'true,false',
  '[]',
  '{}',
  'null',
]);

/** Words that name nothing, encoded for a path or a query. */
const WORDS = [
  ...encoded([
    ' ',
    'nope',
    'x'.repeat(300),
    'x'.repeat(5000),
    'btc\u0000',
    'btc\n',
    'e ur',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '../eur',
    'eur/btc',
    'eur\\btc',
    '"eur"',
    "eur'--",
    '<b>eur</b>',
    'ｅｕｒ',
    'еur',
    '\u202eeur',
    'eur\u200b',
    '*',
    'eur,usd',
    '[eur]',
    '{}',
    'null',
    'btc_',
    '_bitcoin',
    'btc_ethereum',
    'btc-bitcoin',
  ]),
  '%2e%2e',
  '%2e',
  '..%2f..%2fetc%2fpasswd',
  '%5c',
];
/** Texts that are no encoding at all. */
const UNDECODABLE = ['%', '%zz', '%c0%ae', '%ff', 'eur%'];

const UUIDS = encoded([
  '',
  ' ',
  'not-a-uuid',
  '{6f9619ff-8b86-d011-b42d-00c04fc964ff}',
  '6f9619ff8b86d011b42d00c04fc964ff',
  '6f9619ff-8b86-d011-b42d-00c04fc964f',
  '6f9619ff-8b86-d011-b42d-00c04fc964ff\n',
  '6f9619ff-8b86-d011-b42d-00c04fc964fg',
  'x'.repeat(5000),
  '\u0000',
  '__proto__',
]);
const CLIENTS = encoded([
  '',
  'a\u0000b',
  'a\nb',
  'a\r\nb',
  '\u001b[31m',
  'x'.repeat(65),
  'x'.repeat(5000),
  '<script>',
  '\u202eevil',
  '{}',
]);

describe('amount', () => {
  for (const route of AMOUNT_ROUTES) {
    test(`400 names amount on ${route}`, async () => {
      const texts = [
        ...queries('amount', AMOUNTS, '100'),
        'amount[]=100',
        'amount[0]=100',
        'amount[__proto__]=100',
        'amount.value=100',
        'Amount=100',
        '',
      ];
      await expectRefused(
        texts.map(text => route + text),
        ['amount'],
      );
    });
  }

  test('4xx for an amount of 70,000 digits', async () => {
    const path = `/quotes/eur/btc?country=de&amount=${'1'.repeat(70_000)}`;
    await expectRefused([path], ['amount', 'request']);
  });
});

describe('country', () => {
  for (const route of COUNTRY_ROUTES) {
    test(`400 names country on ${route}`, async () => {
      const texts = queries('country', COUNTRIES, 'de');
      await expectRefused(
        texts.map(text => route + text),
        ['country'],
      );
    });
  }
});

describe('type', () => {
  for (const route of SIDE_ROUTES) {
    test(`400 names type on ${route}`, async () => {
      const texts = queries('type', SIDES, 'buy');
      await expectRefused(
        texts.map(text => route + text),
        ['type'],
      );
    });
  }
});

describe('switches and choices', () => {
  test('400 names recommendations', async () => {
    const texts = queries('recommendations', SWITCHES, 'true');
    await expectRefused(
      texts.map(text => `/supported/onramps?source=eur&destination=btc&country=de&${text}`),
      ['recommendations'],
    );
  });

  test('400 names input and errors', async () => {
    const route = '/quotes/eur/btc?country=de&amount=100&';
    await expectRefused(
      queries('input', encoded(['', 'Source', 'both', '1', '__proto__']), 'source').map(text => route + text),
      ['input'],
    );
    await expectRefused(
      queries('errors', encoded(['', 'ALL', 'true', '1', '__proto__']), 'all').map(text => route + text),
      ['errors'],
    );
  });
});

describe('currencies', () => {
  test('400 names the word of the path', async () => {
    await expectRefused(
      WORDS.flatMap(word => [
        `/quotes/${word}/btc?amount=100&country=de`,
        `/quotes/${word}/eur?amount=100&country=de`,
      ]),
      ['source'],
    );
    await expectRefused(
      WORDS.map(word => `/quotes/eur/${word}?amount=100&country=de`),
      ['destination'],
    );
    await expectRefused(
      WORDS.map(word => `/supported/payment-types/${word}?country=de`),
      ['fiat'],
    );
  });

  test('4xx names the path when it cannot be read or is not whole', async () => {
    await expectRefused(
      [
        ...UNDECODABLE.flatMap(word => [
          `/quotes/${word}/btc?amount=100&country=de`,
          `/quotes/eur/${word}?amount=100&country=de`,
          `/supported/payment-types/${word}?country=de`,
          `/icons/crypto/${word}`,
        ]),
        '/quotes//btc?amount=100&country=de',
        '/quotes/eur//?amount=100&country=de',
        '/quotes/eur?amount=100&country=de',
        '/quotes?amount=100',
        '/quotes/eur/btc/extra?amount=100',
        '/quotes/../eur/btc?amount=100',
        '//supported',
        '/SUPPORTED',
        '/supported%2fassets',
        '/%',
      ],
      ['path', 'source', 'destination', 'fiat', 'file'],
    );
  });

  test('400 names the word of the query', async () => {
    const words = [...WORDS, '', ...UNDECODABLE];
    await expectRefused(
      queries('source', words, 'eur').map(text => `/supported/onramps?destination=btc&country=de&${text}`),
      ['source'],
    );
    await expectRefused(
      queries('destination', words, 'btc').map(text => `/supported/onramps?source=eur&country=de&${text}`),
      ['destination'],
    );
    await expectRefused(
      queries('source', words, 'eur').map(text => `/supported/assets?country=de&${text}`),
      ['source'],
    );
    await expectRefused(
      queries('destination', words, 'btc').map(text => `/supported/payment-types/eur?country=de&${text}`),
      ['destination'],
    );
    await expectRefused(
      queries('network', words, 'polygon').map(text => `/quotes/eur/usdc?amount=100&country=de&${text}`),
      ['network'],
    );
  });

  test('400 for two fiats, two coins, and the same thing twice', async () => {
    await expectRefused(
      ['eur/usd', 'eur/eur', 'btc/eth', 'btc/btc', 'btc/btc_bitcoin'].map(
        pair => `/quotes/${pair}?amount=100&country=de`,
      ),
      ['source', 'destination'],
    );
    await expectRefused(
      ['source=eur&destination=usd', 'source=eur&destination=eur', 'source=btc&destination=eth'].map(
        pair => `/supported/onramps?country=de&${pair}`,
      ),
      ['source', 'destination'],
    );
  });
});

describe('names', () => {
  test('400 names paymentMethod', async () => {
    const texts = queries('paymentMethod', ['', ...WORDS, ...UNDECODABLE], 'creditcard');
    await expectRefused(
      texts.map(text => `/quotes/eur/btc?amount=100&country=de&${text}`),
      ['paymentMethod'],
    );
  });

  test('400 names uuid', async () => {
    const good = '6f9619ff-8b86-d011-b42d-00c04fc964ff';
    await expectRefused(
      queries('uuid', [...UUIDS, ...UNDECODABLE], good).map(
        text => `/quotes/eur/btc?amount=100&country=de&${text}`,
      ),
      ['uuid'],
    );
  });

  test('400 names clientName', async () => {
    await expectRefused(
      queries('clientName', [...CLIENTS, ...UNDECODABLE], 'widget').map(
        text => `/quotes/eur/btc?amount=100&country=de&${text}`,
      ),
      ['clientName'],
    );
  });

  test('4xx for names of 10 kB', async () => {
    const long = 'x'.repeat(10_240);
    await expectRefused(
      ['uuid', 'clientName', 'paymentMethod', 'country'].map(
        name => `/quotes/eur/btc?amount=100&country=de&${name}=${long}`,
      ),
      ['uuid', 'clientName', 'paymentMethod', 'country', 'request'],
    );
  });

  test('404 names the icon or the file that is none', async () => {
    await expectRefused(
      [
        '/icons/crypto/nope.svg',
        '/icons/nope/btc.svg',
        '/icons/crypto/..%2f..%2f..%2fpackage.json',
        '/icons/__proto__/constructor',
        '/docs/assets/nope.js',
        '/docs/assets/..%2fsite.js',
      ],
      ['file'],
    );
    await expectRefused(['/docs/nope', '/docs/..%2fpackage.json', '/docs/__proto__'], ['page']);
  });
});

test('200 afterwards: the service answers, nothing was 5xx, and no prototype was touched', async () => {
  expect(Object.getOwnPropertyNames(Object.prototype).sort().join()).toBe(pristine);
  expect(({} as Record<string, unknown>).amount).toBeUndefined();
  expect((await service.get('/quotes/eur/btc?amount=100&country=de')).body.length).toBe(PROVIDERS.length);
  expect((await service.get('/metrics')).text).not.toMatch(
    /cloverleaf_request_seconds_count\{[^}]*status="5/,
  );
  expect(service.logged()).not.toContain('unexpected error');
});
