/** Signatures, held against vectors the providers publish or that were computed from their documents. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decimal } from '../domain/money.ts';
import type { Adapter, Context, NativeOrder, Page, SignatureKind } from '../providers/contract.ts';
import { mercuryo } from '../providers/mercuryo/adapter.ts';
import { moonpay } from '../providers/moonpay/adapter.ts';
import { sign } from './sign.ts';
import { createVault } from './vault.ts';

interface Vector {
  what: string;
  how: SignatureKind;
  key: string;
  text: string;
  signature: string;
}

const VECTORS: Vector[] = [
  {
    what: 'MoonPay’s documented link',
    how: 'hmac-sha256-base64',
    key: 'sk_test_key',
    text: '?apiKey=pk_test_key&currencyCode=eth&walletAddress=0xde0b295669a9fd93d5f28d9ec85e40f4cb697bae',
    signature: 'o1eO2arzL16TstEolGakHHFa33Mb61RCTfqToRWg7PA=',
  },
  {
    what: 'a MoonPay link with a return address',
    how: 'hmac-sha256-base64',
    key: 'sk_test_demo',
    text: '?apiKey=pk_test_demo&currencyCode=btc&baseCurrencyCode=eur&baseCurrencyAmount=100&walletAddress=tb1qexampleexampleexampleexample&externalTransactionId=ord_0001&redirectURL=https%3A%2F%2Fshop.example%2Fback%3Fid%3D1',
    signature: 'F0j1XO40QAdeN6leDZs1z5fK+e4ux27Co7ksCHPbDKk=',
  },
  {
    what: 'MoonPay’s allowed address',
    how: 'hmac-sha256-base64',
    key: 'sk_test_demo',
    text: '203.0.113.7',
    signature: 'uKxxrc5jb8IObiVXeR8OKZQ703FnPKB9PasPeC6KKqw=',
  },
  {
    what: 'a MoonPay webhook',
    how: 'hmac-sha256-hex',
    key: 'wk_test_demo',
    text: '1700000000.{"type":"transaction_updated","data":{"id":"11111111-2222-4333-8444-555555555555","status":"completed"},"externalCustomerId":null}',
    signature: '2cff773cc3a55fe39d521e96137c7d426808ca00d86823f997f944d4be395d31',
  },
  {
    what: 'Mercuryo’s address, version 1',
    how: 'sha512-hex',
    key: '',
    text: '0x123secret',
    signature:
      '72676d30e9e39b0890e967a83d4e2d32d9865aeae0827567e092fa2caa72c231f1743f2fe3926eec5becc16cbf85c20dfdbc6579330469182a02f908fc33600b',
  },
  {
    what: 'Mercuryo’s address, version 2',
    how: 'sha512-hex',
    key: '',
    text: '0x123secret127.0.0.1tx123',
    signature:
      'ead820318be19870c157682e7f4ad1190b41b3811d85c1a31c14b4d614fed9a7806fdddd324e258d7c7d0be78427727d98bed6d44a5a13c3761aabf5b39978e7',
  },
  {
    what: 'a Mercuryo callback',
    how: 'hmac-sha256-hex',
    key: 'sign_key_demo',
    text: '{"eventId":"8a1b","data":{"id":"0abc","type":"buy","payment_method":"card","status":"paid","fiat_amount":"100.00","fiat_currency":"EUR","amount":"0.00150000","currency":"BTC","merchant_transaction_id":"ord_0001"}}',
    signature: '6ebdf3d8ac40fc2cd3f1d354e00f4e6664152462c548dbc5fb5bc6deadd7508b',
  },
  {
    what: 'a Transak webhook',
    how: 'hmac-sha256-base64url',
    key: 'access_token_demo',
    text: 'eyJhbGciOiJIUzI1NiJ9.eyJ3ZWJob29rRGF0YSI6eyJpZCI6Im9yZC0xIiwic3RhdHVzIjoiQ09NUExFVEVEIn0sImV2ZW50SUQiOiJPUkRFUl9DT01QTEVURUQifQ',
    signature: 'R4z6buaWQrdwD7MeBG2bnpFtXacslMfO4tlANv8KW3E',
  },
];

describe('sign', () => {
  it.each(VECTORS)('signs $what', ({ how, key, text, signature }) => {
    expect(sign(how, key, text)).toBe(signature);
  });

  it('signs other text and other keys otherwise', () => {
    for (const how of ['hmac-sha256-hex', 'hmac-sha256-base64', 'hmac-sha256-base64url'] as const) {
      const signatures = [sign(how, 'a', 'text'), sign(how, 'b', 'text'), sign(how, 'a', 'texu')];
      expect(new Set(signatures).size).toBe(3);
    }
  });

  it.each(VECTORS)('signs $what in parts and as bytes all the same', ({ how, key, text, signature }) => {
    const bytes = new TextEncoder().encode(text);
    expect(sign(how, key, [text.slice(0, 7), bytes.subarray(7)])).toBe(signature);
    expect(sign(how, key, [...text])).toBe(signature);
  });

  it('writes base64url without padding and without what a URL would change', () => {
    const signatures = Array.from({ length: 50 }, (_, at) => sign('hmac-sha256-base64url', 'key', `${at}`));
    expect(signatures.filter(signature => !/^[\w-]{43}$/.test(signature))).toEqual([]);
  });

  it('takes text as UTF-8', () => {
    expect(sign('sha512-hex', '', 'é')).toBe(
      createHash('sha512').update(Buffer.from('c3a9', 'hex')).digest('hex'),
    );
  });
});

describe('a link to a provider’s page', () => {
  const order = {
    id: 'tx123',
    side: 'buy',
    amount: decimal(100),
    native: { fiat: 'EUR', asset: 'ETH', network: 'ETHEREUM', method: 'card' },
    wallet: { address: '0x123' },
    returnUrl: 'https://shop.example/back?id=1',
    theme: { isDark: false },
    clientIp: '127.0.0.1',
  } as NativeOrder;

  function linkOf(adapter: Adapter, settings: Record<string, string>): string {
    const { open, placeholder, has, sign } = createVault(adapter, settings);
    const base = (host: string) => `https://${host}.example`;
    const context: Context = { now: 0, id: '', settings: open, secret: placeholder, has, sign, base };
    return (adapter.checkout(order, context) as Page).url;
  }

  it.each([
    ['v1', 'Mercuryo’s address, version 1', ''],
    ['v2', 'Mercuryo’s address, version 2', 'v2:'],
  ])('of Mercuryo is signed with the secret inside the text (%s)', (signatureVersion, what, prefix) => {
    const link = linkOf(mercuryo, { widgetId: 'w', secretKey: 'secret', signatureVersion });
    const { signature = '' } = VECTORS.find(vector => vector.what === what) ?? {};
    expect(new URL(link).searchParams.get('signature')).toBe(prefix + signature);
  });

  it('of MoonPay is signed as it stands, up to the signature', () => {
    const link = linkOf(moonpay, { apiKey: 'pk_test_demo', secretKey: 'sk_test_demo' });
    const [signed = '', signature = ''] = new URL(link).search.split('&signature=');
    expect(decodeURIComponent(signature)).toBe(sign('hmac-sha256-base64', 'sk_test_demo', signed));
    expect(signed).toMatch(/^\?apiKey=pk_test_demo&/);
  });

  it('holds no secret and no placeholder of one', () => {
    const links = [
      linkOf(mercuryo, { widgetId: 'w', secretKey: 'hidden-key' }),
      linkOf(moonpay, { apiKey: 'pk_test_demo', secretKey: 'hidden-key' }),
    ];
    expect(links.filter(link => /hidden-key|\[\[|%5B%5B/.test(link))).toEqual([]);
  });
});
