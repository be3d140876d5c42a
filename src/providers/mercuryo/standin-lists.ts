/** Mercuryo's lists imitated: currencies with their networks and methods, what is bought and sold, and countries. */
import type { Asset, Fiat } from '../../domain/currency.ts';
import type { Side } from '../../domain/words.ts';
import { isNative } from '../standin-kit.ts';
import type { StandinAnswer, StandinRequest, World } from '../world.ts';
import { fail, succeed } from './standin-answers.ts';
import * as terms from './standin-terms.ts';

export function cardCountries({ query }: StandinRequest, world: World): StandinAnswer {
  // Without `type` they answer in alpha-3, which this world does not know.
  if (query.type !== 'alpha2') return fail(400, 'Parameter type is invalid');
  const served = [...world.currencies.countries.keys()].filter(code => !terms.NOT_SERVED.has(code));
  return succeed(served.map(code => code.toLowerCase()));
}

export function tickers(side: Side, world: World): string[] {
  const fiats = terms.fiatsOf(world).filter(fiat => side === 'buy' || terms.SELL_FIATS.has(fiat.code));
  const crypto = [...terms.mainAssets(world).keys()].filter(
    code => side === 'buy' || terms.SELL_CRYPTO.has(code),
  );
  return [...fiats.map(fiat => fiat.code), ...crypto];
}

export function currencies(world: World) {
  const fiats = terms.fiatsOf(world);
  const assets = terms.assetsOf(world);
  const main = [...terms.mainAssets(world)];
  const words = [...new Set(assets.map(asset => terms.THEIR_NETWORKS.get(asset.network) ?? ''))];
  return {
    fiat: fiats.map(fiat => fiat.code),
    crypto: main.map(([code]) => code),
    config: {
      base: Object.fromEntries(main.map(([code, asset]) => [code, baseOf(asset, world)])),
      has_withdrawal_fee: Object.fromEntries(main.map(([code]) => [code, code !== 'TON'])),
      display_options: Object.fromEntries(
        [...fiats, ...main.map(([, asset]) => asset)].map(({ code, name, decimals }) => [
          code,
          { fullname: name, total_digits: decimals, display_digits: decimals > 8 ? 5 : decimals },
        ]),
      ),
      networks: Object.fromEntries(words.map(word => [word, { name: word, icons: {} }])),
      crypto_currencies: assets.map(listed),
      default_networks: Object.fromEntries(
        main.map(([code, asset]) => [code, terms.THEIR_NETWORKS.get(asset.network)]),
      ),
    },
    fiat_payment_methods: Object.fromEntries(fiats.map(fiat => [fiat.code, paymentMethods(fiat, world)])),
  };
}

/** The coin that pays for moving the asset. */
function baseOf(asset: Asset, world: World): string {
  const native = world.currencies.networks.get(asset.network)?.native;
  return (native && world.currencies.assets.get(native)?.code) ?? asset.code;
}

function listed(asset: Asset) {
  const network = terms.THEIR_NETWORKS.get(asset.network);
  const contract = isNative(asset) ? '' : asset.address;
  return {
    currency: asset.code,
    network,
    show_network_icon: contract !== '',
    network_label: (contract && terms.LABELS[asset.network]) || network,
    contract,
  };
}

function paymentMethods(fiat: Fiat, world: World) {
  const { min, max } = terms.fiatLimits(fiat, world);
  return {
    payment_methods: (terms.FIATS[fiat.code] ?? []).flatMap(code =>
      (terms.METHOD_NAMES[code] ?? [code]).map(name => ({ code, name })),
    ),
    limits: { min: min.toString(), max: max.toString() },
  };
}
