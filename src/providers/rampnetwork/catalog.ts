/** Ramp Network's catalog: assets by chain, and which payment and payout methods take which money where. */
import type { Limits } from '../../domain/listing.ts';
import { type Amount, ZERO } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import type { TheirAsset, TheirFiat, TheirListing, TheirMethod } from '../contract.ts';
import { amountIfAny, type Context, isSameWord, readable, readEntries, type Work } from '../exchange.ts';
import { inSeries } from '../series.ts';
import { fromSmallest } from './units.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

/** Limits are stated in one currency a call, so they are asked for in those that most people pay in. */
const LIMITS_IN = ['EUR', 'USD', 'GBP'] as const;

interface Lists {
  configs: readonly wire.AssetsConfig[];
  currencies: readonly wire.Currency[];
  methods: readonly wire.Method[];
}

/** The older list of countries with their assets is not asked for: it may be gone, and all would be gone with it. */
export function catalog({ settings: { hostApiKey } }: Context): Work<TheirListing[]> {
  const list = (path: string, currencyCode?: string) =>
    ({
      method: 'GET',
      host: 'api',
      path: `/host-api/v3/${path}`,
      query: { currencyCode, hostApiKey },
    }) as const;
  return inSeries(
    [
      ...['currencies', 'payment-methods', 'payout-methods'].map(path => list(path)),
      list('offramp/assets', LIMITS_IN[0]),
      ...LIMITS_IN.map(code => list('assets', code)),
    ],
    ([money, ins, outs, sold, ...bought]) => {
      const currencies = readEntries(money, wire.readCurrency);
      const configs = bought.map(wire.readAssets);
      return [
        ...listings('buy', { configs, currencies, methods: readEntries(ins, wire.readMethod) }),
        ...listings('sell', {
          configs: [wire.readAssets(sold)],
          currencies,
          methods: readEntries(outs, wire.readMethod),
        }),
      ];
    },
  );
}

/** A block for all assets of the same limits: those of all, or narrower ones that an asset has of its own. */
function listings(side: Side, { configs, currencies, methods }: Lists): TheirListing[] {
  const open = currencies.filter(one => (side === 'buy' ? one.onrampAvailable : one.offrampAvailable));
  const narrowed = configs.map(narrow);
  return alike(narrowed).map(({ assets, limits }) => ({
    side,
    countries: [...new Set(methods.flatMap(countriesOf))],
    assets: readable(assets, coin => asset(side, coin)).flat(),
    fiats: open
      .map(({ fiatCurrency }) => fiatOf(fiatCurrency, limits, methods))
      .filter(fiat => fiat.methods.length > 0),
  }));
}

/** An asset of theirs, with the limits of its own as figures. */
type Coin = wire.AssetInfo & { own: Limits };

function coinOf(entry: unknown): Coin {
  const info = wire.readAsset(entry);
  return { ...info, own: { min: bound(info.minPurchaseAmount), max: bound(info.maxPurchaseAmount) } };
}

/** What one call says: its assets by code, and the limits of each in its currency. */
interface Narrowed {
  currency: string;
  assets: ReadonlyMap<string, Coin>;
  limitsOf(code: string): Limits;
}

function narrow({ assets: entries, currencyCode, ...all }: wire.AssetsConfig): Narrowed {
  const assets = new Map(readEntries(entries, coinOf).map(coin => [codeOf(coin), coin]));
  return {
    currency: currencyCode,
    assets,
    limitsOf(code) {
      const coin = assets.get(code);
      const own = isSameWord(coin?.currencyCode ?? '', currencyCode) ? coin?.own : undefined;
      return {
        min: own?.min ?? bound(all.minPurchaseAmount),
        max: own?.max ?? bound(all.maxPurchaseAmount),
      };
    },
  };
}

interface Alike {
  assets: Coin[];
  /** By currency. */
  limits: ReadonlyMap<string, Limits>;
}

/** The assets of the first call, those with the same limits in every currency together. */
function alike(narrowed: readonly Narrowed[]): Alike[] {
  const groups = new Map<string, Alike>();
  for (const [code, coin] of narrowed[0]?.assets ?? []) {
    const limits = new Map(
      narrowed.map(({ currency, limitsOf }) => [currency.toUpperCase(), limitsOf(code)]),
    );
    const key = [...limits.values()].map(({ min, max }) => `${min} ${max}`).join();
    const group = groups.get(key) ?? { assets: [], limits };
    group.assets.push(coin);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function countriesOf({ countries }: wire.Method): string[] {
  return countries.map(code => code.toUpperCase());
}

/** As nothing or one: what is switched off, or is a token without a contract, is left out. */
function asset(side: Side, info: wire.AssetInfo): TheirAsset[] {
  if (info.enabled === false || info.hidden === true) return [];
  const contract = info.address || undefined;
  const isNative = info.type === 'NATIVE';
  if (!isNative && !contract) return [];
  return [
    {
      code: codeOf(info),
      symbol: (isNative && words.RENAMED[info.symbol]) || info.symbol,
      network: info.chain,
      contract: isNative ? undefined : contract,
      // On a buy it is the least money in coins, before the fees: less than that is received for it.
      min: side === 'sell' ? leastCoins(info) : undefined,
    },
  ];
}

/** "CHAIN_SYMBOL", everywhere but in the lists. */
export function codeOf({ chain, symbol }: wire.AssetInfo): string {
  return `${chain}_${symbol}`;
}

export function leastCoins({ minPurchaseCryptoAmount: least, decimals }: wire.AssetInfo): Amount | undefined {
  return bound(least && fromSmallest(least, decimals).toString());
}

function fiatOf(code: string, limits: Alike['limits'], methods: readonly wire.Method[]): TheirFiat {
  const taking = methods.filter(({ currencies }) => currencies.includes(code));
  return {
    code,
    methods: taking.map(
      (one): TheirMethod => ({ code: one.name, ...limits.get(code), onlyIn: countriesOf(one) }),
    ),
  };
}

/** −1 stands for a limit that is stated elsewhere, and 0 for none. */
export function bound(text: string | null | undefined): Amount | undefined {
  const value = amountIfAny(text);
  return value?.gt(ZERO) ? value : undefined;
}
