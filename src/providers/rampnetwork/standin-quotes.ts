/** Ramp Network's lists and quotes imitated: all methods priced at once, coins in their smallest unit. */
import type { Asset, Fiat } from '../../domain/currency.ts';
import { type Amount, decimal, raise, readDecimal, ZERO } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import type { Deal } from '../hosted.ts';
import { strike, type Wanted } from '../standin-deals.ts';
import { isNative } from '../standin-kit.ts';
import type { StandinAnswer, StandinRequest, StandinRoute, World } from '../world.ts';
import { refuse, SETTINGS, unauthorized } from './standin-answers.ts';
import * as terms from './standin-terms.ts';
import { fromSmallest, toSmallest } from './units.ts';

const ONE = decimal(1);

export const quoteRoutes: readonly StandinRoute[] = [
  list('/host-api/v3/assets', (request, world) => assets('buy', request, world)),
  list('/host-api/v3/offramp/assets', (request, world) => assets('sell', request, world)),
  list('/host-api/v3/currencies', (_request, { currencies }) => found(terms.currenciesOf(currencies))),
  list('/host-api/v3/payment-methods', () => found(terms.METHODS.buy.map(describe))),
  list('/host-api/v3/payout-methods', () => found(terms.METHODS.sell.map(describe))),
  { method: 'POST', host: 'api', path: '/host-api/v3/onramp/quote/all', answer: quote('buy') },
  { method: 'POST', host: 'api', path: '/host-api/v3/offramp/quote/all', answer: quote('sell') },
];

/** Lists are read without a key as well; a wrong one is no key. */
function list(path: string, answer: StandinRoute['answer']): StandinRoute {
  return {
    ...{ method: 'GET', host: 'api', path },
    answer: (request, world) =>
      request.query.hostApiKey !== undefined && request.query.hostApiKey !== SETTINGS.hostApiKey
        ? unauthorized()
        : answer(request, world),
  };
}

/** "Reference data". */
function found(body: unknown): StandinAnswer {
  return { status: 200, headers: { 'cache-control': 'public,max-age=900' }, body };
}

function describe({ name, currencies, countries }: terms.Method): object {
  return { name, currencies, countries: countries.map(code => code.toLowerCase()) };
}

function assets(side: Side, { query }: StandinRequest, world: World): StandinAnswer {
  const fiat = world.currencies.findFiat(query.currencyCode ?? 'EUR');
  if (!fiat) return refuse(400, 'UNSUPPORTED_CURRENCY');
  const { min, max } = terms.limitsIn(fiat, world);
  const fees = {
    minFeeAmount: terms.LEAST_FEE.times(world.market.perEuro(fiat.code) ?? 1),
    minFeePercent: decimal(terms.LEAST_SHARE).times(100),
    maxFeePercent: decimal(terms.MOST_SHARE).times(100),
  };
  return found({
    assets: [...terms.codesOf(world.currencies).values()].map(asset => infoOf(asset, fiat, world)),
    enabledFeatures: ['ONRAMP', 'OFFRAMP'],
    currencyCode: fiat.code,
    minPurchaseAmount: min,
    maxPurchaseAmount: max,
    ...(side === 'buy' && fees),
  });
}

const GLOBAL = decimal(-1);

/** An asset as all their answers describe it. */
export function infoOf(asset: Asset, fiat: Fiat, world: World): object {
  const price = world.market.price(asset, fiat.code) ?? ONE;
  const own = terms.ownLeast(asset, fiat, world);
  return {
    symbol: terms.symbolOf(asset),
    chain: terms.chainOf(asset),
    name: asset.name,
    decimals: asset.decimals,
    type: isNative(asset) ? 'NATIVE' : 'ERC20',
    address: isNative(asset) ? null : asset.address,
    logoUrl: `https://assets.example/${asset.id}.svg`,
    enabled: true,
    hidden: false,
    price: { [fiat.code]: price },
    currencyCode: fiat.code,
    minPurchaseAmount: own ?? GLOBAL,
    maxPurchaseAmount: GLOBAL,
    minPurchaseCryptoAmount: toSmallest(leastCoins(asset, world), asset.decimals),
    networkFee: networkFeeOf(asset, fiat, world),
  };
}

function networkFeeOf(asset: Asset, fiat: Fiat, { market }: World): Amount {
  return raise(market.networkFee(asset, fiat.code) ?? ZERO, fiat.decimals);
}

function quote(side: Side): StandinRoute['answer'] {
  return ({ query, body }, world) => {
    if (query.hostApiKey !== SETTINGS.hostApiKey) return unauthorized();
    const given = (body ?? {}) as Record<string, unknown>;
    const asset = terms.codesOf(world.currencies).get(String(given.cryptoAssetSymbol));
    const fiat = world.currencies.findFiat(String(given.fiatCurrency));
    if (!asset) return refuse(400, 'UNSUPPORTED_ASSET');
    const methods = terms.METHODS[side].filter(({ currencies }) => fiat && currencies.includes(fiat.code));
    if (!fiat || !methods.length) return refuse(400, 'UNSUPPORTED_CURRENCY_FOR_REQUESTED_PAYMENT_METHOD');
    const coins = given.cryptoAmount === undefined ? undefined : readDecimal(given.cryptoAmount);
    const amount = coins ? fromSmallest(coins.toString(), asset.decimals) : readDecimal(given.fiatValue);
    if (!amount?.gt(ZERO)) return refuse(400, 'INVALID_AMOUNT');
    const wanted = { side, fiat, asset, amount, amountOf: amountOf(side, !!coins) };
    const priced = methods.flatMap(({ name }) => {
      const deal = priceOf({ ...wanted, method: name }, world);
      return deal ? [[name, write(deal)]] : [];
    });
    return { status: 200, body: { ...Object.fromEntries(priced), asset: infoOf(asset, fiat, world) } };
  };
}

function amountOf(side: Side, inCoins: boolean): Wanted['amountOf'] {
  return (side === 'sell') === inCoins ? 'source' : 'destination';
}

/** On sells what is charged is one figure. */
function write({ side, fiat, asset, pays, gets, fee, networkFee }: Deal): object {
  const [money, coins] = side === 'buy' ? [pays, gets] : [gets, pays];
  return {
    fiatCurrency: fiat.code,
    cryptoAmount: toSmallest(coins, asset.decimals),
    fiatValue: money,
    baseRampFee: side === 'buy' ? fee : null,
    appliedFee: fee.plus(networkFee),
    hostFeeCut: ZERO,
  };
}

/** The deal a method comes to; undefined where it is not offered for this currency or amount. */
export function priceOf(wanted: Wanted, world: World): Deal | undefined {
  const { side, fiat, asset } = wanted;
  const method = terms.METHODS[side].find(({ name }) => name === wanted.method);
  const fair = world.market.price(asset, fiat.code);
  const perEuro = world.market.perEuro(fiat.code);
  if (!method?.currencies.includes(fiat.code) || !fair || !perEuro) return undefined;

  const spread = terms.spreadOf(asset);
  const deal = strike(wanted, {
    price: fair.times(side === 'buy' ? ONE.plus(spread) : ONE.minus(spread)),
    share: method.share,
    reduced: terms.reducedShare(method, perEuro),
    least: raise(terms.LEAST_FEE.times(perEuro).times(side === 'buy' ? 1 : '0.4'), fiat.decimals),
    networkFee: side === 'buy' ? networkFeeOf(asset, fiat, world) : ZERO,
    places: asset.decimals,
  });
  return deal && isWithin(deal, world) ? deal : undefined;
}

/** The same limits for every method. */
function isWithin({ side, asset, fiat, pays, gets }: Deal, world: World): boolean {
  const { min, max } = terms.limitsIn(fiat, world);
  if (side === 'sell') return gets.lte(max) && pays.gte(leastCoins(asset, world));
  return pays.lte(max) && pays.gte(terms.ownLeast(asset, fiat, world) ?? min);
}

function leastCoins(asset: Asset, world: World): Amount {
  const euro = world.currencies.findFiat('EUR');
  return euro ? terms.leastCoins(asset, euro, world) : ZERO;
}
