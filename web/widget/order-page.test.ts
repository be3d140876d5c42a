/** The page of an order: what leads to it is found in its address again. */
import { expect, it } from 'vitest';
import { exampleSetup } from './example.ts';
import { orderLink, orderPage, tokenIn } from './order-page.ts';

it('is found by its token, wherever the service is', () => {
  const setup = exampleSetup({ url: 'https://ramp.example/pay/base', language: 'de' });
  const page = orderPage(setup, 'a/b');
  expect(page).toBe('https://ramp.example/pay/base/pay/a%2Fb?lang=de');
  expect(tokenIn(page)).toBe('a/b');
  expect(['about:blank', 'https://ramp.example/pay/a/return'].map(tokenIn)).toEqual([undefined, undefined]);
});

it('is led to by a link that tells nothing of the person, nor of the page around the widget', () => {
  const shown = { apiKey: 'pk_test_1', language: 'de', onlyOnramps: 'moonpay' };
  const personal = {
    ...{ wallets: 'BTC:bc1', networkWallets: 'ETHEREUM:0x1', walletAddressTags: 'XRP:7' },
    ...{ partnerContext: 'order of Ann', uuid: '0e7a8a3c-1f2b-4c3d-8e9f-000000000000' },
    embedder: 'https://shop.example',
  };
  const href = `https://ramp.example/widget?${new URLSearchParams({ ...shown, ...personal })}#order=old`;
  const link = `https://ramp.example/widget?${new URLSearchParams(shown)}#order=a%2Fb`;
  expect(orderLink(href, 'a/b')).toBe(link);
});
