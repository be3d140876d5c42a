/** The auction: every provider that fits is asked at once, under one deadline; each gives one outcome. */
import { sourceLimits, within } from '../domain/listing.ts';
import {
  type Ask,
  agreedOn,
  type Decline,
  decline,
  limitDecline,
  type Outcome,
  type Priced,
  plausibly,
  siftOffers,
} from '../domain/offer.ts';
import type { Environment } from '../domain/words.ts';
import { Bid, type House, type Round, unavailable } from './bid.ts';
import { knownLimits, sourceOf } from './bounds.ts';
import type { Terms } from './chain.ts';
import { createDeadline, type Deadline } from './deadline.ts';
import type { Bidder } from './questions.ts';
import { createRateMemory, type RateMemory } from './rates.ts';

export interface AuctionOptions extends Omit<House, 'rates'> {
  deadlineMs: number;
}

export interface Auction {
  /** Asks all bidders. Never throws, never takes longer than what is left of the deadline. */
  run(ask: Ask, bidders: readonly Bidder[], wish?: AuctionWish): Promise<Outcome[]>;
}

export interface AuctionWish {
  /** Hears each outcome as it comes, by its bidder's place. */
  onOutcome?(outcome: Outcome, at: number): void;
  /** Whether it is the price of an order: quotes leave those their part of what a provider allows. */
  isForOrder?: boolean;
  /** How long it had to wait for its turn: the deadline is that of whoever asks, who has waited that long already. */
  waitedMs?: number;
}

const QUOTE_BODY_LIMIT = 64 * 1024;
const PROBE_DEADLINE_MS = 5_000;
/** The part of the deadline that is left to providers however long a round has waited. */
const LEAST_LEFT = 0.5;
/** The part that a provider must have had before it is blamed for being late. */
const FAIR = 0.75;

export function createAuction({ deadlineMs, ...options }: AuctionOptions): Auction {
  const { ticks, observe } = options;
  /** Apart: what a sandbox asks for a coin is often made up. */
  const rates: Record<Environment, RateMemory> = {
    test: createRateMemory(ticks),
    live: createRateMemory(ticks),
  };
  const house: House = { ...options, rates };

  /** All who are asked at once are of one environment. */
  function usualOf([first]: readonly Bidder[]): RateMemory {
    return rates[first?.line.environment ?? 'live'];
  }

  /** One bidder's answer: from its limits, its health, or itself. */
  function settle(round: Round, bidder: Bidder, at: number): void {
    const early = refuseEarly(round.ask, bidder);
    if (early) return void round.hear(at, bidder, early);
    const began = ticks();
    const admission = bidder.line.health.admit(began);
    if (admission === 'go') return void new Bid(house, round, bidder, at).begin(began);
    if (admission === 'probe') probe(round.ask, bidder, began);
    observe(bidder.line.adapter.manifest.id, 'skipped', 0);
    round.hear(at, bidder, unavailable('skipped'));
  }

  /** Nobody waits for a probe: the person who happens to come by gets the other quotes without delay. */
  function probe(ask: Ask, bidder: Bidder, began: number): void {
    const deadline = createDeadline(PROBE_DEADLINE_MS);
    const round = { ask, terms: termsOf(deadline, true), isShort: false, hear: deadline.clear };
    new Bid(house, round, bidder, 0).begin(began);
  }

  /** What comes of each bidder, in their order, by one promise for all of them. */
  function gather(bidders: readonly Bidder[], begin: (hear: Round['hear']) => Round, tell: Tell) {
    return new Promise<Outcome[]>((resolve, reject) => {
      const outcomes = new Array<Outcome>(bidders.length);
      let left = bidders.length;
      if (left === 0) resolve(outcomes);
      const round = begin((at, { line }, answer) => {
        const outcome = { provider: line.adapter.manifest.id, answer };
        try {
          tell(outcome, at);
        } catch (error) {
          reject(error);
        }
        outcomes[at] = outcome;
        if (--left === 0) resolve(outcomes);
      });
      for (let at = 0; at < bidders.length; at++) settle(round, bidders[at] as Bidder, at);
    });
  }

  /** Takes out what cannot be true, and remembers the middle of what can. */
  function sift(ask: Ask, bidders: readonly Bidder[], outcomes: Outcome[]): Outcome[] {
    const usual = usualOf(bidders);
    const { absurd, believed } = siftOffers(ask.side, outcomes.filter(isPriced), usual.of(ask));
    const agreed = agreedOn(believed);
    if (agreed) usual.remember(ask, agreed);
    if (absurd.length === 0) return outcomes;
    for (const { provider } of absurd) observe(provider, 'absurd', 0);
    const isAbsurd = new Set<Outcome>(absurd);
    return outcomes.map(outcome => (isAbsurd.has(outcome) ? disbelieved(outcome) : outcome));
  }

  /** Refusals for the amount, with all the limits we know by now: a provider often names but one, or none. */
  function complete(ask: Ask, bidders: readonly Bidder[], outcomes: Outcome[]): Outcome[] {
    return outcomes.map((outcome, at) => {
      const { provider, answer } = outcome;
      const found = bidders[at]?.found;
      if (answer.kind !== 'decline' || answer.reason !== 'limit' || !found) return outcome;
      const rate = usualOf(bidders).of(ask)?.rate;
      const limits = knownLimits(ask, found, { stated: answer.limits, rate });
      // Limits that would have let it through are not what it was refused for.
      const letThrough = ask.amountOf === 'source' && within(ask.amount, limits);
      if (letThrough || (!limits.min && !limits.max)) return outcome;
      const told = limitDecline(sourceOf(ask).code, limits);
      return { provider, answer: answer.received ? { ...told, received: answer.received } : told };
    });
  }

  /** What those who listen are told at once: the others are not in yet, so the usual rate alone is the measure. */
  function announcer(ask: Ask, bidders: readonly Bidder[]): (outcome: Outcome) => Outcome {
    const rate = usualOf(bidders).of(ask)?.rate;
    if (!rate) return outcome => outcome;
    const isHonest = plausibly(rate);
    return outcome => (isPriced(outcome) && !isHonest(outcome.answer.rate) ? disbelieved(outcome) : outcome);
  }

  return {
    async run(ask, bidders, { onOutcome, isForOrder = false, waitedMs = 0 } = {}) {
      const left = Math.max(deadlineMs - waitedMs, deadlineMs * LEAST_LEFT);
      const deadline = createDeadline(left);
      const terms = termsOf(deadline, !isForOrder);
      const isShort = left < deadlineMs * FAIR;
      const announced = announcer(ask, bidders);
      try {
        const begin = (hear: Round['hear']) => ({ ask, terms, isShort, hear });
        const outcomes = await gather(bidders, begin, (outcome, at) => onOutcome?.(announced(outcome), at));
        return complete(ask, bidders, sift(ask, bidders, outcomes));
      } finally {
        deadline.clear();
      }
    },
  };
}

type Tell = (outcome: Outcome, at: number) => void;

/** How every question is asked. */
function termsOf(deadline: Deadline, modest: boolean): Terms {
  return { deadline, bodyLimit: QUOTE_BODY_LIMIT, harmless: true, modest, alike: true };
}

export function isPriced(outcome: Outcome): outcome is Priced {
  return outcome.answer.kind === 'offer';
}

/** An amount that is finer than those that are taken, or outside the listed limits, needs no question. */
function refuseEarly(ask: Ask, { line, found }: Bidder): Decline | undefined {
  const isTold = ask.amountOf === 'source' || line.adapter.manifest.pricesDestination.includes(ask.side);
  const isMoney = (ask.amountOf === 'source') === (ask.side === 'buy');
  const [{ code }, { places }] = isMoney ? [ask.fiat, found.fiat] : [ask.asset, found.asset];
  if (isTold && places !== undefined && ask.amount.decimalPlaces() > places)
    return decline('refused', `Amounts of ${code} are taken with at most ${places} decimal places`);
  if (ask.amountOf === 'destination') return undefined;
  const limits = sourceLimits(ask.side, found);
  return within(ask.amount, limits) ? undefined : limitDecline(sourceOf(ask).code, limits);
}

function disbelieved({ provider }: Outcome): Outcome {
  return { provider, answer: unavailable('absurd') };
}
