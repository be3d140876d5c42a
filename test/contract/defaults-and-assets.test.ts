/** GET /supported/defaults/all and GET /supported/assets. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../service.ts';
import { type Answers, readAnswers, shape, shapesOf } from './answers.ts';

let service: TestService;
let answers: Answers;
let key: Record<string, string>;

beforeAll(async () => {
  service = await startTestService();
  answers = await readAnswers(service.get);
  key = { authorization: service.account.publicKey };
});
afterAll(() => service?.close());

interface Defaults {
  source: string;
  target: string;
  amount: number;
  paymentMethod: string;
  provider: string;
}

describe('GET /supported/defaults/all', () => {
  test('200 recommends for the country, and has an entry for every country', async () => {
    const reply = await service.get('/supported/defaults/all?country=FR');
    expect(reply.status).toBe(200);
    expect(answers.flaws('/supported/defaults/all', reply)).toEqual([]);
    const { recommended, defaults } = reply.body.message;
    expect(shapesOf([recommended])).toEqual([shape('source target amount paymentMethod provider country')]);
    expect(shapesOf(Object.values(defaults))).toEqual([shape('source target amount paymentMethod provider')]);
    expect(recommended).toEqual({ ...defaults.fr, country: 'fr' });
    expect(recommended).toMatchObject({ source: 'EUR', target: 'BTC' });
    expect(Object.keys(defaults).filter(code => !/^[a-z]{2}$/.test(code))).toEqual([]);
    const { message } = (await service.get('/supported/countries')).body;
    expect(Object.keys(defaults).sort()).toEqual(
      message.map(({ countryCode }: { countryCode: string }) => countryCode.toLowerCase()).sort(),
    );
  });

  test('200 suggests what can really be bought', async () => {
    const { defaults } = (await service.get('/supported/defaults/all')).body.message;
    for (const country of ['de', 'us', 'gb', 'br', 'jp']) {
      const { source, target, amount, paymentMethod, provider }: Defaults = defaults[country];
      const path = `/quotes/${source}/${target}?amount=${amount}&paymentMethod=${paymentMethod}&country=${country}`;
      const quotes = (await service.get(path)).body;
      expect([country, quotes.map(({ ramp }: { ramp: string }) => ramp)]).toEqual([
        country,
        expect.arrayContaining([provider]),
      ]);
      expect(quotes[0].payout).toBeGreaterThan(0);
    }
  });

  test('200 with type=sell suggests what can really be sold', async () => {
    const reply = await service.get('/supported/defaults/all?type=sell&country=de');
    expect(answers.flaws('/supported/defaults/all', reply)).toEqual([]);
    const { source, target, amount, paymentMethod, provider }: Defaults = reply.body.message.recommended;
    expect([source, target]).toEqual(['BTC', 'EUR']);
    const quotes = (
      await service.get(`/quotes/${source}/${target}?amount=${amount}&paymentMethod=${paymentMethod}&country=de`)
    ).body;
    expect(quotes.map(({ ramp }: { ramp: string }) => ramp)).toContain(provider);
    expect(quotes[0].payout).toBeGreaterThan(0);
  });

  test('200 recommends nothing where nobody serves', async () => {
    const reply = await service.get('/supported/defaults/all?country=kp');
    expect([reply.status, reply.body.message.recommended]).toEqual([200, null]);
    expect(Object.keys(reply.body.message.defaults).length).toBeGreaterThan(50);
  });
});

describe('GET /supported/assets', () => {
  test('200 lists every fiat with its methods and assets', async () => {
    const reply = await service.get('/supported/assets?country=de', key);
    expect(reply.status).toBe(200);
    expect(answers.flaws('/supported/assets', reply)).toEqual([]);
    const { assets, country } = reply.body.message;
    expect(country).toBe('DE');
    expect(shapesOf(assets)).toEqual([shape('fiat paymentMethods crypto')]);
    const euro = assets.find(({ fiat }: { fiat: string }) => fiat === 'eur');
    expect(euro.paymentMethods).toEqual(expect.arrayContaining(['creditcard', 'sepabanktransfer']));
    expect(euro.crypto).toEqual(expect.arrayContaining(['btc_bitcoin', 'usdc_polygon']));
    expect(assets.length).toBeGreaterThan(5);
  });

  test('200 with a source puts that one first, whatever its case', async () => {
    for (const source of ['gbp', 'GBP']) {
      const { assets } = (await service.get(`/supported/assets?country=gb&source=${source}`, key)).body.message;
      expect(assets[0].fiat).toBe('gbp');
    }
  });

  test('200 with type=sell turns the entry round', async () => {
    const reply = await service.get('/supported/assets?country=de&type=sell&source=BTC', key);
    expect(reply.status).toBe(200);
    expect(answers.flaws('/supported/assets', reply)).toEqual([]);
    const [first] = reply.body.message.assets;
    expect(first.crypto).toBe('btc_bitcoin');
    expect(first.fiat).toContain('eur');
    expect(first.paymentMethods).toContain('sepabanktransfer');
  });

  test('200 with no assets for a country nobody serves', async () => {
    const reply = await service.get('/supported/assets?country=KP', key);
    expect([reply.status, reply.body]).toEqual([200, { message: { assets: [], country: 'KP' } }]);
  });

  test('400 for a source that is no currency of that side', async () => {
    for (const query of ['source=btc', 'source=zzz', 'source=eur&type=sell', 'source=usdc&type=sell']) {
      const reply = await service.get(`/supported/assets?country=de&${query}`, key);
      expect([query, reply.status, reply.body.field]).toEqual([query, 400, 'source']);
    }
  });
});
