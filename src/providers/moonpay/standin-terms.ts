/** MoonPay's terms as the stand-in has them: what is listed under which code, where, and for what fees and limits. */
import type { Asset, Fiat } from '../../domain/currency.ts';
import { type Amount, decimal, raise, significant } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import { forCurrencies, isNative, roundly, theirNetworks, words } from '../standin-kit.ts';
import type { World } from '../world.ts';
import { METHODS, NETWORKS, REACH } from './words.ts';

export const SPREAD = decimal('0.005');
const CARD_RATE = decimal('0.045');
const BANK_RATE = decimal('0.01');
/** In euros, as all that follows. */
const LEAST_FEE = decimal('3.99');
const LEAST = decimal(20);
const MOST = decimal(30000);
/** The least worth of coins sent out: below it a purchase would be all fees. */
export const LEAST_SENT = decimal('0.9');
const PRECISION = 8;
/** Coins that are taken with fewer places, by code. */
const COARSE: Readonly<Record<string, number>> = { usdc: 2 };

const FIATS = words(
  `USD EUR GBP CAD AUD BRL CHF CZK DKK NOK SEK PLN HUF RON BGN JPY KRW HKD SGD NZD MXN TRY ZAR ILS THB AED COP CLP PEN EGP
  KES INR IDR`,
);
const PAID_OUT = words('USD EUR GBP CAD AUD CHF CZK DKK NOK SEK PLN');
const TOKENS = words(
  `USDC USDT DAI EURC PYUSD RLUSD WBTC LINK AAVE UNI SHIB PEPE FLOKI SAND MANA AXS APE CHZ BAT COMP ENJ GALA MKR YFI 1INCH
  ENS FET GRT IMX LDO CRV SNX ONDO ENA WLD ARB OP INJ POL CBBTC BONK WIF JUP PYTH RAY TRUMP PENGU RENDER CAKE TWT JST SUN
  CUSD AERO BRETT ZK`,
);
/** The network on which a coin found on many has the bare code; elsewhere the network is appended. */
const HOME: Readonly<Record<string, string>> = { ETH: 'ethereum', USDC: 'ethereum', USDT: 'ethereum' };
/** Their short word for a network at the end of a code, where it is not ours. */
const SUFFIX: Readonly<Record<string, string>> = {
  ethereum: 'eth',
  solana: 'sol',
  avaxc: 'cchain',
  tron: 'trx',
  stellar: 'xlm',
  ripple: 'xrp',
  algorand: 'algo',
  hedera: 'hbar',
};

const NOWHERE = words('AF BY CD CF CN CU IQ IR KP LB LY ML MM NI RU SD SO SS SY VE YE ZW');
const NOT_TO_SELL_FROM = words('IN JP KR TR');
export const STATES = [
  { code: 'CA', name: 'California', ...allowance(true, true) },
  { code: 'NY', name: 'New York', ...allowance(true, false) },
  { code: 'VI', name: 'Virgin Islands', ...allowance(false, false) },
];
export const BLOCKED: Readonly<Record<string, readonly string[]>> = {
  SHIB: ['CA'],
  FLOKI: ['CA', 'GB'],
  PEPE: ['CA', 'GB'],
  TRUMP: ['GB', 'SG'],
  TON: ['CA'],
};
export const NOT_IN_US = words('FLOKI PEPE TON JST SUN CUSD');

export const THEIR_NETWORKS = theirNetworks(NETWORKS);

/** What they list by their code for it; the same for as long as the world's currencies are. */
export const codesOf = forCurrencies((all): ReadonlyMap<string, Asset> => {
  const codes = new Map<string, Asset>();
  for (const asset of all.assets.values())
    if (THEIR_NETWORKS.has(asset.network) && (isNative(asset) || TOKENS.has(asset.code)))
      codes.set(codeOf(asset), asset);
  return codes;
});

function codeOf(asset: Asset): string {
  const home = HOME[asset.code] ?? (isNative(asset) ? asset.network : undefined);
  const ticker = asset.code.toLowerCase();
  return home === asset.network ? ticker : `${ticker}_${SUFFIX[asset.network] ?? asset.network}`;
}

export function allowanceIn(country: string): object {
  return allowance(!NOWHERE.has(country), !NOT_TO_SELL_FROM.has(country));
}

function allowance(allowed: boolean, sells: boolean): object {
  return { isAllowed: allowed, isBuyAllowed: allowed, isSellAllowed: allowed && sells };
}

/** With how many places amounts of it are taken. */
export function precisionOf(asset: Asset): number {
  return COARSE[codeOf(asset)] ?? Math.min(asset.decimals, PRECISION);
}

export function takes({ code }: Fiat, side: Side): boolean {
  return FIATS.has(code) && (side === 'buy' || PAID_OUT.has(code));
}

export function serves(method: string, { code }: Fiat, side: Side): boolean {
  if (!(method in METHODS)) return false;
  const fiat = code.toLowerCase();
  return REACH.some(
    reach => reach.method === method && (reach.fiat ?? fiat) === fiat && (side === 'buy' || reach.paysOut),
  );
}

/** In the fiat; undefined for one they do not take. */
export function fiatLimits({ code }: Fiat, world: World): { min: Amount; max: Amount } | undefined {
  const perEuro = FIATS.has(code) ? world.market.perEuro(code) : undefined;
  return perEuro && { min: roundly(LEAST.times(perEuro)), max: roundly(MOST.times(perEuro)) };
}

/** In coins, of which one is worth so many euros. */
export function coinLimits(euros: Amount): { min: Amount; max: Amount } {
  return { min: significant(LEAST.div(euros), 3), max: significant(MOST.div(euros), 3) };
}

export interface Fee {
  rate: Amount;
  least: Amount;
}

/** Banks are cheap, cards and whatever carries one are not. */
export function feeOf(method: string, { code, decimals }: Fiat, world: World): Fee {
  const rate = /bank|pix|interac|balance/.test(method) ? BANK_RATE : CARD_RATE;
  return { rate, least: raise(LEAST_FEE.times(world.market.perEuro(code) ?? 1), decimals) };
}
