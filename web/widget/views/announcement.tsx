/** What a screen reader is told by itself: the outcome of a round, once it is complete, unless it is what was told before. */
import { useRef } from 'preact/hooks';
import { bestOffer } from '../offers.ts';
import { unitsOf } from '../state.ts';
import { sayTrouble } from './advice.tsx';
import { nameOf, type View } from './view.ts';

export function Announcement({ view }: { view: View }) {
  const told = useRef('');
  // What stays as it is while prices are asked for again is not read out again.
  if (view.state.round.phase !== 'asking') told.current = announce(view);
  return (
    <p class="unseen" role="status" aria-live="polite">
      {told.current}
    </p>
  );
}

function announce(view: View): string {
  const { state, say, figures } = view;
  const { round, trouble } = state;
  const [, gets] = unitsOf(state) ?? [];
  if (state.screen !== 'trade') return '';
  if (round.phase === 'failed' && trouble) return sayTrouble(view, trouble);
  if (round.phase !== 'done' || !gets) return '';
  const best = bestOffer(state);
  if (!best) return say('nothingFits');
  return say('updated', { provider: nameOf(view, best.ramp), amount: figures.short(best.payout, gets) });
}
