/** States: what a person is told and can do at each moment of an order. */
import { describe, expect, it } from 'vitest';
import { currencies, exampleSale, exampleView } from '../../../test/browser/pay-world.ts';
import type { PayView } from '../../app/pay.ts';
import { GIVEN_UP } from '../../domain/lookup.ts';
import type { Status } from '../../domain/transaction.ts';
import { SINCE } from '../../domain/transaction.ts';
import { speechOf } from './speech.ts';
import { stateOf } from './state.ts';

const NOW = 1_700_000_000_000;
const DEPOSIT = { address: '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy' };

const at = (view: PayView, now = NOW) => stateOf(view, { now, speech: speechOf('en'), currencies });
const buy = (change: Partial<PayView> = {}) => exampleView({ expiresAt: NOW + 600_000, ...change });
const sell = (change: Partial<PayView> = {}) => exampleSale({ expiresAt: NOW + 600_000, ...change });

describe('what is received', () => {
  const isEstimate = true;

  it.each<Status>(['new', 'pending', 'paid', 'completed'])(
    'is not stated as a fact where the provider has not told it: %s',
    status => {
      const value = '0.00163465 BTC';
      expect(at(buy({ status, opened: true, isEstimate })).rows.gets).toMatchObject({
        about: 'about',
        value,
      });
      expect(at(buy({ status, opened: true })).rows.gets).toMatchObject({ about: '', value });
    },
  );

  it('is told in the same way by sentences', () => {
    const done = at(buy({ status: 'completed', opened: true, isEstimate }));
    expect(done.texts.lead).toBe('About 0.00163465 BTC went to your wallet.');
    const sold = at(sell({ status: 'paid', opened: true, isEstimate }));
    expect(sold.texts.lead).toBe('MoonPay has your BTC and is paying out about 2,871.40 EUR.');
  });

  it('is what was ordered once that came to nothing', () => {
    expect(at(buy({ status: 'failed', isEstimate })).rows.gets.about).toBe('');
  });
});

describe('an order', () => {
  it.each<[Status, string, number, boolean, boolean, boolean]>([
    // status, title, step, finished, open, again
    ['new', 'Waiting for payment', 0, false, true, false],
    ['pending', 'Payment under way', 1, false, true, false],
    ['paid', 'Paid, coins on the way', 2, false, false, false],
    ['completed', 'Completed', 4, true, false, false],
    ['failed', 'The purchase did not go through', -1, false, false, true],
    ['canceled', 'The purchase was canceled', -1, false, false, true],
    ['expired', 'The purchase has expired', -1, false, false, true],
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

  it('can be gone on with, by whoever has not paid', () => {
    expect(at(buy({ opened: true })).texts).toMatchObject({
      open: 'Open MoonPay again',
      openNote: 'If you have paid already, there is nothing more to do here.',
    });
    expect(at(buy()).texts.openNote).toBe('');
  });

  it('invites nobody to pay twice once it is under way', () => {
    expect(at(buy({ opened: true, status: 'pending' })).texts).toMatchObject({
      lead: expect.stringContaining('If MoonPay’s page asks for something, finish it there.'),
      open: 'Open MoonPay’s page again',
      openNote:
        'Only if MoonPay still asks you for something. If you have paid, there is nothing more to do here.',
    });
    expect(at(sell({ opened: true, status: 'pending' })).texts.openNote).toContain(
      'If you have sent your coins, there is nothing more to do here.',
    );
  });

  it('lapses when nobody opened it in time, and not when somebody did', () => {
    const late = NOW + 600_000;
    expect(at(buy(), late - 1).can).toEqual({ open: true, again: false });
    const lapsed = at(buy(), late);
    expect(lapsed).toMatchObject({ expiresIn: 0, tone: 'bad', can: { open: false, again: true } });
    expect(lapsed.texts.title).toBe('The session has expired');
    expect(at(buy({ opened: true }), late).can).toEqual({ open: true, again: false });
  });

  it('reads the same before and after our clock says that nobody opened it', () => {
    for (const make of [buy, sell]) {
      const { status, reason, ...before } = at(make(), NOW + 600_000);
      const ours = 'The session ended before the provider’s page was opened';
      const after = at(make({ status: 'expired', reason: ours }), NOW + 600_000);
      expect(after).toEqual({ ...before, status: 'expired', reason: ours });
      expect(after.texts).toMatchObject({ title: 'The session has expired', reason: '' });
    }
  });

  it('calls the price an estimate until it is paid', () => {
    expect(at(buy()).texts.estimate).toContain('MoonPay’s estimate');
    expect(at(buy({ status: 'paid' })).texts.estimate).toBe('');
  });

  it('says what was paid and received once it was', () => {
    const { rows, texts } = at(buy({ status: 'completed' }));
    expect(rows.pays).toMatchObject({ label: 'You paid', value: '100.00 EUR' });
    expect(rows.gets).toMatchObject({ label: 'You received', value: '0.00163465 BTC' });
    expect(rows.providerFee).toMatchObject({ label: 'MoonPay’s fee, as quoted', value: '3.99 EUR' });
    expect(rows.networkFee).toMatchObject({ label: 'Network fee, as quoted', value: '1.20 EUR' });
    expect(texts.wallet).toBe('Went to this wallet');
  });

  it.each<[Status, boolean, string, string, string]>([
    // status, moot, and what is said of a sale
    ['new', false, 'You sell', 'You receive', 'Comes back to, should the sale fail'],
    ['paid', false, 'You sold', 'You receive', 'Comes back to, should the sale fail'],
    ['completed', false, 'You sold', 'You received', 'Return address for your coins'],
    ['failed', true, 'Was to be sold', 'Was to be received', 'Return address for your coins'],
    ['canceled', true, 'Was to be sold', 'Was to be received', 'Return address for your coins'],
    ['expired', true, 'Was to be sold', 'Was to be received', 'Return address for your coins'],
    ['refunded', true, 'Returned', 'Was to be received', 'Return address for your coins'],
  ])('of coins that is %s says what that makes of its figures', (status, moot, pays, gets, wallet) => {
    const state = at(sell({ status, opened: true }));
    expect([state.moot, state.rows.pays.label, state.rows.gets.label, state.texts.wallet]).toEqual([
      moot,
      pays,
      gets,
      wallet,
    ]);
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

  it.each(Object.values(GIVEN_UP))('puts no word of ours into the provider’s mouth: %s', reason => {
    expect(at(buy({ status: 'expired', opened: true, reason })).texts.reason).toBe(reason);
  });
});

describe('an order that we gave up and that was paid all the same', () => {
  it.each(['expired', 'failed'] as const)('is shown as paid and cannot be started over: %s', status => {
    const { texts, can, step, tone, ...state } = at(buy({ status, opened: true, reason: SINCE.paid }));
    expect([texts.title, texts.reason]).toEqual(['Paid, coins on the way', '']);
    expect([can, step, tone]).toEqual([{ open: false, again: false }, 2, 'calm']);
    expect([state.status, state.finished]).toEqual([status, false]);
  });
});

describe('in another language', () => {
  const inGerman = (view: PayView) => stateOf(view, { now: NOW, speech: speechOf('de'), currencies });

  it('is the same state, with the words and the numbers of that language', () => {
    const { texts, rows, ...rest } = inGerman(sell({ opened: true, deposit: DEPOSIT, isEstimate: true }));
    const {
      texts: _texts,
      rows: _rows,
      ...same
    } = at(sell({ opened: true, deposit: DEPOSIT, isEstimate: true }));
    expect(rest).toEqual(same);
    expect(texts).toMatchObject({ title: 'Bitte senden Sie Ihre Coins', open: 'Seite von MoonPay öffnen' });
    expect(texts.lead).toContain('genau 0,05 BTC an die Adresse');
    expect(rows.gets).toEqual({ label: 'Sie erhalten', about: 'etwa', value: '2.871,40 EUR' });
    expect(rows.rate.value).toBe('1 BTC = 58.000 EUR');
  });

  it.each(['unpaid', 'noCoins', 'silent', 'unknown', 'untold'] as const)(
    'says why we gave an order up ourselves: %s',
    why => {
      const expired = buy({ status: 'expired', opened: true, reason: GIVEN_UP[why] });
      expect(at(expired).texts.reason).toBe(GIVEN_UP[why]);
      expect(inGerman(expired).texts.reason).toBe(speechOf('de').words.reasons[why]);
      expect(inGerman(expired).texts.reason).not.toBe(GIVEN_UP[why]);
    },
  );

  it('says that the provider goes on with an order that we gave up', () => {
    const resumed = buy({ status: 'expired', opened: true, reason: SINCE.pending });
    expect(at(resumed).texts.reason).toBe(SINCE.pending);
    expect(inGerman(resumed).texts.reason).toBe(speechOf('de').words.reasons.resumed);
    expect(at(resumed).can).toEqual({ open: false, again: true });
  });

  it('tells programs in English', () => {
    const handover = { embedder: undefined, around: undefined, trackingUrl: 'https://ramp.example/pay/t1' };
    const state = inGerman(buy({ status: 'failed', opened: true, handover, reason: 'x' }));
    expect(state.texts.title).toBe('Der Kauf ist fehlgeschlagen');
    expect(state.handover).toMatchObject({ message: 'The purchase did not go through' });
  });
});

const ACCOUNT = {
  iban: 'DE02120300000000202051',
  bic: 'BYLADEM1001',
  bankName: 'Example Bank',
  bankAddress: 'Main Street 1, Berlin',
  accountName: 'Ramp Ltd',
  accountAddress: 'Harbour Road 2, Dublin',
};
const BANK = { account: ACCOUNT, reference: 'CL-4711', hint: 'Use your own account.' };

describe('a bank transfer', () => {
  it.each<Status>(['new', 'pending'])('is to be made while the order is %s', status => {
    const state = at(buy({ status, opened: true, bank: BANK }));
    expect(state.bank).toEqual({
      ...ACCOUNT,
      reference: 'CL-4711',
      hint: 'Use your own account.',
      amount: '100',
    });
    expect(state).toMatchObject({ step: 0, can: { open: true, again: false } });
    expect(state.texts).toMatchObject({ title: 'Make the bank transfer', openNote: '' });
    expect(state.texts.lead).toContain('Transfer exactly 100.00 EUR to the account below.');
  });

  it.each<Status>(['paid', 'completed', 'failed', 'canceled', 'expired', 'refunded'])(
    'is asked of nobody once the order is %s',
    status => {
      const state = at(buy({ status, opened: true, bank: BANK }));
      expect(state.bank).toBeNull();
      expect(state.texts.title).not.toBe('Make the bank transfer');
    },
  );

  it('is asked of nobody who sells', () => {
    expect(at(sell({ status: 'pending', bank: BANK })).bank).toBeNull();
  });
});

describe('what an order by steps hands over', () => {
  const trackingUrl = 'https://ramp.example/pay/t1';
  const steps = (change: Partial<PayView> = {}, base = buy) =>
    at(
      base({
        opened: true,
        restarts: false,
        handover: { embedder: undefined, around: undefined, trackingUrl },
        ...change,
      }),
    );
  const txId = exampleView().transactionId;

  it('is nothing while there is more to be done here', () => {
    expect(steps().handover).toBeNull();
    expect(steps({ opened: false }).handover).toBeNull();
    expect(steps({ status: 'pending' }).handover).toBeNull();
    expect(steps({ status: 'paid' }, sell).handover).toBeNull();
  });

  it('is that the person is done, once they have paid', () => {
    const done = { type: 'completed', txId, trackingUrl };
    expect(steps({ status: 'paid' }).handover).toEqual(done);
    expect(steps({ status: 'completed', hash: 'f00d' }).handover).toEqual(done);
    expect(steps({ status: 'completed' }, sell).handover).toEqual(done);
  });

  it('is the bank transfer they are to make', () => {
    expect(steps({ status: 'pending', bank: BANK }).handover).toEqual({
      type: 'requestBankTransaction',
      txId,
      depositBankAccount: ACCOUNT,
      reference: 'CL-4711',
      hint: 'Use your own account.',
    });
  });

  it.each<[Status, string]>([
    ['failed', 'The purchase did not go through'],
    ['canceled', 'The purchase was canceled'],
    ['expired', 'The purchase has expired'],
    ['refunded', 'Refunded'],
  ])('is that it came to nothing when it is %s, in words of ours', (status, message) => {
    const state = steps({ status, reason: 'card of Jane Doe declined' });
    expect(state.handover).toEqual({ type: 'error', message, fatal: true });
    expect(state.can.again).toBe(false);
  });

  it('is that its time is over', () => {
    const state = steps({ opened: false, expiresAt: NOW });
    expect(state.handover).toEqual({ type: 'error', message: 'The session has expired', fatal: true });
    expect(state.can).toEqual({ open: false, again: false });
  });

  it('is nothing at all for other orders', () => {
    for (const status of ['paid', 'completed', 'failed'] as const) {
      expect(at(buy({ status, bank: BANK })).handover).toBeNull();
    }
  });

  it('holds nothing personal', () => {
    const { walletAddress } = exampleView();
    for (const status of ['new', 'pending', 'paid', 'completed', 'failed', 'expired'] as const) {
      const text = JSON.stringify(steps({ status, walletMemo: '10293847', bank: BANK }).handover);
      expect(text).not.toContain(walletAddress);
      expect(text).not.toContain('10293847');
    }
  });
});
