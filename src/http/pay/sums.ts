/** Sums as people read them: every digit, grouped, and parts that add up. */
import type { PayView, Sum } from '../../app/pay.ts';
import type { Currencies } from '../../domain/currency.ts';
import { type Amount, isAboveZero, ratio, significant } from '../../domain/money.ts';
import { visible } from '../html.ts';
import type { Speech } from './speech.ts';

/** What sums are written with. */
export interface Pen {
  speech: Pick<Speech, 'number' | 'isolate'>;
  /** Places of fiats; without them plain digits are shown. */
  currencies?: Currencies | undefined;
}

/** What lies between what is paid and what is received. */
export interface Breakdown {
  /** What changes hands between the fees: pays less fees on a buy, gets and fees on a sell. */
  value: Sum;
  /** `1 BTC = 58,000 EUR` */
  rate: string;
}

const RATE_DIGITS = 8;

/** `1,234.50 EUR`: no digit is dropped, and fiat has at least as many places as the currency. */
export function writeSum({ amount, code }: Sum, { speech, currencies }: Pen): string {
  const digits = padded(amount, currencies?.findFiat(code)?.decimals ?? 0);
  return speech.isolate(`${speech.number(digits)} ${visible(code)}`);
}

/** Undefined when the fees are not in the money that changes hands, so that nothing can be added up. */
export function breakDown(view: PayView, { speech }: Pen): Breakdown | undefined {
  const { side, pays, gets, networkFee, providerFee } = view;
  const [fiat, asset] = side === 'buy' ? [pays, gets] : [gets, pays];
  if (networkFee.code !== fiat.code || providerFee.code !== fiat.code) return undefined;
  const fees = networkFee.amount.plus(providerFee.amount);
  const value = side === 'buy' ? fiat.amount.minus(fees) : fiat.amount.plus(fees);
  if (!isAboveZero(value) || !isAboveZero(asset.amount)) return undefined;
  const exact = ratio(value, asset.amount);
  const rate = significant(exact, RATE_DIGITS);
  const sign = rate.times(asset.amount).eq(value) ? '=' : '≈';
  const line = `1 ${visible(asset.code)} ${sign} ${speech.number(rate.toString())} ${visible(fiat.code)}`;
  return { value: { amount: value, code: fiat.code }, rate: speech.isolate(line) };
}

function padded(amount: Amount, places: number): string {
  const text = amount.toString();
  const [whole = '', fraction = ''] = text.split('.');
  return places === 0 && !fraction ? whole : `${whole}.${fraction.padEnd(places, '0')}`;
}
