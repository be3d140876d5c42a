/** Offers as they come in: a choice of one, with what each leaves the person with. */
import type { Recommendation } from '../../../client/src/index.ts';
import { excessOf } from '../decimal.ts';
import { bestOffer, chosenOffer, firstOffers, shownOffers } from '../offers.ts';
import { askOf, type Offer, unitsOf } from '../state.ts';
import type { TextKey } from '../texts.ts';
import { Advices, sayDecline } from './advice.tsx';
import { Cost, Glyph, Icon, Notice } from './parts.tsx';
import { focusOn, nameOf, providerIcon, type View } from './view.ts';

export function Offers({ view }: { view: View }) {
  const { state, say } = view;
  const offers = shownOffers(state);
  const chosen = chosenOffer(state);
  const isAsking =
    askOf(state) !== undefined && (state.round.phase === 'asking' || state.round.phase === 'idle');
  return (
    <section class="offers" aria-busy={isAsking}>
      <AsideNotices view={view} />
      <Advices view={view} />
      {(offers.length > 0 || isAsking) && <Heading view={view} count={offers.length} isAsking={isAsking} />}
      <fieldset
        onPointerEnter={() => view.dispatch({ type: 'held', isHeld: true })}
        onPointerLeave={() => view.dispatch({ type: 'held', isHeld: false })}
        onFocusIn={({ currentTarget }) =>
          currentTarget.querySelector(':focus-visible') && view.dispatch({ type: 'held', isHeld: true })
        }
        onFocusOut={({ currentTarget, relatedTarget }) =>
          currentTarget.contains(relatedTarget as Node | null) ||
          view.dispatch({ type: 'held', isHeld: false })
        }
      >
        <legend class="unseen">{say('offers')}</legend>
        {firstOffers(state).map(offer => (
          <OfferRow key={offer.ramp} view={view} offer={offer} isChosen={offer.ramp === chosen?.ramp} />
        ))}
      </fieldset>
      <More view={view} />
      {isAsking && offers.length === 0 && <Skeleton />}
    </section>
  );
}

function Heading({ view, count, isAsking }: { view: View; count: number; isAsking: boolean }) {
  const { state, say, dispatch } = view;
  const { refreshAt } = state.round;
  const seconds = Math.max(0, Math.ceil((refreshAt - state.now) / 1_000));
  return (
    <div class="heading">
      <h2>{count > 0 ? say.many('offersCount', count) : say('offers')}</h2>
      <button
        class="quiet"
        type="button"
        onClick={() => isAsking || dispatch({ type: 'refresh' })}
        aria-disabled={isAsking}
        aria-label={isAsking ? undefined : say('refresh')}
      >
        {isAsking ? (
          say(count > 0 ? 'moreComing' : 'waitingFor')
        ) : (
          <>
            <span aria-hidden="true">
              {say('refreshIn', { seconds: Number.isFinite(seconds) ? seconds : 0 })}
            </span>
            <Glyph path="M13.5 8a5.5 5.5 0 1 1-1.6-3.9M13.5 1.5v3h-3" size={14} />
          </>
        )}
      </button>
    </div>
  );
}

/** The rest, for those who want to see it. */
function More({ view }: { view: View }) {
  const { state, say, dispatch } = view;
  const first = firstOffers(state);
  const rest = shownOffers(state).filter(offer => !first.includes(offer));
  if (rest.length === 0) return null;
  const expand = () => {
    dispatch({ type: 'expand' });
    focusOn(`[data-ramp="${rest[0]?.ramp}"] input`);
  };
  return (
    <button class="more" type="button" onClick={expand}>
      {say.many('moreOffers', rest.length)}
    </button>
  );
}

const BADGES: Record<Recommendation, TextKey> = {
  BestPrice: 'bestPrice',
  SuccessRate: 'bestSuccess',
  LowKyc: 'lowKyc',
  ClientPreferred: 'preferred',
};

function OfferRow({ view, offer, isChosen }: { view: View; offer: Offer; isChosen: boolean }) {
  const { state, say, figures, dispatch } = view;
  const [pays, gets] = unitsOf(state) ?? [];
  if (!pays || !gets) return null;
  const bySource = state.field === 'source';
  return (
    <div class="offer" data-ramp={offer.ramp} data-chosen={isChosen}>
      <label>
        <input
          type="radio"
          name="offer"
          checked={isChosen}
          onChange={() => dispatch({ type: 'chosen', ramp: offer.ramp })}
        />
        <Icon src={providerIcon(view, offer.ramp)} size={32} />
        <span class="who">
          <b>{nameOf(view, offer.ramp)}</b>
          <span class="badges">
            {offer.recommendations.map(one => (
              <span key={one} class="badge" data-badge={one}>
                {say(BADGES[one])}
              </span>
            ))}
          </span>
        </span>
        <span class="what">
          <b>{bySource ? figures.received(offer.payout, gets) : figures.paid(offer.pays, pays)}</b>
          <Difference view={view} offer={offer} />
        </span>
      </label>
      {isChosen && <Cost view={view} offer={offer} />}
    </div>
  );
}

/** How much worse it is than the best. */
function Difference({ view, offer }: { view: View; offer: Offer }) {
  const { state, say, figures } = view;
  const best = bestOffer(state);
  if (!best || best.ramp === offer.ramp) return null;
  const bySource = state.field === 'source';
  const share = bySource ? -excessOf(offer.payout, best.payout) : excessOf(offer.pays, best.pays);
  return share > 0 ? (
    <small>{say(bySource ? 'less' : 'more', { amount: figures.percent(share) })}</small>
  ) : null;
}

/** Where offers will stand. */
function Skeleton() {
  return (
    <div class="skeleton" aria-hidden="true">
      <div class="row bar" />
      <div class="row bar" />
      <div class="row bar" />
    </div>
  );
}

function AsideNotices({ view }: { view: View }) {
  return Object.entries(view.state.aside).map(([ramp, decline]) => (
    <Notice key={ramp} tone="bad" title={sayDecline(view, ramp, decline)} />
  ));
}
