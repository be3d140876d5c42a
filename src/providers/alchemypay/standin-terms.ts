/** Alchemy Pay's terms as the stand-in has them: what is listed, which methods each fiat has where, and what they cost. */
import type { Asset, Fiat } from '../../domain/currency.ts';
import { type Amount, decimal, significant } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import { forCurrencies, isNative, roundly, theirNetworks, words } from '../standin-kit.ts';
import type { World } from '../world.ts';
import { NETWORKS } from './words.ts';

export const SETTINGS = { appId: 'cloverleafStandin', appSecret: 'standin-alchemypay-secret' };

/** Their margin, wider for coins that are hard to get. */
const SPREAD = decimal('0.006');
const SPREAD_OF_TOKENS = decimal('0.011');
const LEAST_SOLD = decimal(12);
const MOST_SOLD = decimal(12_000);
const PLACES = 8;

/** A payment method; amounts are in euros. */
export interface Way {
  code: string;
  name: string;
  share: Amount;
  fixed: Amount;
  min: Amount;
  max: Amount;
}

function way(code: string, name: string, terms: readonly [string, string, number, number]): Way {
  const [share, fixed, min, max] = terms;
  return { code, name, share: decimal(share), fixed: decimal(fixed), min: decimal(min), max: decimal(max) };
}

const CARD = way('10001', 'Visa/Master', ['0.0399', '0.4', 14, 2_000]);
const APPLE = way('501', 'Apple Pay', ['0.0399', '0.4', 14, 2_000]);
const GOOGLE = way('701', 'Google Pay', ['0.0399', '0.4', 14, 2_000]);
const CARDS = [CARD, APPLE, GOOGLE];
const SEPA = way('10010', 'SEPA Bank Transfer', ['0.015', '1', 20, 20_000]);
const FASTER = way('10011', 'Bank Transfer', ['0.014', '0.9', 20, 15_000]);
const PIX = way('21001', 'PIX', ['0.019', '0.2', 10, 5_000]);
const SPEI = way('22001', 'SPEI', ['0.019', '0.2', 10, 5_000]);
const UPI = way('23001', 'UPI', ['0.021', '0.1', 10, 1_000]);
const IMPS = way('23002', 'IMPS', ['0.019', '0.1', 10, 4_000]);
const GCASH = way('41001', 'GCash', ['0.022', '0.2', 8, 1_500]);
const MAYA = way('41002', 'Maya', ['0.022', '0.2', 8, 1_500]);
const GRAB = way('41003', 'GrabPay', ['0.025', '0.2', 8, 1_500]);
const PROMPT = way('42001', 'PromptPay', ['0.018', '0.1', 8, 4_000]);
const QRIS = way('43001', 'QRIS', ['0.018', '0.1', 8, 700]);
const DANA = way('43002', 'DANA', ['0.02', '0.1', 8, 700]);
const OVO = way('43003', 'OVO', ['0.02', '0.1', 8, 700]);
const LOCAL = way('44001', 'Local Bank', ['0.017', '0.3', 10, 4_000]);

interface Money {
  countries: readonly string[];
  buy: readonly Way[];
  sell: readonly Way[];
}

const EURO = 'DE AT BE CY EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK'.split(' ');

/** By fiat: where it is taken, by which methods, and how it is paid out. */
const FIATS: Readonly<Record<string, Money>> = {
  EUR: { countries: EURO, buy: [...CARDS, SEPA], sell: [SEPA] },
  GBP: { countries: ['GB'], buy: [...CARDS, FASTER], sell: [FASTER] },
  USD: { countries: ['US', 'PR', 'EC', 'SV', 'PA'], buy: CARDS, sell: [CARD] },
  AUD: { countries: ['AU'], buy: CARDS, sell: [LOCAL] },
  CAD: { countries: ['CA'], buy: CARDS, sell: [] },
  CHF: { countries: ['CH', 'LI'], buy: CARDS, sell: [] },
  JPY: { countries: ['JP'], buy: CARDS, sell: [] },
  KRW: { countries: ['KR'], buy: CARDS, sell: [LOCAL] },
  HKD: { countries: ['HK'], buy: CARDS, sell: [LOCAL] },
  SGD: { countries: ['SG'], buy: [...CARDS, GRAB], sell: [] },
  BRL: { countries: ['BR'], buy: [...CARDS, PIX], sell: [PIX] },
  MXN: { countries: ['MX'], buy: [...CARDS, SPEI], sell: [SPEI] },
  CLP: { countries: ['CL'], buy: [...CARDS, LOCAL], sell: [LOCAL] },
  COP: { countries: ['CO'], buy: [...CARDS, LOCAL], sell: [LOCAL] },
  INR: { countries: ['IN'], buy: [UPI, IMPS], sell: [IMPS] },
  IDR: { countries: ['ID'], buy: [CARD, QRIS, DANA, OVO], sell: [LOCAL] },
  PHP: { countries: ['PH'], buy: [CARD, GCASH, MAYA, GRAB], sell: [GCASH] },
  THB: { countries: ['TH'], buy: [CARD, PROMPT], sell: [LOCAL] },
  VND: { countries: ['VN'], buy: [CARD, LOCAL], sell: [LOCAL] },
  HUF: { countries: ['HU'], buy: CARDS, sell: [] },
  PLN: { countries: ['PL'], buy: CARDS, sell: [LOCAL] },
  TRY: { countries: ['TR'], buy: CARDS, sell: [] },
  ZAR: { countries: ['ZA'], buy: CARDS, sell: [LOCAL] },
};

const TOKENS = words(
  'USDT USDC DAI WBTC LINK UNI AAVE SHIB PEPE FLOKI SAND MANA APE ARB ENA ONDO CAKE TWT JUP BONK WIF ACH PYUSD FDUSD',
);
const NOT_SOLD = words('SHIB PEPE FLOKI APE ENA BONK WIF ACH DOT');

const THEIR_NETWORKS = theirNetworks(NETWORKS);
/** What is listed, by ticker and network; the same for as long as the world's currencies are. */
export const coinsOf = forCurrencies((currencies): ReadonlyMap<string, Asset> => {
  const coins = new Map<string, Asset>();
  for (const asset of currencies.assets.values()) {
    const network = THEIR_NETWORKS.get(asset.network);
    if (network && (isNative(asset) || TOKENS.has(asset.code))) coins.set(`${asset.code} ${network}`, asset);
  }
  return coins;
});

export function trades(side: Side, { code }: Asset): boolean {
  return side === 'buy' || !NOT_SOLD.has(code);
}

export function waysOf(side: Side, fiat: string): readonly Way[] {
  return FIATS[fiat]?.[side] ?? [];
}

export function countriesOf(fiat: string): readonly string[] {
  return FIATS[fiat]?.countries ?? [];
}

export const FIAT_CODES = Object.keys(FIATS);

/** Where twice as much must be paid as elsewhere, and half as much may be. */
const NARROW = words('EC SV PA CY MT');

/** Without a country, as a quote names none, the widest there are. */
export function boundsOf(
  { min, max }: Way,
  { fiat, country }: { fiat: Fiat; country?: string },
  { market }: World,
): { min: Amount; max: Amount } {
  const perEuro = market.perEuro(fiat.code) ?? decimal(1);
  const times = country && NARROW.has(country) ? 2 : 1;
  return { min: roundly(min.times(perEuro).times(times)), max: roundly(max.times(perEuro).div(times)) };
}

/** In coins. */
export function coinBounds(asset: Asset, { market }: World): { min: Amount; max: Amount } | undefined {
  const euros = market.price(asset, 'EUR');
  return euros && { min: significant(LEAST_SOLD.div(euros), 2), max: significant(MOST_SOLD.div(euros), 2) };
}

export function priceOf(side: Side, asset: Asset, price: Amount): Amount {
  const spread = isNative(asset) ? SPREAD : SPREAD_OF_TOKENS;
  return price.times(side === 'buy' ? spread.plus(1) : decimal(1).minus(spread));
}

export function placesOf({ decimals }: Asset): number {
  return Math.min(decimals, PLACES);
}
