/** Signatures, held against vectors the providers publish or that were computed from their documents. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SignatureKind } from '../providers/contract.ts';
import { sign } from './sign.ts';

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
];

describe('sign', () => {
  it.each(VECTORS)('signs $what', ({ how, key, text, signature }) => {
    expect(sign(how, key, text)).toBe(signature);
  });

  it('signs other text and other keys otherwise', () => {
    for (const how of ['hmac-sha256-hex', 'hmac-sha256-base64'] as const) {
      const signatures = [sign(how, 'a', 'text'), sign(how, 'b', 'text'), sign(how, 'a', 'texu')];
      expect(new Set(signatures).size).toBe(3);
    }
  });

  it('takes text as UTF-8', () => {
    expect(sign('sha512-hex', '', 'é')).toBe(
      createHash('sha512').update(Buffer.from('c3a9', 'hex')).digest('hex'),
    );
  });
});
