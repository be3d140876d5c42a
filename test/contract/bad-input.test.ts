/** Bad input that is more than one parameter: paths that are not whole, pairs that do not go together, things without end. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../service.ts';
import { send, target } from './wire.ts';
import { PROVIDERS } from './world.ts';

let service: TestService;

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
  const found = await Promise.all(paths.map(path => misjudged(path, fields)));
  expect(found.filter(Boolean)).toEqual([]);
}

/** Texts that are no encoding at all. */
const UNDECODABLE = ['%', '%zz', '%c0%ae', '%ff', 'eur%'];

test('4xx names the path when it cannot be read or is not whole', () =>
  expectRefused(
    [
      ...UNDECODABLE.flatMap(word => [
        `/quotes/${word}/btc?amount=100&country=de`,
        `/quotes/eur/${word}?amount=100&country=de`,
        `/supported/payment-types/${word}?country=de`,
        `/legacy/rate/${word}/btc/creditCard/100`,
        `/icons/crypto/${word}`,
      ]),
      ...[
        '/quotes//btc',
        '/quotes/eur//',
        '/quotes/eur',
        '/quotes',
        '/quotes/eur/btc/extra',
        '/quotes/../eur/btc',
      ].map(path => `${path}?amount=100&country=de`),
      ...[
        '/legacy/rate/eur/btc/creditCard',
        '/legacy/rate/eur/btc/creditCard/100/extra',
        '/legacy/rate//btc/creditCard/100',
      ],
      ...['/legacy', '/legacy/', '/legacy/nope', '/legacygateways', '/legacy/GATEWAYS', '/legacy%2fgateways'],
      ...[
        '/supported//assets',
        '/SUPPORTED',
        '/supported%2fassets',
        '/%',
        '/transactions/',
        '/transactions/a/b',
      ],
    ],
    ['path', 'source', 'destination', 'fiat', 'file', 'fromCurrency', 'Authorization'],
  ));

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
  await expectRefused(
    ['btc/eur', 'eur/usd', 'eur/eur', 'btc/btc', 'btc/eth'].map(
      pair => `/legacy/rate/${pair}/creditCard/100?country=de`,
    ),
    ['fromCurrency', 'toCurrency'],
  );
  await expectRefused(
    ['eur/btc', 'eur/usd', 'btc/btc'].map(pair => `/legacy/sell/${pair}/sepabanktransfer/0.01?country=de`),
    ['crypto', 'fiat'],
  );
});

test('400 for what does not go with the rest: the side, the state, the network, a tag without an address', async () => {
  await expectRefused(
    ['/quotes/eur/btc?amount=100&country=de&type=sell', '/quotes/btc/eur?amount=0.01&country=de&type=buy'],
    ['type'],
  );
  await expectRefused(
    [
      '/supported/assets?country=de&state=ny',
      '/quotes/eur/btc?amount=100&country=de&state=ny',
      '/legacy/gateways?country=de&state=ny',
    ],
    ['state'],
  );
  await expectRefused(
    [
      '/quotes/eur/btc?amount=100&country=de&network=ethereum',
      '/quotes/usdc_base/eur?amount=10&country=de&network=polygon',
    ],
    ['network'],
  );
  await expectRefused(['/legacy/rate/eur/xrp/creditCard/100?country=de&addressTag=1'], ['addressTag']);
  const wallet = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  await expectRefused(
    [
      `/quotes/eur/btc?amount=100&country=de&walletAddress=${wallet}`,
      `/quotes/btc/eur?amount=0.01&country=de&walletAddress=${wallet}`,
    ],
    ['walletAddress'],
  );
  const window = 'startDateTime=2026-02-01T00:00:00Z&endDateTime=2026-01-01T00:00:00Z';
  const { status, body } = await service.get(`/transactions?${window}`, {
    authorization: service.account.publicKey,
    'x-service-secret': service.account.secret,
  });
  expect([status, body.field]).toEqual([400, 'endDateTime']);
});

test('400 for more places than the currency has, whichever side it is on', () =>
  expectRefused(
    [
      '/quotes/eur/btc?country=de&amount=100.001',
      '/quotes/jpy/btc?country=de&amount=1000.5',
      '/quotes/btc/eur?country=de&amount=0.123456789',
      '/quotes/eur/btc?country=de&input=destination&amount=0.123456789',
      '/quotes/btc/eur?country=de&input=destination&amount=100.001',
      '/legacy/rate/eur/btc/creditCard/100.001?country=de',
      '/legacy/rate/eur/btc/creditCard/0.123456789?country=de&amountInCrypto=true',
      '/legacy/sell/btc/eur/sepabanktransfer/0.123456789?country=de',
    ],
    ['amount'],
  ));

test('4xx for things without end', async () => {
  await expectRefused([`/quotes/eur/btc?country=de&amount=${'1'.repeat(70_000)}`], ['amount', 'request']);
  await expectRefused(
    [`/legacy/rate/eur/btc/creditCard/${'1'.repeat(8_000)}?country=de`],
    ['amount', 'request', 'path'],
  );
  await expectRefused(
    ['uuid', 'clientName', 'paymentMethod', 'country'].map(
      name => `/quotes/eur/btc?amount=100&country=de&${name}=${'x'.repeat(10_240)}`,
    ),
    ['uuid', 'clientName', 'paymentMethod', 'country', 'request'],
  );
  await expectRefused([`/quotes/eur/btc?${'amount=1&'.repeat(800)}`], ['amount', 'request']);
});

test('404 names the icon or the file that is none', async () => {
  await expectRefused(
    [
      ...['/icons/crypto/nope.svg', '/icons/nope/btc.svg', '/icons/crypto/..%2f..%2f..%2fpackage.json'],
      ...['/icons/__proto__/constructor', '/docs/assets/nope.js', '/docs/assets/..%2fsite.js'],
    ],
    ['file'],
  );
  await expectRefused(['/docs/nope', '/docs/..%2fpackage.json', '/docs/__proto__'], ['page']);
});

test('200 afterwards: the service answers, and nothing was 5xx', async () => {
  expect((await service.get('/quotes/eur/btc?amount=100&country=de')).body.length).toBe(PROVIDERS.length);
  expect((await service.get('/metrics')).text).not.toMatch(
    /cloverleaf_request_seconds_count\{[^}]*status="5/,
  );
  expect(service.logged()).not.toContain('unexpected error');
});
