/** Stripe's quotes imitated: every pair at once, or those that are asked for. */
import type { Fiat } from '../../domain/currency.ts';
import { type Amount, decimal, readDecimal, ZERO } from '../../domain/money.ts';
import { digest, filled } from '../standin-kit.ts';
import type { StandinAnswer, StandinRequest, World } from '../world.ts';
import { isOurs, refuse, unauthorized } from './standin-answers.ts';
import { type Figures, fiatOf, figuresFor, isBelow, isBeyond, type Pair, pairsOf } from './standin-terms.ts';
import { keyOf } from './words.ts';

const USUAL = decimal('100.00');
const CENTS = { decimals: 2 };

export function quotes(request: StandinRequest, world: World): StandinAnswer {
  if (!isOurs(request)) return unauthorized();
  const { query } = request;
  const fiat = fiatOf(query.source_currency ?? 'usd', world);
  if (!fiat) return refuse('missing_source_currency', 'The source currency is not supported');
  const wanted = wantedOf(query);
  if ('status' in wanted) return wanted;
  const pairs = pairsFor(query, world);
  if (!pairs.length) return refuse('invalid_destination_currencies_and_networks', 'No such pair is sold');
  if ('gets' in wanted && pairs.length !== 1) {
    return refuse('invalid_destination_amount', 'destination_amount needs one currency and one network');
  }

  const priced = pairs.flatMap(pair => {
    const figures = figuresFor(wanted, { asset: pair.asset, fiat }, world);
    return figures ? [{ pair, figures }] : [];
  });
  const flaw = flawOf(priced[0]?.figures.source ?? ZERO, fiat, world);
  if (flaw) return flaw;
  return { status: 200, body: bodyOf(priced, { fiat, query, world }) };
}

/** No figures are in these errors, as in no sample of theirs. */
export function flawOf(source: Amount, fiat: Fiat, world: World): StandinAnswer | undefined {
  if (isBelow(source, fiat, world)) return refuse('amount_below_minimum', 'The amount is too small.');
  if (isBeyond(source, fiat, world)) return refuse('amount_above_maximum', 'The amount is too large.');
  return undefined;
}

function pairsFor(query: Readonly<Record<string, string>>, { currencies }: World): Pair[] {
  const { 'destination_currencies[]': currency, 'destination_networks[]': network } = query;
  return pairsOf(currencies).filter(
    pair => (currency ?? pair.currency) === pair.currency && (network ?? pair.network) === pair.network,
  );
}

type Wanted = { source: Amount } | { gets: Amount };

function wantedOf(query: StandinRequest['query']): Wanted | StandinAnswer {
  const { source_amount: source, destination_amount: gets } = query;
  if (source !== undefined && gets !== undefined) {
    return refuse('invalid_source_destination_pair', 'Set one of source_amount and destination_amount');
  }
  const given = gets ?? source;
  const read = given === undefined ? USUAL : readDecimal(given);
  const what = gets === undefined ? 'source' : 'destination';
  if (!read?.gt(ZERO) || (what === 'source' && read.decimalPlaces() > CENTS.decimals)) {
    return refuse(`invalid_${what}_amount`, `The ${what} amount is not valid`);
  }
  return gets === undefined ? { source: read } : { gets: read };
}

interface Priced {
  pair: Pair;
  figures: Figures;
}

/** Every network has its list, those without a match an empty one, or none where an amount of coins was asked for. */
function bodyOf(
  priced: readonly Priced[],
  { fiat, query, world }: { fiat: Fiat; query: StandinRequest['query']; world: World },
): object {
  const id = digest(`quote ${world.id()}`, world);
  const nothing = query.destination_amount === undefined ? [] : null;
  const networks = [...new Set(pairsOf(world.currencies).map(({ network }) => network))];
  const listed = networks.map(network => {
    const entries = priced.filter(({ pair }) => pair.network === network).map(entry => lineOf(entry, world));
    return [keyOf(network), entries.length ? entries : nothing];
  });
  return {
    id: id.slice(0, 64),
    object: 'crypto.onramp.quotes',
    livemode: false,
    rate_fetched_at: decimal(world.now).div(1000),
    source_currency: fiat.code.toLowerCase(),
    source_amount: filled(priced[0]?.figures.source ?? ZERO, CENTS),
    destination_network_quotes: Object.fromEntries(listed),
  };
}

function lineOf({ pair, figures }: Priced, world: World): object {
  return {
    id: digest(`line ${world.id()}`, world).slice(0, 64),
    destination_currency: pair.currency,
    destination_amount: filled(figures.gets, pair.asset),
    destination_network: pair.network,
    fees: {
      network_fee_monetary: filled(figures.networkFee, CENTS),
      transaction_fee_monetary: filled(figures.fee, CENTS),
    },
    source_total_amount: filled(figures.total, CENTS),
  };
}
