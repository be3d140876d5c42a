/** Topper's terms as the stand-in has them: what is listed, how each country is billed, and what methods cost. */
import type { Asset, Currencies, Fiat } from '../../domain/currency.ts';
import { type Amount, cut, decimal, raise } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import { forCurrencies, isNative, theirNetworks, words } from '../standin-kit.ts';
import type { World } from '../world.ts';
import { NETWORKS, tokenOf } from './words.ts';

const EEA = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(
  ' ',
);
const ELSEWHERE = 'AU BR CA CH CL CO CR HK ID IL JP KE KR MX MY NZ PE PH SG TH TR US UY VN ZA'.split(' ');

/** "Billing currency follows the country of the card". */
const BILLED: Readonly<Record<string, readonly string[]>> = { EUR: EEA, GBP: ['GB'], USD: ELSEWHERE };

export interface Method {
  type: string;
  network: string;
  share: string;
  /** In the currency of billing. */
  min: string;
  max: string;
  /** Where it is offered and in which fiat, when not everywhere and in all. */
  only?: { countries: readonly string[]; fiat: string };
}

const CARD = { network: 'card', share: '0.035', min: '10', max: '2500' };

const METHODS: Readonly<Record<Side, readonly Method[]>> = {
  buy: [
    { ...CARD, type: 'credit-card' },
    { ...CARD, type: 'debit-card' },
    { ...CARD, type: 'apple-pay', network: 'apple-pay', share: '0.0325' },
    { ...CARD, type: 'google-pay', network: 'google-pay', share: '0.0325' },
    { ...CARD, type: 'paypal', network: 'paypal', share: '0.039', only: { countries: ['US'], fiat: 'USD' } },
    { ...CARD, type: 'venmo', network: 'venmo', share: '0.029', only: { countries: ['US'], fiat: 'USD' } },
    { ...CARD, type: 'pix', network: 'pix', share: '0.0199', only: { countries: ['BR'], fiat: 'BRL' } },
    {
      ...CARD,
      type: 'sepa',
      network: 'sepa',
      share: '0.0119',
      max: '10000',
      only: { countries: EEA, fiat: 'EUR' },
    },
  ],
  sell: [{ ...CARD, type: 'debit-card', share: '0.0175' }],
};

const MONEY = 'USD EUR GBP CAD AUD CHF PLN SEK NOK DKK CZK BRL MXN'.split(' ');
const THEIR_NETWORKS = theirNetworks(NETWORKS);
/** Paying in another currency than one is billed in. */
const EXCHANGE = decimal('0.01');
const ONE = decimal(1);
const STABLE = words('USDC USDT DAI PYUSD');

export interface Row {
  method: Method;
  billing: string;
  countries: readonly string[];
}

/** One row a type and currency of billing. */
export const ROWS: Readonly<Record<Side, readonly Row[]>> = { buy: rowsOf('buy'), sell: rowsOf('sell') };

function rowsOf(side: Side): Row[] {
  return METHODS[side].flatMap(method =>
    Object.entries(BILLED).flatMap(([billing, all]) => {
      const countries = method.only ? all.filter(code => method.only?.countries.includes(code)) : all;
      return countries.length ? [{ method, billing, countries }] : [];
    }),
  );
}

export function moneyOf({ fiats }: Currencies): Fiat[] {
  return [...fiats.values()].filter(({ code }) => MONEY.includes(code));
}

export function takes({ only }: Method, { code }: Fiat): boolean {
  return MONEY.includes(code) && (only?.fiat ?? code) === code;
}

/** What the limits in the currency of billing are in another; to the cent, as in their list. */
export function limitsOf(
  { method, billing }: Row,
  { code, decimals }: Fiat,
  { market }: World,
): { min: Amount; max: Amount } {
  const rate = (market.perEuro(code) ?? ONE).div(market.perEuro(billing) ?? ONE);
  return { min: raise(rate.times(method.min), decimals), max: cut(rate.times(method.max), decimals) };
}

/** Their code of the network it is on; undefined for what they do not list. */
export function networkOf(asset: Asset): string | undefined {
  const network = THEIR_NETWORKS.get(asset.network);
  return network && (isNative(asset) || tokenOf(asset.code, network)) ? network : undefined;
}

/** What they list by code and network; the same for as long as the world's currencies are. */
const placesOf = forCurrencies((all): ReadonlyMap<string, Asset> => {
  const listed = [...all.assets.values()].filter(networkOf);
  return new Map(listed.map(asset => [`${asset.code} ${networkOf(asset)}`, asset]));
});

export function findAsset(code: string, network: string, currencies: Currencies): Asset | undefined {
  return placesOf(currencies).get(`${code} ${network}`);
}

/** Found by the word that tokens name it by, and the country it would be billed in. */
export function findRow(side: Side, network: string | undefined, country: string): Row | undefined {
  return ROWS[side].find(
    ({ method, countries }) => countries.includes(country) && (!network || method.network === network),
  );
}

export function shareOf({ method, billing }: Row, { code }: Fiat): Amount {
  const share = decimal(method.share);
  return code === billing ? share : share.plus(EXCHANGE);
}

export function spreadOf({ code }: Asset): Amount {
  return decimal(STABLE.has(code) ? '0.0025' : '0.0095');
}
