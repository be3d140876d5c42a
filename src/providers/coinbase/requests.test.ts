/** Requests to Coinbase: no two of them have the same token. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Context } from '../exchange.ts';
import { signed } from './requests.ts';

const context = {
  ...{ id: 'catalog', now: 1_700_000_000_000, settings: { apiKeyId: 'key' } },
  base: () => 'https://api.coinbase.example',
  sign: (_kind: string, _secret: string, text: string) => createHash('sha512').update(text).digest('hex'),
} as unknown as Context;

it('has digits of its own for each query', () => {
  const nonceFor = (country: string) => {
    const request = { method: 'GET', path: '/onramp/v1/buy/options', query: { country } } as const;
    const [head = ''] = (signed(request, context).headers?.authorization ?? '')
      .replace('Bearer ', '')
      .split('.');
    return (JSON.parse(Buffer.from(head, 'base64url').toString()) as { nonce: string }).nonce;
  };
  const nonces = ['DE', 'FR', 'US'].map(nonceFor);
  expect(nonces).toEqual(nonces.map(() => expect.stringMatching(/^[0-9a-f]{32}$/)));
  expect(new Set(nonces).size).toBe(3);
});
