/** Guardarian's terms as the stand-in has them: what is listed, which categories each fiat has, where, and their fees. */
import type { Asset, Fiat } from '../../domain/currency.ts';
import { type Amount, decimal, raise, significant, ZERO } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import type { Means } from '../hosted.ts';
import { forCurrencies, isNative, roundly, theirNetworks, words } from '../standin-kit.ts';
import type { World } from '../world.ts';
import { NETWORKS } from './words.ts';

const ONE = decimal(1);
const PLACES = 8;
const MARGIN = decimal('0.009');
/** In euros, as what follows. */
const LEAST = decimal(20);
const MOST = decimal(15_000);
const LEAST_FEE = decimal('0.5');
/** Cards from outside Europe cost them more, and so do small payments by card. */
const FAR_SHARE = decimal('0.012');
const SMALL = decimal(100);
const SMALL_SHARE = decimal('0.01');

/** What a category costs. */
export interface Category {
  types: readonly string[];
  share: string;
  means: Means;
  /** Can be paid out to. */
  out?: true;
  isCard?: true;
}

export const CATEGORIES: Readonly<Record<string, Category>> = {
  VISA_MC: { types: ['VISA_MC1', 'VISA_MC2'], share: '0.029', means: 'card', out: true, isCard: true },
  APPLE_PAY: { types: ['APPLE_PAY_1'], share: '0.029', means: 'wallet', isCard: true },
  GOOGLE_PAY: { types: ['GOOGLE_PAY_1'], share: '0.029', means: 'wallet', isCard: true },
  SEPA: { types: ['SEPA_1', 'SEPA_2'], share: '0.005', means: 'bank', out: true },
  SWIFT: { types: ['SWIFT_1'], share: '0.012', means: 'bank', out: true },
  FASTERPAYMENTS: { types: ['FASTERPAYMENTS_1'], share: '0.006', means: 'bank', out: true },
  PIX: { types: ['PIX_1'], share: '0.01', means: 'bank', out: true },
  REVOLUT_PAY: { types: ['REVOLUT_PAY_1'], share: '0.015', means: 'wallet' },
  SPEI: { types: ['SPEI_1'], share: '0.012', means: 'bank' },
  PSE: { types: ['PSE_1'], share: '0.014', means: 'bank' },
  MANDIRI_VA: { types: ['MANDIRI_VA_1'], share: '0.015', means: 'bank' },
};

const CARDS = ['VISA_MC', 'APPLE_PAY', 'GOOGLE_PAY'];

/** The categories of each fiat. */
export const FIATS: Readonly<Record<string, readonly string[]>> = {
  EUR: [...CARDS, 'SEPA', 'REVOLUT_PAY'],
  GBP: [...CARDS, 'FASTERPAYMENTS', 'REVOLUT_PAY'],
  USD: [...CARDS, 'SWIFT'],
  BRL: ['VISA_MC', 'PIX'],
  MXN: ['VISA_MC', 'SPEI'],
  COP: ['VISA_MC', 'PSE'],
  IDR: ['VISA_MC', 'MANDIRI_VA'],
  ...Object.fromEntries(
    [...words('AUD CAD CHF CZK DKK HUF JPY NOK NZD PLN RON SEK SGD HKD AED ZAR TRY THB')].map(code => [
      code,
      CARDS,
    ]),
  ),
};

const TOKENS = words(
  `USDC USDT DAI EURC WBTC LINK UNI AAVE SHIB PEPE MKR LDO CRV GRT SAND MANA AXS CHZ COMP 1INCH FET IMX ARB OP BONK CAKE
  TWT`,
);
const SOLD_TOO = words('BTC ETH SOL LTC BCH XRP DOGE TRX ADA TON BNB POL USDC USDT DOT XLM AVAX ATOM');
const NOT_SERVED = words(
  'AF AL BY CD CF CN CU DZ EG ER ET HT IQ IR KP LB LY ML MM MZ NI PK PS RU SD SN SO SS SY UG US VE YE ZW',
);
const EUROPE = words(
  `AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK`,
);

const THEIR_NETWORKS = theirNetworks(NETWORKS);

/** What is listed, by the words it is asked for; the same for as long as the world's currencies are. */
export const coinsOf = forCurrencies((currencies): ReadonlyMap<string, Asset> => {
  const coins = new Map<string, Asset>();
  for (const asset of currencies.assets.values()) {
    const network = networkOf(asset);
    if (network && (isNative(asset) || TOKENS.has(asset.code))) coins.set(`${asset.code} ${network}`, asset);
  }
  return coins;
});

export function networkOf({ network }: Asset): string | undefined {
  return THEIR_NETWORKS.get(network);
}

export function trades(side: Side, { code }: Asset): boolean {
  return side === 'buy' || SOLD_TOO.has(code);
}

/** Whether a fiat is paid with it, or paid out to it. */
export function takes(side: Side, fiat: string, category: string): boolean {
  return FIATS[fiat]?.includes(category) === true && (side === 'buy' || CATEGORIES[category]?.out === true);
}

/** What is paid with when nothing is said, or paid out to, which never is: a bank, where the fiat has one. */
export function usual(side: Side, fiat: string): string | undefined {
  const taken = FIATS[fiat]?.filter(category => takes(side, fiat, category)) ?? [];
  const bank = taken.find(category => CATEGORIES[category]?.means === 'bank');
  return side === 'sell' && bank ? bank : taken[0];
}

export function isServed(country: string): boolean {
  return !NOT_SERVED.has(country);
}

export function placesOf(asset: Asset): number {
  return Math.min(asset.decimals, PLACES);
}

/** In what is handed over: fiat on a buy, coins on a sell. */
export function boundsOf(side: Side, price: Amount, perEuro: Amount): { min: Amount; max: Amount } {
  const [min, max] = [LEAST.times(perEuro), MOST.times(perEuro)];
  return side === 'buy'
    ? { min: roundly(min), max: roundly(max) }
    : { min: significant(min.div(price), 3), max: significant(max.div(price), 3) };
}

/** What the market's price is multiplied by. */
export function withMargin(side: Side): Amount {
  return side === 'buy' ? ONE.plus(MARGIN) : ONE.minus(MARGIN);
}

/** The share by country and amount, and the least. */
export function feeOf(
  { share, isCard }: Category,
  { country, euros, perEuro }: { country: string; euros: Amount; perEuro: Amount },
): { share: Amount; least: Amount } {
  const far = isCard && !EUROPE.has(country) ? FAR_SHARE : ZERO;
  const small = isCard && euros.lt(SMALL) ? SMALL_SHARE : ZERO;
  return { share: decimal(share).plus(far).plus(small), least: LEAST_FEE.times(perEuro) };
}

/** Coins that come in cost them nothing to move. */
export function networkFeeOf(side: Side, asset: Asset, fiat: Fiat, { market }: World): Amount | undefined {
  const fee = market.networkFee(asset, fiat.code);
  return side === 'sell' ? ZERO : fee && raise(fee, fiat.decimals);
}
