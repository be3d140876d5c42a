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
    [RAW.replace('ca6e', 'CA6e'), RAW],
    ['rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf', 'XVLhHMPHU98es4dbozjVtdWzVrDjtV5AqEL4xcZj5whKbmc'],
    ['1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu', 'qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a'],
    ['3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC', 'bitcoincash:ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq'],
    ['MQMcJhpWHYVeQArcZR3sBgyPZxxRtnH441', '3J9TzpQYLReDbfaiTY4XN3izFGMyswQgCb'],
    [
      'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
      'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ',
    ],
    ['0.0.123', '0.0.123-vfmkw'],
    ['0x1', `0x${'1'.padStart(64, '0')}`],
  ])('%s is also written %s', (one, other) => {
    expect([isSameAddress(one, other), isSameAddress(other, one)]).toEqual([true, true]);
  });

  it.each([
    ['0xabcd', '0xabce'],
    ['7vfCXTUX', '7vfcxtux'],
    [TON, 'UQC-3ilVr-W0Uc3pLrGJElwSaFxvhXXfkiQA3EwdVBHNNbbp'],
    [TON, RAW.replace('0:', '-1:')],
    [TON, TON.replace('KJJL', 'KjJL')],
    ['1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu', 'ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq'],
    ['1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'],
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
    ['DBXu2kgc3xtvCUWFcxFE3r9hEYgmuaaCyD', 'DBXu2kgc3xtvCUWFcxFE3r9hEYgmuaaCyE'],
  ])('%s is not %s', (one, other) => {
    expect(isSameAddress(one, other)).toBe(false);
  });
});
