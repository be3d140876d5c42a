/** Quotes: one ask, every provider that fits, one ranked board. Equal asks share one round of questions. */
import { findListed, type Miss } from '../domain/listing.ts';
import { type Ask, type Decline, type Declined, decline, type Offer, type Outcome } from '../domain/offer.ts';
import { type Ranked, rank } from '../domain/rank.ts';
import { member, type ProviderId } from '../domain/words.ts';
import { type Auction, isPriced } from '../engine/auction.ts';
import type { Bidder } from '../engine/questions.ts';
import { type Account, mayUse, reachOf } from './accounts.ts';
import type { Caller, Crowd } from './crowd.ts';
import type { Listings } from './listings.ts';
import type { QuoteIds } from './quote-ids.ts';
import { createReuse } from './reuse.ts';
import type { Scores } from './scores.ts';

export interface QuoteRequest {
  account: Account;
  /** Whose share of the rounds it takes from: the account's, unless many share that. */
  caller?: Caller | undefined;
  ask: Ask;
  clientName: string | undefined;
}

export type Quote = Ranked & { quoteId: string };
export type Refusal = Declined & { quoteId: string };

/** All that came of an ask: offers in their order, and who declined and why. */
export interface Board {
  quotes: Quote[];
  refusals: Refusal[];
}

export interface Quotes {
  /** Never later than the deadline, whatever providers do. */
  ask(request: QuoteRequest): Promise<Board>;
  /** What one provider says to the ask of somebody who orders. */
  askOne(request: QuoteRequest, provider: ProviderId): Promise<Outcome>;
  /** The same, telling each outcome as its provider answers. */
  follow(request: QuoteRequest, onOutcome: (outcome: Outcome) => void): Promise<Board>;
}

export interface QuotesOptions {
  listings: Listings;
  auction: Auction;
  scores: Scores;
  ids: QuoteIds;
  crowd: Crowd;
  /** Told of each provider that was left out because too many questions to it are under way. */
  observe(provider: ProviderId, kind: 'busy', milliseconds: number): void;
  now(): number;
  /** A clock that only goes forward, in milliseconds. */
  ticks(): number;
}

/** How long an answer serves equal asks after it was complete, and how many are kept for that. */
const REUSE_MS = 2_000;
const MOST_REUSED = 32;
const QUOTE_LIFE_MS = 600_000;
const BUSY = 'The provider is busy at the moment';
const UNREAD = 'The provider has not told yet what it offers';

/** One round of questions, and what it has brought so far. */
interface Round {
  outcomes: Outcome[];
  followers: Set<(outcome: Outcome) => void>;
  done: Promise<Outcome[]>;
}

export function createQuotes(options: QuotesOptions): Quotes {
  const { listings, auction, scores, ids, crowd, observe, now, ticks } = options;
  const underWay = new Map<string, { round: Round | undefined }>();
  const complete = createReuse<Round>({ most: MOST_REUSED, forMs: REUSE_MS, ticks });

  function join(request: QuoteRequest): Round {
    const key = roundKey(request.account, request.ask);
    const known = underWay.get(key)?.round ?? complete.find(key);
    if (known) return known;
    const round = begin(request);
    const place: { round: Round | undefined } = { round };
    underWay.set(key, place);
    const isOver = () => {
      underWay.delete(key);
      // The table may remember the place for long.
      place.round = undefined;
      complete.keep(key, round);
    };
    round.done.then(isOver, isOver);
    return round;
  }

  function begin({ account, ask, caller }: QuoteRequest): Round {
    const { bidders, misses } = invite(account, ask);
    const place = crowd.enter(caller ?? { id: account.id, perSecond: 0, reach: reachOf(account) }, bidders);
    const known = [...misses, ...place.busy.map(leaveOut)];
    const round: Round = { outcomes: [...known], followers: new Set(), done: Promise.resolve(known) };
    const run = (waitedMs: number) =>
      auction.run(ask, place.asked, {
        waitedMs,
        onOutcome(outcome, at) {
          place.answered(outcome, at);
          round.outcomes.push(outcome);
          for (const follow of round.followers) tell(round, follow, outcome);
        },
      });
    round.done = place
      .begin(run)
      .then(outcomes => [...known, ...outcomes])
      .finally(place.leave);
    return round;
  }

  /** One who is asked too much already need not be waited for. */
  function leaveOut({ line }: Bidder): Outcome {
    const { id } = line.adapter.manifest;
    observe(id, 'busy', 0);
    return { provider: id, answer: { ...decline('unavailable', BUSY), cause: 'busy' } };
  }

  /** Who is asked, and who need not be. */
  function invite(account: Account, ask: Ask): { bidders: Bidder[]; misses: Outcome[] } {
    const { side, method, country, state } = ask;
    const wanted = { side, fiat: ask.fiat.id, asset: ask.asset.id, method, country, state };
    const bidders: Bidder[] = [];
    const misses: Outcome[] = [];
    for (const { line, listings: listed } of listings.of(account.environment)) {
      const { id } = line.adapter.manifest;
      if (!mayUse(account, id)) continue;
      const found = findListed(listed, wanted);
      if (typeof found === 'string') misses.push({ provider: id, answer: missed(found, ask) });
      else bidders.push({ line, found });
    }
    for (const { adapter } of listings.unread(account.environment)) {
      const { id } = adapter.manifest;
      if (mayUse(account, id)) misses.push({ provider: id, answer: decline('unavailable', UNREAD) });
    }
    return { bidders, misses };
  }

  function arrange({ account, ask, clientName }: QuoteRequest, outcomes: readonly Outcome[]): Board {
    const { environment, preferred } = account;
    const { side, country, method, fiat, asset } = ask;
    const matter = { account: account.id, side, fiat: fiat.id, asset: asset.id, method };
    const issue = ids.issuer(matter, now() + QUOTE_LIFE_MS);
    const idOf = (provider: ProviderId, price?: Offer) => {
      // A checkout names what is handed over, whichever of the two was asked for.
      const amount = price && ask.amountOf === 'destination' ? price.pays : ask.amount;
      return issue({ provider, amount, price });
    };
    const ranked = rank(outcomes.filter(isPriced), {
      fixed: ask.amountOf,
      scores: scores.of({ environment, side, country, method }),
      preferred: member(preferred, clientName ?? '*') ?? member(preferred, '*'),
    });
    return {
      quotes: ranked.map(({ provider, answer, recommendations }) => ({
        provider,
        answer,
        recommendations,
        quoteId: idOf(provider, answer),
      })),
      refusals: outcomes.filter(isDeclined).map(refusal => ({ ...refusal, quoteId: idOf(refusal.provider) })),
    };
  }

  return {
    async ask(request) {
      return arrange(request, await join(request).done);
    },
    async askOne({ account, ask }, provider) {
      const { bidders, misses } = invite({ ...account, providers: [provider] }, ask);
      const [outcome] = [...misses, ...(await auction.run(ask, bidders, { isForOrder: true }))];
      return outcome ?? { provider, answer: decline('unavailable', 'The provider is not available') };
    },
    async follow(request, onOutcome) {
      const round = join(request);
      for (const outcome of round.outcomes) onOutcome(outcome);
      round.followers.add(onOutcome);
      try {
        return arrange(request, await round.done);
      } finally {
        round.followers.delete(onOutcome);
      }
    },
  };
}

/** One who cannot listen is left out; the others' answers do not depend on it. */
function tell(round: Round, follow: (outcome: Outcome) => void, outcome: Outcome): void {
  try {
    follow(outcome);
  } catch {
    round.followers.delete(follow);
  }
}

function isDeclined(outcome: Outcome): outcome is Declined {
  return outcome.answer.kind === 'decline';
}

/** Equal keys, equal questions: the account matters only by which providers it may use. */
function roundKey(account: Account, ask: Ask): string {
  return `${account.environment}|${account.providers?.join(',') ?? '*'}|${placeOf(ask)}|${ask.walletAddress ?? ''}|${askKey(ask)}`;
}

function askKey({ side, fiat, asset, method, amount, amountOf }: Ask): string {
  return `${side}|${fiat.id}|${asset.id}|${method}|${amountOf}|${amount.toString()}`;
}

/** Why a provider that does not list it is not asked. */
export function missed(
  miss: Miss,
  ask: Pick<Ask, 'side' | 'asset' | 'fiat' | 'country' | 'state' | 'method'>,
): Decline {
  const pair = `${ask.asset.id} with ${ask.fiat.code}`;
  const messages: Record<Miss, string> = {
    pair: `${ask.side === 'buy' ? 'Buying' : 'Selling'} ${pair} is not supported`,
    country: `${pair} is not available in ${placeOf(ask)}`,
    method: `Payment method ${ask.method} is not available for ${pair} in ${ask.country}`,
  };
  return decline(miss, messages[miss]);
}

function placeOf({ country, state }: Pick<Ask, 'country' | 'state'>): string {
  return state === undefined ? country : `${country}-${state}`;
}
