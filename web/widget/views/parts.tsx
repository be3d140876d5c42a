/** Parts that several screens are made of. */
import type { ComponentChildren } from 'preact';
import type { Offer } from '../state.ts';
import { unitsOf } from '../state.ts';
import { nameOf, type View } from './view.ts';

/** A picture that says nothing that is not said in words beside it. */
export function Icon({ src, size = 24 }: { src: string; size?: number }) {
  return <img class="icon" src={src} alt="" width={size} height={size} loading="lazy" decoding="async" />;
}

/** A line drawn in the colour of the text beside it, which says what it means. */
export function Glyph({ path, size, name }: { path: string; size: number; name?: string }) {
  return (
    <svg class={name} viewBox="0 0 16 16" width={size} height={size} aria-hidden="true">
      <path
        d={path}
        fill="none"
        stroke="currentColor"
        stroke-width="2"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}

export function Chevron() {
  return <Glyph name="chevron" path="M3 6l5 5 5-5" size={12} />;
}

/** Something the person should know, with what they can do about it. */
export function Notice({
  tone,
  title,
  children,
}: {
  tone: 'calm' | 'bad';
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <section class="notice" data-tone={tone} role={tone === 'bad' ? 'alert' : undefined}>
      <h2 tabIndex={-1}>{title}</h2>
      {children}
    </section>
  );
}

/** The whole cost: what is handed over, all that is taken off, what comes out, and the rate. */
export function Cost({ view, offer }: { view: View; offer: Offer }) {
  const { state, say, figures } = view;
  const [pays, gets] = unitsOf(state) ?? [];
  if (!pays || !gets) return null;
  const [fiat, coin] = pays.isFiat ? [pays, gets] : [gets, pays];
  const provider = nameOf(view, offer.ramp);
  const fee = (amount: string) => (/[1-9]/.test(amount) ? figures.sum(amount, fiat) : say('noFee'));
  const parts: [name: string, label: string, value: string][] = [
    ['pays', say(pays.isFiat ? 'youPay' : 'youSell'), figures.sum(offer.pays, pays)],
    ['provider-fee', say('providerFee', { provider }), fee(offer.transactionFee)],
    ['network-fee', say('networkFee'), fee(offer.networkFee)],
    ['receives', say('youReceive'), figures.sum(offer.payout, gets)],
    ['rate', say('rate'), say('rateOf', { crypto: coin.code, amount: figures.rate(offer.rate, fiat) })],
  ];
  return (
    <dl class="cost" aria-label={say('costLine', { provider })}>
      {parts.map(([name, label, value]) => (
        <div key={name} data-cost={name}>
          <dt>{label}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}
