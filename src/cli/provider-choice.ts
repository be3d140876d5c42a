/** What to try a provider with: the likeliest thing that it lists, where it is sold, and a modest amount of it. */
import type { Currencies } from '../domain/currency.ts';
import { type Found, isBarred, type Limits, type Listing, sourceLimits } from '../domain/listing.ts';
import { type Amount, cut, decimal } from '../domain/money.ts';
import type { AssetId, CountryCode, FiatId, MethodId, Side, StateCode } from '../domain/words.ts';
import type { NativeAsk } from '../providers/contract.ts';

export interface ChoiceOptions {
  currencies: Currencies;
  /** Where an operator wants it tried. */
  country: CountryCode | undefined;
  /** Fiat for one unit of the asset, where it is known by now. */
  rate?: Amount | undefined;
}

const ASSETS = ['btc_bitcoin', 'eth_ethereum', 'usdc_ethereum', 'sol_solana'] as AssetId[];
const FIATS = ['eur', 'usd', 'gbp'] as FiatId[];
const METHODS = ['creditcard', 'debitcard', 'sepabanktransfer', 'banktransfer'] as MethodId[];
const COUNTRIES = ['DE', 'US', 'GB', 'FR'] as CountryCode[];
const STATE = 'CA' as StateCode;
const MODEST = decimal(100);
/** For a sell whose price nobody has told: about as much. */
const MODEST_COINS: Readonly<Record<string, string>> = { btc_bitcoin: '0.002', eth_ethereum: '0.04' };

/** An ask for the side; undefined when nothing is listed on it. */
export function chooseAsk(
  listings: readonly Listing[],
  side: Side,
  options: ChoiceOptions,
): NativeAsk | undefined {
  for (const wanted of [...ASSETS, undefined]) {
    for (const listing of listings) {
      const ask = listing.side === side ? askIn(listing, wanted, options) : undefined;
      if (ask) return ask;
    }
  }
  return undefined;
}

function askIn(
  listing: Listing,
  wanted: AssetId | undefined,
  { currencies, country, rate }: ChoiceOptions,
): NativeAsk | undefined {
  const assetId = wanted ?? [...listing.assets.keys()][0];
  const [fiatId] = first(listing.fiats.keys(), FIATS);
  const listed = assetId && listing.assets.get(assetId);
  const fiatListed = fiatId && listing.fiats.get(fiatId);
  if (!listed || !fiatListed) return undefined;
  const [method] = first(fiatListed.methods.keys(), METHODS);
  const methodListed = method && fiatListed.methods.get(method);
  const [asset, fiat] = [currencies.assets.get(assetId), currencies.fiats.get(fiatId)];
  if (!methodListed || !asset || !fiat) return undefined;
  const served = methodListed.onlyIn ?? listing.countries ?? new Set(COUNTRIES);
  const open = [...served].filter(code => !isBarred(listed, { country: code }));
  const [place] = first(open, [...(country ? [country] : []), ...COUNTRIES]);
  if (!place) return undefined;
  const found: Found = { asset: listed, fiat: fiatListed, method: methodListed };
  return {
    ...{ side: listing.side, fiat, asset, method, country: place, amountOf: 'source' },
    state: place === 'US' ? STATE : undefined,
    amount: modest(listing.side, sourceLimits(listing.side, found), { asset, fiat, rate }),
    native: {
      fiat: fiatListed.native,
      asset: listed.native,
      network: listed.network,
      method: methodListed.native,
    },
  };
}

/** Those that are preferred, in that order, and then the others. */
function first<T>(all: Iterable<T>, preferred: readonly T[]): T[] {
  const rest = [...all];
  return [...preferred.filter(one => rest.includes(one)), ...rest];
}

/** About a hundred euros or dollars, or what the limits allow nearest to that. */
function modest(
  side: Side,
  { min, max }: Limits,
  { asset, fiat, rate }: Pick<NativeAsk, 'asset' | 'fiat'> & { rate: Amount | undefined },
): Amount {
  const coins = rate ? MODEST.div(rate, 3) : decimal(MODEST_COINS[asset.id] ?? 50);
  const aim = side === 'buy' ? MODEST : coins;
  const least = min ? min.times('1.5') : aim;
  const wanted = aim.lt(least) ? least : aim;
  return cut(max && wanted.gt(max) ? max : wanted, Math.min((side === 'buy' ? fiat : asset).decimals, 8));
}
