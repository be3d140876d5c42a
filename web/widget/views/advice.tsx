/** Advice on the screen: what is missing, and the change that would do, one tap away. */
import { type Advice, advise } from '../advice.ts';
import { shownOffers } from '../offers.ts';
import { type Decline, type Pair, type Trouble, unitsOf } from '../state.ts';
import { Notice } from './parts.tsx';
import { focusOn, methodName, nameOf, type View } from './view.ts';

export function Advices({ view }: { view: View }) {
  const { state } = view;
  const advices = advise(state);
  if (advices.length === 0) return null;
  return (
    <Notice tone="calm" title={titleOf(view, advices)}>
      <p>{leadOf(view, advices)}</p>
      <ul class="advices">
        {advices.map(advice => (
          <li key={keyOf(advice)}>
            <Line view={view} advice={advice} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** What went wrong, in the person's words. */
export function sayTrouble({ say }: View, { kind, message }: Trouble): string {
  if (kind === 'unreachable' || kind === 'timeout') return say('unreachable');
  if (kind === 'busy' || kind === 'failed') return say('busy');
  if (kind === 'unauthorized') return say('keyRefused');
  return kind === 'forbidden' ? say('originRefused') : message;
}

/** Why a provider did not take the order. */
export function sayDecline(view: View, ramp: string, decline: Decline): string {
  const { say } = view;
  const provider = nameOf(view, ramp);
  if (decline.kind === 'silent') return say('putAsideSilent', { provider });
  if (decline.kind === 'words') return say('putAside', { provider, reason: decline.words });
  return sayBound(view, { ramp, bound: decline.kind, amount: writePaid(view, decline.amount) });
}

/** What a provider takes. */
function sayBound(
  view: View,
  { ramp, bound, amount }: { ramp: string; bound: 'min' | 'max'; amount: string },
) {
  return view.say(bound === 'min' ? 'needsAtLeast' : 'takesAtMost', { provider: nameOf(view, ramp), amount });
}

/** In the currency that is paid. */
function writePaid({ state, figures }: View, amount: string): string {
  const [pays] = unitsOf(state) ?? [];
  return pays ? figures.sum(amount, pays) : amount;
}

function keyOf(advice: Advice): string {
  if (advice.kind === 'amount') return `amount ${advice.bound}`;
  return advice.kind === 'method' ? `method ${advice.method.paymentTypeId}` : advice.kind;
}

/** What is the matter, where there is advice. */
export function titleOf({ state, say }: View, advices: Advice[]): string {
  const { pair, country, setup } = state;
  if (country === undefined) return say('chooseCountry');
  if (!pair || state.recommended === null) {
    const name = new Intl.DisplayNames(setup.language, { type: 'region' }).of(country);
    return say('placeUnserved', { country: name ?? country });
  }
  if (state.methods?.length === 0)
    return say('pairUnserved', { pair: pairName(pair, state.recommended?.pair) });
  if (shownOffers(state).length > 0) return say('notRenewed');
  return advices.every(({ kind }) => kind === 'retry') ? say('nobodyAnswers') : say('nothingFits');
}

function leadOf(view: View, advices: Advice[]): string {
  const { state, say } = view;
  if (state.country === undefined) return say('countryLead');
  if (state.trouble?.at === 'quotes') return sayTrouble(view, state.trouble);
  if (advices.every(({ kind }) => kind === 'country')) return say('placeUnservedLead');
  return advices.every(({ kind }) => kind === 'retry') ? say('nobodyAnswersLead') : say('nothingFitsLead');
}

/** By the network too where it stands beside another that has the same letters. */
function pairName({ fiat, crypto }: Pair, beside: Pair | undefined): string {
  const isAlike = crypto.code === beside?.crypto.code && crypto.network !== beside.crypto.network;
  return `${fiat.code}/${crypto.code}${isAlike ? ` (${crypto.networkDisplayName})` : ''}`;
}

function Line({ view, advice }: { view: View; advice: Advice }) {
  const { state, say, dispatch } = view;
  switch (advice.kind) {
    case 'amount': {
      const amount = writePaid(view, advice.amount);
      return (
        <>
          <span>{sayBound(view, { ...advice, amount })}</span>
          <Take
            label={say('useAmount', { amount })}
            onTake={() => dispatch({ type: 'amount', amount: advice.amount })}
          />
        </>
      );
    }
    case 'method': {
      const { paymentTypeId } = advice.method;
      const method = methodName(view, paymentTypeId);
      return (
        <>
          <span>{say('methodServes', { method })}</span>
          <Take
            label={say('useMethod', { method })}
            onTake={() => dispatch({ type: 'method', method: paymentTypeId })}
          />
        </>
      );
    }
    case 'pair': {
      return (
        <Take
          label={say('usePair', { pair: pairName(advice.recommended.pair, state.pair) })}
          onTake={() => dispatch({ type: 'recommended', recommended: advice.recommended })}
        />
      );
    }
    case 'country':
      return (
        <button class="take" type="button" onClick={() => dispatch({ type: 'menu', menu: 'country' })}>
          {say('chooseCountry')}
        </button>
      );
    default:
      return <Take label={say('tryAgain')} onTake={() => dispatch({ type: 'refresh' })} />;
  }
}

/** Advice that is taken is gone: those at a keyboard go on at the amount. Fingers are spared the one on the screen. */
function Take({ label, onTake }: { label: string; onTake(): void }) {
  const take = (event: { currentTarget: Element }) => {
    const isByKeys = event.currentTarget.matches(':focus-visible');
    onTake();
    if (isByKeys) focusOn('#amount-source');
  };
  return (
    <button class="take" type="button" onClick={take}>
      {label}
    </button>
  );
}
