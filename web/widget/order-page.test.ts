/** The page of an order: what leads to it is found in its address again. */
import { expect, it } from 'vitest';
import { exampleSetup } from './example.ts';
import { orderPage, tokenIn } from './order-page.ts';

it('is found by its token, wherever the service is', () => {
  const setup = exampleSetup({ url: 'https://ramp.example/pay/base', language: 'de' });
  const page = orderPage(setup, 'a/b');
  expect(page).toBe('https://ramp.example/pay/base/pay/a%2Fb?lang=de');
  expect(tokenIn(page)).toBe('a/b');
  expect(['about:blank', 'https://ramp.example/pay/a/return'].map(tokenIn)).toEqual([undefined, undefined]);
});
