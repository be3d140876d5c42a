/** Deposits: the address as it is, a picture that says the same, and for how long it is shown. */
import { describe, expect, it } from 'vitest';
import { currencies, exampleSale, exampleView } from '../../../test/browser/pay-world.ts';
import type { PayView } from '../../app/pay.ts';
import { decimal } from '../../domain/money.ts';
import type { Status } from '../../domain/transaction.ts';
import { depositOf } from './deposit.ts';
import { speechOf } from './speech.ts';
import { stateOf } from './state.ts';

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

describe('a sale with a deposit address', () => {
  const NOW = 1_700_000_000_000;
  const DEPOSIT = { address: ADDRESS };
  const sell = (change: Partial<PayView>) => exampleSale({ expiresAt: NOW + 600_000, ...change });
  const at = (view: PayView) => stateOf(view, { now: NOW, speech: speechOf('en'), currencies });

  it('says how much to send where, until the coins are seen', () => {
    const state = at(sell({ opened: true, deposit: DEPOSIT }));
    expect(state.texts).toMatchObject({ title: 'Send your coins', open: 'Open MoonPay’s page' });
    expect(state.texts.lead).toContain('exactly 0.05 BTC');
    expect(state).toMatchObject({ step: 0, deposit: { ...DEPOSIT, amount: '0.05' } });
    // Some providers call it pending when they wait for coins.
    expect(at(sell({ opened: true, deposit: DEPOSIT, status: 'pending' })).deposit).not.toBeNull();
    expect(at(sell({ opened: true, deposit: DEPOSIT, status: 'pending', hash: 'ab' })).deposit).toBeNull();
    const sent = at(sell({ opened: true, deposit: { ...DEPOSIT, isSent: true }, status: 'pending' }));
    expect(sent.deposit).toBeNull();
    expect(sent.texts.title).not.toBe('Send your coins');
  });

  it('asks for nothing once the address is good no longer, and the page looks again then', () => {
    const until = (moment: number) =>
      at(sell({ opened: true, deposit: { ...DEPOSIT, until: moment }, status: 'pending' }));
    expect(until(NOW + 90_000)).toMatchObject({ expiresIn: 90_000, deposit: { address: DEPOSIT.address } });
    expect(until(NOW)).toMatchObject({ expiresIn: 0, deposit: null });
  });

  it('asks for the amount the provider wants', () => {
    const state = at(sell({ opened: true, deposit: { ...DEPOSIT, amount: decimal('0.0501') } }));
    expect(state.texts.lead).toContain('exactly 0.0501 BTC');
    expect(state.deposit?.amount).toBe('0.0501');
  });

  it.each<Status>(['paid', 'completed', 'failed', 'canceled', 'expired', 'refunded'])(
    'shows no address any more when %s',
    status => {
      expect(at(sell({ opened: true, deposit: DEPOSIT, status })).deposit).toBeNull();
    },
  );
});
