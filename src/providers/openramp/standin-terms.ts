/** The stand-in's terms: what it lists, for whom, for which fees, within which limits, and what it asks of a person. */
import type { Asset, Fiat } from '../../domain/currency.ts';
import type { Requirement } from '../../domain/kyc.ts';
import { type Amount, decimal, raise, significant } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import type { Knowing, Means } from '../hosted.ts';
import { forCurrencies, isNative, roundly, words } from '../standin-kit.ts';
import type { World } from '../world.ts';

export const SPREAD = decimal('0.003');
const CARD_RATE = decimal('0.029');
const BANK_RATE = decimal('0.005');
/** In euros, as all that follows. */
const LEAST_CARD_FEE = decimal('1.49');
const LEAST_BANK_FEE = decimal('0.49');
const LEAST = decimal(15);
const MOST = decimal(20000);
const PRECISION = 8;

const CHAINS = words(
  `bitcoin ethereum solana bsc polygon base arbitrum optimism avaxc tron litecoin dogecoin ripple stellar ton celo
  linea zksync gnosis sui aptos near`,
);
const TOKENS = words('USDC USDT EURC DAI WBTC LINK ARB OP');
const FIATS = words('EUR USD GBP CHF PLN SEK NOK DKK CZK CAD AUD BRL');
const PAID_OUT = words('EUR USD GBP CHF PLN');
const NOWHERE = words('AF BY CD CF CN CU IQ IR KP LB LY ML MM NI RU SD SO SS SY VE YE ZW');
const NOT_TO_SELL_FROM = words('IN JP KR TR');
const SEPA =
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK IS LI NO CH GB'.split(
    ' ',
  );

interface Way {
  method: string;
  means: Means;
  fiat?: string;
  onlyIn?: readonly string[];
  paysOut?: true;
}

const WAYS: readonly Way[] = [
  { method: 'creditcard', means: 'card' },
  { method: 'debitcard', means: 'card', paysOut: true },
  { method: 'applepay', means: 'wallet' },
  { method: 'googlepay', means: 'wallet' },
  { method: 'sepabanktransfer', means: 'bank', fiat: 'EUR', onlyIn: SEPA, paysOut: true },
  { method: 'sepainstant', means: 'bank', fiat: 'EUR', onlyIn: SEPA },
];

/** What it lists, by the word it is asked for with: our id, or for tokens `TICKER-network`. */
export const assetsOf = forCurrencies((all): ReadonlyMap<string, Asset> => {
  const listed = [...all.assets.values()].filter(
    asset => CHAINS.has(asset.network) && (isNative(asset) || TOKENS.has(asset.code)),
  );
  return new Map(listed.map(asset => [wordOf(asset), asset]));
});

function wordOf(asset: Asset): string {
  return isNative(asset) ? asset.id : `${asset.code}-${asset.network}`;
}

export function takes({ code }: Fiat, side: Side): boolean {
  return (side === 'buy' ? FIATS : PAID_OUT).has(code);
}

/** The ways to pay, or to be paid, in a fiat. */
export function waysOf({ code }: Fiat, side: Side): readonly Way[] {
  return WAYS.filter(({ fiat = code, paysOut }) => fiat === code && (side === 'buy' || paysOut));
}

export function isServed(country: string, side: Side): boolean {
  return !NOWHERE.has(country) && (side === 'buy' || !NOT_TO_SELL_FROM.has(country));
}

export function precisionOf(asset: Asset): number {
  return Math.min(asset.decimals, PRECISION);
}

interface Bounds {
  min: Amount;
  max: Amount;
}

/** In the fiat. */
export function fiatLimits({ code }: Fiat, world: World): Bounds {
  const perEuro = world.market.perEuro(code) ?? decimal(1);
  return { min: roundly(LEAST.times(perEuro)), max: roundly(MOST.times(perEuro)) };
}

/** In coins, of which one is worth so many euros. */
export function coinLimits(asset: Asset, world: World): Bounds | undefined {
  const euros = world.market.price(asset, 'EUR');
  return euros && { min: significant(LEAST.div(euros), 3), max: significant(MOST.div(euros), 3) };
}

export function feeOf(means: Means, { code, decimals }: Fiat, world: World): { rate: Amount; least: Amount } {
  const isBank = means === 'bank';
  const least = (isBank ? LEAST_BANK_FEE : LEAST_CARD_FEE).times(world.market.perEuro(code) ?? 1);
  return { rate: isBank ? BANK_RATE : CARD_RATE, least: raise(least, decimals) };
}

/** By the fiat that is paid or received, up to so many euros; above that the last one counts. */
interface Tier {
  upTo?: Amount;
  knowing: Knowing;
  asks: readonly Requirement[];
}

const FORM = ['email', 'identity', 'address', 'phone'] as const;

export const TIERS: readonly Tier[] = [
  { upTo: decimal(150), knowing: 'nothing', asks: ['email'] },
  { upTo: decimal(1000), knowing: 'identity', asks: FORM },
  {
    knowing: 'document',
    asks: [...FORM, ['passport', 'driverLicense', 'nationalIdentityCard'], 'selfie'],
  },
];

/** Highest amount of a tier in a fiat. */
export function tierEnd({ upTo }: Tier, code: string, world: World): Amount | undefined {
  return upTo && roundly(upTo.times(world.market.perEuro(code) ?? 1));
}

export function tierOf(sum: Amount, { code }: Fiat, world: World): Tier {
  const fits = (tier: Tier) => {
    const end = tierEnd(tier, code, world);
    return !end || sum.lte(end);
  };
  return TIERS.find(fits) ?? { knowing: 'document', asks: [] };
}
