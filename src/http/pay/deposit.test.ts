/** Deposits: the address as it is, and a picture that says the same. */
import { describe, expect, it } from 'vitest';
import { exampleSale, exampleView } from '../../../test/browser/pay-world.ts';
import { decimal } from '../../domain/money.ts';
import { depositOf } from './deposit.ts';

const ADDRESS = '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy';

describe('depositOf', () => {
  it('is nothing until there is one', () => {
    expect(depositOf(exampleView())).toBeUndefined();
  });

  it('says how much, in plain digits', () => {
    const deposit = depositOf(
      exampleSale({ deposit: { address: ADDRESS, amount: decimal('1234.000000000000000001') } }),
    );
    expect(deposit?.amount).toBe('1234.000000000000000001');
  });

  it.each([
    ['Bitcoin', 'BTC', ADDRESS, `bitcoin:${ADDRESS}?amount=0.05`],
    ['Litecoin', 'LTC', ADDRESS, `litecoin:${ADDRESS}?amount=0.05`],
    ['Bitcoin Cash', 'BCH', 'bitcoincash:qpm2qsznhks2', 'bitcoincash:qpm2qsznhks2?amount=0.05'],
    // A token, another network, or what no wallet agrees on: the address alone.
    ['Ethereum', 'WBTC', '0xAbC1', '0xAbC1'],
    ['Lightning', 'BTC', 'lnbc1', 'lnbc1'],
    ['Bitcoin', 'BTC', 'abc?amount=9&x', 'abc?amount=9&x'],
  ])('on %s for %s with %s is %s', (network, code, address, uri) => {
    const pays = { amount: decimal('0.05'), code };
    expect(depositOf(exampleSale({ network, pays, deposit: { address } }))?.uri).toBe(uri);
  });

  it('shows the bare address where a memo has to be typed as well', () => {
    const deposit = depositOf(exampleSale({ deposit: { address: ADDRESS, memo: '42' } }));
    expect(deposit).toMatchObject({ uri: ADDRESS, memo: '42' });
    expect(deposit?.picture).toMatch(/^data:image\/svg\+xml;base64,[A-Za-z0-9+/=]+$/);
  });

  it('draws nothing that cannot be checked by eye, and nothing huge', () => {
    expect(depositOf(exampleSale({ deposit: { address: 'abc\u202Edef', memo: '1' } }))?.picture).toBe('');
    expect(depositOf(exampleSale({ deposit: { address: 'a'.repeat(5_000) } }))?.picture).toBe('');
  });
});
