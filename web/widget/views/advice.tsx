/** Advice on the screen: what is missing, and the change that would do, one tap away. */
import { type Advice, advise } from '../advice.ts';
import { shownOffers } from '../offers.ts';
import { type Pair, type Trouble, unitsOf } from '../state.ts';
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

function keyOf(advice: Advice): string {
  if (advice.kind === 'amount') return `amount ${advice.bound}`;
  return advice.kind === 'method' ? `method ${advice.method.paymentTypeId}` : advice.kind;
}

/** What is the matter, where there is advice. */
export function titleOf({ state, say }: View, advices: Advice[]): string {
  const { pair, country, setup } = state;
  if (!pair || state.recommended === null) {
    const name = country && new Intl.DisplayNames(setup.language, { type: 'region' }).of(country);
    return say('placeUnserved', { country: name || '' });
  }
  if (state.methods?.length === 0)
    return say('pairUnserved', { pair: pairName(pair, state.recommended?.pair) });
  if (shownOffers(state).length > 0) return say('notRenewed');
  return advices.every(({ kind }) => kind === 'retry') ? say('nobodyAnswers') : say('nothingFits');
}

function leadOf(view: View, advices: Advice[]): string {
  const { state, say } = view;
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
  const { state, say, figures, dispatch } = view;
  const [pays] = unitsOf(state) ?? [];
  switch (advice.kind) {
    case 'amount': {
      const amount = pays ? figures.sum(advice.amount, pays) : advice.amount;
      const provider = nameOf(view, advice.ramp);
      return (
        <>
          <span>{say(advice.bound === 'min' ? 'needsAtLeast' : 'takesAtMost', { provider, amount })}</span>
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
