/** The check: whether quotes can be shown to somebody, by rules of its own; none of the service's code is used. */

/** The figures of a quote. */
export interface Figures {
  rate: number;
  networkFee: number;
  transactionFee: number;
  payout: number;
}

export interface Shown extends Figures {
  ramp: string;
  recommendations: string[];
}

/** Rounding of the payout to its eighth place, and of the rate. */
const TOLERANCE = 1e-4;
const PLACES = 1e-8;

/** What is wrong with an answer as a whole; the quotes in it otherwise. */
export function readBoard(text: string): Shown[] | string {
  const board = parse(text);
  if (!Array.isArray(board)) return 'no list';
  const priced = board.filter(entry => entry && typeof entry === 'object' && !('errors' in entry)) as Shown[];
  const isSorted = priced.every((quote, at) => at === 0 || quote.payout <= (priced[at - 1] as Shown).payout);
  if (!isSorted) return 'not the best one first';
  const isBadged = priced.every((quote, at) => quote.recommendations?.includes('BestPrice') === (at === 0));
  return isBadged ? priced : 'the badge of the best price is not where it should be';
}

/** What is wrong with a quote for an amount; undefined when nothing is. */
export function flawOf(quote: Shown & Record<string, unknown>, amount: number): string | undefined {
  const { rate, networkFee, transactionFee, payout, quoteId, paymentMethod } = quote;
  const figures = [rate, networkFee, transactionFee, payout];
  if (!figures.every(figure => typeof figure === 'number' && Number.isFinite(figure))) return 'no figures';
  if (rate <= 0 || payout <= 0 || networkFee < 0 || transactionFee < 0) return 'not above zero';
  if (networkFee + transactionFee >= amount) return 'fees beyond the amount';
  const due = (amount - networkFee - transactionFee) / rate;
  if (Math.abs(payout - due) > due * TOLERANCE + PLACES) return `pays out ${payout} instead of ${due}`;
  if (typeof quoteId !== 'string' || quoteId.length < 8 || quoteId.length > 128) return 'no id';
  return paymentMethod === 'creditcard' ? undefined : 'another payment method';
}

/** A provider may leave out how its fees are made up; beyond this share of the amount that is noticed. */
const FEES_SHARE = 0.01;

/** Whether a quote is the true one: to the last place of what is paid out, and but for how its fees are told apart. */
export function isTrue(quote: Figures, truth: Figures): boolean {
  return quote.payout === truth.payout && Math.abs(quote.rate / truth.rate - 1) <= FEES_SHARE;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
