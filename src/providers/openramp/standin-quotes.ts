/** The stand-in's catalog and quotes: one price for a quote and for the order that follows it. */
import type { Asset, Fiat } from '../../domain/currency.ts';
import type { Limits } from '../../domain/listing.ts';
import {
  type Amount,
  cut,
  decimal,
  largest,
  raise,
  readDecimal,
  significant,
  ZERO,
} from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import { wire } from '../exchange.ts';
import type { Deal, Means } from '../hosted.ts';
import { isNative, iso } from '../standin-kit.ts';
import type { StandinAnswer, StandinRequest, World } from '../world.ts';
import { QuoteRequest, VERSION } from './schema.ts';
import { isRefusal, readBody, refuse } from './standin-answers.ts';
import * as terms from './standin-terms.ts';

const ONE = decimal(1);
const PRICE_DIGITS = 8;
const LIFETIME_MS = 600_000;

export function catalog(_request: StandinRequest, world: World): StandinAnswer {
  const fiats = [...world.currencies.fiats.values()].filter(fiat => terms.takes(fiat, 'buy'));
  return {
    status: 200,
    body: {
      openramp: VERSION,
      name: 'Openramp',
      listings: (['buy', 'sell'] as const).map(side => listing(side, world)),
      asks: terms.TIERS.map(tier => {
        const ends = fiats.flatMap(({ code }) => {
          const end = terms.tierEnd(tier, code, world);
          return end ? [[code, end.toString()]] : [];
        });
        return { ...(ends.length && { upTo: Object.fromEntries(ends) }), asks: tier.asks };
      }),
    },
  };
}

function listing(side: Side, world: World): object {
  const { assets, fiats, countries } = { ...world.currencies, assets: terms.assetsOf(world.currencies) };
  const codes = [...countries.keys()].filter(code => terms.isServed(code, side));
  return {
    side,
    countries: codes,
    assets: [...assets].map(([word, asset]) => ({
      asset: word,
      ...(!isNative(asset) && { ticker: asset.code, network: asset.network, contract: asset.address }),
      ...(side === 'sell' && spelled(terms.coinLimits(asset, world))),
    })),
    fiats: [...fiats.values()]
      .filter(fiat => terms.takes(fiat, side))
      .map(fiat => ({
        fiat: fiat.code,
        methods: terms.waysOf(fiat, side).map(({ method, onlyIn }) => ({
          method,
          onlyIn,
          ...(side === 'buy' && spelled(terms.fiatLimits(fiat, world))),
        })),
      })),
  };
}

function spelled(limits: Limits = {}): { min?: string; max?: string } {
  const { min, max } = limits;
  return { ...(min && { min: min.toString() }), ...(max && { max: max.toString() }) };
}

const readQuoteRequest = wire(QuoteRequest);

export function quote(request: StandinRequest, world: World): StandinAnswer {
  const wanted = readBody(request, readQuoteRequest);
  if (isRefusal(wanted)) return wanted;
  const priced = priceOf(wanted, world);
  if (isRefusal(priced)) return priced;
  const { deal } = priced;
  return {
    status: 200,
    body: {
      asset: wanted.asset,
      fiat: wanted.fiat,
      pays: deal.pays.toString(),
      gets: deal.gets.toString(),
      networkFee: deal.networkFee.toString(),
      providerFee: deal.fee.toString(),
      validUntil: iso(world.now + LIFETIME_MS),
      asks: tierFor(deal, world).asks,
    },
  };
}

export function tierFor({ side, fiat, pays, gets }: Deal, world: World) {
  return terms.tierOf(side === 'buy' ? pays : gets, fiat, world);
}

/** What a quote or an order is about, in the words of the protocol. */
export interface Wanted {
  side: Side;
  asset: string;
  network: string;
  fiat: string;
  method: string;
  country: string;
  amount: string;
}

export interface Priced {
  deal: Deal;
  means: Means;
}

/** The deal it offers, or its refusal. */
export function priceOf(wanted: Wanted, world: World): Priced | StandinAnswer {
  const { side, method, country } = wanted;
  const asset = terms.assetsOf(world.currencies).get(wanted.asset);
  const fiat = world.currencies.findFiat(wanted.fiat);
  const price = asset && fiat && world.market.price(asset, fiat.code);
  if (!asset || asset.network !== wanted.network || !fiat || !price || !terms.takes(fiat, side))
    return refuse('pair', `${wanted.asset} is not traded for ${wanted.fiat}`);
  if (!terms.isServed(country, side)) return refuse('country', `${country} is not served`);
  const way = terms.waysOf(fiat, side).find(one => one.method === method);
  if (!way) return refuse('method', `${method} is not taken for ${wanted.fiat}`);
  if (way.onlyIn && !way.onlyIn.includes(country))
    return refuse('country', `${method} is not taken in ${country}`);
  const sum = readDecimal(wanted.amount) ?? ZERO;
  const { means } = way;
  const deal = (side === 'buy' ? buy : sell)({ asset, fiat, price, method, means, sum }, world);
  return isRefusal(deal) ? deal : { deal, means };
}

interface Ask {
  asset: Asset;
  fiat: Fiat;
  /** Of the market. */
  price: Amount;
  method: string;
  means: Means;
  /** What is handed over. */
  sum: Amount;
}

function buy({ asset, fiat, price, method, means, sum }: Ask, world: World): Deal | StandinAnswer {
  const fee = terms.feeOf(means, fiat, world);
  const networkFee = raise(world.market.networkFee(asset, fiat.code) ?? ZERO, fiat.decimals);
  const { min, max } = terms.fiatLimits(fiat, world);
  // Where the network is dear, fees come first and some coins must remain.
  const euro = world.market.perEuro(fiat.code) ?? ONE;
  const least = largest(min, raise(euro.plus(fee.least).plus(networkFee), 0)) ?? min;
  if (sum.lt(least) || sum.gt(max)) return outside(fiat.code, { min: least, max });
  const charged = largest(fee.least, raise(sum.times(fee.rate), fiat.decimals)) ?? fee.least;
  const value = sum.minus(charged).minus(networkFee);
  const rate = significant(price.times(ONE.plus(terms.SPREAD)), PRICE_DIGITS);
  const gets = cut(value.div(rate), terms.precisionOf(asset));
  return { ...{ side: 'buy', fiat, asset, method, gets, networkFee, value, rate }, pays: sum, fee: charged };
}

/** The customer pays the network when sending the coins. */
function sell({ asset, fiat, price, method, means, sum }: Ask, world: World): Deal | StandinAnswer {
  const limits = terms.coinLimits(asset, world);
  if (limits && (sum.lt(limits.min) || sum.gt(limits.max))) return outside(asset.code, limits);
  const fee = terms.feeOf(means, fiat, world);
  const rate = significant(price.times(ONE.minus(terms.SPREAD)), PRICE_DIGITS);
  const value = cut(sum.times(rate), fiat.decimals);
  const charged = largest(fee.least, raise(value.times(fee.rate), fiat.decimals)) ?? fee.least;
  const gets = value.minus(charged);
  return {
    ...{ side: 'sell', fiat, asset, method, gets, value, rate },
    ...{ pays: sum, fee: charged, networkFee: ZERO },
  };
}

function outside(code: string, { min, max }: { min: Amount; max: Amount }): StandinAnswer {
  const bounds = { min: min.toString(), max: max.toString() };
  return refuse('limit', `The amount must be between ${min} and ${max} ${code}`, bounds);
}
