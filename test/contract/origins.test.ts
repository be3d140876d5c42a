/** Origins and hosts that an account registers: from which pages it may be called, and how they are kept. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allow, type Credentials, disallow, findAccount } from '../../src/app/accounts.ts';
import { startTestService, type TestService } from '../service.ts';
import { eventually } from './patience.ts';
import { UNKNOWN_ID } from './records.ts';
import { PROVIDERS } from './world.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { only: PROVIDERS });
});
afterAll(() => service?.close());

describe('origins', () => {
  const SHOP = 'https://shop.example';
  const EVIL = 'https://evil.example';
  const CASES = [
    ['/transactions', 200],
    [`/transactions/${UNKNOWN_ID}`, 404],
    ['/transactions?limit=0', 400],
  ] as const;
  let shop: Credentials;
  beforeAll(async () => {
    shop = await service.newAccount();
  });

  const read = (path: string, origin?: string) =>
    service.get(path, {
      authorization: shop.publicKey,
      'x-service-secret': shop.secret,
      ...(origin !== undefined && { origin }),
    });
  const settle = (status: number) =>
    eventually(async () => (await read('/transactions', EVIL)).status === status, 'it is seen', {
      longestMs: 5_000,
    });

  test('200 from any page while the account has registered none', async () => {
    for (const origin of [SHOP, EVIL, 'null']) {
      const { status, headers } = await read('/transactions', origin);
      expect([status, headers.get('access-control-allow-origin')]).toEqual([200, origin]);
    }
  });

  test('403 names Origin and shows the page nothing once others are registered', async () => {
    await allow(service.database, shop.publicKey, { origins: [SHOP], redirectHosts: [] });
    await settle(403);
    for (const [path, status] of CASES) {
      const good = await read(path, SHOP);
      expect([path, good.status]).toEqual([path, status]);
      expect(good.headers.get('access-control-allow-origin')).toBe(SHOP);
      expect((await read(path)).status).toBe(status);
      for (const origin of [
        ...[EVIL, 'http://shop.example', 'https://shop.example:8443', 'null', `${SHOP}/`],
        ...['https://shop.example.evil.example', 'https://sub.shop.example', 'https://SHOP.example'],
      ]) {
        const reply = await read(path, origin);
        expect([origin, reply.status, reply.body.field]).toEqual([origin, 403, 'Origin']);
        expect(reply.headers.get('access-control-allow-origin')).toBeNull();
        expect(reply.headers.get('vary')).toContain('Origin');
      }
    }
  });

  test('401 before 403: who is not known is told so, wherever the page is', async () => {
    const { status, headers } = await service.get('/transactions', {
      authorization: shop.publicKey,
      origin: EVIL,
    });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([401, null]);
  });

  test('200 on other routes and 204 for preflights, whatever the origin', async () => {
    const evil = { authorization: shop.publicKey, origin: EVIL };
    const { status, headers } = await service.get('/supported/assets?country=de', evil);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, EVIL]);
    const preflight = await fetch(`${service.url}/transactions`, {
      method: 'OPTIONS',
      headers: { origin: EVIL, 'access-control-request-headers': 'authorization,x-service-secret' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-service-secret');
  });

  test('200 again when the last one is taken away', async () => {
    await disallow(service.database, shop.publicKey, { origins: [SHOP], redirectHosts: [] });
    await settle(200);
  });
});

describe('registered places', () => {
  const placesOf = async ({ publicKey }: Credentials) => {
    const { origins, redirectHosts } = await findAccount(service.database, publicKey);
    return { origins: [...origins].sort(), redirectHosts: [...redirectHosts].sort() };
  };

  test('are kept as browsers write them, each once, until they are taken away', async () => {
    const { database } = service;
    const shop = await service.newAccount();
    expect(await placesOf(shop)).toEqual({ origins: [], redirectHosts: [] });
    await allow(database, shop.publicKey, {
      origins: [
        'HTTPS://Shop.Example:443',
        'https://bücher.example/',
        'http://localhost:3000',
        'http://[::1]',
      ],
      redirectHosts: ['Shop.Example', 'bücher.example:8443', 'LOCALHOST:3000', 'shop.example:443'],
    });
    await allow(database, shop.publicKey, { origins: ['https://shop.example'], redirectHosts: [] });
    expect(await placesOf(shop)).toEqual({
      origins: [
        'http://[::1]',
        'http://localhost:3000',
        'https://shop.example',
        'https://xn--bcher-kva.example',
      ],
      redirectHosts: ['localhost:3000', 'shop.example', 'xn--bcher-kva.example:8443'],
    });
    await disallow(database, shop.publicKey, {
      origins: ['https://SHOP.example', 'https://never.example', 'http://[::1]'],
      redirectHosts: ['localhost:3000'],
    });
    expect(await placesOf(shop)).toEqual({
      origins: ['http://localhost:3000', 'https://xn--bcher-kva.example'],
      redirectHosts: ['shop.example', 'xn--bcher-kva.example:8443'],
    });
  });

  test('may be those of extensions and apps, which URL parsers do not know', async () => {
    const wallet = await service.newAccount();
    const origins = ['capacitor://localhost', 'chrome-extension://idnnbdplmphpflfnlkomgpfbpcgelopg'];
    await allow(service.database, wallet.publicKey, { origins, redirectHosts: [] });
    expect(await placesOf(wallet)).toEqual({ origins, redirectHosts: [] });
    const statusFrom = async (origin: string) => {
      const headers = { authorization: wallet.publicKey, 'x-service-secret': wallet.secret, origin };
      return (await service.get('/transactions', headers)).status;
    };
    await eventually(async () => (await statusFrom('moz-extension://other')) === 403, 'it is seen', {
      longestMs: 5_000,
    });
    for (const origin of origins) expect([origin, await statusFrom(origin)]).toEqual([origin, 200]);
  });

  test('are refused when they are anything but an origin or a host', async () => {
    const { database, account } = service;
    for (const origin of [
      ...[
        '',
        'shop.example',
        'https://',
        'https:shop.example',
        'https:/shop.example',
        '//shop.example',
        'null',
      ],
      ...[
        '*',
        'https://*',
        'https://*.shop.example',
        'http://shop.example',
        'http://10.0.0.1',
        'ftp://shop.example',
        'capacitor://shop.example',
        'chrome-extension://',
        'chrome-extension://*',
        'chrome-extension://abc/page',
      ],
      ...[
        'https://shop.example/path',
        'https://shop.example/?',
        'https://shop.example/#',
        'https://a@shop.example',
      ],
      ...[
        'https://shop.example\\',
        ' https://shop.example',
        'https://shop.example\n',
        'https://shop example',
      ],
      ...[
        'javascript:alert(1)',
        'data:text/html,x',
        'file:///etc',
        'https://shop.example,https://evil.example',
      ],
      ...["https://shop.example;'", 'https://shop.example:99999', `https://${'a'.repeat(300)}.example`],
    ])
      await expect(
        allow(database, account.publicKey, { origins: [origin], redirectHosts: [] }),
        origin,
      ).rejects.toThrow('is not an origin');
    for (const host of [
      ...[
        '',
        '*',
        '*.shop.example',
        'https://shop.example',
        'shop.example/',
        'shop.example/path',
        '//shop.example',
      ],
      ...[
        'a@shop.example',
        'shop.example?x',
        'shop.example#x',
        'shop.example\\@evil.example',
        ' shop.example',
      ],
      ...['shop.example\n', 'shop.example:x', 'shop.example:99999', 'shop example', ':443', '@'],
    ])
      await expect(
        allow(database, account.publicKey, { origins: [], redirectHosts: [host] }),
        host,
      ).rejects.toThrow('is not a host');
    expect(await placesOf(account)).toEqual({ origins: [], redirectHosts: [] });
  });

  test('are limited in number', async () => {
    const shop = await service.newAccount();
    const many = (count: number) => Array.from({ length: count }, (_, nth) => `https://shop${nth}.example`);
    await allow(service.database, shop.publicKey, { origins: many(100), redirectHosts: [] });
    await allow(service.database, shop.publicKey, { origins: many(5), redirectHosts: [] });
    await expect(
      allow(service.database, shop.publicKey, { origins: many(101), redirectHosts: [] }),
    ).rejects.toThrow('at most 100');
  });
});
