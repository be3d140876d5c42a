/** The second screen: where the coins go, and everything once more before the order is made. */
import { useEffect, useRef } from 'preact/hooks';
import { agreedOffer } from '../offers.ts';
import { questionOf } from '../reduce-pay.ts';
import { type Offer, unitsOf, type WalletFlaw } from '../state.ts';
import { sayTrouble } from './advice.tsx';
import { Cost, Glyph, Icon, Notice } from './parts.tsx';
import { focusOn, isComposing, methodName, nameOf, providerIcon, type View } from './view.ts';

/** What leads on, on this screen and on the one before it. */
const GO_ON = '.card > .primary';

export function WalletScreen({ view }: { view: View }) {
  const { state, say, dispatch } = view;
  const { pair, agreed: offer } = state;
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    title.current?.focus({ preventScroll: true });
    return () => focusOn(GO_ON, '#amount-source');
  }, []);
  const question = questionOf(state);
  useEffect(() => {
    // The button is gone, and whoever was at it goes on at what is said instead.
    if (question && document.activeElement === document.body) focusOn('.notice h2');
  }, [question]);
  // Nobody comes here without either.
  if (!pair || !offer) return null;
  const values = { crypto: pair.crypto.code };
  return (
    <form
      class="card"
      novalidate
      onSubmit={event => {
        event.preventDefault();
        dispatch({ type: 'pay' });
      }}
    >
      <header class="top">
        <button
          class="round"
          type="button"
          aria-label={say('back')}
          onClick={() => dispatch({ type: 'back' })}
        >
          <Glyph name="arrow" path="M10 3L5 8l5 5" size={16} />
        </button>
        <h2 ref={title} tabIndex={-1}>
          {say(state.side === 'buy' ? 'walletTitle' : 'walletTitleSell', values)}
        </h2>
      </header>
      <AddressPart view={view} />
      <Review view={view} offer={offer} />
      <Troubles view={view} />
      {!question && (
        <button class="primary" type="submit" aria-disabled={state.isPaying}>
          {state.isPaying ? say('checkoutBusy') : say('continueWith', { provider: nameOf(view, offer.ramp) })}
        </button>
      )}
    </form>
  );
}

function AddressPart({ view }: { view: View }) {
  const { state, say, dispatch } = view;
  const { wallet, setup, pair } = state;
  const edit = () => {
    dispatch({ type: 'edit' });
    focusOn('#address');
  };
  if (wallet.isGiven && pair) {
    return (
      <div class="given">
        <span class="label">{say('walletLabel', placeOf(view))}</span>
        <code dir="ltr">{wallet.address}</code>
        {wallet.memo && (
          <span>
            {say('memoLabel')}: <code dir="ltr">{wallet.memo}</code>
          </span>
        )}
        <small>{say('walletGivenHere')}</small>
        {setup.isAddressEditable && (
          <button class="take" type="button" onClick={edit}>
            {say('edit')}
          </button>
        )}
      </div>
    );
  }
  return (
    <>
      <AddressField view={view} />
      {pair && setup.memoNetworks.includes(pair.crypto.network) && <MemoField view={view} />}
    </>
  );
}

function placeOf({ state }: View) {
  return { crypto: state.pair?.crypto.code ?? '', network: state.pair?.crypto.networkDisplayName ?? '' };
}

/** Long enough to be meant as a whole address: what is wrong with less is that it is not finished. */
const WHOLE = 20;

function AddressField({ view }: { view: View }) {
  const { state, say, dispatch } = view;
  const { wallet, side } = state;
  const place = placeOf(view);
  const isSaid = wallet.isChecked || wallet.address.length >= WHOLE;
  const flaw = wallet.flaw && isSaid ? sayFlaw(view, wallet.flaw) : undefined;
  const isGood = wallet.isGood && isSaid;
  return (
    <div class="entry" data-flawed={flaw !== undefined}>
      <label class="label" for="address">
        {say(side === 'buy' ? 'walletLabel' : 'walletLabelSell', place)}
      </label>
      <textarea
        id="address"
        rows={2}
        dir="ltr"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        maxLength={256}
        value={wallet.address}
        aria-invalid={flaw !== undefined}
        aria-describedby="address-note"
        aria-required={side === 'buy'}
        onInput={event => dispatch({ type: 'address', address: event.currentTarget.value })}
        onBlur={() => wallet.address !== '' && dispatch({ type: 'left' })}
        onKeyDown={event => {
          // An address has one line; Enter means what it means in any other field.
          if (event.key !== 'Enter' || isComposing(event)) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
      <p id="address-note" class={flaw ? 'flaw' : isGood ? 'good' : 'quiet'} role="status">
        {flaw ??
          (isGood ? say('walletGood', place) : say(side === 'buy' ? 'walletHint' : 'walletHintSell', place))}
      </p>
    </div>
  );
}

function sayFlaw({ say, state }: View, { kind, others, message }: WalletFlaw): string {
  const network = state.pair?.crypto.networkDisplayName ?? '';
  switch (kind) {
    case 'empty':
      return say('addressEmpty');
    case 'characters':
      return say('addressCharacters');
    case 'zero':
      return say('addressZero');
    case 'elsewhere':
      return say('addressElsewhere', { network, other: listed(others ?? [], state.setup.language) });
    case 'testnet':
      return say('addressTestnet');
    case 'checksum':
      return say('addressChecksum');
    default:
      return kind === 'other' && message ? message : say('addressUnlike', { network });
  }
}

function listed(names: string[], language: string): string {
  return new Intl.ListFormat(language, { type: 'disjunction' }).format(names);
}

function MemoField({ view }: { view: View }) {
  const { state, say, dispatch } = view;
  const { wallet } = state;
  const flaw = wallet.memoFlaw && sayMemoFlaw(view, wallet.memoFlaw);
  return (
    <div class="entry" data-flawed={flaw !== undefined}>
      <label class="label" for="memo">
        {say('memoLabel')}
      </label>
      <input
        id="memo"
        dir="ltr"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        maxLength={256}
        disabled={wallet.hasNoMemo}
        value={wallet.memo ?? ''}
        aria-invalid={flaw !== undefined}
        aria-describedby="memo-note"
        onInput={event => dispatch({ type: 'memo', memo: event.currentTarget.value })}
      />
      <p id="memo-note" class={flaw ? 'flaw' : 'quiet'} role="status">
        {flaw ?? say(wallet.isMemoInside ? 'memoInside' : 'memoHint')}
      </p>
      {!wallet.isMemoInside && (
        <label class="tick">
          <input
            id="no-memo"
            type="checkbox"
            checked={wallet.hasNoMemo}
            onChange={event => dispatch({ type: 'noMemo', hasNoMemo: event.currentTarget.checked })}
          />{' '}
          {say('memoNone')}
        </label>
      )}
    </div>
  );
}

function sayMemoFlaw(view: View, flaw: 'missing' | 'wrong'): string {
  const { state, say } = view;
  if (flaw === 'missing') return say('memoMissing');
  return state.wallet.isMemoInside ? say('memoInside') : say('memoWrong', placeOf(view));
}

function Review({ view, offer }: { view: View; offer: Offer }) {
  const { state, say } = view;
  return (
    <section class="review">
      <h3>{say('review')}</h3>
      <p class="with">
        <Icon src={providerIcon(view, offer.ramp)} size={28} />
        <b>{nameOf(view, offer.ramp)}</b>
        <span class="quiet">{methodName(view, state.method)}</span>
      </p>
      <Cost view={view} offer={offer} />
    </section>
  );
}

function Troubles({ view }: { view: View }) {
  const { state, say, dispatch } = view;
  const { trouble, agreed } = state;
  if (trouble?.at !== 'checkout') return null;
  const accept = () => {
    dispatch({ type: 'accept' });
    focusOn(GO_ON);
  };
  const question = questionOf(state);
  if (question === 'offerGone')
    return (
      <Notice tone="bad" title={say('offerGone', { provider: nameOf(view, agreed?.ramp ?? '') })}>
        <p>{say('offerGoneLead')}</p>
        <button class="take" type="button" onClick={() => dispatch({ type: 'back' })}>
          {say('seeOffers')}
        </button>
      </Notice>
    );
  if (question === 'priceWorse')
    return (
      <Notice tone="bad" title={say('priceWorse')}>
        <p>{sayChange(view)}</p>
        <button class="take" type="button" onClick={accept}>
          {say('acceptPrice')}
        </button>
        <button class="take" type="button" onClick={() => dispatch({ type: 'back' })}>
          {say('seeOffers')}
        </button>
      </Notice>
    );
  if (trouble.kind === 'expired')
    return (
      <Notice tone="bad" title={say('priceExpired')}>
        <p>{say('priceExpiredLead')}</p>
      </Notice>
    );
  return (
    <Notice tone="bad" title={say('checkoutFailed')}>
      <p>{sayTrouble(view, trouble)}</p>
      <button class="take" type="submit" onClick={() => focusOn(GO_ON)}>
        {say('tryAgain')}
      </button>
    </Notice>
  );
}

function sayChange(view: View): string {
  const { state, say, figures } = view;
  const now = agreedOffer(state);
  const [pays, gets] = unitsOf(state) ?? [];
  const { agreed } = state;
  if (!now || !agreed || !pays || !gets) return '';
  return state.field === 'source'
    ? say('priceWorseLead', { now: figures.sum(now.payout, gets), before: figures.sum(agreed.payout, gets) })
    : say('priceWorsePay', { now: figures.sum(now.pays, pays), before: figures.sum(agreed.pays, pays) });
}
