/** Offers: what is gone on with is always to be seen, however few are shown. */
import { describe, expect, it } from 'vitest';
import { exampleOffer, play, priced } from './example.ts';
import { chosenOffer, firstOffers } from './offers.ts';

const RAMPS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];
const OFFERS = RAMPS.map((ramp, at) => exampleOffer(ramp, `0.00${9 - at}`));
const shown = (state: ReturnType<typeof priced>) => firstOffers(state).map(({ ramp }) => ramp);

describe('the first offers', () => {
  it('are few, until somebody wants to see all', () => {
    expect(shown(priced(OFFERS))).toEqual(RAMPS.slice(0, 4));
    expect(shown(play(priced(OFFERS), { type: 'expand' }))).toEqual(RAMPS);
  });

  it('hold the one that was chosen', () => {
    const chosen = play(priced(OFFERS), { type: 'chosen', ramp: 'sixth' });
    expect(shown(chosen)).toEqual([...RAMPS.slice(0, 4), 'sixth']);
  });

  it('hold the best where nobody has chosen, also when it became that while nothing may move', () => {
    const held = play(priced(OFFERS), { type: 'held', isHeld: true });
    const renewed = priced([...OFFERS.slice(0, 5), exampleOffer('sixth', '0.01')], held);
    expect(chosenOffer(renewed)?.ramp).toBe('sixth');
    expect(shown(renewed)).toEqual([...RAMPS.slice(0, 4), 'sixth']);
  });
});
