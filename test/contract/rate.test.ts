/** GET /rate and /sell of the earlier surface: every gateway's word on one wish, and the first step it leads to. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/domain/json.ts';
import { decimal } from '../../src/domain/money.ts';
import type { Reply } from '../service.ts';
import { shape, shapesOf } from './answers.ts';
import { ADDRESS, answers, ask, entries, exact, firstOf, key, names, setRates, world } from './rates.ts';
import { MOONPAY, PROVIDERS, TRANSAK } from './world.ts';

setRates();

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
