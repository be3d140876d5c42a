/** Topper's lists and simulations imitated: a price is what the token in the body would come to. */
import type { Fiat } from '../../domain/currency.ts';
import { type Amount, decimal, largest, raise, readDecimal, significant, ZERO } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import type { Deal } from '../hosted.ts';
import { strike, type Wanted } from '../standin-deals.ts';
import { filled } from '../standin-kit.ts';
import type { StandinAnswer, StandinRoute, World } from '../world.ts';
import { type Bootstrap, partOf, readBootstrap, refuse, textOf } from './standin-answers.ts';
import * as terms from './standin-terms.ts';

const ONE = decimal(1);
const PLACES = 8;
const RATE_DIGITS = 10;

export const quoteRoutes: readonly StandinRoute[] = [
  ...(['buy', 'sell'] as const).flatMap((side): StandinRoute[] => [
    get(`/assets/${flowOf(side)}`, world => ({ assets: assetsOf(side, world) })),
    get(`/payment-methods/${flowOf(side)}`, world => ({ paymentMethods: methodsOf(side, world) })),
  ]),
  { method: 'POST', host: 'api', path: '/simulations', answer: ({ body }, world) => simulate(body, world) },
];

export function flowOf(side: Side): string {
  return side === 'buy' ? 'crypto-onramp' : 'crypto-offramp';
}

function get(path: string, list: (world: World) => object): StandinRoute {
  return {
    ...{ method: 'GET', host: 'api', path },
    answer: (_request, world) => ({ status: 200, body: list(world) }),
  };
}

function assetsOf(side: Side, { currencies }: World): object {
  const money = terms.moneyOf(currencies).map(({ code, name, symbol }) => ({ code, name, symbol }));
  const coins = new Map<string, { code: string; name: string; symbol: string; networks: object[] }>();
  for (const asset of currencies.assets.values()) {
    const code = terms.networkOf(asset);
    if (!code) continue;
    const network = currencies.networks.get(asset.network);
    const coin = coins.get(asset.code) ?? {
      code: asset.code,
      name: asset.name,
      symbol: asset.symbol,
      networks: [],
    };
    coin.networks.push({
      code,
      name: network?.name ?? code,
      priorities: ['normal'],
      tagTypes: network?.tag ? ['destination-tag'] : [],
    });
    coins.set(asset.code, coin);
  }
  const all = [...coins.values()];
  return side === 'buy' ? { source: money, target: all } : { source: all, target: money };
}

function methodsOf(side: Side, world: World): object[] {
  return terms.ROWS[side].map(row => ({
    type: row.method.type,
    network: row.method.network,
    billingAsset: row.billing,
    countries: row.countries,
    limits: terms
      .moneyOf(world.currencies)
      .filter(fiat => terms.takes(row.method, fiat))
      .map(fiat => {
        const { min, max } = terms.limitsOf(row, fiat, world);
        return { asset: fiat.code, minimum: filled(min, fiat), maximum: filled(max, fiat) };
      }),
    periodicities: ['once'],
  }));
}

function simulate(body: unknown, world: World): StandinAnswer {
  const bootstrap = readBootstrap(partOf(body).bootstrapToken, world);
  if (!bootstrap) return refuse(401, 'Invalid bootstrap token');
  const deal = priceOf(bootstrap, world);
  return 'status' in deal ? deal : { status: 200, body: { simulation: simulationOf(deal) } };
}

/** Amounts as texts, each with its asset; fees are in the fiat. */
export function simulationOf({ side, fiat, asset, pays, gets, rate, fee, networkFee }: Deal) {
  const money = (sum: Amount) => ({ amount: filled(sum, fiat), asset: fiat.code });
  const coins = (sum: Amount) => ({ amount: sum.toString(), asset: asset.code });
  const back = significant(ONE.div(rate), RATE_DIGITS).toString();
  const forth = significant(rate, RATE_DIGITS).toString();
  return {
    origin: { ...(side === 'buy' ? money(pays) : coins(pays)), rate: side === 'buy' ? forth : back },
    destination: { ...(side === 'buy' ? coins(gets) : money(gets)), rate: side === 'buy' ? back : forth },
    fees: [
      { type: 'network', ...money(networkFee) },
      { type: 'deposit', ...money(fee) },
    ],
  };
}

/** The deal they offer, or their refusal. */
export function priceOf(bootstrap: Bootstrap, world: World): Deal | StandinAnswer {
  const { side, source, target } = bootstrap;
  const [money, coin] = side === 'buy' ? [source, target] : [target, source];
  const fiat = world.currencies.findFiat(textOf(money, 'asset') ?? '');
  const asset = terms.findAsset(textOf(coin, 'asset') ?? '', textOf(coin, 'network') ?? '', world.currencies);
  const fair = asset && fiat && world.market.price(asset, fiat.code);
  if (!asset || !fiat || !fair) return refuse(400, 'This asset or network is not supported');
  const word = textOf(partOf(source.paymentMethod), 'network');
  const row = terms.findRow(side, word, textOf(bootstrap.simulation, 'country') ?? countryFor(fiat));
  if (!row) return refuse(400, 'This payment method is not available in the country');
  if (!terms.takes(row.method, fiat)) return refuse(400, `${fiat.code} is not a supported currency`);
  const [given, wanted] = [readDecimal(source.amount), readDecimal(target.amount)];
  const amount = given ?? wanted;
  if (!amount?.gt(ZERO) || (given && wanted)) return refuse(400, 'Exactly one amount is needed');

  const spread = terms.spreadOf(asset);
  const networkFee = raise(world.market.networkFee(asset, fiat.code) ?? ZERO, fiat.decimals);
  const deal = strike(
    { side, fiat, asset, method: row.method.type, amount, amountOf: given ? 'source' : 'destination' },
    {
      price: fair.times(side === 'buy' ? ONE.plus(spread) : ONE.minus(spread)),
      share: terms.shareOf(row, fiat),
      least: ZERO,
      networkFee: side === 'buy' ? networkFee : ZERO,
      places: given ? Math.min(asset.decimals, PLACES) : asset.decimals,
    },
  );
  const bounds = boundsOf({ side, asset, fiat, fair, row, networkFee }, world);
  if (!deal) return bounds.tooLittle;
  const sum = side === 'buy' ? deal.pays : deal.gets;
  if (sum.lt(bounds.least)) return bounds.tooLittle;
  return sum.gt(bounds.most) ? bounds.tooMuch : deal;
}

/** Without a country the widget goes by where the person is; here, by where the money is at home. */
function countryFor({ code }: Fiat): string {
  return { EUR: 'DE', GBP: 'GB', BRL: 'BR' }[code] ?? 'US';
}

interface Measured extends Pick<Wanted, 'side' | 'asset' | 'fiat'> {
  fair: Amount;
  row: terms.Row;
  networkFee: Amount;
}

/**
 * On all that is paid, or all that is paid out. What remains of the least after the network fee must be worth sending.
 * The wording is ours; theirs is not published.
 */
function boundsOf({ side, asset, fiat, fair, row, networkFee }: Measured, world: World) {
  const { min, max } = terms.limitsOf(row, fiat, world);
  const needed = raise(networkFee.times('1.2').plus(world.market.perEuro(fiat.code) ?? ONE), 0);
  const least = side === 'buy' ? (largest(min, needed) ?? min) : min;
  const say = (bound: Amount, share: string) =>
    side === 'buy'
      ? `${bound} ${fiat.code}`
      : `${significant(bound.times(share).div(fair), 4)} ${asset.code}`;
  return {
    ...{ least, most: max },
    tooLittle: refuse(400, `The minimum amount is ${say(least, '1.05')}`),
    tooMuch: refuse(400, `The maximum amount is ${say(max, '1.02')}`),
  };
}
