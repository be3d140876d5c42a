/** Coinbase's catalog and quotes imitated: what each country has, and prices as texts in pairs of value and currency. */
import { type Amount, decimal, raise, readDecimal, significant, ZERO } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import type { Deal } from '../hosted.ts';
import { strike, type Tariff, type Wanted } from '../standin-deals.ts';
import { filled, isNative, uuid } from '../standin-kit.ts';
import type { StandinAnswer, StandinRequest, StandinRoute, World } from '../world.ts';
import { badRequest, guarded } from './standin-answers.ts';
import * as terms from './standin-terms.ts';

const ONE = decimal(1);
const PLACES = 8;

export const quoteRoutes: readonly StandinRoute[] = (['buy', 'sell'] as const).flatMap(side => [
  guarded('GET', `/onramp/v1/${side}/config`, () => config(side)),
  guarded('GET', `/onramp/v1/${side}/options`, ({ query }, world) => options(side, query, world)),
  guarded('POST', `/onramp/v1/${side}/quote`, (request, world) => quote(side, request, world)),
]);

function config(side: Side): StandinAnswer {
  const countries = terms.COUNTRIES.map(({ code, zone }) => ({
    id: code,
    subdivisions: code === 'US' ? terms.STATES : [],
    payment_methods: zone[side].map(id => ({ id })),
  }));
  return { status: 200, body: { countries } };
}

function options(
  side: Side,
  { country = '', subdivision }: StandinRequest['query'],
  world: World,
): StandinAnswer {
  const refusal = refuseCountry(country, subdivision);
  const zone = terms.zoneOf(country);
  if (refusal || !zone) return refusal ?? badRequest(`country ${country} is not supported`);
  const fiats = terms.fiatsOf(world.currencies).map(fiat => ({
    id: fiat.code,
    limits: terms.methodsOf(side, zone, fiat).map(id => {
      const { min, max } = terms.limitsOf(id, fiat, world);
      return { id, min: min.toString(), max: max.toString() };
    }),
  }));
  const coins = coinsOf(world);
  const body =
    side === 'buy'
      ? { payment_currencies: fiats, purchase_currencies: coins }
      : { cashout_currencies: fiats, sell_currencies: coins };
  return { status: 200, body };
}

function refuseCountry(country: string, subdivision: unknown): StandinAnswer | undefined {
  if (!terms.zoneOf(country)) return badRequest(`country ${country.slice(0, 2)} is not supported`);
  if (country !== 'US' || terms.STATES.includes(String(subdivision))) return undefined;
  return badRequest('subdivision is required for country US');
}

/** One entry a ticker, with all its networks. */
function coinsOf(world: World): object[] {
  const { assets, networks } = world.currencies;
  const coins = new Map<string, { id: string; name: string; symbol: string; networks: object[] }>();
  for (const asset of assets.values()) {
    const name = terms.networkOf(asset);
    if (!name || !terms.lists(asset)) continue;
    const symbol = terms.tickerOf(asset);
    const coin = coins.get(symbol) ?? {
      ...{ id: uuid(`coin ${symbol}`, world), name: asset.name, symbol, networks: [] },
    };
    const network = networks.get(asset.network);
    coin.networks.push({
      name,
      display_name: network?.name ?? name,
      chain_id: String(network?.chainId ?? 0),
      contract_address: isNative(asset) ? '' : asset.address,
    });
    coins.set(symbol, coin);
  }
  return [...coins.values()];
}

function quote(side: Side, { body }: StandinRequest, world: World): StandinAnswer {
  const given = (body ?? {}) as Record<string, unknown>;
  const text = (name: string) => String(given[name] ?? '');
  const refusal = refuseCountry(text('country'), given.subdivision);
  if (refusal) return refusal;
  const [coin, money] = side === 'buy' ? ['purchase', 'payment'] : ['sell', 'cashout'];
  const deal = priceOf(
    {
      side,
      ticker: text(`${coin}_currency`),
      network: text(`${coin}_network`),
      fiat: text(`${money}_currency`),
      amount: text(side === 'buy' ? 'payment_amount' : 'sell_amount'),
      method: text('payment_method'),
      country: text('country'),
    },
    world,
  );
  if ('status' in deal) return deal;
  return { status: 200, body: { ...write(deal), quote_id: uuid(world.id(), world) } };
}

/** Sums as they write them: money to its last place, coins to eight. */
export function sumsOf({ fiat, asset, networkFee, fee, value, ...deal }: Deal) {
  const money = (sum: Amount) => ({ value: filled(sum, fiat), currency: fiat.code });
  const coins = (sum: Amount) => ({ value: sum.toString(), currency: terms.tickerOf(asset) });
  const [fiatTotal, crypto] = deal.side === 'buy' ? [deal.pays, deal.gets] : [deal.gets, deal.pays];
  return {
    total: money(fiatTotal),
    subtotal: money(value),
    crypto: coins(crypto),
    fee: money(fee),
    networkFee: money(networkFee),
    rate: money(significant(deal.rate, PLACES)),
  };
}

function write(deal: Deal): object {
  const { total, subtotal, crypto, fee, networkFee } = sumsOf(deal);
  return deal.side === 'buy'
    ? {
        payment_total: total,
        payment_subtotal: subtotal,
        purchase_amount: crypto,
        coinbase_fee: fee,
        network_fee: networkFee,
      }
    : { cashout_total: total, cashout_subtotal: subtotal, sell_amount: crypto, coinbase_fee: fee };
}

/** What a price is asked for. */
export interface Asked {
  side: Side;
  ticker: string;
  network: string;
  fiat: string;
  amount: string;
  method: string;
  country: string;
}

/** The deal they offer, or their refusal. */
export function priceOf(asked: Asked, world: World): Deal | StandinAnswer {
  const { side, method } = asked;
  const asset = terms.findAsset(asked.ticker, asked.network, world.currencies);
  const zone = terms.zoneOf(asked.country);
  // What they do not take they price in dollars.
  const wanted = world.currencies.findFiat(asked.fiat);
  const dollars = world.currencies.findFiat('USD');
  const fiat = wanted && terms.takes(wanted) ? wanted : dollars;
  const fair = asset && fiat && world.market.price(asset, fiat.code);
  if (!asset || !fiat || !fair)
    return badRequest(`currency ${asked.ticker} on ${asked.network} is not tradable`);
  if (!zone || !terms.methodsOf(side, zone, fiat).includes(method))
    return badRequest(`payment method ${method} is not available`);
  const amount = readDecimal(asked.amount);
  if (!amount?.gt(ZERO)) return badRequest('the amount must be a positive number');

  const tariff = {
    price: fair.times(side === 'buy' ? ONE.plus(terms.spreadOf(asset)) : ONE.minus(terms.spreadOf(asset))),
    share: terms.shareOf(method, zone),
    least: ZERO,
    networkFee:
      side === 'buy' ? raise(world.market.networkFee(asset, fiat.code) ?? ZERO, fiat.decimals) : ZERO,
    places: Math.min(asset.decimals, PLACES),
  };
  const wish = { side, fiat, asset, method, amount, amountOf: 'source' } as const;
  const deal = strike(wish, tariff);
  return deal && isWithin(deal, world) ? deal : outOfBounds(wish, tariff, world);
}

/** Limits are on all that is paid, or all that is paid out. */
function isWithin({ side, fiat, method, pays, gets }: Deal, world: World): boolean {
  const { min, max } = terms.limitsOf(method, fiat, world);
  const sum = side === 'buy' ? pays : gets;
  return sum.gte(min) && sum.lte(max);
}

/** The bounds in what the person gives. The wording is ours; theirs is not published. */
function outOfBounds(wish: Wanted, tariff: Tariff, world: World): StandinAnswer {
  const { side, fiat, asset, method, amount } = wish;
  const { min, max } = terms.limitsOf(method, fiat, world);
  const inCoins = (sum: Amount) => strike({ ...wish, amount: sum, amountOf: 'destination' }, tariff)?.pays;
  const [least, most] = side === 'buy' ? [min, max] : [inCoins(min), inCoins(max)];
  const code = side === 'buy' ? fiat.code : terms.tickerOf(asset);
  return badRequest(
    most && amount.gte(most)
      ? `The maximum amount is ${most} ${code}`
      : `The minimum amount is ${least} ${code}`,
  );
}
