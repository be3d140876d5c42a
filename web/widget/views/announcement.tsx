/** What a screen reader is told by itself: the outcome of a round, once it is complete. */
import { bestOffer } from '../offers.ts';
import { unitsOf } from '../state.ts';
import { nameOf, type View } from './view.ts';

export function Announcement({ view }: { view: View }) {
  return (
    <p class="unseen" role="status" aria-live="polite">
      {announce(view)}
    </p>
  );
}

function announce(view: View): string {
  const { state, say, figures } = view;
  const [, gets] = unitsOf(state) ?? [];
  if (state.screen !== 'trade' || state.round.phase !== 'done' || !gets) return '';
  const best = bestOffer(state);
  if (!best) return say('nothingFits');
  return say('updated', { provider: nameOf(view, best.ramp), amount: figures.short(best.payout, gets) });
}
