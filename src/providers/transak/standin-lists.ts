/** Transak's lists imitated: coins, fiats with their payment options, and countries. */
import type { Amount } from '../../domain/money.ts';
import { isNative, roundly } from '../standin-kit.ts';
import type { World } from '../world.ts';
import * as terms from './standin-terms.ts';

export function listCoins(world: World): unknown[] {
  return [...terms.coinsOf(world.currencies).values()]
    .filter(asset => world.market.price(asset, 'EUR'))
    .map(asset => {
      const network = terms.networkName(asset);
      return {
        coinId: terms.coinId(asset),
        uniqueId: `${asset.code}${network}`,
        symbol: asset.code,
        name: asset.name,
        network: { name: network, fiatCurrenciesNotSupported: [] },
        address: isNative(asset) ? null : asset.address,
        decimals: asset.decimals,
        roundOff: terms.placesOf(asset),
        isAllowed: true,
        isSuspended: terms.SUSPENDED.has(asset.code),
        isPayInAllowed: terms.SOLD_TOO.has(asset.code),
        kycCountriesNotSupported: terms.BLOCKED[asset.code] ?? [],
      };
    });
}

export function listFiats(world: World): unknown[] {
  return Object.keys(terms.FIATS).flatMap(code => {
    const fiat = world.currencies.findFiat(code);
    const perEuro = world.market.perEuro(code);
    if (!fiat || !perEuro) return [];
    const countries = terms.countriesOf(code, world.currencies);
    return [
      {
        symbol: code,
        name: fiat.name,
        supportingCountries: countries,
        logoSymbol: code.slice(0, 2),
        isPopular: ['EUR', 'GBP', 'USD'].includes(code),
        isAllowed: true,
        roundOff: fiat.decimals,
        isPayOutAllowed: terms.PAID_OUT.has(code),
        paymentOptions: (terms.FIATS[code] ?? []).flatMap(id => listOption({ id, code, perEuro, countries })),
      },
    ];
  });
}

interface OptionOf {
  id: string;
  code: string;
  perEuro: Amount;
  countries: readonly string[];
}

function listOption({ id, code, perEuro, countries }: OptionOf): unknown[] {
  const option = terms.OPTIONS[id];
  if (!option) return [];
  const buy = terms.bounds('buy', option, perEuro);
  const sell = terms.bounds('sell', option, perEuro);
  const isPayOutAllowed = terms.PAID_OUT.has(code) && option.out === true;
  const card = id === 'credit_debit_card' && isPayOutAllowed;
  return [
    {
      name: option.name,
      id,
      isActive: true,
      processingTime: option.time,
      limitCurrency: code,
      minAmount: buy.min,
      maxAmount: buy.max,
      defaultAmount: roundly(perEuro.times('300')),
      isPayOutAllowed,
      minAmountForPayOut: sell.min,
      maxAmountForPayOut: sell.max,
      defaultAmountForPayOut: roundly(perEuro.times('500')),
      supportedCountryCode: option.countries,
      visaPayoutCountries: card ? countries : undefined,
      mastercardPayoutCountries: card ? countries : undefined,
    },
  ];
}

export function listCountries({ currencies }: World): unknown[] {
  return [...currencies.countries.values()].map(country => ({
    alpha2: country.code,
    name: country.name,
    isAllowed: terms.isServed(country),
    isLightKycAllowed: false,
    supportedDocuments: ['passport', 'driving_licence', 'national_identity_card'],
    currencyCode: terms.currencyOf(country),
    partners: [{ name: 'Transak', isCardPayment: true, currencyCode: terms.currencyOf(country) }],
  }));
}
