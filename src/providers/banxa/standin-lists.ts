/** Banxa's lists imitated: coins with their blockchains, fiats with their payment methods, and countries. */
import type { Asset } from '../../domain/currency.ts';
import { NATIVE_ADDRESS } from '../../domain/currency.ts';
import { isNative } from '../standin-kit.ts';
import type { World } from '../world.ts';
import * as terms from './standin-terms.ts';

export function listCoins(world: World): object[] {
  const byCode = new Map<string, Asset[]>();
  for (const asset of terms.coinsOf(world.currencies).values()) {
    if (!world.market.price(asset, 'EUR')) continue;
    byCode.set(asset.code, [...(byCode.get(asset.code) ?? []), asset]);
  }
  return [...byCode].map(([id, assets]) => ({
    id,
    description: assets[0]?.name,
    blockchains: assets.map((asset, at) => describe(asset, at === 0, world)),
  }));
}

/** Countries where it is closed are a map, but an empty list when there are none. */
function describe(asset: Asset, isDefaultBlockchain: boolean, { currencies }: World): object {
  const network = currencies.networks.get(asset.network);
  const nativeAddress = network?.chainId ? NATIVE_ADDRESS : null;
  return {
    id: terms.blockchainOf(asset),
    description: network?.name,
    isDefaultBlockchain,
    address: isNative(asset) ? nativeAddress : asset.address,
    network: network?.chainId ? String(network.chainId) : null,
    minimum: '20',
    unsupportedCountries: terms.CLOSED[asset.code] ?? [],
  };
}

export function listFiats(world: World): object[] {
  return terms.fiatsOf(world).flatMap(([fiat, methods]) => {
    const perEuro = world.market.perEuro(fiat.code);
    if (!perEuro) return [];
    const supportedPaymentMethods = methods.flatMap(id => {
      const method = terms.METHODS[id];
      if (!method) return [];
      const { min, max } = terms.boundsOf(method, perEuro);
      return [{ id, name: method.name, minimum: min.toString(), maximum: max.toString() }];
    });
    return [{ id: fiat.code, description: fiat.name, symbol: fiat.symbol, supportedPaymentMethods }];
  });
}

export function listCountries({ currencies }: World): object[] {
  return [...currencies.countries.values()]
    .filter(({ code }) => terms.isServed(code))
    .map(({ code, name }) => ({ id: code, description: name }));
}
