/** States: what a person is told and can do at each moment of an order. */
import { describe, expect, it } from 'vitest';
import { currencies, exampleSale, exampleView } from '../../../test/browser/pay-world.ts';
import type { PayView } from '../../app/pay.ts';
import { decimal } from '../../domain/money.ts';
import type { Status } from '../../domain/transaction.ts';
import { stateOf } from './state.ts';

const NOW = 1_700_000_000_000;
const DEPOSIT = { address: '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy' };

const at = (view: PayView, now = NOW) => stateOf(view, { now, currencies });
const buy = (change: Partial<PayView> = {}) => exampleView({ expiresAt: NOW + 600_000, ...change });
const sell = (change: Partial<PayView> = {}) => exampleSale({ expiresAt: NOW + 600_000, ...change });

describe('an order', () => {
  it.each<[Status, string, number, boolean, boolean, boolean]>([
    // status, title, step, finished, open, again
    ['new', 'Waiting for payment', 0, false, true, false],
    ['pending', 'Payment seen', 1, false, true, false],
    ['paid', 'Paid, coins on the way', 2, false, false, false],
    ['completed', 'Completed', 4, true, false, false],
    ['failed', 'The purchase did not go through', -1, true, false, true],
    ['canceled', 'The purchase was canceled', -1, true, false, true],
    ['expired', 'The purchase has expired', -1, true, false, true],
    ['refunded', 'Refunded', -1, true, false, false],
  ])('that is %s says "%s"', (status, title, step, finished, open, again) => {
    const state = at(buy({ status, opened: true }));
    expect(state).toMatchObject({ status, step, finished, can: { open, again } });
    expect(state.texts.title).toBe(title);
    expect(state.texts.lead).not.toBe('');
  });

  it('says something of its own for every status of a sale', () => {
    const statuses: Status[] = [
      'new',
      'pending',
      'paid',
      'completed',
      'failed',
      'canceled',
      'expired',
      'refunded',
    ];
    const titles = statuses.map(status => at(sell({ status, opened: true })).texts.title);
    expect(new Set(titles).size).toBe(statuses.length);
    const leads = statuses.map(status => at(sell({ status, opened: true })).texts.lead);
    expect(leads.join(' ')).toContain('2,871.40 EUR');
  });

  it('begins with a look at the details', () => {
    const state = at(buy());
    expect(state).toMatchObject({ step: -1, expiresIn: 600_000, can: { open: true, again: false } });
    expect(state.texts.open).toBe('Continue with MoonPay');
  });

  it('goes on where it was left', () => {
    expect(at(buy({ opened: true })).texts.open).toBe('Continue where you left off');
  });

  it('lapses when nobody opened it in time, and not when somebody did', () => {
    const late = NOW + 600_000;
    expect(at(buy(), late - 1).can).toEqual({ open: true, again: false });
    const lapsed = at(buy(), late);
    expect(lapsed).toMatchObject({ expiresIn: 0, tone: 'bad', can: { open: false, again: true } });
    expect(lapsed.texts.title).toBe('The session has expired');
    expect(at(buy({ opened: true }), late).can).toEqual({ open: true, again: false });
  });

  it('calls the price an estimate until it is paid', () => {
    expect(at(buy()).texts.estimate).toContain('MoonPay’s estimate');
    expect(at(buy({ status: 'paid' })).texts.estimate).toBe('');
  });

  it('says what was paid and received once it was', () => {
    const rows = at(buy({ status: 'completed' })).rows;
    expect(rows.pays).toEqual({ label: 'You paid', value: '100.00 EUR' });
    expect(rows.gets).toEqual({ label: 'You received', value: '0.00163465 BTC' });
  });

  it.each([
    ['card_declined', 'MoonPay says: Card declined'],
    ['The card was declined.', 'MoonPay says: The card was declined.'],
    ['', ''],
    ['a\u202Eb\nc', 'MoonPay says: a\uFFFDb c'],
    ['x'.repeat(5_000), `MoonPay says: ${'x'.repeat(300)}`],
  ])('tells the reason %j as %j', (reason, told) => {
    expect(at(buy({ status: 'failed', reason })).texts.reason).toBe(told);
  });
});

describe('a sale with a deposit address', () => {
  it('says how much to send where, until the coins are seen', () => {
    const state = at(sell({ opened: true, deposit: DEPOSIT }));
    expect(state.texts).toMatchObject({ title: 'Send your coins', open: 'Open MoonPay’s page' });
    expect(state.texts.lead).toContain('exactly 0.05 BTC');
    expect(state).toMatchObject({ step: 0, deposit: { ...DEPOSIT, amount: '0.05' } });
    // Some providers call it pending when they wait for coins.
    expect(at(sell({ opened: true, deposit: DEPOSIT, status: 'pending' })).deposit).not.toBeNull();
    expect(at(sell({ opened: true, deposit: DEPOSIT, status: 'pending', hash: 'ab' })).deposit).toBeNull();
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
