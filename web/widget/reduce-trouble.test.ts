/** What becomes of the state when something fails: it is said, nothing old is passed off as new, and nobody waits for nothing. */
import { describe, expect, it } from 'vitest';
import { advise } from './advice.ts';
import { asked, exampleOffer, exampleState, play, priced } from './example.ts';
import { shownOffers } from './offers.ts';
import type { State } from './state.ts';

const ADDRESS = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const UNREACHABLE = { at: 'quotes' as const, kind: 'unreachable' as const, message: '' };
const EXPIRED = { at: 'checkout' as const, kind: 'expired' as const, message: '' };
const OFFER = exampleOffer('moonpay', '0.0010');

/** The next round, which breaks off. */
function unheard(state: State): State {
  const begun = asked(state);
  const { serial } = begun.round;
  return play(begun, { type: 'unsettled', serial, trouble: UNREACHABLE, refreshAt: state.now + 10_000 });
}

/** So much later. */
const later = (ms: number, state: State) => play(state, { type: 'tick', now: state.now + ms });

const atWallet = (state = priced([OFFER])) =>
  play(state, { type: 'goOn' }, { type: 'address', address: ADDRESS });

describe('a round that broke off', () => {
  it('says so and is tried again', () => {
    const state = unheard(exampleState());
    expect(state).toMatchObject({ trouble: UNREACHABLE, round: { phase: 'failed', refreshAt: 10_000 } });
  });

  it('leaves the offers of the one before, with a word on them until there are new ones', () => {
    const failed = unheard(priced([OFFER]));
    const again = asked(failed);
    for (const state of [failed, again]) {
      expect(shownOffers(state)).toEqual([OFFER]);
      expect(state.trouble).toEqual(UNREACHABLE);
      expect(advise(state)).toEqual([{ kind: 'retry' }]);
    }
    const renewed = priced([OFFER], failed);
    expect(renewed.trouble).toBeUndefined();
    expect(advise(renewed)).toEqual([]);
  });

  it('takes offers away that have been old for long', () => {
    expect(shownOffers(unheard(later(134_000, priced([OFFER]))))).toEqual([OFFER]);
    const old = later(135_000, priced([OFFER]));
    expect(shownOffers(asked(old))).toEqual([]);
    expect(shownOffers(unheard(old))).toEqual([]);
    const renewed = priced([OFFER], later(100_000, priced([OFFER])));
    expect(shownOffers(unheard(later(100_000, renewed)))).toEqual([OFFER]);
  });

  it('is still said to whoever goes on and comes back', () => {
    const back = play(unheard(priced([OFFER])), { type: 'goOn' }, { type: 'back' });
    expect(back).toMatchObject({ screen: 'trade', trouble: UNREACHABLE });
  });

  it('does not take away what the person was to decide', () => {
    const worse = priced([exampleOffer('moonpay', '0.0009')], atWallet());
    expect(unheard(worse).trouble?.kind).toBe('priceWorse');
  });
});

describe('an order that waits for prices', () => {
  it('asks for them at once where they could not be had, and is given up when they cannot be had again', () => {
    const failed = later(2_000, unheard(atWallet()));
    const paying = play(failed, { type: 'pay' });
    expect(paying).toMatchObject({ isPaying: true, trouble: undefined, round: { refreshAt: paying.now } });
    expect(unheard(paying)).toMatchObject({
      isPaying: false,
      trouble: { at: 'checkout', kind: 'unreachable' },
    });
    expect(priced([OFFER], paying)).toMatchObject({ isPaying: true, trouble: undefined });
  });
});

describe('a price that has run out', () => {
  it('is said until the person confirms the new one', () => {
    const renewed = priced(
      [OFFER],
      play(atWallet(), { type: 'unpaid', trouble: EXPIRED }, { type: 'refresh' }),
    );
    expect(renewed).toMatchObject({ isPaying: false, trouble: EXPIRED });
    expect(play(renewed, { type: 'pay' })).toMatchObject({ isPaying: true, trouble: undefined });
  });

  it('gives way to a worse one, which is to be accepted', () => {
    const state = play(atWallet(), { type: 'unpaid', trouble: EXPIRED }, { type: 'refresh' });
    expect(priced([exampleOffer('moonpay', '0.0009')], state).trouble?.kind).toBe('priceWorse');
  });
});

describe('an address', () => {
  const found = { flaw: undefined, isMemoWrong: false, isMemoInside: false };
  const checked = { type: 'checked' as const, memo: '', ...found };

  it('is good only once exactly this one was looked at', () => {
    const typed = atWallet();
    expect(typed.wallet.isGood).toBe(false);
    const good = play(typed, { ...checked, address: ADDRESS });
    expect(good.wallet.isGood).toBe(true);
    // Nobody looks at the same one twice.
    expect(play(good, { type: 'address', address: ` ${ADDRESS}` }).wallet.isGood).toBe(true);
    expect(play(good, { type: 'address', address: `${ADDRESS}x` }).wallet.isGood).toBe(false);
    expect(play(typed, { ...checked, address: 'earlier' }).wallet.isGood).toBe(false);
    const flaw = { kind: 'unlike' as const };
    expect(play(typed, { ...checked, address: ADDRESS, flaw }).wallet.isGood).toBe(false);
  });
});

describe('an order whose page went on to another', () => {
  it('is that other one, and stays where it is when the page cannot be told', () => {
    const order = { token: 'a', transactionId: 't1', status: 'new' as const, provider: 'moonpay' };
    const ordered = play(exampleState(), { type: 'ordered', order });
    const status = { type: 'status' as const, status: 'pending' as const };
    expect(play(ordered, { ...status, token: 'b', transactionId: 't2' }).order).toEqual({
      ...{ token: 'b', transactionId: 't2', status: 'pending', provider: 'moonpay' },
    });
    expect(play(ordered, { ...status, token: undefined, transactionId: 't1' }).order?.token).toBe('a');
  });
});
