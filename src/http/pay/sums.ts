/** Sums as people read them: every digit, grouped, and parts that add up. */
import type { PayView, Sum } from '../../app/pay.ts';
import type { Currencies } from '../../domain/currency.ts';
import { type Amount, isAboveZero, ratio, significant } from '../../domain/money.ts';
import { visible } from './html.ts';

/** What lies between what is paid and what is received. */
export interface Breakdown {
  /** What changes hands between the fees: pays less fees on a buy, gets and fees on a sell. */
  value: Sum;
  /** `1 BTC = 58,000 EUR` */
  rate: string;
}

const RATE_DIGITS = 8;

/** `1,234.50 EUR`: no digit is dropped, and fiat has at least as many places as the currency. */
export function writeSum({ amount, code }: Sum, currencies?: Currencies): string {
  return `${group(padded(amount, currencies?.findFiat(code)?.decimals ?? 0))} ${visible(code)}`;
}

/** Undefined when the fees are not in the money that changes hands, so that nothing can be added up. */
export function breakDown({ side, pays, gets, networkFee, providerFee }: PayView): Breakdown | undefined {
  const [fiat, asset] = side === 'buy' ? [pays, gets] : [gets, pays];
  if (networkFee.code !== fiat.code || providerFee.code !== fiat.code) return undefined;
  const fees = networkFee.amount.plus(providerFee.amount);
  const value = side === 'buy' ? fiat.amount.minus(fees) : fiat.amount.plus(fees);
  if (!isAboveZero(value) || !isAboveZero(asset.amount)) return undefined;
  const exact = ratio(value, asset.amount);
  const rate = significant(exact, RATE_DIGITS);
  const sign = rate.mul(asset.amount).eq(value) ? '=' : '≈';
  return {
    value: { amount: value, code: fiat.code },
    rate: `1 ${visible(asset.code)} ${sign} ${group(rate.toString())} ${visible(fiat.code)}`,
  };
}

function padded(amount: Amount, places: number): string {
  const text = amount.toString();
  const [whole = '', fraction = ''] = text.split('.');
  return places === 0 && !fraction ? whole : `${whole}.${fraction.padEnd(places, '0')}`;
}

function group(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
