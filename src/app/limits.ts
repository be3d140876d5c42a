/** Limits: how often each caller may ask, for as many callers as are worth remembering. */
import { LRUCache } from 'lru-cache';
import { type Budget, createBudget } from '../engine/budget.ts';

export interface Limit {
  /** What a caller may ask at once, having been silent for as long as `seconds`. */
  burst: number;
  seconds: number;
  /** Takes one from what a caller has left; false when there is none, and that costs a little of what it gets next. */
  take(caller: string): boolean;
}

/** A page loads many things at once, and then none for a while. */
const BURST_SECONDS = 2;
/** What it costs to refuse, of what a quote costs: whoever does not wait pays for that, and not everybody else. */
const REFUSAL_COST = 0.05;
/** The one not heard of for longest is forgotten first: by then it has all it may have again, or others are in need of it. */
const MOST_CALLERS = 10_000;

/** `ticks` is a clock that only goes forward, in milliseconds. */
export function createLimit(perSecond: number, ticks: () => number): Limit {
  const burst = perSecond * BURST_SECONDS;
  const budgets = new LRUCache<string, Budget>({ max: MOST_CALLERS });
  return {
    burst,
    seconds: BURST_SECONDS,
    take(caller) {
      let budget = budgets.get(caller);
      if (!budget) {
        budget = createBudget(perSecond, burst);
        budgets.set(caller, budget);
      }
      if (budget.take(ticks())) return true;
      budget.pay(REFUSAL_COST);
      return false;
    },
  };
}
