/** Offers: which are shown, in which order, and which of them is the person's. */
import { compareAmounts } from './decimal.ts';
import type { Offer, State } from './state.ts';

/** Those that can be taken, best first; while somebody reaches for one nothing moves. */
export function shownOffers({ round, aside, held, setup, field }: State): Offer[] {
  const { onramps } = setup.only;
  const open = round.offers.filter(
    ({ ramp }) => !(ramp in aside) && (onramps.length === 0 || onramps.includes(ramp)),
  );
  const ranked = open.toSorted((a, b) => compareOffers(a, b, field));
  if (!held) return ranked;
  const place = ({ ramp }: Offer) => (held.includes(ramp) ? held.indexOf(ramp) : held.length);
  return ranked.toSorted((a, b) => place(a) - place(b));
}

/** As many as can be taken in at a glance, the one that is gone on with among them. */
export function firstOffers(state: State): Offer[] {
  const offers = shownOffers(state);
  const chosen = chosenOffer(state)?.ramp;
  return state.isExpanded ? offers : offers.filter(({ ramp }, at) => at < FEW || ramp === chosen);
}

const FEW = 4;

/** The person's, or the best while they have none. */
export function chosenOffer(state: State): Offer | undefined {
  const offers = shownOffers(state);
  return offers.find(({ ramp }) => ramp === state.chosen) ?? bestOffer(state);
}

export function bestOffer(state: State): Offer | undefined {
  return shownOffers({ ...state, held: undefined })[0];
}

/** The offer that was agreed to as it stands now; undefined where its provider has none. */
export function agreedOffer(state: State): Offer | undefined {
  return shownOffers(state).find(({ ramp }) => ramp === state.agreed?.ramp);
}

/** Whether `now` is a worse deal than what was agreed to. */
export function isWorse(agreed: Offer, now: Offer): boolean {
  return compareAmounts(now.payout, agreed.payout) < 0 || compareAmounts(now.pays, agreed.pays) > 0;
}

/** Most received first, or least paid where the amount is what is to be received; equals by name. */
function compareOffers(a: Offer, b: Offer, field: State['field']): number {
  const better = field === 'source' ? compareAmounts(b.payout, a.payout) : compareAmounts(a.pays, b.pays);
  return better || (a.ramp < b.ramp ? -1 : 1);
}
