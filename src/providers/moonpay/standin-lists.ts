/** MoonPay's lists imitated: currencies and countries. */
import { type Asset, type Currencies, type Fiat, NATIVE_ADDRESS } from '../../domain/currency.ts';
import { significant } from '../../domain/money.ts';
import { isNative } from '../standin-kit.ts';
import type { StandinAnswer, StandinRequest, World } from '../world.ts';
import { SETTINGS, unauthorized } from './standin-answers.ts';
import * as terms from './standin-terms.ts';

/** "Get currencies" answers without a key as well. */
export function currencies({ query }: StandinRequest, world: World): StandinAnswer {
  if (query.apiKey !== undefined && query.apiKey !== SETTINGS.apiKey) return unauthorized();
  const fiats = [...world.currencies.fiats.values()].flatMap(fiat => describeFiat(fiat, world));
  const coins = [...terms.codesOf(world.currencies)].flatMap(([code, asset]) =>
    describeCoin(code, asset, world),
  );
  return { status: 200, body: [...coins, ...fiats] };
}

/** As nothing or one. */
export function describeFiat(fiat: Fiat, world: World): object[] {
  const limits = terms.fiatLimits(fiat, world);
  if (!limits) return [];
  return [
    {
      type: 'fiat',
      name: fiat.name,
      code: fiat.code.toLowerCase(),
      precision: fiat.decimals,
      decimals: null,
      minAmount: limits.min,
      maxAmount: limits.max,
      minBuyAmount: limits.min,
      maxBuyAmount: limits.max,
      isSellSupported: terms.takes(fiat, 'sell'),
      isUtxoCompatible: false,
    },
  ];
}

/** As nothing or one. */
export function describeCoin(code: string, asset: Asset, world: World): object[] {
  const price = world.market.price(asset, 'EUR');
  if (!price) return [];
  const limits = terms.coinLimits(price);
  return [
    {
      type: 'crypto',
      name: asset.name,
      code,
      precision: terms.precisionOf(asset),
      decimals: asset.decimals,
      minAmount: null,
      maxAmount: null,
      minBuyAmount: significant(terms.LEAST_SENT.div(price), 2),
      maxBuyAmount: null,
      minSellAmount: limits.min,
      maxSellAmount: limits.max,
      isSellSupported: true,
      isSuspended: false,
      isStableCoin: /^(USD|EUR|DAI|PYUSD|RLUSD|CUSD)/.test(asset.code),
      isBaseAsset: isNative(asset),
      isSupportedInUS: !terms.NOT_IN_US.has(asset.code),
      notAllowedCountries: terms.BLOCKED[asset.code] ?? [],
      notAllowedUSStates: ['VI'],
      supportsAddressTag: world.currencies.networks.get(asset.network)?.tag ?? false,
      supportsTestMode: true,
      supportsLiveMode: true,
      metadata: metadataOf(asset, world.currencies),
    },
  ];
}

function metadataOf(asset: Asset, { networks }: Currencies): object {
  const chainId = networks.get(asset.network)?.chainId;
  const nativeAddress = chainId ? NATIVE_ADDRESS : null;
  const contract = asset.network === 'ripple' ? `${asset.code}.${asset.address}` : asset.address;
  return {
    contractAddress: isNative(asset) ? nativeAddress : contract,
    coinType: null,
    chainId: chainId ? String(chainId) : null,
    networkCode: terms.THEIR_NETWORKS.get(asset.network),
  };
}

/** "Get countries": their alpha-3 codes are left out, as nothing here knows them. */
export function countries({ query }: StandinRequest, world: World): StandinAnswer {
  if (query.apiKey !== undefined && query.apiKey !== SETTINGS.apiKey) return unauthorized();
  const body = [...world.currencies.countries.values()].map(({ code, name }) => ({
    alpha2: code,
    name,
    ...terms.allowanceIn(code),
    supportedDocuments: ['passport', 'national_identity_card', 'driving_licence'],
    ...(code === 'US' && { states: terms.STATES }),
  }));
  return { status: 200, body };
}
