/** What becomes of the state: late words are not heard, nothing is agreed to silently, nothing is a dead end. */
import { describe, expect, it } from 'vitest';
import type { Action } from './actions.ts';
import {
  BTC,
  exampleMethod,
  exampleOffer,
  exampleSetup,
  exampleState,
  JPY,
  play,
  priced,
  USD,
  XRP,
} from './example.ts';
import { chosenOffer, shownOffers } from './offers.ts';
import { askOf, keyOf, NO_WALLET } from './state.ts';

const ADDRESS = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';

describe('what is asked', () => {
  it('begins with what the page suggests', () => {
    expect(askOf(exampleState())).toEqual({
      side: 'buy',
      source: 'eur',
      destination: 'btc_bitcoin',
      amount: '100',
      input: 'source',
      method: 'creditcard',
      country: 'DE',
    });
  });

  it('begins with the first side that is served', () => {
    const { buy } = exampleSetup().choices;
    const setup = { sides: ['sell' as const, 'buy' as const], choices: { buy } as never };
    expect(askOf(exampleState({}, setup))).toMatchObject({ side: 'buy', amount: '100' });
    expect(exampleState({}, { ...setup, choices: {} })).toMatchObject({ side: 'sell', pair: undefined });
  });

  it('is nothing while the amount is no amount', () => {
    expect(askOf(play(exampleState(), { type: 'typed', field: 'source', text: 'x' }))).toBeUndefined();
  });

  it('can be said in what is received', () => {
    const ask = askOf(play(exampleState(), { type: 'typed', field: 'destination', text: '0,001' }));
    expect(ask).toMatchObject({ amount: '0.001', input: 'destination' });
  });

  it('names the state within the United States, once the person has', () => {
    const moved = play(exampleState(), { type: 'country', country: 'US' });
    expect(moved.menu).toBe('region');
    const key = 'buy eur btc_bitcoin US-NY';
    const methods = { type: 'methods' as const, key, methods: [exampleMethod('creditcard')] };
    const settled = play(moved, { type: 'region', region: 'NY' }, methods);
    expect(settled.menu).toBeUndefined();
    expect(askOf(settled)).toMatchObject({ country: 'US', state: 'NY' });
    // The same state again is no other question.
    expect(askOf(play(settled, { type: 'region', region: 'NY' }))).toEqual(askOf(settled));
    const back = play(settled, { type: 'country', country: 'DE' });
    expect(back).toMatchObject({ country: 'DE', region: undefined, menu: undefined });
  });

  it('waits for the methods of another pair, and keeps the method where it is offered', () => {
    const moved = play(exampleState(), { type: 'fiat', fiat: USD });
    expect(askOf(moved)).toBeUndefined();
    const key = 'buy usd btc_bitcoin DE';
    const kept = play(moved, {
      type: 'methods',
      key,
      methods: [exampleMethod('ach'), exampleMethod('creditcard')],
    });
    expect(askOf(kept)?.method).toBe('creditcard');
    const other = play(moved, { type: 'methods', key, methods: [exampleMethod('ach')] });
    expect(askOf(other)?.method).toBe('ach');
    const late = play(moved, {
      type: 'methods',
      key: 'buy eur btc_bitcoin DE',
      methods: [exampleMethod('ach')],
    });
    expect(late.methods).toBeUndefined();
  });

  it('leaves out methods that no allowed provider serves', () => {
    const only = { ...exampleSetup().only, onramps: ['transak'] };
    const methods = [exampleMethod('creditcard', { moonpay: {} }), exampleMethod('ach', { transak: {} })];
    const state = play(exampleState({}, { only }), {
      type: 'methods',
      key: 'buy eur btc_bitcoin DE',
      methods,
    });
    expect(state.methods?.map(({ paymentTypeId }) => paymentTypeId)).toEqual(['ach']);
  });

  it('takes amounts that nobody typed as they are, where their dot parts thousands', () => {
    const german = exampleState({ field: 'destination' }, { language: 'de' });
    const settled = play(
      german,
      { type: 'side', side: 'sell' },
      { type: 'method', method: 'sepa' },
      { type: 'amount', amount: '1.125' },
    );
    expect(askOf(settled)).toMatchObject({ side: 'sell', amount: '1.125', input: 'source' });
  });

  it('begins another currency with what is usual of it, unless the person typed how much', () => {
    const methods: Action = {
      type: 'methods',
      key: 'buy jpy btc_bitcoin DE',
      methods: [exampleMethod('ach'), exampleMethod('creditcard', { transak: {}, moonpay: { min: '3300' } })],
    };
    const moved = play(exampleState(), { type: 'fiat', fiat: JPY });
    expect(moved.typed).toBe('');
    expect(askOf(play(moved, methods))).toMatchObject({ amount: '17000', method: 'creditcard' });
    const typed = play(exampleState(), { type: 'typed', field: 'source', text: '150' });
    expect(play(typed, { type: 'fiat', fiat: JPY }, methods).typed).toBe('150');
    // What is handed over is still euros.
    expect(play(exampleState(), { type: 'crypto', crypto: XRP }).typed).toBe('100');
  });

  it('begins a sale with what suits the method that is chosen', () => {
    const { sell } = exampleSetup().choices;
    const state = exampleState(
      {},
      { sides: ['sell'], choices: { sell: { ...sell, amount: null } as never } },
    );
    expect(askOf(state)).toBeUndefined();
    const methods = [
      exampleMethod('ach', { transak: { min: '0.0001' } }),
      exampleMethod('creditcard', { moonpay: { min: '0.00658' }, aggregatedLimit: { min: '0.00658' } }),
    ];
    const known = play(state, { type: 'methods', key: 'sell eur btc_bitcoin DE', methods });
    expect(askOf(known)).toMatchObject({ amount: '0.033', method: 'creditcard' });
  });

  it('turns to the other side with its own pair and amount', () => {
    const sold = play(exampleState(), { type: 'side', side: 'sell' });
    expect(sold).toMatchObject({ side: 'sell', typed: '0.01', isMethodSure: false });
  });

  it('turns to a side that is served only where the person has moved to, and keeps what was typed until then', () => {
    const { buy, sell } = exampleSetup().choices;
    const served = { ...sell, method: 'sepabanktransfer' } as never;
    const moved = play(
      exampleState({}, { choices: { buy } as never, country: 'BR' }),
      { type: 'typed', field: 'source', text: '77' },
      { type: 'country', country: 'DE' },
      { type: 'choices', country: 'FR', choices: { sell: served } },
    );
    // It was said of another country.
    expect(play(moved, { type: 'side', side: 'sell' })).toBe(moved);
    const known = play(moved, { type: 'choices', country: 'DE', choices: { buy: served, sell: served } });
    expect(known).toMatchObject({ side: 'buy', typed: '77', choices: { buy, sell: served } });
    const sold = play(known, { type: 'side', side: 'sell' });
    expect(sold).toMatchObject({ side: 'sell', typed: '0.01', method: 'sepabanktransfer' });
    // What is usual in one country is not known to be there in another.
    const back = play(known, { type: 'country', country: 'BR' }, { type: 'side', side: 'sell' });
    expect([sold.isMethodSure, back.isMethodSure]).toEqual([false, false]);
  });
});

describe('going on', () => {
  it('asks for the state first in the United States, where not everybody serves everyone', () => {
    const american = priced([exampleOffer('moonpay', '0.001')], exampleState({ country: 'US' }));
    expect(play(american, { type: 'goOn' })).toMatchObject({ screen: 'trade', menu: 'region' });
    const known = priced([exampleOffer('moonpay', '0.001')], exampleState({ country: 'US', region: 'NY' }));
    expect(play(known, { type: 'goOn' })).toMatchObject({ screen: 'wallet' });
  });
});

describe('a round', () => {
  const first = exampleOffer('moonpay', '0.0010');
  const second = exampleOffer('transak', '0.0011');

  it('takes offers as they come, best first', () => {
    const state = play(
      exampleState(),
      { type: 'asked', serial: 1, key: keyOf(askOf(exampleState())) },
      { type: 'offered', serial: 1, offer: first },
      { type: 'offered', serial: 1, offer: second },
    );
    expect(shownOffers(state).map(({ ramp }) => ramp)).toEqual(['transak', 'moonpay']);
    expect(chosenOffer(state)?.ramp).toBe('transak');
  });

  it('does not hear late words of an earlier one', () => {
    const state = priced([first]);
    expect(play(state, { type: 'offered', serial: 0, offer: second })).toEqual(state);
  });

  it('keeps the person’s choice, and forgets it when something else is asked', () => {
    const chosen = play(priced([first, second]), { type: 'chosen', ramp: 'moonpay' });
    expect(chosenOffer(priced([exampleOffer('moonpay', '0.0009'), second], chosen))?.ramp).toBe('moonpay');
    const anew = play(chosen, { type: 'typed', field: 'source', text: '200' });
    expect(anew).toMatchObject({ chosen: undefined, round: { phase: 'idle', offers: [] } });
  });

  it('moves nothing while somebody reaches for an offer', () => {
    const held = play(
      priced([first]),
      { type: 'held', isHeld: true },
      { type: 'asked', serial: 2, key: keyOf(askOf(exampleState())) },
    );
    const more = play(held, { type: 'offered', serial: 2, offer: second });
    expect(shownOffers(more).map(({ ramp }) => ramp)).toEqual(['moonpay', 'transak']);
    const free = play(more, { type: 'held', isHeld: false });
    expect(shownOffers(free).map(({ ramp }) => ramp)).toEqual(['transak', 'moonpay']);
  });

  it('orders by what is paid where the amount is what is received', () => {
    const typed = play(exampleState(), { type: 'typed', field: 'destination', text: '0.001' });
    const offers = [
      exampleOffer('moonpay', '0.001', { pays: '93' }),
      exampleOffer('transak', '0.001', { pays: '91.5' }),
    ];
    expect(shownOffers(priced(offers, typed)).map(({ ramp }) => ramp)).toEqual(['transak', 'moonpay']);
  });
});

describe('going on', () => {
  const offer = exampleOffer('moonpay', '0.0010');
  const at = (change: Action[] = [], state = exampleState()) =>
    play(priced([offer], state), { type: 'goOn' }, ...change);

  it('takes a better price by itself', () => {
    const better = priced([exampleOffer('moonpay', '0.0012')], at());
    expect(better).toMatchObject({ agreed: { payout: '0.0012' }, trouble: undefined });
  });

  it('tells of a worse one before anything is ordered', () => {
    const worse = priced(
      [exampleOffer('moonpay', '0.0009')],
      at([{ type: 'address', address: ADDRESS }, { type: 'pay' }]),
    );
    expect(worse).toMatchObject({
      isPaying: false,
      trouble: { kind: 'priceWorse' },
      agreed: { payout: '0.0010' },
    });
    expect(play(worse, { type: 'pay' }).isPaying).toBe(false);
    const accepted = play(worse, { type: 'accept' }, { type: 'pay' });
    expect(accepted).toMatchObject({ isPaying: true, agreed: { payout: '0.0009' } });
  });

  it('tells when the offer is gone', () => {
    expect(priced([exampleOffer('transak', '0.002')], at()).trouble?.kind).toBe('offerGone');
  });

  it('does not order without an address on a buy, and does on a sell', () => {
    const bought = play(at(), { type: 'pay' });
    expect(bought).toMatchObject({ isPaying: false, wallet: { flaw: { kind: 'empty' }, isChecked: true } });
    const sold = play(
      priced(
        [offer],
        play(exampleState(), { type: 'side', side: 'sell' }, { type: 'method', method: 'sepa' }),
      ),
      { type: 'goOn' },
      { type: 'pay' },
    );
    expect(sold.isPaying).toBe(true);
  });

  it('does not order with an address that was found wrong', () => {
    const wrong = {
      type: 'checked' as const,
      address: 'nonsense',
      memo: '',
      flaw: { kind: 'unlike' as const },
      isMemoWrong: false,
      isMemoInside: false,
    };
    const state = at([{ type: 'address', address: ' nonsense ' }, wrong, { type: 'pay' }]);
    expect(state).toMatchObject({ isPaying: false, wallet: { flaw: { kind: 'unlike' } } });
    const corrected = play(state, { type: 'address', address: ADDRESS });
    expect(play(corrected, wrong).wallet.flaw).toBeUndefined();
  });

  it.each([
    { type: 'address', address: 'other' },
    { type: 'memo', memo: '1' },
    { type: 'noMemo', hasNoMemo: true },
    { type: 'edit' },
  ] as const)('does not order for somebody who says anew where the coins go: %j', action => {
    const wallet = { ...NO_WALLET, address: 'bc1q' };
    const paying = exampleState({ screen: 'wallet', isPaying: true, wallet });
    expect(play(paying, { type: 'address', address: 'bc1q' }).isPaying).toBe(true);
    expect(play(paying, action).isPaying).toBe(false);
  });

  it('asks for a memo where the network has them, until the person says that there is none', () => {
    const choices = { buy: { ...exampleSetup().choices.buy, crypto: XRP } as never };
    const ready = at(
      [{ type: 'address', address: 'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH' }],
      exampleState({}, { choices }),
    );
    expect(play(ready, { type: 'pay' })).toMatchObject({ isPaying: false, wallet: { memoFlaw: 'missing' } });
    expect(play(ready, { type: 'noMemo', hasNoMemo: true }, { type: 'pay' }).isPaying).toBe(true);
    expect(play(ready, { type: 'memo', memo: '42' }, { type: 'pay' }).isPaying).toBe(true);
  });

  it('does not hold a memo’s flaw against another address', () => {
    const checked = (address: string, isMemoWrong: boolean): Action => ({
      ...{ type: 'checked', address, memo: '42', flaw: undefined, isMemoWrong, isMemoInside: false },
    });
    const typed: Action[] = [
      { type: 'memo', memo: '42' },
      { type: 'address', address: 'first' },
      checked('first', true),
    ];
    expect(at(typed).wallet.memoFlaw).toBe('wrong');
    const other = at([...typed, { type: 'address', address: 'second' }, checked('second', false)]);
    expect(other.wallet.memoFlaw).toBeUndefined();
    expect(play(other, { type: 'pay' }).isPaying).toBe(true);
  });

  it('puts a provider that refuses aside, and leaves the others', () => {
    const state = play(priced([offer, exampleOffer('transak', '0.0009')]), { type: 'goOn' });
    const refused = play(state, {
      type: 'declined',
      ramp: 'moonpay',
      decline: { kind: 'words', words: 'not today' },
    });
    expect(refused).toMatchObject({
      screen: 'trade',
      aside: { moonpay: { words: 'not today' } },
      isPaying: false,
    });
    expect(shownOffers(refused).map(({ ramp }) => ramp)).toEqual(['transak']);
    expect(shownOffers(play(refused, { type: 'refresh' })).length).toBe(2);
  });

  it('keeps an address that the integrator gave, and another coin’s apart', () => {
    const given = exampleState({}, { wallets: { [BTC.id]: { address: ADDRESS } } });
    expect(given.wallet).toMatchObject({ address: ADDRESS, isGiven: true });
    expect(play(given, { type: 'crypto', crypto: XRP }).wallet).toMatchObject({
      address: '',
      isGiven: false,
    });
    expect(play(given, { type: 'edit' }).wallet).toMatchObject({ address: '', isGiven: false });
  });
});
