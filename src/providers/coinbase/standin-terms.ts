/** Coinbase's terms as the stand-in has them: what is listed, which methods each country has, and what they cost. */
import type { Asset, Currencies, Fiat } from '../../domain/currency.ts';
import { type Amount, decimal } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import { forCurrencies, isNative, roundly, theirNetworks, words } from '../standin-kit.ts';
import type { World } from '../world.ts';
import { NETWORKS } from './words.ts';

const EUROPE =
  'AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(
    ' ',
  );
const OVERSEAS = 'AU CA NZ SG'.split(' ');
const ELSEWHERE = 'AR BR CL CO CR DO ID KE KR MX MY NG PE PH TH TR UY VN ZA'.split(' ');
/** The states where nobody is served are left out. */
export const STATES =
  `AK AL AR AZ CA CO CT DC DE FL GA IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR PA RI
  SC SD TN TX UT VA VT WA WI WV WY`.split(/\s+/);

interface Zone {
  countries: readonly string[];
  buy: readonly string[];
  sell: readonly string[];
  /** What cards cost here. */
  card: string;
}

const ZONES: readonly Zone[] = [
  {
    countries: ['US'],
    buy: ['ACH_BANK_ACCOUNT', 'CARD', 'APPLE_PAY', 'FIAT_WALLET'],
    sell: ['ACH_BANK_ACCOUNT', 'RTP', 'PAYPAL', 'FIAT_WALLET'],
    card: '0.025',
  },
  {
    countries: EUROPE,
    buy: ['CARD', 'APPLE_PAY', 'GOOGLE_PAY', 'FIAT_WALLET'],
    sell: ['PAYPAL', 'FIAT_WALLET'],
    card: '0.0299',
  },
  {
    countries: OVERSEAS,
    buy: ['CARD', 'FIAT_WALLET'],
    // The second, which is coins in the account, is listed as in life; the adapter leaves it out.
    sell: ['FIAT_WALLET', 'CRYPTO_ACCOUNT'],
    card: '0.0299',
  },
  { countries: ELSEWHERE, buy: ['CARD'], sell: ['FIAT_WALLET'], card: '0.0399' },
];

const MONEY = 'USD EUR GBP CAD AUD CHF SGD NZD BRL MXN'.split(' ');
const DOLLARS_ONLY = words('ACH_BANK_ACCOUNT RTP');
const PAYPAL_MONEY = words('USD EUR GBP');

interface Bounds {
  min: string;
  max: string;
}

/** In dollars. */
const BOUNDS: Readonly<Record<string, Bounds>> = {
  CARD: { min: '5', max: '7500' },
  APPLE_PAY: { min: '5', max: '5000' },
  GOOGLE_PAY: { min: '5', max: '5000' },
  ACH_BANK_ACCOUNT: { min: '10', max: '25000' },
  RTP: { min: '10', max: '10000' },
  PAYPAL: { min: '10', max: '10000' },
  // Enough for what the dearest network takes.
  FIAT_WALLET: { min: '4', max: '50000' },
  CRYPTO_ACCOUNT: { min: '2', max: '50000' },
};

const TOKENS = words(
  `USDC USDT DAI EURC PYUSD CBBTC WBTC LINK UNI AAVE MKR LDO CRV GRT SHIB PEPE ENS COMP SAND MANA BAT ARB OP AERO BONK
  WIF JUP PYTH RENDER`,
);
/** Without a margin on those that are worth what they say. */
const STABLE = words('USDC USDT DAI EURC PYUSD');
const THEIR_NETWORKS = theirNetworks(NETWORKS);
const THEIR_TICKERS = new Map([['CELO', 'CGLD']]);

export const COUNTRIES = ZONES.flatMap(zone => zone.countries.map(code => ({ code, zone })));

export function zoneOf(country: string): Zone | undefined {
  return ZONES.find(({ countries }) => countries.includes(country));
}

export function fiatsOf({ fiats }: Currencies): Fiat[] {
  return [...fiats.values()].filter(takes);
}

export function takes({ code }: Fiat): boolean {
  return MONEY.includes(code);
}

/** Which of the country's methods take the fiat. */
export function methodsOf(side: Side, zone: Zone, { code }: Fiat): string[] {
  if (!MONEY.includes(code)) return [];
  return zone[side].filter(
    method =>
      (!DOLLARS_ONLY.has(method) || code === 'USD') && (method !== 'PAYPAL' || PAYPAL_MONEY.has(code)),
  );
}

export function limitsOf(method: string, { code }: Fiat, { market }: World): { min: Amount; max: Amount } {
  const perDollar = (market.perEuro(code) ?? decimal(1)).div(market.perEuro('USD') ?? 1);
  const { min, max } = BOUNDS[method] ?? { min: '5', max: '5000' };
  return { min: roundly(perDollar.times(min)), max: roundly(perDollar.times(max)) };
}

export function tickerOf({ code }: Asset): string {
  return THEIR_TICKERS.get(code) ?? code;
}

export function networkOf({ network }: Asset): string | undefined {
  return THEIR_NETWORKS.get(network);
}

export function lists(asset: Asset): boolean {
  return networkOf(asset) !== undefined && (isNative(asset) || TOKENS.has(asset.code));
}

/** What they list by ticker and network; the same for as long as the world's currencies are. */
const placesOf = forCurrencies((all): ReadonlyMap<string, Asset> => {
  const listed = [...all.assets.values()].filter(lists);
  return new Map(listed.map(asset => [`${tickerOf(asset)} ${networkOf(asset)}`, asset]));
});

export function findAsset(ticker: string, network: string, currencies: Currencies): Asset | undefined {
  return placesOf(currencies).get(`${ticker} ${network}`);
}

/** "Onramp FAQ": 2.5 % by card, 0.5 % from a bank account, and a margin within the price. */
export function shareOf(method: string, { card }: Zone): Amount {
  if (/^(FIAT_WALLET|CRYPTO_ACCOUNT|ACH_BANK_ACCOUNT)$/.test(method)) return decimal('0.005');
  return decimal(method === 'RTP' ? '0.015' : card);
}

export function spreadOf({ code }: Asset): Amount {
  return decimal(STABLE.has(code) ? '0' : '0.006');
}
