/** GET /supported and GET /supported/countries. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../service.ts';
import { type Answers, readAnswers, shape, shapesOf } from './answers.ts';

let service: TestService;
let answers: Answers;

beforeAll(async () => {
  service = await startTestService();
  answers = await readAnswers(service.get);
});
afterAll(() => service?.close());

describe('GET /supported', () => {
  test('200 lists assets and fiats as documented, with no other field', async () => {
    const reply = await service.get('/supported');
    expect(reply.status).toBe(200);
    expect(answers.flaws('/supported', reply)).toEqual([]);
    const { crypto, fiat } = reply.body.message;
    expect(Object.keys(reply.body)).toEqual(['message']);
    expect(shapesOf(crypto)).toEqual([
      shape('id code name symbol network decimals address chainId icon networkDisplayName'),
    ]);
    expect(shapesOf(fiat)).toEqual([shape('id code name symbol decimals icon')]);
  });

  test('200 names assets <asset>_<network> in lower case, codes in upper case, each once', async () => {
    const { crypto, fiat } = (await service.get('/supported')).body.message;
    const odd = crypto.filter(
      ({ id, code, network }: Record<string, string>) =>
        id !== `${code}_${network}`.toLowerCase() || code !== code?.toUpperCase(),
    );
    expect(odd).toEqual([]);
    expect(new Set(crypto.map(({ id }: { id: string }) => id)).size).toBe(crypto.length);
    expect(fiat.filter(({ id, code }: Record<string, string>) => id !== code?.toLowerCase())).toEqual([]);
  });

  test('200 gives a native coin the zero address and a chain id where there is one', async () => {
    const { crypto } = (await service.get('/supported')).body.message;
    const find = (id: string) => crypto.find((asset: { id: string }) => asset.id === id);
    expect(find('btc_bitcoin')).toMatchObject({ address: `0x${'0'.repeat(40)}`, chainId: 0, decimals: 8 });
    expect(find('eth_ethereum')).toMatchObject({ address: `0x${'0'.repeat(40)}`, chainId: 1, decimals: 18 });
    expect(find('usdc_polygon')).toMatchObject({ chainId: 137, decimals: 6 });
    expect(find('usdc_polygon').address).toMatch(/^0x[0-9a-fA-F]{40}$/);
  });

  test('200 has the ids public clients have built in', async () => {
    const { crypto } = (await service.get('/supported')).body.message;
    const ids = crypto.map(({ id }: { id: string }) => id);
    const builtIn = 'ethereum optimism polygon base arbitrum solana'.split(' ').map(network => `usdc_${network}`);
    expect(ids).toEqual(
      expect.arrayContaining([...builtIn, 'btc_bitcoin', 'eth_ethereum', 'sol_solana', 'ltc_litecoin']),
    );
  });

  test('200 with type=sell lists what can be sold, which is less', async () => {
    const [buy, sell] = await Promise.all([service.get('/supported?type=buy'), service.get('/supported?type=sell')]);
    expect(sell.status).toBe(200);
    expect(answers.flaws('/supported', sell)).toEqual([]);
    expect(sell.body.message.crypto.length).toBeGreaterThan(0);
    expect(sell.body.message.fiat.length).toBeLessThan(buy.body.message.fiat.length);
  });

  test('200 without type is the answer for buys', async () => {
    const [plain, buy] = await Promise.all([service.get('/supported'), service.get('/supported?type=buy')]);
    expect(plain.text).toBe(buy.text);
  });

  test('200 for an account restricted to one provider lists only what that one does', async () => {
    const { publicKey } = await service.newAccount({ providers: ['mercuryo'] });
    const all = (await service.get('/supported')).body.message;
    const own = (await service.get('/supported', { authorization: publicKey })).body.message;
    const ids = new Set(all.crypto.map(({ id }: { id: string }) => id));
    expect(own.crypto.length).toBeGreaterThan(0);
    expect(own.crypto.length).toBeLessThan(all.crypto.length);
    expect(own.crypto.filter(({ id }: { id: string }) => !ids.has(id))).toEqual([]);
  });

  test('200 with a trailing slash and with parameters nobody knows', async () => {
    const plain = await service.get('/supported');
    for (const path of ['/supported/', '/supported?colour=green&__proto__=1&constructor=2', '/supported?']) {
      const reply = await service.get(path);
      expect([path, reply.status]).toEqual([path, 200]);
      expect(reply.text).toBe(plain.text);
    }
  });
});

describe('GET /supported/countries', () => {
  test('200 lists countries that are served, by code and name', async () => {
    const reply = await service.get('/supported/countries');
    expect(reply.status).toBe(200);
    expect(answers.flaws('/supported/countries', reply)).toEqual([]);
    expect(shapesOf(reply.body.message)).toEqual([shape('countryCode countryName')]);
    const codes = reply.body.message.map(({ countryCode }: { countryCode: string }) => countryCode);
    expect(codes).toContain('DE');
    expect(codes).not.toContain('KP');
    expect(codes.filter((code: string) => !/^[A-Z]{2}$/.test(code))).toEqual([]);
    expect(reply.body.message).toContainEqual({ countryCode: 'DE', countryName: 'Germany' });
  });

  test('200 for a key whose providers are none is an empty list', async () => {
    const { publicKey } = await service.newAccount({ live: true });
    const reply = await service.get('/supported/countries', { authorization: publicKey });
    expect(reply.body).toEqual({ message: [] });
  });
});
