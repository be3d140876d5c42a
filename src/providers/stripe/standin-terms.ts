/** Stripe's terms as the stand-in has them: which pairs are sold, and for what fees and limits. */
import type { Asset, Fiat } from '../../domain/currency.ts';
import { type Amount, cut, decimal, raise, ZERO } from '../../domain/money.ts';
import { forCurrencies, theirNetworks } from '../standin-kit.ts';
import type { World } from '../world.ts';
import { NETWORKS } from './words.ts';

/** Their credentials in the sandbox. */
export const SETTINGS = { secretKey: 'sk_test_cloverleaf', webhookSecret: 'whsec_cloverleaf' };

const SPREAD = decimal('1.003');
/** Of the first two hundred euros, and of what lies above. */
const FEE = decimal('0.0404');
const FEE_ABOVE = decimal('0.025');
const STEP = decimal(200);
const LEAST = decimal(1);
const MOST = decimal(5000);
const PLACES = 8;
const CENTS = 2;

/** "Supported currencies": coins by the networks they are sold on. */
const SOLD: Readonly<Record<string, readonly string[]>> = {
  btc: ['bitcoin'],
  eth: ['ethereum', 'base'],
  sol: ['solana'],
  matic: ['polygon'],
  avax: ['avaxc'],
  xlm: ['stellar'],
  usdc: ['ethereum', 'base', 'polygon', 'solana', 'avaxc', 'stellar'],
};
const OURS: Readonly<Record<string, string>> = { matic: 'pol' };

export interface Pair {
  currency: string;
  network: string;
  asset: Asset;
}

/** Everything that is sold; the same for as long as the world's currencies are. */
export const pairsOf = forCurrencies((currencies): readonly Pair[] => {
  const theirs = theirNetworks(NETWORKS);
  return Object.entries(SOLD).flatMap(([currency, networks]) =>
    networks.flatMap(id => {
      const found = currencies.findAsset(`${OURS[currency] ?? currency}_${id}`);
      const network = theirs.get(id);
      return found && 'asset' in found && network ? [{ currency, network, asset: found.asset }] : [];
    }),
  );
});

export function fiatOf(code: string | undefined, { currencies }: World): Fiat | undefined {
  return code === 'usd' || code === 'eur' ? currencies.findFiat(code) : undefined;
}

export interface Figures {
  source: Amount;
  total: Amount;
  gets: Amount;
  fee: Amount;
  networkFee: Amount;
  rate: Amount;
}

/** What so much of the fiat, or of the coin, comes to. Fees are on top of what buys coins. */
export function figuresFor(
  wanted: { source: Amount } | { gets: Amount },
  { asset, fiat }: { asset: Asset; fiat: Fiat },
  world: World,
): Figures | undefined {
  const price = world.market.price(asset, fiat.code);
  const network = world.market.networkFee(asset, fiat.code);
  const perEuro = world.market.perEuro(fiat.code);
  if (!price || !network || !perEuro) return undefined;
  const rate = price.times(SPREAD);
  const source = 'source' in wanted ? wanted.source : raise(wanted.gets.times(rate), CENTS);
  const gets = 'gets' in wanted ? wanted.gets : cut(source.div(rate), Math.min(asset.decimals, PLACES));
  const fee = raise(feeOn(source, STEP.times(perEuro)), CENTS);
  const networkFee = raise(network, CENTS);
  return { source, gets, fee, networkFee, rate, total: source.plus(fee).plus(networkFee) };
}

function feeOn(source: Amount, step: Amount): Amount {
  const above = source.gt(step) ? source.minus(step) : ZERO;
  return source.minus(above).times(FEE).plus(above.times(FEE_ABOVE));
}

/** On what buys coins. */
export function isBelow(source: Amount, fiat: Fiat, { market }: World): boolean {
  return source.lt(LEAST.times(market.perEuro(fiat.code) ?? 1));
}

export function isBeyond(source: Amount, fiat: Fiat, { market }: World): boolean {
  return source.gt(MOST.times(market.perEuro(fiat.code) ?? 1));
}
