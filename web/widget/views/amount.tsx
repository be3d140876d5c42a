/** An amount and its currency: one of the two is typed, the other follows from the offer. */
import { typedAs } from '../decimal.ts';
import { chosenOffer } from '../offers.ts';
import { readAmount, unitsOf } from '../state.ts';
import { Chevron, Icon } from './parts.tsx';
import type { View } from './view.ts';

type Field = 'source' | 'destination';

export function AmountField({ view, field }: { view: View; field: Field }) {
  const { state, say, dispatch } = view;
  const flaw = flawOf(view, field);
  const value = shownIn(view, field);
  const isWaiting = state.field !== field && state.round.phase === 'asking' && !chosenOffer(state);
  return (
    <div class="field" data-flawed={flaw !== undefined} data-waiting={isWaiting}>
      <label class="label" for={`amount-${field}`}>
        {say(field === 'destination' ? 'youReceive' : state.side === 'buy' ? 'youPay' : 'youSell')}
      </label>
      <div class="line">
        <input
          id={`amount-${field}`}
          class="amount"
          inputMode="decimal"
          autocomplete="off"
          enterkeyhint="done"
          dir="ltr"
          placeholder="0"
          maxLength={40}
          data-long={value.length > 10 ? 'very' : value.length > 8}
          value={value}
          aria-invalid={flaw !== undefined}
          aria-describedby={flaw && `flaw-${field}`}
          onInput={event => dispatch({ type: 'typed', field, text: event.currentTarget.value })}
        />
        <CurrencyButton view={view} field={field} />
      </div>
      {flaw && (
        <p class="flaw" id={`flaw-${field}`}>
          {flaw}
        </p>
      )}
    </div>
  );
}

/** What was typed stays as it was typed. */
function shownIn({ state }: View, field: Field): string {
  if (state.field === field) return state.typed;
  const offer = chosenOffer(state);
  const unit = unitsOf(state)?.[field === 'source' ? 0 : 1];
  return offer && unit
    ? typedAs(field === 'source' ? offer.pays : offer.payout, unit, state.setup.language)
    : '';
}

/** That nothing stands in a field is not wrong before somebody has touched it. */
export function flawOf({ state, say }: View, field: Field): string | undefined {
  const typed = readAmount(state);
  const unit = unitsOf(state)?.[field === 'source' ? 0 : 1];
  if (state.field !== field || 'amount' in typed || !unit) return undefined;
  if (typed.flaw === 'missing') return state.isTyped ? say('amountMissing') : undefined;
  if (typed.flaw === 'wrong')
    return say('amountWrong', { example: typedAs('12.5', { ...unit, isFiat: false }, state.setup.language) });
  if (typed.flaw === 'grouped') return say('amountGrouped', { amount: typed.whole });
  return say.many('amountPlaces', Math.min(unit.decimals, 18), { code: unit.code });
}

function CurrencyButton({ view, field }: { view: View; field: Field }) {
  const { state, say, dispatch } = view;
  const { pair, side } = state;
  if (!pair) return null;
  const isFiat = (side === 'buy') === (field === 'source');
  const currency = isFiat ? pair.fiat : pair.crypto;
  const menu = isFiat ? 'fiat' : 'crypto';
  return (
    <button
      class="currency"
      type="button"
      aria-haspopup="dialog"
      onClick={() => dispatch({ type: 'menu', menu })}
    >
      <Icon src={currency.icon} size={28} />
      <span class="codes">
        <span class="unseen">{say(isFiat ? 'chooseCurrency' : 'chooseCrypto')}:</span> <b>{currency.code}</b>
        {!isFiat && <small>{pair.crypto.networkDisplayName}</small>}
      </span>
      <Chevron />
    </button>
  );
}
