/** Paybis' lists imitated: which coins go with which fiat, by payment method and by payout method. */
import { isNative } from '../standin-kit.ts';
import type { StandinAnswer, World } from '../world.ts';
import * as terms from './standin-terms.ts';

export function buyPairs(world: World): StandinAnswer {
  const coins = [...terms.coinsOf(world.currencies)];
  const data = Object.entries(terms.PAID_BY).map(([name, method]) => ({
    name,
    displayName: method.title,
    isRecurring: false,
    pairs: [...method.fiats].flatMap(from => {
      const perEuro = world.market.perEuro(from);
      if (!perEuro) return [];
      const { min, max } = terms.boundsOf(method, perEuro);
      const limits = { minAmount: min.toString(), maxAmount: max.toString() };
      const to = coins.map(([currencyCode, asset]) => ({ currency: asset.code, currencyCode, ...limits }));
      return [{ from, to }];
    }),
  }));
  return { status: 200, body: { data, meta: { currencies: currenciesOf(world) } } };
}

/** Only coins have a blockchain. */
function currenciesOf(world: World): object[] {
  const coins = [...terms.coinsOf(world.currencies)].map(([code, asset]) => ({
    name: asset.name,
    code,
    hasDestinationTag: world.currencies.networks.get(asset.network)?.tag ?? false,
    image: '',
    blockchainName: terms.blockchainOf(asset),
  }));
  const fiats = [...new Set(Object.values(terms.PAID_BY).flatMap(({ fiats }) => [...fiats]))].map(code => ({
    name: world.currencies.findFiat(code)?.name,
    code,
    hasDestinationTag: false,
    image: '',
  }));
  return [...coins, ...fiats];
}

/** What they buy back: a network's own coins, and dollars. */
export function sellPairs(world: World): StandinAnswer {
  const codes = [...terms.coinsOf(world.currencies)]
    .filter(([, asset]) => isNative(asset) || /^USD[CT]$/.test(asset.code))
    .map(([code]) => code);
  const data = Object.entries(terms.PAID_OUT_BY).map(([name, { title, fiats }]) => ({
    name,
    displayName: title,
    pairs: codes.map(fromAssetId => ({ fromAssetId, to: [...fiats] })),
  }));
  return { status: 200, body: { data } };
}
