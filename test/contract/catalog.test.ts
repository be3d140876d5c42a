/** The catalog: every answer below GET /supported but those about providers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../service.ts';
import { type Answers, readAnswers, shape, shapesOf } from './answers.ts';
import { PROVIDERS, REGISTERED } from './world.ts';

let service: TestService;
let answers: Answers;
/** Of an account that may use every provider. */
let key: Record<string, string>;
/** Keys of narrower accounts. */
let only: Record<'mercuryo' | 'three' | 'live', Record<string, string>>;

beforeAll(async () => {
  service = await startTestService();
  answers = await readAnswers(service.get);
  key = { authorization: service.account.publicKey };
  const keyOf = async (wish: { providers?: string[]; live?: boolean }) => ({
    authorization: (await service.newAccount(wish)).publicKey,
  });
  const [mercuryo, three, live] = await Promise.all([
    keyOf({ providers: ['mercuryo'] }),
    keyOf({ providers: PROVIDERS }),
    keyOf({ live: true }),
  ]);
  only = { mercuryo, three, live };
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
    const builtIn = 'ethereum optimism polygon base arbitrum solana'
      .split(' ')
      .map(network => `usdc_${network}`);
    expect(ids).toEqual(
      expect.arrayContaining([...builtIn, 'btc_bitcoin', 'eth_ethereum', 'sol_solana', 'ltc_litecoin']),
    );
  });

  test('200 with type=sell lists what can be sold, which is less', async () => {
    const [buy, sell] = await Promise.all([
      service.get('/supported?type=buy'),
      service.get('/supported?type=sell'),
    ]);
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
    const all = (await service.get('/supported')).body.message;
    const own = (await service.get('/supported', only.mercuryo)).body.message;
    const ids = new Set(all.crypto.map(({ id }: { id: string }) => id));
    expect(own.crypto.length).toBeGreaterThan(0);
    expect(own.crypto.length).toBeLessThan(all.crypto.length);
    expect(own.crypto.filter(({ id }: { id: string }) => !ids.has(id))).toEqual([]);
  });

  test('200 with a trailing slash, with one too many before it and with parameters nobody knows', async () => {
    const plain = await service.get('/supported');
    for (const path of [
      '/supported/',
      '//supported',
      '/supported?colour=green&__proto__=1&constructor=2',
      '/supported?',
    ]) {
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
    const reply = await service.get('/supported/countries', only.live);
    expect(reply.body).toEqual({ message: [] });
  });
});

const ONE = '/supported/payment-types/{fiat}';

interface PaymentType {
  paymentTypeId: string;
  details: { currencyStatus: string; limits: Record<string, { min?: number; max?: number }> };
}

describe('GET /supported/payment-types', () => {
  test('200 is an object keyed by payment type id', async () => {
    const reply = await service.get('/supported/payment-types?country=de');
    expect(reply.status).toBe(200);
    expect(answers.flaws('/supported/payment-types', reply)).toEqual([]);
    const entries = Object.entries<{ paymentTypeId: string }>(reply.body.message);
    expect(entries.filter(([id, entry]) => id !== entry.paymentTypeId)).toEqual([]);
    expect(shapesOf(Object.values(reply.body.message))).toEqual([shape('paymentTypeId name icon')]);
    expect(Object.keys(reply.body.message)).toEqual(
      expect.arrayContaining(['creditcard', 'debitcard', 'applepay', 'googlepay', 'sepabanktransfer']),
    );
  });

  test('200 follows the country and the side', async () => {
    const ids = async (query: string) =>
      Object.keys((await service.get(`/supported/payment-types?${query}`)).body.message);
    expect(await ids('country=us')).not.toEqual(await ids('country=de'));
    expect(await ids('country=DE&type=sell')).not.toEqual(await ids('country=DE&type=buy'));
  });

  test('200 with nothing in it for a country nobody serves', async () => {
    const reply = await service.get('/supported/payment-types?country=kp');
    expect([reply.status, reply.body]).toEqual([200, { message: {} }]);
  });
});

describe('GET /supported/payment-types/{fiat}', () => {
  test('200 lists payment types with limits by provider and over all', async () => {
    const reply = await service.get('/supported/payment-types/eur?country=de');
    expect(reply.status).toBe(200);
    expect(answers.flaws(ONE, reply)).toEqual([]);
    const types: PaymentType[] = reply.body.message;
    expect(shapesOf(types)).toEqual([shape('paymentTypeId name icon details')]);
    expect(shapesOf(types.map(({ details }) => details))).toEqual([shape('currencyStatus limits')]);
    const cardOf = (all: PaymentType[]) => all.find(({ paymentTypeId }) => paymentTypeId === 'creditcard');
    const { aggregatedLimit: _all, ...byProvider } = cardOf(types)?.details.limits ?? {};
    expect(Object.keys(byProvider).sort()).toEqual(REGISTERED);
    const theirs = await service.get('/supported/payment-types/eur?country=de', only.three);
    expect(cardOf(theirs.body.message)?.details).toEqual({
      currencyStatus: 'SourceAndDestSupported',
      limits: {
        moonpay: { min: 20, max: 30000 },
        transak: { min: 5, max: 3000 },
        mercuryo: { min: 25, max: 5000 },
        aggregatedLimit: { min: 5, max: 30000 },
      },
    });
  });

  test('200 has both limits of every provider on every buy method, or neither of one that lists none', async () => {
    const types: PaymentType[] = (await service.get('/supported/payment-types/eur?country=de')).body.message;
    const limits = types.flatMap(({ details }) => Object.entries(details.limits));
    const own = limits.filter(([name]) => name !== 'aggregatedLimit');
    const wrong = own.filter(([, { min, max }]) => !(Number(min) > 0 && Number(max) > Number(min)));
    expect(wrong.filter(([, { min, max }]) => min !== undefined || max !== undefined)).toEqual([]);
    // Most do, and whoever does not for one method does for none.
    const silent = new Set(wrong.map(([name]) => name));
    expect(own.filter(([name, { min }]) => silent.has(name) && min !== undefined)).toEqual([]);
    expect(silent.size).toBeLessThan(REGISTERED.length / 4);
  });

  test('200 aggregates to the widest of the limits that are stated', async () => {
    const known = (limits: (number | undefined)[]) => limits.filter(limit => limit !== undefined);
    const widest = (limits: (number | undefined)[], choose: (...known: number[]) => number) =>
      known(limits).length > 0 ? choose(...known(limits)) : undefined;
    for (const headers of [{}, only.three]) {
      const { body } = await service.get('/supported/payment-types/gbp?country=gb', headers);
      const types: PaymentType[] = body.message;
      expect(types.length).toBeGreaterThan(0);
      for (const { details } of types) {
        const { aggregatedLimit, ...own } = details.limits;
        expect(aggregatedLimit).toEqual({
          min: widest(
            Object.values(own).map(({ min }) => min),
            Math.min,
          ),
          max: widest(
            Object.values(own).map(({ max }) => max),
            Math.max,
          ),
        });
        if (headers === only.three)
          expect(aggregatedLimit).toEqual({ min: expect.any(Number), max: expect.any(Number) });
      }
    }
  });

  test('200 whatever the case of the currency and with a trailing slash', async () => {
    const plain = await service.get('/supported/payment-types/eur?country=de');
    for (const path of ['EUR?country=DE', 'Eur?country=de', 'eur/?country=de&type=buy']) {
      expect((await service.get(`/supported/payment-types/${path}`)).text).toBe(plain.text);
    }
  });

  test('200 narrows to the destination', async () => {
    const all: PaymentType[] = (await service.get('/supported/payment-types/eur?country=de')).body.message;
    const reply = await service.get('/supported/payment-types/eur?country=de&destination=AR');
    expect(answers.flaws(ONE, reply)).toEqual([]);
    const providers = (types: PaymentType[]) =>
      new Set(types.flatMap(({ details }) => Object.keys(details.limits)));
    expect(providers(reply.body.message).size).toBeLessThan(providers(all).size);
  });

  test('200 with type=sell takes the crypto in the path and the fiat as destination', async () => {
    const reply = await service.get('/supported/payment-types/BTC?country=de&type=sell&destination=EUR');
    expect(reply.status).toBe(200);
    expect(answers.flaws(ONE, reply)).toEqual([]);
    const types: PaymentType[] = reply.body.message;
    const sepa = types.find(({ paymentTypeId }) => paymentTypeId === 'sepabanktransfer');
    // In bitcoin, so far below one.
    expect(sepa?.details.limits.moonpay?.min).toBeLessThan(0.01);
    expect(sepa?.details.limits.moonpay?.max).toBeLessThan(10);
  });

  test('200 with type=sell takes the fiat in the path as well: how money comes for whatever is sold, or for one coin', async () => {
    const ids = async (query: string) => {
      const reply = await service.get(`/supported/payment-types/EUR?country=de&type=sell${query}`);
      expect([reply.status, answers.flaws(ONE, reply)]).toEqual([200, []]);
      return (reply.body.message as PaymentType[]).map(({ paymentTypeId }) => paymentTypeId);
    };
    expect(await ids('')).toContain('sepabanktransfer');
    const { body } = await service.get('/supported/payment-types/btc?country=de&type=sell&destination=eur');
    expect(await ids('&destination=btc')).toEqual(
      (body.message as PaymentType[]).map(({ paymentTypeId }) => paymentTypeId),
    );
  });

  test('400 names the currency that is not one', async () => {
    const cases = [
      ['/supported/payment-types/xxx?country=de', 'fiat'],
      ['/supported/payment-types/btc?country=de', 'fiat'],
      ['/supported/payment-types/xxx?country=de&type=sell', 'fiat'],
      ['/supported/payment-types/eur?country=de&type=sell&destination=gbp', 'destination'],
      ['/supported/payment-types/eur?country=de&destination=gbp', 'destination'],
      ['/supported/payment-types/btc?country=de&type=sell&destination=eth', 'destination'],
      ['/supported/payment-types/eur?country=de&destination=usdc', 'destination'],
    ] as const;
    for (const [path, field] of cases) {
      const reply = await service.get(path);
      expect([path, reply.status, reply.body?.field]).toEqual([path, 400, field]);
      expect(answers.flaws(ONE, reply)).toEqual([]);
    }
  });
});

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
      await service.get(
        `/quotes/${source}/${target}?amount=${amount}&paymentMethod=${paymentMethod}&country=de`,
      )
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
      const { assets } = (await service.get(`/supported/assets?country=gb&source=${source}`, key)).body
        .message;
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
