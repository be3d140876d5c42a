/** Quotes, looked at by whoever asked for them: they come in time, add up, and none is absurd beside honest ones. */
import type { Reply } from './client.ts';
import { DEADLINE_MS } from './instance.ts';
import type { Journal } from './journal.ts';
import { slowestIn } from './machine/network.ts';

export interface Quote {
  ramp: string;
  quoteId: string;
  rate?: number;
  networkFee?: number;
  transactionFee?: number;
  payout?: number;
}

const SLACK_MS = 20;
/** What a coin costs, about, in the market of the stand-ins. */
const USUAL_RATE = 88_000;

export function methodOf(side: 'buy' | 'sell'): string {
  return side === 'buy' ? 'creditcard' : 'sepabanktransfer';
}

/** P6: the parts of a quote add up, and none is absurd beside honest ones. */
export function checkQuotes(
  quotes: readonly Quote[],
  { side, amount }: { side: 'buy' | 'sell'; amount: number },
  journal: Journal,
): void {
  const priced = quotes.filter(({ payout }) => payout !== undefined);
  journal.reach('quotes looked at', priced.length);
  for (const { ramp, rate = 0, networkFee = 0, transactionFee = 0, payout = 0 } of priced) {
    const fees = networkFee + transactionFee;
    const due = side === 'buy' ? (amount - fees) / rate : amount * rate - fees;
    if (!(Math.abs(due - payout) <= 0.02 * Math.abs(due)) || payout <= 0)
      journal.violate('P6', `${ramp}: ${payout} is not what ${amount} at ${rate} less ${fees} comes to`);
    const isAbsurd = rate > USUAL_RATE * 2 || rate < USUAL_RATE / 2;
    if (isAbsurd && priced.length > 2) journal.violate('P6', `${ramp} shows a rate of ${rate} among others`);
  }
}

/** P7: an answer comes by the deadline, and the way there and back, once to connect and once to ask. */
export function checkTime({ ms }: Reply, journal: Journal): void {
  const slack = SLACK_MS + 4 * slowestIn(ms);
  if (ms > DEADLINE_MS + slack) journal.violate('P7', `quotes came after ${ms.toFixed(0)} ms`);
}
