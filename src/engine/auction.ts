/** The auction: every provider that fits is asked at once, under one deadline; each gives one outcome. */
import { destinationLimits, type Found, type Limits, sourceLimits, within } from '../domain/listing.ts';
import { type Amount, decimal, largest, median, smallest } from '../domain/money.ts';
import {
  type Ask,
  absurdOffers,
  type Decline,
  decline,
  limitDecline,
  type Offer,
  type Outcome,
  type Price,
  type Priced,
  plausibly,
  priceOffer,
} from '../domain/offer.ts';
import type { Environment, ProviderId } from '../domain/words.ts';
import type { NativeAsk } from '../providers/contract.ts';
import { BadAnswer, type HttpAnswer } from '../providers/exchange.ts';
import { type Doubt, knownLimits, limitsBehind, receivedBounds, sourceLimitsAt, sourceOf } from './bounds.ts';
import { createDeadline, type Deadline } from './deadline.ts';
import { gather } from './gather.ts';
import type { Line } from './line.ts';
import { type Asker, type Quoter, withoutRepeats } from './questions.ts';
import { createRateMemory, type RateMemory } from './rates.ts';
import { solve } from './solve.ts';
import { Upstream } from './upstream.ts';

/** A provider that lists what is asked for, with its own words for it. */
export interface Bidder {
  line: Line;
  found: Found;
}

export type OutcomeKind = 'offer' | 'decline' | 'skipped' | 'absurd' | Upstream['kind'];

export interface AuctionOptions {
  now(): number;
  /** A clock that only goes forward, for everything that is waited for. */
  ticks(): number;
  deadlineMs: number;
  /** Told how each provider did, for metrics. */
  observe(provider: ProviderId, kind: OutcomeKind, milliseconds: number): void;
}

export interface Auction {
  /** Asks all bidders. Never throws, never takes longer than what is left of the deadline. */
  run(ask: Ask, bidders: readonly Bidder[], wish?: AuctionWish): Promise<Outcome[]>;
}

export interface AuctionWish {
  /** Hears each outcome as it comes. */
  onOutcome?(outcome: Outcome): void;
  /** Whether it is the price of an order: quotes leave those their part of what a provider allows. */
  isForOrder?: boolean;
  /** How long it had to wait for its turn: the deadline is that of whoever asks, who has waited that long already. */
  waitedMs?: number;
}

/** What all questions of one round have in common. */
interface Round {
  deadline: Deadline;
  isForOrder: boolean;
  /** Whether so little time was left that being late is nobody's fault. */
  isShort: boolean;
}

const QUOTE_BODY_LIMIT = 64 * 1024;
const PROBE_DEADLINE_MS = 5_000;
/** The part of the deadline that is left to providers however long a round has waited. */
const LEAST_LEFT = 0.5;
/** The part that a provider must have had before it is blamed for being late. */
const FAIR = 0.75;

export function createAuction(options: AuctionOptions): Auction {
  const { now, ticks, observe, deadlineMs } = options;
  /** Apart: what a sandbox asks for a coin is often made up. */
  const rates: Record<Environment, RateMemory> = {
    test: createRateMemory(ticks),
    live: createRateMemory(ticks),
  };
  let serial = 0;

  /** All who are asked at once are of one environment. */
  function usualOf([first]: readonly Bidder[]): RateMemory {
    return rates[first?.line.environment ?? 'live'];
  }

  /** Asks one provider, and tells its health how it went. Calls back once, by the deadline. */
  function bid(ask: Ask, bidder: Bidder, round: Round, onAnswer: OnAnswer): void {
    const { line } = bidder;
    const began = performance.now();
    const put = asker(bidder, round);
    const questions = ask.amountOf === 'source' ? undefined : withoutRepeats(put);

    function end(kind: OutcomeKind, answer: Offer | Decline): void {
      observe(line.adapter.manifest.id, kind, performance.now() - began);
      onAnswer(answer);
    }

    function fail(error: unknown): void {
      const kind = error instanceof Upstream ? error.kind : 'garbage';
      // Where one question after the other took too long, it was not the provider that was silent.
      if (kind === 'late' && questions?.hasAnswered()) line.health.succeeded();
      else if (kind !== 'late' || !round.isShort) line.health.failed(error, ticks());
      end(kind, unavailable(kind));
    }

    function hear(answer: Price | Decline): void {
      let offer: Offer | Decline;
      try {
        offer = isDecline(answer) ? answer : checked(ask, bidder, answer);
      } catch (error) {
        return void fail(error);
      }
      line.health.succeeded();
      if (offer.kind === 'offer' || !questions) return void end(offer.kind, offer);
      measured(ask, offer, { ...bidder, ...questions }).then(refusal => end('decline', refusal), fail);
    }

    if (questions) price(ask, { ...bidder, ...questions }).then(hear, fail);
    else put(ask, { done: hear, fail });
  }

  /** Has one provider asked in its own words. */
  function asker({ line, found }: Bidder, { deadline, isForOrder }: Round): Asker {
    const { adapter } = line;
    const native = {
      fiat: found.fiat.native,
      asset: found.asset.native,
      network: found.asset.network,
      method: found.method.native,
    };
    return (exact, ends) => {
      const asked = inWords(exact, native);
      const options = {
        deadline,
        bodyLimit: QUOTE_BODY_LIMIT,
        id: `q${++serial}`,
        harmless: true,
        alike: true,
        modest: !isForOrder,
        decline: (answer: HttpAnswer) => adapter.decline?.(answer, asked),
      };
      line.ask(context => adapter.quote(asked, context), options, ends);
    };
  }

  /** Where what is to be received is known, its price takes several questions, or one. */
  function price(ask: Ask, { line, found, quote }: Bidder & { quote: Quoter }): Promise<Price | Decline> {
    if (line.adapter.manifest.pricesDestination.includes(ask.side)) return quote(ask);
    const limits = sourceLimits(ask.side, found);
    const rate = rates[line.environment].of(ask)?.rate;
    const { places } = ask.side === 'buy' ? found.fiat : found.asset;
    return solve({ ask, limits, places, guess: guessSource(ask, limits, rate), isBlind: !rate, quote });
  }

  /** Believes a price, or says why not; the limits on what comes out can only be held against a price. */
  function checked(ask: Ask, { line, found }: Bidder, price: Price): Offer | Decline {
    const offer = priceOffer(ask, price, line.adapter.manifest.kyc);
    if (typeof offer === 'string') return excused(ask, { line, found }, { price, flaw: offer });
    const allowed =
      within(offer.pays, sourceLimits(ask.side, found)) &&
      within(offer.gets, destinationLimits(ask.side, found));
    if (!allowed) return limitDecline(sourceOf(ask).code, sourceLimitsAt(ask, found, offer));
    // Not later than now, or no moment at all.
    if (offer.validUntil !== undefined && !(offer.validUntil > now()))
      throw new BadAnswer('the price has run out');
    return offer;
  }

  /** A price that is not believed is a refusal where the amount was too small for one, and else nonsense. */
  function excused(ask: Ask, { line, found }: Bidder, doubt: Omit<Doubt, 'rate'>): Decline {
    const rate = rates[line.environment].of(ask)?.rate;
    const limits = limitsBehind(ask, found, { ...doubt, rate });
    if (!limits) throw new BadAnswer(`unbelievable: ${doubt.flaw}`);
    return limitDecline(sourceOf(ask).code, limits);
  }

  /** A refusal for an amount to be received, with its bound in what is received; whatever goes wrong, the refusal stands. */
  async function measured(
    ask: Ask,
    refusal: Decline,
    { line, found, quote }: Bidder & { quote: Quoter },
  ): Promise<Decline> {
    if (refusal.reason !== 'limit') return refusal;
    const rate = rates[line.environment].of(ask)?.rate;
    const limits = knownLimits(ask, found, { stated: refusal.limits, rate });
    const learned = await receivedBounds({ ask, limits, rate, quote }).catch((): Limits => ({}));
    const listed = destinationLimits(ask.side, found);
    return {
      ...refusal,
      received: { min: largest(listed.min, learned.min), max: smallest(listed.max, learned.max) },
    };
  }

  /** One bidder's outcome: from its limits, its health, or itself. */
  function settle(ask: Ask, bidder: Bidder, round: Round, onAnswer: OnAnswer): void {
    const early = refuseEarly(ask, bidder);
    if (early) return void onAnswer(early);
    const admission = bidder.line.health.admit(ticks());
    if (admission === 'go') return void bid(ask, bidder, round, onAnswer);
    if (admission === 'probe') probe(ask, bidder);
    observe(bidder.line.adapter.manifest.id, 'skipped', 0);
    onAnswer(unavailable('skipped'));
  }

  /** Nobody waits for a probe: the person who happens to come by gets the other quotes without delay. */
  function probe(ask: Ask, bidder: Bidder): void {
    const deadline = createDeadline(PROBE_DEADLINE_MS);
    bid(ask, bidder, { deadline, isForOrder: false, isShort: false }, deadline.clear);
  }

  /** Takes out what cannot be true, and remembers the middle of what can. */
  function sift(ask: Ask, bidders: readonly Bidder[], outcomes: Outcome[]): Outcome[] {
    const usual = usualOf(bidders);
    const offers = outcomes.filter(isPriced);
    const absurd = new Set<Outcome>(absurdOffers(ask.side, offers, usual.of(ask)));
    const believed = offers.filter(offer => !absurd.has(offer)).map(offer => offer.answer.rate);
    const middle = median(believed);
    if (middle) usual.remember(ask, { rate: middle, backing: believed.length });
    if (absurd.size === 0) return outcomes;
    for (const { provider } of absurd) observe(provider, 'absurd', 0);
    return outcomes.map(outcome => (absurd.has(outcome) ? disbelieved(outcome) : outcome));
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
      const round = { deadline, isForOrder, isShort: left < deadlineMs * FAIR };
      const announced = announcer(ask, bidders);
      try {
        const outcomes = await gather<Bidder, Outcome>(bidders, (bidder, done, fail) =>
          settle(ask, bidder, round, answer => {
            const outcome = { provider: bidder.line.adapter.manifest.id, answer };
            try {
              onOutcome?.(announced(outcome));
              done(outcome);
            } catch (error) {
              fail(error);
            }
          }),
        );
        return complete(ask, bidders, sift(ask, bidders, outcomes));
      } finally {
        deadline.clear();
      }
    },
  };
}

type OnAnswer = (answer: Offer | Decline) => void;

export function isPriced(outcome: Outcome): outcome is Priced {
  return outcome.answer.kind === 'offer';
}

/** An ask with the provider's words; written out, because this happens for every provider in every quote. */
function inWords(ask: Ask, native: NativeAsk['native']): NativeAsk {
  const { side, fiat, asset, method, country, state, amount, amountOf, walletAddress } = ask;
  return { side, fiat, asset, method, country, state, amount, amountOf, walletAddress, native };
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

/** Where solving begins: at the usual rate of the pair, or somewhere within the limits. */
function guessSource(ask: Ask, limits: Limits, usualRate: Amount | undefined): Amount {
  if (usualRate) return ask.side === 'buy' ? ask.amount.times(usualRate) : ask.amount.div(usualRate);
  return limits.min?.times(2) ?? limits.max?.div(2) ?? decimal(ask.side === 'buy' ? 100 : 1);
}

function isDecline(answer: Price | Decline): answer is Decline {
  return 'kind' in answer && answer.kind === 'decline';
}

function unavailable(kind: OutcomeKind): Decline {
  const messages: Partial<Record<OutcomeKind, string>> = {
    late: 'The provider did not answer in time',
    skipped: 'The provider is not answering at the moment',
    limited: 'The provider is busy at the moment',
    busy: 'The provider is busy at the moment',
    absurd: 'The provider gave an answer that cannot be right',
    garbage: 'The provider gave an answer that cannot be used',
  };
  const message = messages[kind] ?? 'The provider could not be reached';
  return { ...decline('unavailable', message), cause: causeOf(kind) };
}

function causeOf(kind: OutcomeKind): NonNullable<Decline['cause']> {
  if (kind === 'late') return 'late';
  return kind === 'skipped' || kind === 'limited' || kind === 'busy' ? 'busy' : 'broken';
}

function disbelieved({ provider }: Outcome): Outcome {
  return { provider, answer: unavailable('absurd') };
}
