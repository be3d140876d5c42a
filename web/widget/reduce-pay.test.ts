/** Between the wallet and the order: what is ordered is what was shown and agreed to, and a memo is asked for only where one is lacking. */
import { describe, expect, it } from 'vitest';
import type { Action } from './actions.ts';
import {
  asked,
  exampleMethod,
  exampleOffer,
  exampleRefusal,
  exampleSetup,
  exampleState,
  play,
  priced,
  XRP,
} from './example.ts';
import { questionOf } from './reduce-pay.ts';
import type { State } from './state.ts';

const ADDRESS = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const RIPPLE = 'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH';
const TAGGED = 'XV5sbjUmgPpvXv4ixFWZ5ptAYZ6PD2m4Er6SnvjVLpMWPjR';
const OTHER = exampleOffer('transak', '0.0008');

/** Somebody at the wallet with MoonPay, whose price has got worse. */
function worsened(): State {
  const gone = play(
    priced([exampleOffer('moonpay', '0.0010'), OTHER]),
    { type: 'goOn' },
    { type: 'address', address: ADDRESS },
  );
  return priced([exampleOffer('moonpay', '0.0009'), OTHER], gone);
}

/** The next round, in which MoonPay refuses before it is complete. */
function refused(state: State): State {
  const begun = asked(state);
  const { serial } = begun.round;
  return play(begun, { type: 'refused', serial, refusal: exampleRefusal('moonpay') });
}

/** The next round, which breaks off. */
function unheard(state: State): State {
  const begun = asked(state);
  const trouble = { at: 'quotes' as const, kind: 'unreachable' as const, message: '' };
  return play(begun, { type: 'unsettled', serial: begun.round.serial, trouble, refreshAt: 0 });
}

describe('a new price', () => {
  it('is accepted of the provider that was agreed to', () => {
    expect(questionOf(worsened())).toBe('priceWorse');
    const accepted = play(worsened(), { type: 'accept' });
    expect(accepted).toMatchObject({ agreed: { ramp: 'moonpay', payout: '0.0009' }, trouble: undefined });
  });

  it('of another provider is never accepted for it', () => {
    const state = refused(worsened());
    expect(questionOf(state)).toBe('offerGone');
    const pressed = play(state, { type: 'accept' }, { type: 'pay' });
    expect(pressed).toMatchObject({ agreed: { ramp: 'moonpay', payout: '0.0010' }, isPaying: false });
    expect(questionOf(pressed)).toBe('offerGone');
    const back = priced([exampleOffer('moonpay', '0.0009'), OTHER], pressed);
    expect(questionOf(back)).toBe('priceWorse');
  });

  it('cannot be accepted once all are too old to be anybody’s', () => {
    const away = unheard(play(worsened(), { type: 'tick', now: 135_000 }));
    expect(away.round.offers).toEqual([]);
    const pressed = play(away, { type: 'accept' });
    expect(pressed).toMatchObject({ screen: 'wallet', agreed: { ramp: 'moonpay' } });
    expect(questionOf(pressed)).toBe('offerGone');
  });
});

describe('whoever is at the wallet', () => {
  it('is back at the offers when something else has to be asked meanwhile', () => {
    const begun = play(
      priced([exampleOffer('moonpay', '0.0010')]),
      { type: 'goOn' },
      { type: 'address', address: ADDRESS },
      { type: 'pay' },
    );
    const methods = [exampleMethod('ach')];
    const moved = play(begun, { type: 'methods', key: 'buy eur btc_bitcoin DE', methods });
    expect(moved).toMatchObject({ screen: 'trade', method: 'ach', agreed: undefined, isPaying: false });
    expect(moved.wallet.address).toBe(ADDRESS);
  });
});

describe('a memo', () => {
  const choices = { buy: { ...exampleSetup().choices.buy, crypto: XRP } as never };
  const checked = (change: Partial<Extract<Action, { type: 'checked' }>>): Action => ({
    ...{ type: 'checked', address: RIPPLE, memo: '', flaw: undefined, isMemoWrong: false },
    ...{ isMemoInside: false, ...change },
  });
  const at = (...actions: Action[]) =>
    play(
      priced([exampleOffer('moonpay', '10')], exampleState({}, { choices })),
      { type: 'goOn' },
      ...actions,
    );
  /** Where the address is no must. */
  const selling = (...actions: Action[]) => {
    const sell = { ...exampleSetup().choices.sell, crypto: XRP, method: 'sepa' } as never;
    const state = exampleState({}, { sides: ['sell'], choices: { sell } });
    return play(priced([exampleOffer('moonpay', '10')], state), { type: 'goOn' }, ...actions);
  };

  it('is none where it is nothing but blanks', () => {
    const state = at({ type: 'address', address: RIPPLE }, { type: 'memo', memo: ' ' }, { type: 'pay' });
    expect(state).toMatchObject({ isPaying: false, wallet: { memoFlaw: 'missing' } });
  });

  it('keeps blanks while it is typed, and is judged without those around it', () => {
    const typed = at({ type: 'address', address: RIPPLE }, { type: 'memo', memo: ' order 17 ' });
    expect(typed.wallet.memo).toBe(' order 17 ');
    const wrong = play(typed, checked({ memo: 'order 17', isMemoWrong: true }));
    expect(wrong.wallet.memoFlaw).toBe('wrong');
  });

  it('is not lacking of an address that was taken away again', () => {
    const blocked = selling({ type: 'address', address: RIPPLE }, { type: 'pay' });
    expect(blocked).toMatchObject({ isPaying: false, wallet: { memoFlaw: 'missing' } });
    const cleared = play(blocked, { type: 'address', address: '' });
    expect(cleared.wallet.memoFlaw).toBeUndefined();
    expect(play(cleared, { type: 'pay' }).isPaying).toBe(true);
  });

  it('is not asked for where the address holds it, not even of whoever pressed before that was known', () => {
    const typed = at({ type: 'address', address: TAGGED });
    const inside = checked({ address: TAGGED, isMemoInside: true });
    expect(play(typed, inside, { type: 'pay' }).isPaying).toBe(true);
    const hasty = play(typed, { type: 'pay' }, inside);
    expect(hasty.wallet.memoFlaw).toBeUndefined();
    expect(play(hasty, { type: 'pay' }).isPaying).toBe(true);
  });

  it('is asked for again once another address holds none', () => {
    const state = at(
      { type: 'address', address: TAGGED },
      checked({ address: TAGGED, isMemoInside: true }),
      { type: 'address', address: RIPPLE },
      { type: 'pay' },
    );
    expect(state).toMatchObject({ isPaying: false, wallet: { memoFlaw: 'missing' } });
  });

  it('beside an address that holds another is taken out before anything is ordered', () => {
    const second = at(
      { type: 'address', address: TAGGED },
      { type: 'memo', memo: '7' },
      checked({ address: TAGGED, memo: '7', isMemoWrong: true, isMemoInside: true }),
    );
    expect(play(second, { type: 'pay' })).toMatchObject({ isPaying: false, wallet: { memoFlaw: 'wrong' } });
    const single = play(second, { type: 'memo', memo: '' }, checked({ address: TAGGED, isMemoInside: true }));
    expect(play(single, { type: 'pay' }).isPaying).toBe(true);
  });
});
