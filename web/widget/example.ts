/** A widget as tests look at it: bought for euros in Germany, with two payment methods and nobody asked yet. */
import type { PaymentTypeWithLimits } from '../../client/src/index.ts';
import type { WidgetSetup } from '../../src/http/widget/shape.ts';
import type { Action } from './actions.ts';
import { reduce } from './reduce.ts';
import { askOf, keyOf, type Offer, type Refusal, type State, startState } from './state.ts';

const ICON = 'https://ramp.example/icons/x.svg';
export const EUR = { id: 'eur', code: 'EUR', name: 'Euro', decimals: 2, icon: ICON };
export const USD = { id: 'usd', code: 'USD', name: 'US Dollar', decimals: 2, icon: ICON };
export const JPY = { ...EUR, id: 'jpy', code: 'JPY', name: 'Yen', decimals: 0 };
export const BTC = {
  id: 'btc_bitcoin',
  code: 'BTC',
  name: 'Bitcoin',
  decimals: 8,
  icon: ICON,
  network: 'bitcoin',
  networkDisplayName: 'Bitcoin',
};
export const XRP = {
  ...BTC,
  id: 'xrp_ripple',
  code: 'XRP',
  decimals: 6,
  network: 'ripple',
  networkDisplayName: 'XRP Ledger',
};

export function exampleSetup(change: Partial<WidgetSetup> = {}): WidgetSetup {
  return {
    url: 'https://ramp.example',
    key: 'pk_test_1',
    sides: ['buy', 'sell'],
    country: 'DE',
    language: 'en',
    choices: {
      buy: { fiat: EUR, crypto: BTC, amount: '100', method: 'creditcard' },
      sell: { fiat: EUR, crypto: BTC, amount: '0.01', method: null },
    },
    providers: { moonpay: 'MoonPay', transak: 'Transak' },
    methods: {},
    only: { cryptos: [], fiats: [], onramps: [], networks: [], methods: [] },
    wallets: {},
    networkWallets: {},
    isAddressEditable: false,
    memoNetworks: ['ripple'],
    theme: { isDark: null },
    partnerContext: null,
    redirectUrl: null,
    uuid: null,
    embedder: null,
    addressScript: '/address.js',
    warnings: [],
    ...change,
  };
}

export function exampleState(change: Partial<State> = {}, setup: Partial<WidgetSetup> = {}): State {
  return { ...startState(exampleSetup(setup), 0), ...change };
}

/** What becomes of it when all this happens. */
export function play(state: State, ...actions: Action[]): State {
  return actions.reduce(reduce, state);
}

/** With a round that is begun. */
export function asked(state: State): State {
  return play(state, { type: 'asked', serial: state.round.serial + 1, key: keyOf(askOf(state)) });
}

/** With a round that is complete. */
export function priced(offers: Offer[], state = exampleState()): State {
  const begun = asked(state);
  const { serial } = begun.round;
  return play(begun, { type: 'settled', serial, offers, refusals: [], refreshAt: state.now + 45_000 });
}

export function exampleOffer(ramp: string, payout: string, change: Partial<Offer> = {}): Offer {
  return {
    ramp,
    rate: '90000',
    networkFee: '1',
    transactionFee: '2',
    payout,
    pays: '100',
    quoteId: `quote of ${ramp}`,
    recommendations: [],
    ...change,
  };
}

export function exampleRefusal(ramp: string, change: Partial<Refusal> = {}): Refusal {
  return { ramp, type: 'LimitMismatch', message: '', min: undefined, max: undefined, ...change };
}

export function exampleMethod(
  paymentTypeId: string,
  limits: PaymentTypeWithLimits['details']['limits'] = {},
): PaymentTypeWithLimits {
  const details = { currencyStatus: 'SourceAndDestSupported' as const, limits };
  return { paymentTypeId, name: paymentTypeId, icon: ICON, details };
}
