/** Coinbase's catalog: what can be bought and sold is told country by country, and asked for those that stand for others. */
import { STATES } from '../../domain/states.ts';
import type { Side } from '../../domain/words.ts';
import type { TheirAsset, TheirFiat, TheirListing, TheirMethod } from '../contract.ts';
import { amountIfAny, type Context, readable, readEntries, type Work } from '../exchange.ts';
import { inSeries } from '../series.ts';
import { signed } from './requests.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

/** Each costs a request on each side, and a catalog may take only so many. */
const MOST_GROUPS = 4;

/** Countries with the same payment methods, of which the first is asked for all. */
interface Group {
  side: Side;
  countries: readonly string[];
  /** Required in the United States, and unknown elsewhere. */
  subdivision: string | undefined;
  /** States where they serve nobody. */
  closed: readonly string[];
}

/** That countries with the same methods have the same currencies is a guess; a quote, which names its country, knows. */
export function catalog(context: Context): Work<TheirListing[]> {
  const get = (path: string, query?: Record<string, string | undefined>) =>
    signed({ method: 'GET', path: `/onramp/v1${path}`, ...(query && { query }) }, context);
  return inSeries([get('/buy/config'), get('/sell/config')], ([bought, sold]) => {
    const groups = [...groupsOf('buy', bought, context), ...groupsOf('sell', sold, context)];
    return inSeries(
      groups.map(({ side, countries: [country], subdivision }) =>
        get(`/${side}/options`, { country, subdivision }),
      ),
      bodies =>
        groups
          .map((group, at) => listing(group, bodies[at]))
          .filter(({ assets, fiats }) => assets.length && fiats.length),
    );
  });
}

/** The United States first, then the groups with the most countries. */
function groupsOf(side: Side, body: unknown, { settings }: Context): Group[] {
  const byMethods = new Map<string, string[]>();
  const countries = readEntries(wire.readCountries(body).countries, wire.readCountry);
  const closed = closedStates(countries.find(({ id }) => id === 'US')?.subdivisions ?? []);
  for (const { id, payment_methods } of countries) {
    const methods = readable(payment_methods, method => wire.readMethod(method).id).sort();
    const key = id === 'US' ? '' : methods.join(' ');
    if (methods.length) byMethods.set(key, [...(byMethods.get(key) ?? []), id]);
  }
  return [...byMethods]
    .sort(([a, one], [b, other]) => (a && b ? other.length - one.length : a ? 1 : -1))
    .slice(0, MOST_GROUPS)
    .map(([key, countries]) =>
      key
        ? { side, countries, subdivision: undefined, closed: [] }
        : { side, countries, subdivision: settings.usState, closed },
    );
}

/** Those that are not named, where any is. */
function closedStates(open: readonly unknown[]): string[] {
  return open.length ? [...STATES].filter(state => !open.includes(state)).map(state => `US-${state}`) : [];
}

function listing({ side, countries, closed }: Group, body: unknown): TheirListing {
  const isUs = countries.includes('US');
  const { fiats, coins } = side === 'buy' ? boughtIn(body) : soldIn(body);
  return {
    side,
    countries,
    assets: readEntries(coins, assetsOf)
      .flat()
      .filter(({ network }) => side === 'buy' || !words.TAGGED.has(network))
      .map(asset => (closed.length ? { ...asset, notIn: closed } : asset)),
    fiats: readEntries(fiats, fiat => fiatOf(fiat, isUs)).filter(({ methods }) => methods.length > 0),
  };
}

interface Options {
  fiats: readonly unknown[];
  coins: readonly unknown[];
}

function boughtIn(body: unknown): Options {
  const { payment_currencies, purchase_currencies } = wire.readBuyOptions(body);
  return { fiats: payment_currencies, coins: purchase_currencies };
}

function soldIn(body: unknown): Options {
  const { cashout_currencies, sell_currencies } = wire.readSellOptions(body);
  return { fiats: cashout_currencies, coins: sell_currencies };
}

/** A network's own coin has an empty contract. */
function assetsOf(coin: unknown): TheirAsset[] {
  const { symbol, networks } = wire.readCoin(coin);
  return readable(networks, wire.readNetwork).map(({ name, contract_address }) => ({
    code: symbol,
    symbol: (!contract_address && words.TICKERS[symbol]) || symbol,
    network: name,
    contract: contract_address || undefined,
  }));
}

function fiatOf(fiat: unknown, isUs: boolean): TheirFiat {
  const { id, limits } = wire.readFiat(fiat);
  const methods = readable(limits, limit => methodOf(limit, isUs));
  return { code: id, methods: methods.filter(({ code }) => !words.LEFT_OUT.test(code)) };
}

/** A method whose limits cannot be read is left out, not listed without them. */
function methodOf(limit: unknown, isUs: boolean): TheirMethod {
  const { id, min, max } = wire.readLimit(limit);
  return {
    code: id,
    kind: isUs && id === 'CARD' ? 'CARD/US' : undefined,
    min: amountIfAny(min),
    max: amountIfAny(max),
  };
}
