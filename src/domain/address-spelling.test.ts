/** The same address in another spelling, and others that only look alike. */
import { describe, expect, it } from 'vitest';
import { isSameAddress } from './address-spelling.ts';

const TON = 'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF';
const RAW = '0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e';

describe('an address', () => {
  it.each([
    ['0xABcd', '0xabCD'],
    ['BC1QXYZ', 'bc1qxyz'],
    ['bitcoincash:qpm2q', 'qpm2q'],
    [TON, 'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff+W72r5gqPrHF'],
    [TON, 'UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA'],
    [TON, RAW],
    [TON, RAW.toUpperCase()],
  ])('%s is also written %s', (one, other) => {
    expect([isSameAddress(one, other), isSameAddress(other, one)]).toEqual([true, true]);
  });

  it.each([
    ['0xabcd', '0xabce'],
    ['7vfCXTUX', '7vfcxtux'],
    [TON, 'UQC-3ilVr-W0Uc3pLrGJElwSaFxvhXXfkiQA3EwdVBHNNbbp'],
    [TON, RAW.replace('0:', '-1:')],
    // One letter has another size, so it proves nothing.
    [TON, TON.replace('KJJL', 'KjJL')],
  ])('%s is not %s', (one, other) => {
    expect(isSameAddress(one, other)).toBe(false);
  });
});
