/** The state of a request: some providers do not serve all of the United States, and nobody else has states. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from './patience.ts';
import { WALLET } from './world-orders.ts';
import { type OwnWorld, startOwnWorld } from './world-own.ts';

const ETH_WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

let world: OwnWorld;
let key: Record<string, string>;

beforeAll(async () => {
  world = await startOwnWorld();
  key = { authorization: world.account.publicKey };
  await eventually(
    async () => (await world.get('/supported/onramps/all', key)).status === 200,
    'the account is known',
  );
});
afterAll(() => world?.close());

let amount = 100;

/** What became of a quote for ether, asked for as nobody has before. */
async function quote(place: string) {
  const { status, body } = await world.get(`/quotes/usd/eth?amount=${++amount}&${place}`, key);
  return status === 200 ? (body[0].errors?.[0].message ?? 'priced') : `${status} ${body.field}`;
}

describe('200', () => {
  test('a quote where the asset is sold: in other states, and where the state is not told', async () => {
    expect(await quote('country=us&state=ca')).toBe('priced');
    expect(await quote('country=US&state=CA')).toBe('priced');
    expect(await quote('country=us')).toBe('priced');
    expect(world.places.slice(-3)).toEqual(['US CA', 'US CA', 'US undefined']);
  });

  test('a refusal that names the state where it is not', async () => {
    expect(await quote('country=us&state=ny')).toBe('eth_ethereum with USD is not available in US-NY');
    expect(await quote('country=us&state=TX')).toBe('eth_ethereum with USD is not available in US-TX');
    expect(await quote('country=fr')).toBe('eth_ethereum with USD is not available in FR');
  });

  test('equal asks from two states are two asks', async () => {
    const same = `/quotes/usd/eth?amount=${++amount}&country=us`;
    const [here, there] = await Promise.all(['ca', 'ny'].map(state => world.get(`${same}&state=${state}`)));
    expect(here?.body[0].errors).toBeUndefined();
    expect(there?.body[0].errors).toHaveLength(1);
    expect(here?.body[0].availablePaymentMethods).toHaveLength(1);
  });

  test('the catalog of a state', async () => {
    const cryptos = async (place: string) =>
      (await world.get(`/supported/assets?source=usd&${place}`, key)).body.message.assets.flatMap(
        ({ crypto }: { crypto: string[] }) => crypto,
      );
    expect(await cryptos('country=us&state=ny')).toEqual(['btc_bitcoin']);
    expect((await cryptos('country=us&state=ca')).sort()).toEqual(['btc_bitcoin', 'eth_ethereum']);
    expect((await cryptos('country=us')).sort()).toEqual(['btc_bitcoin', 'eth_ethereum']);
    const entries = async (state: string) =>
      (await world.get(`/supported/onramps?source=usd&destination=eth&country=us&state=${state}`, key)).body
        .message.length;
    expect([await entries('ny'), await entries('ca')]).toEqual([0, 1]);
    const types = async (state: string) =>
      (await world.get(`/supported/payment-types/usd?destination=eth&country=us&state=${state}`)).body.message
        .length;
    expect([await types('ny'), (await types('ca')) > 0]).toEqual([0, true]);
    for (const path of ['/supported/payment-types', '/supported/defaults/all'])
      expect((await world.get(`${path}?country=us&state=ny`)).status).toBe(200);
  });

  test('a checkout from a state that is served, and the same answer under the same key', async () => {
    const headers = { ...key, 'idempotency-key': 'from-california' };
    const body = bodyOf('eth', ETH_WALLET);
    const first = await world.post('/checkout/intent?country=us&state=ca', body, headers);
    expect([first.status, first.text]).toEqual([200, expect.any(String)]);
    const again = await world.post('/checkout/intent?country=us&state=ca', body, headers);
    expect(again.text).toBe(first.text);
    const moved = await world.post('/checkout/intent?country=us&state=nv', body, headers);
    expect(moved.status).toBe(422);
  });
});

function bodyOf(destination: string, address: string) {
  return {
    ...{ onramp: 'mercuryo', type: 'buy', source: 'usd', destination, amount: 100 },
    ...{ paymentMethod: 'creditcard', wallet: { address } },
  };
}

describe('422', () => {
  test('a checkout from a state that is not', async () => {
    const reply = await world.post('/checkout/intent?country=us&state=ny', bodyOf('eth', ETH_WALLET), key);
    expect([reply.status, reply.body.message]).toEqual([422, expect.stringContaining('US-NY')]);
    const other = await world.post('/checkout/intent?country=us&state=ny', bodyOf('btc', WALLET), key);
    expect(other.status).toBe(200);
  });
});

describe('400', () => {
  const WRONG = [
    'country=us&state=',
    'country=us&state=n',
    'country=us&state=NewYork',
    'country=us&state=N1',
  ];
  const ELSEWHERE = ['country=de&state=ny', 'country=CA&state=QC'];
  const ROUTES = [
    '/quotes/usd/eth?amount=100&',
    '/supported/payment-types?',
    '/supported/payment-types/usd?',
    '/supported/defaults/all?',
    '/supported/assets?',
    '/supported/onramps?source=usd&destination=eth&',
  ];

  for (const route of ROUTES) {
    test(`names state at ${route.split('?')[0]}`, async () => {
      for (const place of [...WRONG, ...ELSEWHERE, 'country=us&state=Ny']) {
        const { status, body } = await world.get(route + place, key);
        expect([place, status, body.field]).toEqual([place, 400, 'state']);
      }
    });
  }

  test('names state at a checkout, also when it is sent twice', async () => {
    for (const place of [...WRONG, ...ELSEWHERE, 'country=us&state=ny&state=ca']) {
      const { status, body } = await world.post(`/checkout/intent?${place}`, bodyOf('btc', WALLET), key);
      expect([place, status, body.field]).toEqual([place, 400, 'state']);
    }
  });
});
