/** The country of a request: sent, or told by the address it comes from, which only trusted proxies may name. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Reply } from '../service.ts';
import { type Instance, PROVIDERS, startInstance, startWorld, type World } from './world.ts';

const GERMAN = '193.99.144.80';
const AMERICAN = '8.8.8.8';
const AMERICAN_6 = '2620:0:ccc::2';
const GERMAN_6 = '2a02:2e0:3fe:1001:302::';

let direct: World;
let proxied: Instance;

beforeAll(async () => {
  direct = await startWorld({ DEFAULT_COUNTRY: 'fr' }, { only: PROVIDERS });
  proxied = await direct.startAnother({
    DEFAULT_COUNTRY: 'FR',
    TRUSTED_PROXIES: '127.0.0.1/32, 203.0.113.0/24',
  });
});
afterAll(async () => {
  await proxied?.close();
  await direct?.close();
});

/** What the service takes the country to be. */
async function seen(instance: Instance, headers: Record<string, string>): Promise<string | number> {
  const reply: Reply = await instance.get('/supported/assets', { authorization: direct.key, ...headers });
  return reply.status === 200 ? reply.body.message.country : `${reply.status} ${reply.body.field}`;
}

describe('without trusted proxies', () => {
  test('200 takes the default country for callers from this machine', async () => {
    expect(await seen(direct, {})).toBe('FR');
    const { recommended } = (await direct.get('/supported/defaults/all')).body.message;
    expect(recommended.country).toBe('fr');
  });

  test('200 believes no header about the address or the country', async () => {
    for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'cf-connecting-ip', 'true-client-ip']) {
      const value = name === 'forwarded' ? `for=${AMERICAN}` : AMERICAN;
      expect([name, await seen(direct, { [name]: value })]).toEqual([name, 'FR']);
    }
    for (const name of ['cf-ipcountry', 'x-country-code', 'cloudfront-viewer-country']) {
      expect([name, await seen(direct, { [name]: 'US' })]).toEqual([name, 'FR']);
    }
  });

  test('200 prefers the country that is sent, in either case', async () => {
    for (const country of ['us', 'US']) {
      const { body } = await direct.get(`/supported/assets?country=${country}`, {
        authorization: direct.key,
      });
      expect(body.message.country).toBe('US');
    }
  });
});

describe('behind a trusted proxy', () => {
  test('200 takes the address the proxy names, of either kind', async () => {
    expect(await seen(proxied, { 'x-forwarded-for': GERMAN })).toBe('DE');
    expect(await seen(proxied, { 'x-forwarded-for': AMERICAN })).toBe('US');
    expect(await seen(proxied, { 'x-forwarded-for': AMERICAN_6 })).toBe('US');
    expect(await seen(proxied, { 'x-forwarded-for': GERMAN_6 })).toBe('DE');
    expect(await seen(proxied, { 'x-forwarded-for': `::ffff:${GERMAN}` })).toBe('DE');
  });

  test('200 for people in Kosovo, whose country has no code of the standard’s', async () => {
    expect(await seen(proxied, { 'x-forwarded-for': '46.99.0.1' })).toBe('XK');
  });

  test('200 never takes the left-most when a nearer one is no proxy of ours', async () => {
    expect(await seen(proxied, { 'x-forwarded-for': `${AMERICAN}, ${GERMAN}` })).toBe('DE');
    expect(await seen(proxied, { 'x-forwarded-for': `${AMERICAN_6},${GERMAN_6}` })).toBe('DE');
    expect(await seen(proxied, { 'x-forwarded-for': `${AMERICAN}, ${GERMAN}, 203.0.113.9` })).toBe('DE');
    const many = [...Array(100).fill(AMERICAN), GERMAN].join(', ');
    expect(await seen(proxied, { 'x-forwarded-for': many })).toBe('DE');
  });

  test('200 falls to the default for private addresses and without the header', async () => {
    for (const address of ['10.1.2.3', '192.168.0.7', '127.0.0.1', 'fd00::1', '::1']) {
      expect([address, await seen(proxied, { 'x-forwarded-for': address })]).toEqual([address, 'FR']);
    }
    expect(await seen(proxied, {})).toBe('FR');
  });

  test('400 asks for the country when the address is none, rather than guess', async () => {
    for (const rubbish of [
      'unknown',
      '999.1.1.1',
      '0x8.8.8.8',
      '134744072',
      'US',
      `${AMERICAN}, rubbish`,
      '_hidden',
    ]) {
      expect([rubbish, await seen(proxied, { 'x-forwarded-for': rubbish })]).toEqual([
        rubbish,
        '400 country',
      ]);
    }
  });

  test('200 follows the address on every route that takes a country, remembered answers included', async () => {
    const key = { authorization: direct.key };
    for (const path of [
      '/supported/payment-types',
      '/supported/payment-types/usd',
      '/supported/defaults/all',
    ]) {
      const asked = await proxied.get(`${path}?country=us`, key);
      for (let time = 0; time < 2; time++) {
        const told = await proxied.get(path, { ...key, 'x-forwarded-for': AMERICAN });
        expect([path, told.text]).toEqual([path, asked.text]);
        const other = await proxied.get(path, { ...key, 'x-forwarded-for': GERMAN });
        expect([path, other.text === asked.text]).toEqual([path, false]);
      }
    }
    const quotes = await proxied.get('/quotes/usd/btc?amount=100&errors=all', {
      'x-forwarded-for': '175.45.176.1',
    });
    expect(quotes.body.map(({ errors }: { errors: { errorId: number }[] }) => errors?.[0]?.errorId)).toEqual(
      PROVIDERS.map(() => 6100),
    );
  });
});

test('400 asks for the country when neither the address nor a default tells it', async () => {
  const lost = await startInstance({ databaseUrl: direct.databaseUrl, env: { SANDBOX: 'off' } });
  try {
    for (const path of [
      '/supported/payment-types',
      '/supported/defaults/all',
      '/quotes/eur/btc?amount=100',
    ]) {
      const reply = await lost.get(path);
      expect([path, reply.status, reply.body.field]).toEqual([path, 400, 'country']);
    }
    expect((await lost.get('/supported')).status).toBe(200);
  } finally {
    await lost.close();
  }
});
