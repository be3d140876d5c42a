/** The synthetic market: seeded prices that move with time, the same for every stand-in. */
import type { Asset } from '../domain/currency.ts';
import { type Amount, decimal, significant } from '../domain/money.ts';
import type { Instant } from '../domain/words.ts';
import type { Market } from '../providers/world.ts';

export interface MarketOptions {
  seed: number;
  now: Instant;
  /** Multiplies every price; a lying provider sees another market. */
  distortion?: Amount;
}

/** The market at one moment: a pure function of seed, time and what is asked. */
export function createMarket({ seed, now, distortion }: MarketOptions): Market {
  const perEuro = (fiatCode: string) => PER_EURO.get(fiatCode.toUpperCase());
  return {
    perEuro,
    price(asset, fiatCode) {
      const rate = perEuro(fiatCode);
      if (!rate) return undefined;
      const fair = significant(
        basePrice(asset)
          .times(drift(seed, asset.code, now))
          .times(rate),
        9,
      );
      return distortion ? fair.times(distortion) : fair;
    },
    networkFee(asset, fiatCode) {
      const rate = perEuro(fiatCode);
      return rate && significant((NETWORK_FEES.get(asset.network) ?? decimal('0.02')).times(rate), 4);
    },
  };
}

/** Euros for one unit. A coin without a known price gets one from its name, the same every time. */
function basePrice(asset: Asset): Amount {
  const known = PRICES.get(asset.code);
  if (known) return known;
  return decimal((hash(asset.code) % 9_000) + 1_000).times(decimal('1e-3'));
}

/** Two slow waves, some percent up and down; each coin has its own phase. */
function drift(seed: number, code: string, now: Instant): Amount {
  const phase = (hash(`${seed}${code}`) % 6_283) / 1_000;
  const wave = 0.02 * Math.sin(now / 3_600_000 + phase) + 0.004 * Math.sin(now / 60_000 + 3 * phase);
  return decimal(1).plus(decimal(Math.round(wave * 1_000_000)).times(decimal('1e-6')));
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return value;
}

const table = (entries: Record<string, string>): ReadonlyMap<string, Amount> =>
  new Map(Object.entries(entries).map(([code, price]) => [code, decimal(price)]));

const DOLLAR = '0.92';
const STABLE = Object.fromEntries(
  [
    'USDC',
    'USDT',
    'DAI',
    'PYUSD',
    'FDUSD',
    'TUSD',
    'USDS',
    'USDE',
    'GHO',
    'LUSD',
    'FRAX',
    'USDP',
    'GUSD',
  ].map(code => [code, DOLLAR]),
);

const PRICES = table({
  ...STABLE,
  EURC: '1',
  CBBTC: '88000',
  TBTC: '88000',
  BTC: '88000',
  WBTC: '88000',
  ETH: '3100',
  WETH: '3100',
  STETH: '3100',
  WSTETH: '3700',
  SOL: '165',
  LTC: '92',
  XRP: '2.1',
  DOGE: '0.18',
  TRX: '0.26',
  BCH: '480',
  BNB: '840',
  POL: '0.21',
  MATIC: '0.21',
  AVAX: '23',
  TON: '2.7',
  ADA: '0.61',
  DOT: '3.4',
  ATOM: '3.6',
  NEAR: '2.3',
  ALGO: '0.19',
  XLM: '0.27',
  XTZ: '0.62',
  APT: '3.9',
  SUI: '2.6',
  AR: '5.1',
  STX: '0.52',
  STRK: '0.11',
  LINK: '15.2',
  UNI: '6.8',
  AAVE: '230',
  MKR: '1500',
  LDO: '0.9',
  CRV: '0.55',
  GRT: '0.07',
  ARB: '0.33',
  OP: '0.45',
  SHIB: '0.0000093',
  PEPE: '0.0000069',
  BONK: '0.000017',
  FLOKI: '0.00006',
  WIF: '0.62',
  JUP: '0.36',
  ETC: '16',
  FIL: '1.6',
  ICP: '4.2',
  HBAR: '0.16',
  SEI: '0.2',
  INJ: '9.1',
  TIA: '1.2',
});

const PER_EURO = table({
  EUR: '1',
  USD: '1.087',
  GBP: '0.86',
  CHF: '0.94',
  CAD: '1.49',
  AUD: '1.64',
  NZD: '1.81',
  JPY: '163',
  KRW: '1480',
  CNY: '7.8',
  HKD: '8.5',
  SGD: '1.46',
  TWD: '34.6',
  INR: '91',
  IDR: '17500',
  MYR: '4.8',
  PHP: '62',
  THB: '37',
  VND: '27300',
  BRL: '6.1',
  MXN: '20.4',
  ARS: '1050',
  CLP: '1020',
  COP: '4400',
  PEN: '4.05',
  UYU: '43',
  CRC: '560',
  DOP: '65',
  GTQ: '8.4',
  PYG: '8100',
  BOB: '7.5',
  NOK: '11.6',
  SEK: '11.3',
  DKK: '7.46',
  ISK: '150',
  PLN: '4.28',
  CZK: '25.1',
  HUF: '402',
  RON: '4.97',
  BGN: '1.956',
  TRY: '37',
  ILS: '4.0',
  AED: '3.99',
  SAR: '4.08',
  QAR: '3.96',
  KWD: '0.334',
  BHD: '0.41',
  OMR: '0.42',
  JOD: '0.77',
  EGP: '53',
  MAD: '10.8',
  ZAR: '19.8',
  NGN: '1650',
  KES: '140',
  GHS: '16',
  TZS: '2700',
  UGX: '3950',
  RWF: '1450',
  XAF: '656',
  XOF: '656',
  UAH: '45',
  KZT: '530',
  GEL: '2.95',
  AZN: '1.85',
  AMD: '420',
  MDL: '19.3',
  PKR: '302',
  LKR: '325',
  BDT: '130',
  NPR: '146',
  ZMW: '29',
  BWP: '14.7',
  LAK: '23500',
  KHR: '4400',
  MOP: '8.7',
  BND: '1.46',
  FJD: '2.45',
  XPF: '119',
});

const NETWORK_FEES = table({
  bitcoin: '1.6',
  ethereum: '1.9',
  litecoin: '0.05',
  dogecoin: '0.12',
  bitcoincash: '0.03',
  tron: '0.9',
  polygon: '0.02',
  arbitrum: '0.06',
  optimism: '0.05',
  base: '0.04',
  bsc: '0.08',
  avaxc: '0.04',
  solana: '0.01',
  zksync: '0.06',
  linea: '0.07',
  cardano: '0.15',
  cosmos: '0.02',
  ton: '0.03',
  ripple: '0.01',
  stellar: '0.01',
  polkadot: '0.08',
});
