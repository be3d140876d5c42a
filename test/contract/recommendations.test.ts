/** Recommendations on quotes and on provider availability. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PUBLIC_ACCOUNT, prefer } from '../../src/app/accounts.ts';
import { transactionRow } from '../rows.ts';
import { eventually } from './patience.ts';
import { type Get, MERCURYO, MOONPAY, PROVIDERS, startWorld, TRANSAK, type World } from './world.ts';

interface Quote {
  ramp: string;
  payout: number;
  recommendations: string[];
}

let world: World;

beforeAll(async () => {
  world = await startWorld({}, { only: PROVIDERS });
});
afterAll(() => world?.close());

/** Who has a recommendation, in the order of the quotes. */
async function holders(
  name: string,
  path: string,
  headers: Record<string, string> = {},
  get: Get = world.get,
) {
  const quotes: Quote[] = (await get(path, headers)).body;
  expect(quotes.length).toBe(3);
  return quotes.filter(({ recommendations }) => recommendations.includes(name)).map(({ ramp }) => ramp);
}

test('200 BestPrice is held by the first quote alone, on buys and sells', async () => {
  for (const path of ['/quotes/eur/btc?amount=100&country=de', '/quotes/btc/eur?amount=0.01&country=de']) {
    const quotes: Quote[] = (await world.get(path)).body;
    expect(quotes.map(({ recommendations }) => recommendations.includes('BestPrice'))).toEqual([
      true,
      false,
      false,
    ]);
  }
});

test('200 LowKyc is held by the one that asks for fewest documents at this amount', async () => {
  expect(await holders('LowKyc', '/quotes/eur/btc?amount=100&country=de')).toEqual(['mercuryo']);
  const large = await holders('LowKyc', '/quotes/eur/btc?amount=1000&country=de');
  expect(large.length).toBe(1);
  expect(large).not.toContain('transak');
});

test('200 SuccessRate is held by nobody while there is no record', async () => {
  expect(await holders('SuccessRate', '/quotes/eur/btc?amount=100&country=de')).toEqual([]);
});

test('200 SuccessRate goes to the best record by country, method and side, smoothed', async () => {
  const order = (provider: string, status: string, more: object = {}) => ({ provider, status, ...more });
  const times = (count: number, row: ReturnType<typeof order>) => Array.from({ length: count }, () => row);
  const rows = [
    ...times(18, order(TRANSAK, 'completed')),
    ...times(2, order(TRANSAK, 'failed')),
    // One lucky order proves little.
    ...times(1, order(MERCURYO, 'completed')),
    ...times(5, order(MOONPAY, 'completed')),
    ...times(15, order(MOONPAY, 'failed')),
    // Abandoned by the person, from another world, from long ago: none of them counts.
    ...times(50, order(TRANSAK, 'new')),
    ...times(50, order(TRANSAK, 'canceled', { theirs: 'order' })),
    ...times(50, order(TRANSAK, 'expired')),
    ...times(90, order(MOONPAY, 'completed', { environment: 'live' })),
    ...times(90, order(MOONPAY, 'completed', { created_at: new Date(Date.now() - 200 * 86_400_000) })),
    ...times(3, order(MOONPAY, 'completed', { side: 'sell' })),
  ];
  await world.database
    .insertInto('transactions')
    .values(rows.map(row => transactionRow(PUBLIC_ACCOUNT, row)))
    .execute();
  const other = await world.startAnother();
  try {
    const held = (path: string) => holders('SuccessRate', path, {}, other.get);
    expect(await held('/quotes/eur/btc?amount=100&country=de')).toEqual(['transak']);
    expect(await held('/quotes/btc/eur?amount=0.01&country=de')).toEqual(['moonpay']);
    expect(await held('/quotes/eur/btc?amount=100&country=fr')).toEqual([]);
    expect(await held('/quotes/eur/btc?amount=100&country=de&paymentMethod=applepay')).toEqual([]);

    const path = '/supported/onramps?source=eur&destination=btc&country=de';
    const key = { authorization: world.key };
    const shown = (await other.get(`${path}&recommendations=true`, key)).body.message;
    const by = Object.fromEntries(
      shown.map((entry: { onramp: string; recommendations?: object }) => [
        entry.onramp,
        entry.recommendations,
      ]),
    );
    expect(by).toEqual({
      moonpay: undefined,
      mercuryo: undefined,
      transak: [{ type: 'SuccessRate', paymentMethods: ['creditcard'] }],
    });
    expect((await other.get(path, key)).text).not.toContain('recommendations');
  } finally {
    await other.close();
  }
});

test('200 ClientPreferred follows the client name, then the account', async () => {
  const path = '/quotes/eur/btc?amount=100&country=de';
  const key = { authorization: world.key };
  expect(await holders('ClientPreferred', path, key)).toEqual([]);
  await prefer(world.database, world.key, { client: '*', provider: MOONPAY });
  await prefer(world.database, world.key, { client: 'widget', provider: TRANSAK });
  await eventually(
    async () => (await holders('ClientPreferred', `${path}&clientName=widget`, key)).includes('transak'),
    'the preference is seen',
  );
  expect(await holders('ClientPreferred', path, key)).toEqual(['moonpay']);
  expect(await holders('ClientPreferred', `${path}&clientName=other`, key)).toEqual(['moonpay']);
  expect(await holders('ClientPreferred', path)).toEqual([]);
});

test('200 ClientPreferred falls to the account for client names that every object knows', async () => {
  const key = { authorization: world.key };
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    const path = `/quotes/eur/btc?amount=100&country=de&clientName=${name}`;
    expect([name, await holders('ClientPreferred', path, key)]).toEqual([name, ['moonpay']]);
  }
});
