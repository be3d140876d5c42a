/** Signatures, held against vectors the providers publish or that were computed from their documents. */
import { createHash } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { decimal } from '../domain/money.ts';
import type { Adapter, NativeOrder, Page } from '../providers/contract.ts';
import type { Context, SignatureKind } from '../providers/exchange.ts';
import { mercuryo } from '../providers/mercuryo/adapter.ts';
import { moonpay } from '../providers/moonpay/adapter.ts';
import { isSigned, sign } from './sign.ts';
import { createVault } from './vault.ts';

interface Vector {
  what: string;
  how: SignatureKind;
  key: string;
  text: string;
  signature: string;
}

/** What is signed, after the moment of it. */
const ALCHEMY_PAY: [what: string, text: string, signature: string][] = [
  [
    'quote',
    'POST/open/api/v4/merchant/order/quote{"amount":"100","crypto":"USDT","fiat":"USD","network":"TRX","payWayCode":"10001","side":"BUY"}',
    'o+2VdrDyDcLpwTr5BCOG97EZDFmVRbe6T+m6kdoG/Lk=',
  ],
  [
    'list of fiats',
    'GET/open/api/v4/merchant/fiat/list?type=BUY',
    'QBcOXJIIgGGgc0VMDe9S51Bj7TQNvw53SP+pcl+I9NI=',
  ],
  [
    'order',
    'GET/open/api/v4/merchant/query/trade?merchantOrderNo=ord1&side=BUY',
    'z2Zmu3aF7hABwyRa4MrdQXqZ32/Ku9H6YqMH1uJp0ug=',
  ],
  [
    'page to buy on',
    'GET/index/rampPageBuy?address=0x1111111111111111111111111111111111111111&appId=madeUpAppId00001&callbackUrl=https://agg.example/wh/alchemypay&crypto=USDT&fiat=USD&fiatAmount=100&merchantOrderNo=ord1&network=BSC&redirectUrl=https://agg.example/return&showTable=buy&timestamp=1760000000000',
    'K6pl6ZU+9+5PgLsYBGugU0gbqK6rObfV3PBoxgmtqiU=',
  ],
  [
    'page to sell on',
    'GET/index/rampPageSell?appId=madeUpAppId00001&country=DE&crypto=USDT&cryptoAmount=50&fiat=EUR&merchantOrderNo=ord2&network=ETH&showTable=sell&timestamp=1760000000000&type=sell',
    '8WiXAnRoowogF1SD2M2hKquV32gLmD6nGH8JhH/PPuM=',
  ],
  [
    'webhook',
    'POST/wh/alchemypay{"address":"0x1111111111111111111111111111111111111111","amount":"100","appId":"madeUpAppId00001","crypto":"USDT","fiat":"USD","merchantOrderNo":"ord1","network":"BSC","orderNo":"1028577684629876736","status":"FINISHED"}',
    'YN7MwF/PXGSqMo2sLTRVprhPAQvVoiH0nCglhbtB5tQ=',
  ],
];

const BANXA: [what: string, key: string, text: string, signature: string][] = [
  [
    'own test of a GET',
    'accessKeySecret',
    'GET\nfoo/bar\n-1\n{}',
    '61a1f11dfff3a200be6e02fa3a1b2e16f4928b8d7d1b061b4815a2fdfed1f67c',
  ],
  [
    'own test of a POST',
    'accessKeySecret',
    'POST\nfoo/bar\n-1\n{"test":"data"}',
    'dc0327c28375f930d145cd2545e1fc68f40d008ffbdd80d4f807d4c20d3ef6d3',
  ],
  [
    'webhook',
    'whsecret_demo',
    'POST\n/webhooks/banxa\n1700000000\n{"order_id":"0123456789abcdef0123456789abcdef","status":"complete"}',
    '4a3634a4b01c8191bc01c41ed6d19fd98a8beb7faee100a38d1a85f2c3346464',
  ],
  [
    'older prices',
    'secret_demo',
    'GET\n/api/prices?source=EUR&target=BTC&source_amount=100\n1700000000',
    '035c8dd31c85b25bd2133a815b3fc98632ca9313c64ad98e52b890403030edae',
  ],
];

const SWAPPED: [what: string, key: string, text: string, signature: string][] = [
  [
    'page to buy on',
    'sk_test_madeup0001',
    '?apiKey=pk_test_madeup0001&currencyCode=USDC_BASE&walletAddress=0x1111111111111111111111111111111111111111&method=creditcard&baseCurrencyCode=USD&baseCurrencyAmount=100.00&externalCustomerId=ord1',
    '/y4OcmvwD+rQV2jntTcDfNwJzbeP5dJW2O0k9pWb8ic=',
  ],
  [
    'page to sell on',
    'sk_test_madeup0001',
    '?apiKey=pk_test_madeup0001&method=bank-transfer&userSendsFunds=false&cryptoCurrencyCode=USDC_BASE&cryptoCurrencyAmount=100&fiatCurrencyCode=EUR&externalCustomerId=ord2',
    'BhDFBLzs2Gsv518uUcGid4EQVNkDMaBFflpRUPqb9Vs=',
  ],
  [
    'webhook',
    'sk_test_madeup0001',
    '{"order_id":"9fcc45a5-4def-4953-9bd8-9ff75d9aaa9c","order_status":"order_broadcasted","external_customer_id":"ord1"}',
    'w42D3O7D4dGl9/h4X0tu3eMMvJeUS7IPcqy42Jk1hpw=',
  ],
  [
    'documented webhook',
    'sk_test_key',
    '{ "order_id": "9fcc45a5-4def-4953-9bd8-9ff75d9aaa9c"}',
    '+SuL3HDk8M6FsZrW8/J/s2N68p2YD5y1tJp38C6WXFM=',
  ],
];

const COINBASE_BODY =
  '{"eventType":"onramp.transaction.success","transactionId":"1f087a54-0000-6000-8000-000000000001","status":"ONRAMP_TRANSACTION_STATUS_SUCCESS","partnerUserRef":"sandbox-ord-1"}';

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
  ...ALCHEMY_PAY.map(([what, text, signature]) => ({
    what: `Alchemy Pay’s ${what}`,
    how: 'hmac-sha256-base64' as const,
    key: 'madeUpSecret0001',
    text: `1760000000000${text}`,
    signature,
  })),
  ...BANXA.map(([what, key, text, signature]) => ({
    what: `Banxa’s ${what}`,
    how: 'hmac-sha256-hex' as const,
    key,
    text,
    signature,
  })),
  ...SWAPPED.map(([what, key, text, signature]) => ({
    what: `Swapped’s ${what}`,
    how: 'hmac-sha256-base64' as const,
    key,
    text,
    signature,
  })),
  {
    what: 'a Coinbase webhook, without its headers',
    how: 'hmac-sha256-hex',
    key: '11111111-2222-4333-8444-555555555555',
    text: `1760000000.${COINBASE_BODY}`,
    signature: 'b8d4eabac9df3d301a2a0628730aa0fffc480f75140630a5ae4c95b9a07dfdf1',
  },
  {
    what: 'a Coinbase webhook, with its headers',
    how: 'hmac-sha256-hex',
    key: '11111111-2222-4333-8444-555555555555',
    text: `1760000000.content-type x-event-id x-event-type.application/json.evt_0001.onramp.transaction.success.${COINBASE_BODY}`,
    signature: '5ff757fad760b41b720e7e316c7d97051cd9f9e336c2f41bc6d8ddfe7cf86abb',
  },
  {
    what: 'a Stripe webhook',
    how: 'hmac-sha256-hex',
    key: 'whsec_madeup_0001',
    text: '1760000000.{"id":"evt_1","object":"event","type":"crypto.onramp_session.updated","data":{"object":{"id":"cos_1","object":"crypto.onramp_session","status":"fulfillment_complete"}}}',
    signature: '66c753792c59037bae39d6ebe09007d653fe1a704adfad1d753e9d25bac57676',
  },
];

describe('sign', () => {
  it.each(VECTORS)('signs $what', ({ how, key, text, signature }) => {
    expect(sign(how, key, text)).toBe(signature);
  });

  it.each(VECTORS)('knows $what again, and no other signature', ({ how, key, text, signature }) => {
    expect(isSigned(how, key, text, signature)).toBe(true);
    for (const other of ['', signature.slice(0, -1), `${signature} `, signature.toUpperCase()])
      expect(isSigned(how, key, text, other)).toBe(false);
    expect(isSigned(how, key, `${text} `, signature)).toBe(false);
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

  it('signs Standard Webhooks as their own library does', () => {
    const secret = `whsec_${Buffer.from('a secret of thirty-two bytes, all').toString('base64')}`;
    const at = new Date(1_700_000_000_000);
    const signature = new Webhook(secret).sign('msg_1', at, '{"a":1}').replace(/^v1,/, '');
    expect(sign('standard-webhooks', secret, ['msg_1.1700000000.', '{"a":1}'])).toBe(signature);
    expect(isSigned('standard-webhooks', secret, 'msg_1.1700000000.{"a":1}', signature)).toBe(true);
    for (const other of [secret.slice(6), secret.slice(0, -4), 'whsec_', `${secret}!`])
      expect(isSigned('standard-webhooks', other, 'msg_1.1700000000.{"a":1}', signature)).toBe(false);
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
