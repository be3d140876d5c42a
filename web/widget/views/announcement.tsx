/** What a screen reader is told by itself: the outcome of a round, once it is complete, or why there is none, and what is wrong with an amount, unless it is what was told before. */
import { useRef } from 'preact/hooks';
import { advise } from '../advice.ts';
import { bestOffer } from '../offers.ts';
import { readAmount, unitsOf } from '../state.ts';
import { sayTrouble, titleOf } from './advice.tsx';
import { flawOf } from './amount.tsx';
import { nameOf, type View } from './view.ts';

export function Announcement({ view }: { view: View }) {
  const told = useRef('');
  const isThere = useRef(false);
  // What stays as it is while prices are asked for again is not read out again.
  if (isThere.current && view.state.round.phase !== 'asking') told.current = announce(view);
  // Only what comes into it later is read out.
  isThere.current = true;
  return (
    <p class="unseen" role="status" aria-live="polite">
      {told.current}
    </p>
  );
}

/** Of the best offer what nobody typed: what is received, or what is paid for that. */
export function announce(view: View): string {
  const { state, say, figures } = view;
  const { round, trouble, field } = state;
  if (state.screen !== 'trade') return '';
  if (round.phase === 'failed' && trouble) return sayTrouble(view, trouble);
  const advices = advise(state);
  if (advices.length > 0) return titleOf(view, advices);
  const typed = readAmount(state);
  // An amount that is merely not there yet is on its way.
  if ('flaw' in typed) return (typed.flaw !== 'missing' && flawOf(view, field)) || '';
  const [pays, gets] = unitsOf(state) ?? [];
  const best = bestOffer(state);
  if (round.phase !== 'done' || !pays || !gets || !best) return '';
  const amount = field === 'source' ? figures.received(best.payout, gets) : figures.paid(best.pays, pays);
  return say('updated', { provider: nameOf(view, best.ramp), amount });
}
