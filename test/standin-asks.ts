/** Random asks of what a provider lists, put to its stand-in through its adapter. */
import { translate } from '../src/app/listings.ts';
import type { ListedAsset, ListedMethod, Listing } from '../src/domain/listing.ts';
import { type Amount, cut, largest, raise, significant, smallest } from '../src/domain/money.ts';
import type { Decline, Price } from '../src/domain/offer.ts';
import type { AssetId, CountryCode, FiatId, MethodId } from '../src/domain/words.ts';
import { currencies } from '../src/main.ts';
import type { NativeAsk } from '../src/providers/contract.ts';
import type { Registered } from '../src/providers/registry.ts';
import { pick, type Random } from './seeded.ts';
import { market, perform, type Settings } from './standins.ts';

/** What a provider lists and quotes, in its words and in ours. */
export function questionsTo(registered: Registered) {
  const { adapter, standin } = registered;
  const catalog = () =>
    perform(registered, { work: context => adapter.catalog(context), settings: standin.settings });
  return {
    catalog,
    listings: () => translate(catalog(), adapter.manifest, currencies),
    quote: (ask: NativeAsk, settings: Settings = standin.settings) =>
      perform<Price | Decline>(registered, {
        work: context => adapter.quote(ask, context),
        settings,
        decline: answer => adapter.decline?.(answer, ask),
      }),
  };
}

/** Something listed, with a country where it may be had; undefined when there is none. */
export function draw(random: Random, listings: readonly Listing[]): NativeAsk | undefined {
  const listing = pick(random, listings);
  const [assetId, listedAsset] = pick(random, listing.assets);
  const [fiatId, listedFiat] = pick(random, listing.fiats);
  const [method, listedMethod] = pick(random, listedFiat.methods);
  const country = countryFor(random, listing, { asset: listedAsset, method: listedMethod });
  const asset = currencies.assets.get(assetId as AssetId);
  const fiat = currencies.fiats.get(fiatId as FiatId);
  const price = asset && fiat && market.price(asset, fiat.code);
  const euro = fiat && market.perEuro(fiat.code);
  if (!country || !asset || !fiat || !price || !euro) return undefined;

  const least = listedMethod.min ?? euro.times(40);
  const most = smallest(listedMethod.max, euro.times(2_000)) ?? least;
  const worth = largest(least.times('1.1'), euro.times(20 + random(1_500))) ?? least;
  const held = worth.gt(most) ? most : worth;
  const coins = significant(raise(held.times('1.1').div(price), asset.decimals), 7);
  // Large sums are asked for in whole units and many coins in hundredths, which is all that some providers take.
  const fixed =
    listing.side === 'buy'
      ? cut(held, held.gte(1_000) ? 0 : fiat.decimals)
      : within(coins.gte(10) ? cut(coins, 2) : coins, listedAsset, asset.decimals);
  return {
    ...{ side: listing.side, fiat, asset, method: method as MethodId, country, amountOf: 'source' },
    amount: fixed,
    native: {
      fiat: listedFiat.native,
      asset: listedAsset.native,
      network: listedAsset.network,
      method: listedMethod.native,
    },
  };
}

/** An ask within the limits that a decline states; undefined when it was no such decline. */
export function correct(ask: NativeAsk, answer: Price | Decline): NativeAsk | undefined {
  if (!('kind' in answer) || answer.reason !== 'limit' || !answer.limits) return undefined;
  const amount = smallest(largest(ask.amount, answer.limits.min), answer.limits.max) ?? ask.amount;
  return { ...ask, amount };
}

function within(amount: Amount, { min, max }: ListedAsset, places: number): Amount {
  const held = smallest(largest(amount, min), max) ?? amount;
  return raise(held, places);
}

function countryFor(
  random: Random,
  listing: Listing,
  { asset, method }: { asset: ListedAsset; method: ListedMethod },
): CountryCode | undefined {
  const all = method.onlyIn ?? listing.countries ?? new Set(['DE' as CountryCode]);
  const open = [...all].filter(code => listing.countries?.has(code) !== false && !asset.notIn?.has(code));
  return open.length ? pick(random, open) : undefined;
}
