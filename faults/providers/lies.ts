/** Lies: true answers of the providers with figures in them that cannot be. */
import type { Real } from './cast.ts';

/** What a provider is about to say, and what it said at an amount far from this one. */
export interface Truth {
  body: string;
  before: string;
}

export interface Lie {
  name: string;
  /** The market it believes in, over the one there is. */
  market?: number;
  tell(truth: Truth, fields: Fields): string;
}

/** Where a provider's answer has its figures; what it does not state is absent. */
interface Fields {
  payout: string;
  fees: readonly string[];
  /** Fiat for one coin, or the other way round: it is turned all the same. */
  rate?: string;
  paid?: readonly string[];
  fiat?: readonly string[];
  crypto?: readonly string[];
  until?: readonly string[];
}

/** What the provider's answer leaves room for. */
export function liesOf(provider: Real): readonly Lie[] {
  const fields = FIELDS[provider];
  return fields ? LIES.filter(({ needs }) => !needs || fields[needs]) : [];
}

export function tellLie(provider: Real, name: string, truth: Truth): string {
  const lie = LIES.find(one => one.name === name);
  const fields = FIELDS[provider];
  return lie && fields ? lie.tell(truth, fields) : truth.body;
}

/** How far from the market a lie is, when that is what it is. */
export function marketOf(name: string | undefined): number {
  return LIES.find(lie => lie.name === name)?.market ?? 1;
}

/** Providers that are asked once for a quote; the others take back on the second question what they said on the first. */
const FIELDS: Partial<Record<Real, Fields>> = {
  moonpay: {
    payout: 'quoteCurrencyAmount',
    fees: ['feeAmount'],
    rate: 'quoteCurrencyPrice',
    paid: ['totalAmount'],
    fiat: ['baseCurrencyCode', 'baseCurrency.code'],
    crypto: ['quoteCurrencyCode', 'quoteCurrency.code'],
    until: ['expiresAt'],
  },
  transak: {
    payout: 'response.cryptoAmount',
    fees: ['response.feeBreakdown.0.value', 'response.totalFee'],
    rate: 'response.conversionPrice',
    paid: ['response.fiatAmount'],
    fiat: ['response.fiatCurrency'],
    crypto: ['response.cryptoCurrency'],
  },
  mercuryo: {
    payout: 'data.amount',
    fees: ['data.fee.EUR'],
    rate: 'data.rate',
    paid: ['data.fiat_amount', 'data.total.EUR'],
    fiat: ['data.fiat_currency'],
    crypto: ['data.currency'],
  },
  banxa: { payout: 'cryptoAmount', fees: ['processingFee'], paid: ['fiatAmount'] },
  paybis: {
    payout: 'paymentMethods.0.amountTo.amount',
    fees: ['paymentMethods.0.fees.serviceFee.amount', 'paymentMethods.0.fees.totalFee.amount'],
    rate: 'exchangeRateCryptoToFiat.rate',
    paid: ['paymentMethods.0.amountFrom.amount'],
    fiat: ['currencyCodeFrom', 'paymentMethods.0.amountFrom.currencyCode'],
    crypto: ['currencyCodeTo', 'paymentMethods.0.amountTo.currencyCode'],
    until: ['paymentMethods.0.expiration', 'paymentMethods.0.expiresAt'],
  },
  guardarian: {
    payout: 'value',
    fees: ['service_fees.0.amount'],
    fiat: ['from_currency'],
    crypto: ['to_currency'],
  },
  rampnetwork: {
    payout: 'CARD_PAYMENT.cryptoAmount',
    fees: ['CARD_PAYMENT.baseRampFee', 'CARD_PAYMENT.appliedFee'],
    paid: ['CARD_PAYMENT.fiatValue'],
    fiat: ['CARD_PAYMENT.fiatCurrency'],
    crypto: ['asset.symbol'],
  },
  alchemypay: {
    payout: 'data.cryptoQuantity',
    fees: ['data.rampFee'],
    rate: 'data.cryptoPrice',
    fiat: ['data.fiat'],
    crypto: ['data.crypto'],
  },
  btcdirect: {
    payout: 'cryptoAmount',
    fees: ['btcdirectFee', 'paymentMethodCost'],
    rate: 'singleCoinEstimate',
    paid: ['totalCost', 'fiatAmount'],
    fiat: ['currencyPair'],
    crypto: ['currencyPair'],
    until: ['expiryDate'],
  },
  topper: {
    payout: 'simulation.destination.amount',
    fees: ['simulation.fees.1.amount'],
    rate: 'simulation.origin.rate',
    paid: ['simulation.origin.amount'],
    fiat: ['simulation.origin.asset'],
    crypto: ['simulation.destination.asset'],
  },
};

/** About what the coin costs; what one euro is in yen and in dollars; how many ether one bitcoin is. */
const PRICE = 88_000;
const YEN = 163;
const DOLLARS = 1.087;
const ETHERS = 28.4;

const LIES: readonly (Lie & { needs?: keyof Fields })[] = [
  edit('payout times a thousand', (body, { payout }) => scale(body, [payout], 1_000)),
  edit('payout times two', (body, { payout }) => scale(body, [payout], 2)),
  edit('a thousandth of the payout', (body, { payout }) => scale(body, [payout], 0.001)),
  edit('negative fee', (body, { fees }) => scale(body, fees, -1)),
  edit('fees beyond the amount', (body, { fees }) => scale(body, fees, 100)),
  {
    ...edit('fee as a fraction of what it is', (body, { fees }) => scale(body, fees, 0.01)),
    needs: 'rate',
  },
  edit('rate inverted', (body, { rate, payout }) => {
    if (rate) change(body, [rate], value => 1 / Number(value));
    else scale(body, [payout], PRICE * PRICE);
  }),
  edit('another currency', (body, { fiat, payout }) => {
    change(body, fiat ?? [], value => String(value).replace('EUR', 'USD').replace('eur', 'usd'));
    scale(body, [payout], 1 / (fiat ? DOLLARS : YEN));
  }),
  edit('another pair', (body, { crypto, payout, rate }) => {
    change(body, crypto ?? [], value => String(value).replace('BTC', 'ETH').replace('btc', 'eth'));
    scale(body, [payout], ETHERS);
    // Fiat for a coin falls as coins for fiat rise.
    if (rate)
      change(body, [rate], value => (Number(value) > 1 ? Number(value) / ETHERS : Number(value) * ETHERS));
  }),
  {
    ...edit('run out', (body, { until }) =>
      change(body, until ?? [], () => new Date(Date.now() - 60_000).toISOString()),
    ),
    needs: 'until',
  },
  { name: 'quote of before', tell: ({ before }) => before },
  { ...edit('amount half as much again', (body, { paid }) => scale(body, paid ?? [], 1.5)), needs: 'paid' },
  { ...edit('amount a little different', (body, { paid }) => scale(body, paid ?? [], 1.05)), needs: 'paid' },
  { name: 'a thousandth of the price', market: 0.001, tell: ({ body }) => body },
  { name: 'half of the price', market: 0.5, tell: ({ body }) => body },
  { name: 'twice the price', market: 2, tell: ({ body }) => body },
];

function edit(name: string, alter: (body: unknown, fields: Fields) => void): Lie {
  return {
    name,
    tell(truth, fields) {
      const body: unknown = JSON.parse(truth.body);
      alter(body, fields);
      return JSON.stringify(body);
    },
  };
}

function scale(body: unknown, paths: readonly string[], factor: number): void {
  change(body, paths, value => {
    const scaled = Number(value) * factor;
    return /^\d+$/.test(String(value)) && Math.abs(scaled) >= 1 ? Math.round(scaled) : scaled;
  });
}

/** Puts another value where the path leads, as a number or as text like the one that was there. */
function change(body: unknown, paths: readonly string[], next: (value: unknown) => number | string): void {
  for (const path of paths) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    let at = body as Record<string, unknown>;
    for (const name of names) at = at[name] as Record<string, unknown>;
    if (at?.[last] === undefined) throw new Error(`the answer has no ${path}`);
    const value = next(at[last]);
    at[last] = typeof at[last] === 'string' && typeof value === 'number' ? plainly(value) : value;
  }
}

/** A number as text without an exponent. */
function plainly(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(12);
}
