/** Questions: which requests ask for a quote, and about which amount. */
import { kindOf } from '../../bench/wire.ts';
import { CLONES, REAL, type Real } from './cast.ts';

export interface Question {
  /** Its name in the run. */
  provider: string;
  kind: Real;
  /** Path and query as the stand-in knows them. */
  target: string;
  /** What is asked about, as it was written; undefined when no quote is asked for. */
  amount: string | undefined;
}

/** Undefined for a provider that nobody knows. */
export function readQuestion(url: string, body: string): Question | undefined {
  const end = url.indexOf('/', 1);
  const provider = url.slice(1, end);
  const place = CLONES.indexOf(provider);
  const kind = place < 0 ? REAL.find(name => name === provider) : kindOf(place + 1);
  if (!kind) return undefined;
  const [path, pattern] = AMOUNTS[kind];
  const asked = kind === 'topper' ? openToken(body) : url + body;
  const amount = url.includes(path) ? pattern.exec(asked)?.[1] : undefined;
  return { provider, kind, target: `/${kind}${url.slice(end)}`, amount };
}

/** What the path of a quote holds, and where its amount stands. */
const AMOUNTS: Record<Real, readonly [path: string, amount: RegExp]> = {
  moonpay: ['/buy_quote?', /baseCurrencyAmount=([\d.]+)/],
  transak: ['/quotes?', /fiatAmount=([\d.]+)/],
  mercuryo: ['/rate?', /[?&]amount=([\d.]+)/],
  banxa: ['/quotes/buy?', /fiatAmount=([\d.]+)/],
  paybis: ['/public/quote?', /"amount":"([\d.]+)"/],
  guardarian: ['/estimate?', /from_amount=([\d.]+)/],
  stripe: ['/onramp/quotes?', /source_amount=([\d.]+)/],
  rampnetwork: ['/onramp/quote/all?', /"fiatValue":([\d.]+)/],
  alchemypay: ['/order/quote', /"amount":"([\d.]+)"/],
  swapped: ['/merchant/pricing', /"fiat_amount":([\d.]+)/],
  btcdirect: ['/buy/quote', /"fiatAmount":([\d.]+)/],
  topper: ['/simulations', /"amount":"([\d.]+)"/],
};

/** Topper is asked by a token, whose middle part says what is asked. */
function openToken(body: string): string {
  return Buffer.from(body.split('.')[1] ?? '', 'base64url').toString();
}
