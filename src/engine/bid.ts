/** A bid: one provider is asked for its price, and what it says is believed, or turned into a refusal. */
import { destinationLimits, type Limits, sourceLimits, within } from '../domain/listing.ts';
import { type Amount, decimal, largest, smallest } from '../domain/money.ts';
import {
  type Ask,
  type Decline,
  decline,
  limitDecline,
  type Offer,
  type Price,
  priceOffer,
} from '../domain/offer.ts';
import type { Environment, ProviderId } from '../domain/words.ts';
import { BadAnswer } from '../providers/exchange.ts';
import { type Doubt, knownLimits, limitsBehind, receivedBounds, sourceLimitsAt, sourceOf } from './bounds.ts';
import type { Terms } from './chain.ts';
import type { Ends } from './ends.ts';
import { type Bidder, put, type Questions, type Quoter, withoutRepeats } from './questions.ts';
import type { RateMemory } from './rates.ts';
import { solve } from './solve.ts';
import { Upstream } from './upstream.ts';

export type OutcomeKind = 'offer' | 'decline' | 'skipped' | 'absurd' | Upstream['kind'];

/** What all bids have in common. */
export interface House {
  now(): number;
  /** A clock that only goes forward, for everything that is waited for. */
  ticks(): number;
  /** Told how each provider did, for metrics. */
  observe(provider: ProviderId, kind: OutcomeKind, milliseconds: number): void;
  rates: Readonly<Record<Environment, RateMemory>>;
}

/** What those of one round have. */
export interface Round {
  ask: Ask;
  terms: Terms;
  /** Whether so little time was left that being late is nobody's fault. */
  isShort: boolean;
  /** Told what came of each bid, once, by the deadline. */
  hear(at: number, bidder: Bidder, answer: Offer | Decline): void;
}

/** A class, as a quote makes many. */
export class Bid implements Ends<Price | Decline> {
  readonly #house: House;
  readonly #round: Round;
  readonly #bidder: Bidder;
  /** Its place in the round. */
  readonly #at: number;
  #began = 0;
  #questions: Questions | undefined = undefined;

  constructor(house: House, round: Round, bidder: Bidder, at: number) {
    this.#house = house;
    this.#round = round;
    this.#bidder = bidder;
    this.#at = at;
  }

  begin(ticks: number): void {
    const { ask, terms } = this.#round;
    this.#began = ticks;
    if (ask.amountOf === 'source') return void put(this.#bidder, ask, terms, this);
    const questions = withoutRepeats(this.#bidder, terms);
    this.#questions = questions;
    this.#price(questions.quote).then(
      answer => this.done(answer),
      error => this.fail(error),
    );
  }

  /** It has answered. */
  done(answer: Price | Decline): void {
    let offer: Offer | Decline;
    try {
      offer = isDecline(answer) ? answer : this.#checked(answer);
    } catch (error) {
      return void this.fail(error);
    }
    this.#bidder.line.health.succeeded();
    if (offer.kind === 'offer' || !this.#questions) return void this.#end(offer.kind, offer);
    this.#measured(offer, this.#questions.quote).then(
      refusal => this.#end('decline', refusal),
      error => this.fail(error),
    );
  }

  fail(error: unknown): void {
    const { health } = this.#bidder.line;
    const kind = error instanceof Upstream ? error.kind : 'garbage';
    // Where one question after the other took too long, it was not the provider that was silent.
    if (kind === 'late' && this.#questions?.hasAnswered()) health.succeeded();
    else if (kind !== 'late' || !this.#round.isShort) health.failed(error, this.#house.ticks());
    this.#end(kind, unavailable(kind));
  }

  #end(kind: OutcomeKind, answer: Offer | Decline): void {
    const { id } = this.#bidder.line.adapter.manifest;
    this.#house.observe(id, kind, this.#house.ticks() - this.#began);
    this.#round.hear(this.#at, this.#bidder, answer);
  }

  #usualRate(): Amount | undefined {
    return this.#house.rates[this.#bidder.line.environment].of(this.#round.ask)?.rate;
  }

  /** Where what is to be received is known, its price takes several questions, or one. */
  #price(quote: Quoter): Promise<Price | Decline> {
    const { line, found } = this.#bidder;
    const { ask } = this.#round;
    if (line.adapter.manifest.pricesDestination.includes(ask.side)) return quote(ask);
    const limits = sourceLimits(ask.side, found);
    const rate = this.#usualRate();
    const { places } = ask.side === 'buy' ? found.fiat : found.asset;
    return solve({ ask, limits, places, guess: guessSource(ask, limits, rate), isBlind: !rate, quote });
  }

  /** Believes a price, or says why not; the limits on what comes out can only be held against a price. */
  #checked(price: Price): Offer | Decline {
    const { line, found } = this.#bidder;
    const { ask } = this.#round;
    const offer = priceOffer(ask, price, line.adapter.manifest.kyc);
    if (typeof offer === 'string') return this.#excused({ price, flaw: offer });
    const allowed =
      within(offer.pays, sourceLimits(ask.side, found)) &&
      within(offer.gets, destinationLimits(ask.side, found));
    if (!allowed) return limitDecline(sourceOf(ask).code, sourceLimitsAt(ask, found, offer));
    // Not later than now, or no moment at all.
    if (offer.validUntil !== undefined && !(offer.validUntil > this.#house.now()))
      throw new BadAnswer('the price has run out');
    return offer;
  }

  /** A price that is not believed is a refusal where the amount was too small for one, and else nonsense. */
  #excused(doubt: Omit<Doubt, 'rate'>): Decline {
    const { ask } = this.#round;
    const limits = limitsBehind(ask, this.#bidder.found, { ...doubt, rate: this.#usualRate() });
    if (!limits) throw new BadAnswer(`unbelievable: ${doubt.flaw}`);
    return limitDecline(sourceOf(ask).code, limits);
  }

  /** A refusal for an amount to be received, with its bound in what is received; whatever goes wrong, the refusal stands. */
  async #measured(refusal: Decline, quote: Quoter): Promise<Decline> {
    if (refusal.reason !== 'limit') return refusal;
    const { found } = this.#bidder;
    const { ask } = this.#round;
    const rate = this.#usualRate();
    const limits = knownLimits(ask, found, { stated: refusal.limits, rate });
    const learned = await receivedBounds({ ask, limits, rate, quote }).catch((): Limits => ({}));
    const listed = destinationLimits(ask.side, found);
    return {
      ...refusal,
      received: { min: largest(listed.min, learned.min), max: smallest(listed.max, learned.max) },
    };
  }
}

/** Where solving begins: at the usual rate of the pair, or somewhere within the limits. */
function guessSource(ask: Ask, limits: Limits, usualRate: Amount | undefined): Amount {
  if (usualRate) return ask.side === 'buy' ? ask.amount.times(usualRate) : ask.amount.div(usualRate);
  return limits.min?.times(2) ?? limits.max?.div(2) ?? decimal(ask.side === 'buy' ? 100 : 1);
}

function isDecline(answer: Price | Decline): answer is Decline {
  return 'kind' in answer && answer.kind === 'decline';
}

/** How a provider that gave no answer, or none to be believed, is told of. */
export function unavailable(kind: OutcomeKind): Decline {
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
