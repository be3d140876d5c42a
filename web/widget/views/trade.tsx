/** The first screen: what is traded, how, and who offers what for it. */
import { chosenOffer } from '../offers.ts';
import { STATES } from '../states.ts';
import { Advices } from './advice.tsx';
import { AmountField } from './amount.tsx';
import { Offers } from './offers.tsx';
import { Chevron, Icon } from './parts.tsx';
import { methodName, nameOf, type View } from './view.ts';

export function TradeScreen({ view }: { view: View }) {
  const { state, say, dispatch } = view;
  const offer = chosenOffer(state);
  if (!state.pair)
    return (
      <div class="card">
        <Head view={view} />
        <Advices view={view} />
      </div>
    );
  return (
    <form
      class="card"
      novalidate
      onSubmit={event => {
        event.preventDefault();
        dispatch({ type: 'goOn' });
      }}
    >
      <Head view={view} />
      <div class="fields">
        <AmountField view={view} field="source" />
        <AmountField view={view} field="destination" />
      </div>
      <MethodButton view={view} />
      <Offers view={view} />
      {offer && (
        <button class="primary" type="submit">
          {say('continueWith', { provider: nameOf(view, offer.ramp) })}
        </button>
      )}
      <p class="aside">{say('poweredBy')}</p>
    </form>
  );
}

function Head({ view }: { view: View }) {
  return (
    <header class="top">
      <Sides view={view} />
      <CountryButton view={view} />
    </header>
  );
}

function Sides({ view }: { view: View }) {
  const { state, say, dispatch } = view;
  const sides = state.setup.sides.filter(side => side in state.choices || side === state.side);
  if (sides.length < 2) return <h2 class="only">{say(state.side === 'buy' ? 'titleBuy' : 'titleSell')}</h2>;
  return (
    <div class="sides">
      {sides.map(side => (
        <button
          key={side}
          type="button"
          aria-pressed={side === state.side}
          onClick={() => dispatch({ type: 'side', side })}
        >
          {say(side)}
        </button>
      ))}
    </div>
  );
}

function CountryButton({ view }: { view: View }) {
  const { state, say, dispatch } = view;
  const { country, region, setup } = state;
  const named = country && new Intl.DisplayNames(setup.language, { type: 'region' }).of(country);
  const name = region === undefined ? named : `${STATES[region]}, ${country}`;
  return (
    <button
      class="chip country"
      type="button"
      aria-haspopup="dialog"
      onClick={() => dispatch({ type: 'menu', menu: 'country' })}
    >
      <span class="unseen">{say('livingIn')}</span> <span class="cut">{name || say('chooseCountry')}</span>
      <Chevron />
    </button>
  );
}

function MethodButton({ view }: { view: View }) {
  const { state, say, dispatch } = view;
  const { method, methods, side, country } = state;
  const type = methods?.find(({ paymentTypeId }) => paymentTypeId === method);
  if (country === undefined || methods?.length === 0) return null;
  return (
    <button
      class="method"
      type="button"
      aria-haspopup="dialog"
      disabled={!methods}
      onClick={() => dispatch({ type: 'menu', menu: 'method' })}
    >
      <span class="label">{say(side === 'buy' ? 'payWith' : 'payoutTo')}</span>
      <span class="value">
        {type && <Icon src={type.icon} />}
        {type ? methodName(view, method) : <i class="bar" />}
        <Chevron />
      </span>
    </button>
  );
}
