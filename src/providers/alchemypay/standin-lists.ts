/** Alchemy Pay's lists imitated: a row for each coin on a network, and for each fiat, country and method. */
import { significant } from '../../domain/money.ts';
import { isNative, roundly } from '../standin-kit.ts';
import type { StandinAnswer, StandinRequest, World } from '../world.ts';
import { succeed, unsigned } from './standin-answers.ts';
import * as terms from './standin-terms.ts';

export function coins(request: StandinRequest, world: World): StandinAnswer {
  const refusal = unsigned(request, '/open/api/v4/merchant/crypto/list', world);
  if (refusal) return refusal;
  const perEuro = world.market.perEuro(request.query.fiat ?? 'USD');
  const rows = [...terms.coinsOf(world.currencies)].flatMap(([key, asset]) => {
    const bounds = terms.coinBounds(asset, world);
    const [, network] = key.split(' ');
    if (!bounds || !perEuro) return [];
    return {
      crypto: asset.code,
      network,
      buyEnable: terms.trades('buy', asset) ? 1 : 0,
      sellEnable: terms.trades('sell', asset) ? 1 : 0,
      minPurchaseAmount: roundly(perEuro.times(14)),
      maxPurchaseAmount: roundly(perEuro.times(2_000)),
      minSellAmount: bounds.min,
      maxSellAmount: bounds.max,
      address: isNative(asset) ? null : asset.address,
      icon: '',
    };
  });
  return succeed(rows, world);
}

export function fiats(request: StandinRequest, world: World): StandinAnswer {
  const refusal = unsigned(request, '/open/api/v4/merchant/fiat/list', world);
  if (refusal) return refusal;
  const side = request.query.type === 'SELL' ? 'sell' : 'buy';
  const rows = terms.FIAT_CODES.flatMap(code => {
    const fiat = world.currencies.findFiat(code);
    const perEuro = world.market.perEuro(code);
    if (!fiat || !perEuro) return [];
    return terms.countriesOf(code).flatMap(country =>
      terms.waysOf(side, code).map(way => {
        const { min, max } = terms.boundsOf(way, { fiat, country }, world);
        return {
          currency: code,
          country,
          countryName: world.currencies.findCountry(country)?.name ?? country,
          payWayCode: way.code,
          payWayName: way.name,
          fixedFee: significant(way.fixed.times(perEuro), 3),
          feeRate: way.share,
          payMin: min,
          payMax: max,
        };
      }),
    );
  });
  return succeed(rows, world);
}
