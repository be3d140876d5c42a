/** Every adapter with its stand-in: a payout costs what brings it, for thousands of random asks, and listed limits hold. */
import { beforeAll, describe, expect, it } from 'vitest';
import { askBy } from '../../test/bidders.ts';
import { pick, type Random, seeded } from '../../test/seeded.ts';
import { makeWorld, market, NOW, perform } from '../../test/standins.ts';
import { translate } from '../app/listings.ts';
import { destinationLimits, type Found, type Limits, type Listing, sourceLimits } from '../domain/listing.ts';
import { type Amount, cut, decimal, largest, raise, smallest } from '../domain/money.ts';
import type { Ask, Decline, Offer } from '../domain/offer.ts';
import type { AssetId, CountryCode, FiatId, MethodId, Side } from '../domain/words.ts';
import { currencies } from '../main.ts';
import { type Registered, registry } from '../providers/registry.ts';
import { createAuction } from './auction.ts';
import { createHealth } from './health.ts';
import type { Line } from './line.ts';

/** Of each provider: together more than ten thousand, and a few of the other side. */
const BUYS = Math.ceil(10_000 / registry.length);
const SELLS = 60;
const world = makeWorld();

/** A line that leads to the stand-in without a network. */
function lineTo(registered: Registered): Line {
  const { adapter, standin } = registered;
  const run: Line['run'] = async (work, { decline }) =>
    perform(registered, { work, settings: standin.settings, decline, world });
  return {
    ...{ adapter, environment: 'test', health: createHealth() },
    run,
    ask: askBy(run),
    ...{ prove: async () => false, pageOrigin: () => '', isOwnPage: () => false, close: async () => {} },
  };
}

interface Drawn {
  ask: Ask;
  found: Found;
}

/** Something listed, in a country where it may be had; the amount is yet to be said. */
function place(
  random: Random,
  listing: Listing,
  ids: [AssetId, FiatId, MethodId],
): (Drawn & { price: Amount; euro: Amount }) | undefined {
  const [asset, fiat] = [listing.assets.get(ids[0]), listing.fiats.get(ids[1])];
  const method = fiat?.methods.get(ids[2]);
  const ours = { asset: currencies.assets.get(ids[0]), fiat: currencies.fiats.get(ids[1]) };
  if (!asset || !fiat || !method || !ours.asset || !ours.fiat) return undefined;
  const all = method.onlyIn ?? listing.countries ?? new Set(['DE' as CountryCode]);
  const open = [...all].filter(code => listing.countries?.has(code) !== false && !asset.notIn?.has(code));
  const price = market.price(ours.asset, ours.fiat.code);
  const euro = market.perEuro(ours.fiat.code);
  if (open.length === 0 || !price || !euro) return undefined;
  const ask: Ask = {
    ...{
      side: listing.side,
      fiat: ours.fiat,
      asset: ours.asset,
      method: ids[2],
      country: pick(random, open),
    },
    ...{ amount: decimal(1), amountOf: 'source' },
  };
  return { ask, found: { asset, fiat, method }, price, euro };
}

/** A purchase or a sale of something listed, within the listed limits. */
function draw(random: Random, listings: readonly Listing[]): Drawn | undefined {
  const listing = pick(random, listings);
  const [fiatId, { methods }] = pick(random, listing.fiats);
  const placed = place(random, listing, [
    pick(random, listing.assets.keys()),
    fiatId,
    pick(random, methods.keys()),
  ]);
  if (!placed) return undefined;
  const { ask, found, price, euro } = placed;
  const worth = euro.times(20 + random(3_000)).plus(euro.times(random(1_000)).div(1_000));
  const money = inside(worth, found.method);
  const amount =
    ask.side === 'buy'
      ? cut(money, ask.fiat.decimals)
      : cut(inside(inside(money.times('1.1'), found.method).div(price), found.asset), places(ask));
  return { ask: { ...ask, amount }, found };
}

function inside(amount: Amount, { min, max }: Limits): Amount {
  return smallest(largest(amount, min?.times('1.02')), max?.times('0.98')) ?? amount;
}

/** Of what is handed over; nobody can hand over less than the eighteenth place. */
function places({ side, fiat, asset }: Ask): number {
  return side === 'buy' ? fiat.decimals : Math.min(asset.decimals, 18);
}

/** One smallest unit of either currency, in what is handed over: the finer one cannot be told apart in the other. */
function unitOf({ side, fiat, asset }: Ask, { rate }: Offer): Amount {
  const [money, coin] = [decimal(`1e-${fiat.decimals}`), decimal(`1e-${asset.decimals}`)];
  return side === 'buy' ? money.plus(coin.times(rate)) : money.div(rate).plus(coin);
}

/** A provider as the auction knows it. */
async function meet(registered: Registered) {
  const { adapter } = registered;
  const line = lineTo(registered);
  const terms = { deadline: {} as never, bodyLimit: 0, id: 'q' };
  const auction = createAuction({ now: () => NOW, ticks: () => NOW, deadlineMs: 60_000, observe: () => {} });
  const listed = await line.run(context => adapter.catalog(context), terms);
  return {
    random: seeded(adapter.manifest.id.length + adapter.manifest.id.charCodeAt(0)),
    listings: translate(listed, adapter.manifest, currencies).filter(
      ({ assets, fiats }) => assets.size > 0 && fiats.size > 0,
    ),
    async ask(ask: Ask, found: Found): Promise<Offer | Decline | undefined> {
      const [outcome] = await auction.run(ask, [{ line, found }]);
      return outcome?.answer;
    },
  };
}

type Met = Awaited<ReturnType<typeof meet>>;

interface Trip {
  ask: Ask;
  /** What an amount brought. */
  there: Offer;
  /** What so much costs, when it is asked for. */
  back: Offer | Decline | undefined;
  /** What that brings. */
  again: Offer | Decline | undefined;
}

/** Goes there and back through a provider, as often as is asked for. */
async function journey(met: Met, side: Side, asks: number): Promise<Trip[]> {
  const listings = met.listings.filter(listing => listing.side === side);
  const trips: Trip[] = [];
  for (let tries = 0; trips.length < asks && tries < asks * 3; tries++) {
    const drawn = draw(met.random, listings);
    const there = drawn && (await met.ask(drawn.ask, drawn.found));
    if (!drawn || there?.kind !== 'offer') continue;
    const { ask, found } = drawn;
    const back = await met.ask({ ...ask, amount: there.gets, amountOf: 'destination' }, found);
    const isOther = back?.kind === 'offer' && !back.pays.eq(there.pays);
    const again = isOther ? await met.ask({ ...ask, amount: back.pays }, found) : there;
    trips.push({ ask, there, back, again });
  }
  return trips;
}

function flawOf({ ask, there, back, again }: Trip): string | undefined {
  const { side, asset, fiat, amount } = ask;
  const say = (what: string) => `${side} ${there.gets} of ${asset.id}/${fiat.code} for ${amount}: ${what}`;
  if (back?.kind !== 'offer') return say(`${back?.message}`);
  if (again?.kind !== 'offer') return say(`${back.pays} cannot be paid`);
  const isSame = back.pays.minus(there.pays).abs().lte(unitOf(ask, there)) || again.gets.eq(there.gets);
  return isSame ? undefined : say(`costs ${back.pays}, which brings ${again.gets}`);
}

type End = keyof Limits;

/** The bounds of a method as somebody may ask for them: what is paid on a buy, what is paid out on a sell. */
function atLimits({ ask, found, price }: Drawn & { price: Amount }): [End, Ask][] {
  const isBuy = ask.side === 'buy';
  const { min, max } = (isBuy ? sourceLimits : destinationLimits)(ask.side, found);
  // A payout is met as exactly as coins can be counted, and providers know eight places of them.
  const most = isBuy ? max : max?.minus(price.times('1e-8'));
  const asks: [End, Amount | undefined][] = [
    ['min', min && raise(min, ask.fiat.decimals)],
    ['max', most && cut(most, ask.fiat.decimals)],
  ];
  const amountOf = isBuy ? 'source' : 'destination';
  return asks.flatMap(([end, amount]) => (amount ? [[end, { ...ask, amount, amountOf }]] : []));
}

/** What is wrong with an answer at a limit; where the coin's own is narrower, it must be stated, and hold. */
async function strain(met: Met, [end, ask]: [End, Ask], found: Found): Promise<string | undefined> {
  const say = (what: string) => `${ask.side} ${ask.amount} of ${ask.asset.id}/${ask.fiat.code}: ${what}`;
  const answer = await met.ask(ask, found);
  if (answer?.kind === 'offer') return undefined;
  const bound = answer?.[ask.side === 'buy' ? 'limits' : 'received']?.[end];
  const isNarrower = bound && (end === 'min' ? bound.gt(ask.amount) : bound.lt(ask.amount));
  if (!(found.asset.min || found.asset.max) || !isNarrower) return say(`${answer?.message}`);
  const again = await met.ask({ ...ask, amount: bound }, found);
  return again?.kind === 'offer' ? undefined : say(`${bound} was stated and is refused`);
}

/** As many as a provider's methods need, and no more than there is time for. */
const MOST_PLACES = 120;

/** Every method of every fiat with some coin, as far as there is time. */
function placesOf({ random, listings }: Met, side: Side) {
  const all = listings
    .filter(listing => listing.side === side)
    .flatMap(listing =>
      [...listing.fiats].flatMap(([fiat, { methods }]) =>
        [...methods.keys()].map(method => ({ listing, fiat, method })),
      ),
    );
  const step = Math.max(1, all.length / MOST_PLACES);
  const some = Array.from({ length: Math.floor(all.length / step) }, (_, at) => all[Math.floor(at * step)]);
  return some.flatMap(one => {
    if (!one) return [];
    return place(random, one.listing, [pick(random, one.listing.assets.keys()), one.fiat, one.method]) ?? [];
  });
}

describe.each(registry.map(registered => [registered.adapter.manifest.id, registered] as const))(
  '%s',
  (_id, registered) => {
    const { sides } = registered.adapter.manifest;
    let met: Met;
    beforeAll(async () => {
      met = await meet(registered);
    });

    it.each(sides)('costs for an exact payout what brings it, to one smallest unit (%s)', async side => {
      const asks = side === 'buy' ? BUYS : SELLS;
      const trips = await journey(met, side, asks);
      expect(trips).toHaveLength(asks);
      expect(trips.flatMap(trip => flawOf(trip) ?? []).slice(0, 10)).toEqual([]);
    });

    it.each(sides)('prices what lies at the listed limits of its methods (%s)', async side => {
      const wrong: string[] = [];
      for (const placed of placesOf(met, side)) {
        const { ask, found, price, euro } = placed;
        const asks = atLimits(placed);
        if (asks.length === 0) continue;
        // The usual rate of a pair is known from what is asked before.
        const usual = inside(euro.times(300), found.method);
        await met.ask({ ...ask, amount: cut(side === 'buy' ? usual : usual.div(price), places(ask)) }, found);
        for (const one of asks) wrong.push(...[(await strain(met, one, found)) ?? []].flat());
      }
      expect(wrong.slice(0, 10)).toEqual([]);
    });
  },
);
