/** Rates: what every gateway says to one wish, the best first, each with the first step towards it. */
import type { Currencies } from '../domain/currency.ts';
import { findListed } from '../domain/listing.ts';
import { type Amount, decimal, largest, median, raise } from '../domain/money.ts';
import {
  type Ask,
  type Decline,
  limitDecline,
  type Offer,
  type Outcome,
  type Priced,
} from '../domain/offer.ts';
import { rank } from '../domain/rank.ts';
import type { CountryCode, FiatId, MethodId, ProviderId } from '../domain/words.ts';
import { type Account, mayUse } from './accounts.ts';
import type { Caller } from './crowd.ts';
import type { Turn } from './flow-turns.ts';
import type { Flows, FlowTerms } from './flows.ts';
import type { Place } from './gateways.ts';
import type { Listings } from './listings.ts';
import type { Quotes } from './quotes.ts';

export interface RateWish {
  account: Account;
  /** Whose share of the rounds it takes from. */
  caller?: Caller | undefined;
  ask: Omit<Ask, 'country'>;
  place: Place;
  /** Where the caller is; with all countries together it comes first. */
  located: CountryCode | undefined;
  /** The only gateway that is asked. */
  gateway: ProviderId | undefined;
  /** The least that an order must be worth, in euros. */
  minEuros: Amount | undefined;
  wallet: FlowTerms['wallet'];
}

/** What one gateway says, and what it was asked. */
export interface Rate {
  provider: ProviderId;
  ask: Ask;
  answer: Offer | Decline;
  /** The first step; of offers only. */
  turn: Turn | undefined;
}

export interface Rates {
  /** One for each gateway of the account: offers first, the best of them first. Nothing is made or kept. */
  list(wish: RateWish): Promise<Rate[]>;
}

export interface RatesOptions {
  currencies: Currencies;
  listings: Listings;
  quotes: Quotes;
  flows: Pick<Flows, 'offer'>;
}

const EURO = 'eur' as FiatId;
/** What euros are measured by: an order that hardly anybody refuses. */
const YARDSTICK = { amount: decimal(100), method: 'creditcard' as MethodId };
const ANYWHERE = 'DE' as CountryCode;

/** An outcome, and what was asked. */
type Told = Outcome & { ask: Ask };

export function createRates({ currencies, listings, quotes, flows }: RatesOptions): Rates {
  async function askIn({ account, caller }: Pick<RateWish, 'account' | 'caller'>, ask: Ask): Promise<Told[]> {
    const { quotes: offers, refusals } = await quotes.ask({ account, caller, ask, clientName: undefined });
    return [...offers, ...refusals].map(({ provider, answer }) => ({ provider, answer, ask }));
  }

  /** All countries together means: each gateway in a country where it sells this at all. */
  async function askAnywhere({ account, caller, ask, located }: RateWish): Promise<Told[]> {
    const wanted = { ...ask, fiat: ask.fiat.id, asset: ask.asset.id };
    const candidates = candidatesFor(ask, located);
    const unread = listings.unread(account.environment).map(line => ({ line, listings: [] }));
    const asked = new Map<CountryCode, ProviderId[]>();
    for (const { line, listings: listed } of [...listings.of(account.environment), ...unread]) {
      const { id } = line.adapter.manifest;
      if (!mayUse(account, id)) continue;
      const isSoldIn = (country: CountryCode) =>
        typeof findListed(listed, { ...wanted, country }) !== 'string';
      const country = candidates.find(isSoldIn) ?? candidates[0] ?? ANYWHERE;
      asked.set(country, [...(asked.get(country) ?? []), id]);
    }
    const rounds = [...asked].map(([country, providers]) =>
      askIn({ account: { ...account, providers }, caller }, { ...ask, country }),
    );
    return (await Promise.all(rounds)).flat();
  }

  /** The caller's own country, then those where the fiat is at home, then all others. */
  function candidatesFor({ fiat }: RateWish['ask'], located: CountryCode | undefined): CountryCode[] {
    const all = [...currencies.countries.values()];
    const home = all.filter(({ currency }) => currency === fiat.code);
    const codes = [...home, ...all].map(({ code }) => code);
    return [...new Set(located ? [located, ...codes] : codes)];
  }

  /**
   * Euros for one unit of the asset, by what it costs in euros just now. We know no rates between fiats, so this is the
   * only measure there is; where the asset is not sold for euros the least amount in euros means nothing to us.
   */
  async function eurosPerUnit(wish: RateWish): Promise<Amount | undefined> {
    const { ask, place, located, minEuros } = wish;
    const fiat = currencies.fiats.get(EURO);
    if (!minEuros || !fiat || ask.fiat.id === EURO) return undefined;
    const country = place === 'all' ? (located ?? ANYWHERE) : place;
    const { side, asset } = ask;
    const told = await askIn(wish, { side, asset, fiat, country, amountOf: 'source', ...YARDSTICK });
    return usualRate(told);
  }

  /** The rate for an amount that somebody takes who refused the one that was asked about. */
  async function rateNearby(wish: RateWish, told: readonly Told[]): Promise<Amount | undefined> {
    for (const { ask, answer } of told) {
      const amount = answer.kind === 'decline' && (answer.limits?.min ?? answer.limits?.max);
      if (amount) return usualRate(await askIn(wish, { ...ask, amount, amountOf: 'source' }));
    }
    return undefined;
  }

  const withStep = ({ provider, ask, answer }: Told, { account, wallet }: RateWish): Rate => ({
    provider,
    ask,
    answer,
    turn:
      answer.kind === 'offer' ? flows.offer(termsOf({ provider, ask, answer }, account, wallet)) : undefined,
  });

  return {
    async list(wish) {
      const { ask, place, gateway, minEuros } = wish;
      const own = gateway ? { ...wish, account: narrowed(wish.account, gateway) } : wish;
      const [told, euros] = await Promise.all([
        place === 'all' ? askAnywhere(own) : askIn(own, { ...ask, country: place }),
        eurosPerUnit(wish),
      ]);
      const rate = minEuros && (usualRate(told) ?? (await rateNearby(wish, told)));
      const least = minEuros && leastFiat(minEuros, { fiat: ask.fiat, euros, rate });
      const judged = least ? told.map(one => withLeast(one, least, rate)) : told;
      return inOrder(judged, ask.amountOf).map(one => withStep(one, wish));
    },
  };
}

function isOffered(told: Told): told is Told & Priced {
  return told.answer.kind === 'offer';
}

function narrowed(account: Account, gateway: ProviderId): Account {
  return { ...account, providers: mayUse(account, gateway) ? [gateway] : [] };
}

/** The best offer first, then the refusals. */
function inOrder(told: readonly Told[], fixed: Ask['amountOf']): Told[] {
  const ranked = rank(told.filter(isOffered), { fixed, scores: new Map() }).map(({ provider }) => provider);
  const placeOf = ({ provider, answer }: Told) =>
    answer.kind === 'offer' ? ranked.indexOf(provider) : ranked.length;
  return [...told].sort((a, b) => placeOf(a) - placeOf(b));
}

/** The middle of what the offers have for one unit of the asset. */
function usualRate(told: readonly Told[]): Amount | undefined {
  return median(told.filter(isOffered).map(({ answer }) => answer.rate));
}

/** So many euros in the fiat that is paid with; undefined where that cannot be told. */
function leastFiat(
  minEuros: Amount,
  { fiat, euros, rate }: { fiat: Ask['fiat']; euros: Amount | undefined; rate: Amount | undefined },
): Amount | undefined {
  if (fiat.id === EURO) return raise(minEuros, fiat.decimals);
  return euros && rate && raise(minEuros.times(rate).div(euros), fiat.decimals);
}

/** Refuses as too little what is worth less than the caller wants orders to be, whoever would take it. */
function withLeast(told: Told, least: Amount, usual: Amount | undefined): Told {
  const { ask, answer } = told;
  const isOffer = answer.kind === 'offer';
  const rate = isOffer ? answer.rate : usual;
  // Fees are left out of account, which makes it a little more than needed and never too little.
  const coins = rate && raise(least.div(rate), ask.asset.decimals);
  if (isOffer ? handedOver(ask, answer).gte(least) : !isTooLittle(answer, ask, { least, coins })) return told;
  const { limits, received } = isOffer ? {} : answer;
  const refusal = limitDecline(ask.fiat.code, { ...limits, min: largest(limits?.min, least) });
  return { ...told, answer: { ...refusal, received: { ...received, min: largest(received?.min, coins) } } };
}

/** Whether what was refused for its amount is less than that, too; what was too much is not. */
function isTooLittle(
  { reason, limits, received }: Decline,
  { amount, amountOf }: Ask,
  { least, coins }: { least: Amount; coins: Amount | undefined },
): boolean {
  const [bound, max] = amountOf === 'source' ? [least, limits?.max] : [coins, received?.max];
  return reason === 'limit' && bound !== undefined && amount.lt(bound) && !(max && amount.gt(max));
}

/** What is handed over for the offer; some take a little less than was asked for. */
function handedOver({ amount, amountOf }: Ask, { pays }: Offer): Amount {
  return amountOf === 'source' ? amount : pays;
}

function termsOf(
  { provider, ask, answer }: Priced & { ask: Ask },
  account: Account,
  wallet: RateWish['wallet'],
): FlowTerms {
  const { side, fiat, asset, method, country, state } = ask;
  const { gets, networkFee, providerFee } = answer;
  return {
    ...{ account, provider, side, fiat, asset, method, country, state, wallet },
    amount: handedOver(ask, answer),
    price: { gets, networkFee, providerFee },
  };
}
