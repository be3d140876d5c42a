/** Surfaces: which of the two a URL belongs to, wherever the earlier one is put. */
import { describe, expect, it } from 'vitest';
import { earlierBelow } from './surface.ts';

describe('earlierBelow', () => {
  it.each([
    ['/legacy', true],
    ['/legacy/', true],
    ['/legacy?x', true],
    ['/legacy/gateways', true],
    ['/legacy/rate/eur/btc/creditCard/100?country=de', true],
    ['/legacy/%ff', true],
    ['/legacyx', false],
    ['/legac', false],
    ['/supported', false],
    ['/', false],
    ['', false],
    ['/x/legacy/gateways', false],
  ])('tells of %s: %s', (url, expected) => {
    expect(earlierBelow('/legacy')(url)).toBe(expected);
  });

  it.each([
    ['/gateways', true],
    ['/gateways?country=de', true],
    ['/rate/eur/btc/creditCard/100', true],
    ['/transaction/moonpay/form/x', true],
    ['/transactions', false],
    ['/transactions/x', false],
    ['/supported', false],
    ['/', false],
  ])('tells of %s by its first word at the root: %s', (url, expected) => {
    expect(earlierBelow('')(url)).toBe(expected);
  });
});
