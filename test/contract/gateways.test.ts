/** GET /gateways and /routing of the earlier surface: what is sold where, in groups, for old clients in browsers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answers, readAnswers, shape, shapesOf } from './answers.ts';
import { MERCURYO, MOONPAY, startWorld, type World } from './world.ts';

const ORIGIN = 'https://shop.example';

let world: World;
let answers: Answers;

beforeAll(async () => {
  world = await startWorld();
  answers = await readAnswers(world.get);
});
afterAll(() => world?.close());

interface Currency {
  id: string;
  code: string;
  precision: number;
  network?: string;
  displayName?: string;
  supportsAddressTag?: boolean;
}

interface Gateway {
  identifier: string;
  paymentMethods: string[];
  fiatCurrencies: Currency[];
  cryptoCurrencies: Currency[];
}

interface Listed {
  gateways: Gateway[];
  localization: object & { country: string };
  icons: Record<string, { icon: string }>;
  defaultAmounts: Record<string, number>;
}

async function list(query = 'country=de', headers: Record<string, string> = {}): Promise<Listed> {
  const reply = await world.get(`/legacy/gateways?${query}`, headers);
  expect([query, reply.status]).toEqual([query, 200]);
  expect(answers.flaws('/legacy/gateways', reply)).toEqual([]);
  return reply.body;
}

const idsOf = (currencies: Currency[]) => currencies.map(({ id }) => id);

describe('what is listed', () => {
  test('200 lists gateways with their methods, fiats and cryptos, and where the caller is', async () => {
    const body = await list();
    expect(Object.keys(body).sort()).toEqual(['gateways', 'localization']);
    expect(body.localization).toEqual({ country: 'de', state: null, currency: 'EUR' });
    expect(shapesOf(body.gateways)).toEqual([
      shape('identifier paymentMethods fiatCurrencies cryptoCurrencies'),
    ]);
    const moonpay = body.gateways.find(
      ({ identifier, fiatCurrencies }) => identifier === MOONPAY && idsOf(fiatCurrencies).includes('EUR'),
    );
    expect(moonpay?.paymentMethods).toContain('creditCard');
    expect(moonpay?.fiatCurrencies).toContainEqual({ id: 'EUR', code: 'EUR', precision: 2 });
    expect(moonpay?.cryptoCurrencies).toContainEqual({
      ...{ id: 'BTC', code: 'BTC', precision: 8, network: 'bitcoin', displayName: 'Bitcoin' },
    });
  });

  test('200 calls a crypto by its code on its main network, and by code and network elsewhere', async () => {
    const cryptos = (await list()).gateways.flatMap(gateway => gateway.cryptoCurrencies);
    const named = new Map(cryptos.map(crypto => [crypto.id, crypto]));
    expect(named.get('USDC_POLYGON')).toMatchObject({ code: 'USDC', network: 'polygon', precision: 6 });
    expect(named.get('XRP')).toMatchObject({ supportsAddressTag: true });
    const odd = cryptos.filter(
      ({ id, code, network }) => id !== code && id !== `${code}_${network}`.toUpperCase(),
    );
    expect(odd).toEqual([]);
  });

  test('200 lists together exactly what the current surface lists one by one', async () => {
    const { gateways } = await list('country=de', { authorization: world.key });
    const { body } = await world.get('/supported/assets?country=de', { authorization: world.key });
    const methods = await world.get('/supported/payment-types?country=de');
    for (const { fiat, crypto, paymentMethods } of body.message.assets) {
      const taking = gateways.filter(({ fiatCurrencies }) =>
        idsOf(fiatCurrencies).includes(fiat.toUpperCase()),
      );
      const cryptos = new Set(
        taking.flatMap(({ cryptoCurrencies }) =>
          cryptoCurrencies.map(({ code, network }) => `${code}_${network}`.toLowerCase()),
        ),
      );
      expect([fiat, [...cryptos].sort()]).toEqual([fiat, [...crypto].sort()]);
      const words = new Set(taking.flatMap(gateway => gateway.paymentMethods));
      expect([fiat, words.size]).toEqual([fiat, paymentMethods.length]);
    }
    const listed = new Set(gateways.flatMap(({ paymentMethods }) => paymentMethods));
    expect(listed.size).toBe(Object.keys(methods.body.message).length);
  });

  test('200 holds in one entry what can be bought together: no gateway denies a combination', async () => {
    const { gateways, defaultAmounts } = await list('country=de&includeDefaultAmounts=true');
    const denied: string[] = [];
    const pick = <T>(from: T[], at: number) => from[at % from.length] as T;
    const tries = gateways.flatMap((gateway, at) =>
      [at, 7 * at + 3].map(place => ({
        gateway: gateway.identifier,
        fiat: pick(gateway.fiatCurrencies, place).id,
        crypto: pick(gateway.cryptoCurrencies, 5 * place + 1).id,
        method: pick(gateway.paymentMethods, place),
      })),
    );
    for (const { gateway, fiat, crypto, method } of tries) {
      const path = `/rate/${fiat}/${crypto}/${method}/${defaultAmounts[fiat]}`;
      const { body } = await world.get(`/legacy${path}?country=de&gateway=${gateway}`);
      const [entry] = body;
      if (!entry?.available && !/^(MIN|MAX)$/.test(entry?.error.type))
        denied.push(`${gateway} ${path} ${JSON.stringify(entry?.error ?? body)}`);
    }
    expect(tries.length).toBeGreaterThan(10);
    expect(denied).toEqual([]);
  });

  test('200 with no gateways where nobody sells', async () => {
    const body = await list('country=kp&includeIcons=true&includeDefaultAmounts=true');
    expect(body).toEqual({
      gateways: [],
      localization: { country: 'kp', state: null, currency: 'KPW' },
      icons: {},
      defaultAmounts: {},
    });
  });
});

describe('country', () => {
  test('200 for the caller’s own when none is sent, and for any case', async () => {
    const [own, lower, upper] = [await list(''), await list('country=de'), await list('country=DE')];
    expect(own).toEqual(lower);
    expect(upper).toEqual(lower);
    expect((await list('country=us')).localization).toEqual({ country: 'us', state: null, currency: 'USD' });
  });

  test('200 for all of them together holds what each of them has', async () => {
    const all = await list('country=all');
    const have = new Set(
      all.gateways.flatMap(({ identifier, cryptoCurrencies }) =>
        cryptoCurrencies.map(({ id }) => `${identifier} ${id}`),
      ),
    );
    for (const country of ['de', 'us', 'br', 'in']) {
      const { gateways } = await list(`country=${country}`);
      const missing = gateways.flatMap(({ identifier, cryptoCurrencies }) =>
        idsOf(cryptoCurrencies).filter(id => !have.has(`${identifier} ${id}`)),
      );
      expect([country, missing]).toEqual([country, []]);
    }
    expect(all.localization.country).toBe('de');
    expect(await list('country=ALL')).toEqual(all);
  });

  test('200 with the state that was sent', async () => {
    const { localization } = await list('country=us&state=ny');
    expect(localization).toEqual({ country: 'us', state: 'NY', currency: 'USD' });
  });

  test('400 names what is no country, no state and no switch', async () => {
    for (const [query, field] of [
      ['country=', 'country'],
      ['country=zz', 'country'],
      ['country=Germany', 'country'],
      ['country=de&country=fr', 'country'],
      ['country=all&country=all', 'country'],
      ['country=d%00', 'country'],
      ['country=us&state=New+York', 'state'],
      ['country=de&state=NY', 'state'],
      ['includeIcons=yes', 'includeIcons'],
      ['includeIcons=', 'includeIcons'],
      ['includeDefaultAmounts=1', 'includeDefaultAmounts'],
    ] as const) {
      const { status, body } = await world.get(`/legacy/gateways?${query}`);
      expect([query, status, body]).toEqual([query, 400, { message: expect.any(String), field }]);
    }
  });

  test('200 whatever else is sent', async () => {
    expect(await list('country=de&onlyCryptos=BTC&x=1&__proto__=y')).toEqual(await list());
  });
});

describe('extras', () => {
  test('200 with icons has one for every code and every method, and each can be had', async () => {
    const { gateways, icons } = await list('country=all&includeIcons=true');
    const names = new Set(
      gateways.flatMap(({ paymentMethods, fiatCurrencies, cryptoCurrencies }) => [
        ...paymentMethods,
        ...[...fiatCurrencies, ...cryptoCurrencies].map(({ code }) => code),
      ]),
    );
    expect(Object.keys(icons).sort()).toEqual([...names].sort());
    expect(icons.EUR).toEqual({ name: 'Euro', symbol: '€', icon: `${world.url}/icons/fiat/eur.svg` });
    expect(icons.creditCard).toEqual({
      name: 'Credit Card',
      icon: `${world.url}/icons/payment/creditcard.svg`,
    });
    const urls = Object.values(icons).map(({ icon }) => icon);
    const wrong: string[] = [];
    for (const url of urls) {
      const { status } = await world.get(url.replace(world.url, ''));
      if (status !== 200 || !url.startsWith(`${world.url}/icons/`)) wrong.push(`${status} ${url}`);
    }
    expect(wrong).toEqual([]);
  });

  test('200 with usual amounts has one for every fiat', async () => {
    const { gateways, defaultAmounts } = await list('country=all&includeDefaultAmounts=true');
    const codes = new Set(gateways.flatMap(entry => idsOf(entry.fiatCurrencies)));
    expect(Object.keys(defaultAmounts).sort()).toEqual([...codes].sort());
    expect(Object.values(defaultAmounts).filter(amount => !(amount > 0))).toEqual([]);
    expect(defaultAmounts.EUR).toBe(100);
  });
});

describe('keys', () => {
  test('200 with the key bare or after Basic or Bearer lists what the account may use', async () => {
    const { publicKey } = await world.newAccount({ providers: [MERCURYO] });
    for (const authorization of [publicKey, `Basic ${publicKey}`, `Bearer ${publicKey}`]) {
      const { gateways } = await list('country=de', { authorization });
      expect([...new Set(gateways.map(({ identifier }) => identifier))]).toEqual([MERCURYO]);
    }
  });

  test('401 for a key nobody has', async () => {
    for (const path of ['gateways', 'routing/de', 'rate/eur/btc/creditCard/100', 'nope']) {
      const reply = await world.get(`/legacy/${path}`, { authorization: 'Basic pk_test_unknown' });
      expect([path, reply.status, reply.body]).toEqual([
        path,
        401,
        { message: expect.any(String), field: 'Authorization' },
      ]);
    }
  });
});

describe('headers', () => {
  const expectReadable = (what: string, headers: Headers) => {
    expect([
      what,
      headers.get('access-control-allow-origin'),
      headers.get('access-control-allow-credentials'),
      headers.get('vary'),
    ]).toEqual([what, ORIGIN, 'true', expect.stringContaining('Origin')]);
  };

  test('200 and 304 carry ETag and Cache-Control, fresh and remembered, and can be read with credentials', async () => {
    for (const path of ['/legacy/gateways?country=fr', '/legacy/routing/fr']) {
      const first = await world.get(path, { origin: ORIGIN });
      const again = await world.get(path, { origin: ORIGIN });
      const etag = String(first.headers.get('etag'));
      for (const { status, headers } of [first, again]) {
        expect([path, status, headers.get('etag')]).toEqual([path, 200, etag]);
        expect(headers.get('cache-control')).toMatch(/max-age=\d+/);
        expectReadable(path, headers);
      }
      expect(again.text).toBe(first.text);
      for (const asked of [path, `${path}${path.includes('?') ? '&' : '?'}spelled=otherwise`]) {
        const known = await world.get(asked, { origin: ORIGIN, 'if-none-match': etag });
        expect([asked, known.status, known.text]).toEqual([asked, 304, '']);
        expectReadable(asked, known.headers);
      }
    }
  });

  test('4xx can be read with credentials, and is not to be stored', async () => {
    const cases: [string, number, Record<string, string>][] = [
      ['/legacy/gateways?country=zz', 400, {}],
      ['/legacy/rate/eur/btc/creditCard/0', 400, {}],
      ['/legacy/rate/%ff/btc/creditCard/100', 400, {}],
      ['/legacy/gateways', 401, { authorization: 'pk_test_unknown' }],
      ['/legacy/nope', 404, {}],
      ['/legacy', 404, {}],
    ];
    for (const [path, status, more] of cases) {
      const reply = await world.get(path, { ...more, origin: ORIGIN });
      expect([path, reply.status, Object.keys(reply.body).sort()]).toEqual([
        path,
        status,
        ['field', 'message'],
      ]);
      expectReadable(path, reply.headers);
      expect(reply.headers.get('cache-control')).toBe('no-store');
    }
    const posted = await world.post('/legacy/gateways', {}, { origin: ORIGIN });
    expect([posted.status, posted.headers.get('allow'), posted.body.field]).toEqual([
      405,
      'GET, HEAD',
      'method',
    ]);
    expectReadable('POST', posted.headers);
  });

  test('204 answers a preflight with the origin, credentials, the methods and the headers asked for', async () => {
    for (const path of ['/legacy/gateways', '/legacy/rate/eur/btc/creditCard/100', '/legacy/transaction/x']) {
      const response = await fetch(world.url + path, {
        method: 'OPTIONS',
        headers: {
          origin: ORIGIN,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,x-widget-referer',
        },
      });
      expect([path, response.status]).toEqual([path, 204]);
      expectReadable(path, response.headers);
      expect(response.headers.get('access-control-allow-methods')).toMatch(/GET.*POST.*PUT/);
      expect(response.headers.get('access-control-allow-headers')).toBe('authorization,x-widget-referer');
    }
  });

  test('200 of the current surface allows no credentials', async () => {
    const { headers } = await world.get('/supported', { origin: ORIGIN });
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  test('200 with a slash at the end, and to HEAD without a body', async () => {
    const plain = await world.get('/legacy/gateways?country=de');
    expect((await world.get('/legacy/gateways/?country=de')).text).toBe(plain.text);
    const head = await fetch(`${world.url}/legacy/gateways?country=de`, { method: 'HEAD' });
    expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([
      200,
      '',
      plain.headers.get('etag'),
    ]);
  });
});

describe('routing', () => {
  test('200 recommends what really can be bought there', async () => {
    for (const country of ['de', 'US', 'br']) {
      const reply = await world.get(`/legacy/routing/${country}`);
      expect([country, reply.status, answers.flaws('/legacy/routing/{country}', reply)]).toEqual([
        country,
        200,
        [],
      ]);
      const [{ crypto, fiat, gateway }] = reply.body.recommended;
      const { gateways } = await list(`country=${country}`);
      const fits = gateways.some(
        entry =>
          entry.identifier === gateway &&
          idsOf(entry.fiatCurrencies).includes(fiat) &&
          idsOf(entry.cryptoCurrencies).includes(crypto),
      );
      expect([country, fits]).toEqual([country, true]);
    }
  });

  test('200 recommends nothing where nobody sells, and for all the caller’s own', async () => {
    expect((await world.get('/legacy/routing/kp')).body).toEqual({ recommended: [] });
    expect((await world.get('/legacy/routing/all')).body).toEqual(
      (await world.get('/legacy/routing/de/')).body,
    );
  });

  test('400 names what is no country', async () => {
    for (const country of ['zz', 'germany', '49', 'd']) {
      const { status, body } = await world.get(`/legacy/routing/${country}`);
      expect([country, status, body.field]).toEqual([country, 400, 'country']);
    }
  });
});

test('200 wherever PUBLIC_LEGACY_URL puts it, with links that lead there', async () => {
  const [elsewhere, root] = await Promise.all([
    world.startAnother({ PUBLIC_LEGACY_URL: 'https://old.example/v1' }),
    world.startAnother({ PUBLIC_LEGACY_URL: 'https://old.example' }),
  ]);
  try {
    const { status, body } = await elsewhere.get('/v1/rate/eur/btc/creditCard/100?country=de');
    const [{ nextStep }] = body;
    expect([status, nextStep.url]).toEqual([
      200,
      expect.stringMatching(/^https:\/\/old\.example\/v1\/transaction\//),
    ]);
    expect((await elsewhere.get('/v1/nope')).body).toEqual({ message: expect.any(String), field: 'path' });
    expect((await elsewhere.get('/legacy/gateways')).body.errorCode).toBe(404);
    expect((await root.get('/gateways?country=de')).status).toBe(200);
    expect((await root.get('/gateways?country=zz')).body).toEqual({
      message: expect.any(String),
      field: 'country',
    });
    expect((await root.get('/supported?type=x')).body.errorCode).toBe(400);
  } finally {
    await elsewhere.close();
    await root.close();
  }
});
