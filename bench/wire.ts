/** The wire: what each synthetic provider is asked for a quote, and where its answer has the payout. */
import type { Reply } from './load.ts';

export const KINDS = ['moonpay', 'transak', 'mercuryo'] as const;
export type Kind = (typeof KINDS)[number];

export const MOST_PROVIDERS = 64;
export const DEADLINE_MS = 1_000;
/** Sent with every question, as the service does. */
export const QUESTION_HEADERS = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'cloverleaf',
};

/** Providers are numbered from 1, and their adapters take turns. */
export function kindOf(provider: number): Kind {
  return KINDS[(provider - 1) % KINDS.length] as Kind;
}

export function nameOf(provider: number): string {
  return `p${String(provider).padStart(2, '0')}`;
}

/** What stands before the amount in a question, and after it. */
const QUESTIONS: Record<Kind, readonly [string, string]> = {
  moonpay: [
    '/api/v3/currencies/btc/buy_quote?apiKey=pk_test_cloverleaf&baseCurrencyCode=eur&paymentMethod=credit_debit_card&areFeesIncluded=true&baseCurrencyAmount=',
    '',
  ],
  transak: [
    '/api/api/v1/pricing/public/quotes?partnerApiKey=00000000-0000-4000-8000-7472616e7361&fiatCurrency=EUR&cryptoCurrency=BTC&network=mainnet&isBuyOrSell=BUY&fiatAmount=',
    '&paymentMethod=credit_debit_card&quoteCountryCode=DE',
  ],
  mercuryo: [
    '/api/v1.6/widget/buy/rate?from=EUR&to=BTC&amount=',
    '&network=BITCOIN&widget_id=7d1c5b4e-2f60-4c1a-9d3e-5a0b6c7d8e9f',
  ],
};

/** Path and query of a provider's quote for one amount: byte for byte what the service sends. */
export function questionTo(provider: number, amount: string): string {
  const [before, after] = QUESTIONS[kindOf(provider)];
  return `/${nameOf(provider)}${before}${amount}${after}`;
}

/** One quote as the baselines write it. */
export interface PlainQuote {
  ramp: string;
  payout: number;
}

interface Answers {
  moonpay: { quoteCurrencyAmount: number };
  transak: { response: { cryptoAmount: number } };
  mercuryo: { data: { amount: string } };
}

const PAYOUTS: { [K in Kind]: (answer: Answers[K]) => number } = {
  moonpay: answer => answer.quoteCurrencyAmount,
  transak: answer => answer.response.cryptoAmount,
  mercuryo: answer => Number(answer.data.amount),
};

/** Reads a parsed answer; throws when it has no payout. */
export function readPayout(provider: number, answer: unknown): PlainQuote {
  const payout = (PAYOUTS[kindOf(provider)] as (answer: unknown) => number)(answer);
  if (!(payout > 0)) throw new Error('no payout');
  return { ramp: nameOf(provider), payout };
}

/** What a client asks; `n` is how many providers a baseline asks, the service knows its own. */
export function clientPath(cents: number, providers: number): string {
  return `/quotes/eur/btc?amount=${(cents / 100).toFixed(2)}&n=${providers}`;
}

/** Reads what `clientPath` wrote, cheaply. */
export function readClientPath(path: string): { amount: string; providers: number } {
  const and = path.indexOf('&n=');
  return { amount: path.slice(path.indexOf('amount=') + 7, and), providers: Number(path.slice(and + 3)) };
}

/** How many quotes an answer holds. */
export function countQuotes({ body }: Reply): number {
  let count = 0;
  for (let at = body.indexOf('"payout":'); at >= 0; at = body.indexOf('"payout":', at + 9)) count++;
  return count;
}
