/** BTC Direct's lists and quotes imitated: a quote out of the limits is answered too, and says why nobody can confirm it. */
import { type Amount, cut, decimal, raise, readDecimal, significant, ZERO } from '../../domain/money.ts';
import type { Deal } from '../hosted.ts';
import { isNative, iso, uuid } from '../standin-kit.ts';
import type { StandinAnswer, StandinRequest, World } from '../world.ts';
import * as terms from './standin-terms.ts';

const QUOTE_MS = 60_000;
const HUNDRED = decimal(100);

/** Errors are an object by code. */
export function refuse(status: number, code: string, message: string): StandinAnswer {
  return { status, body: { errors: { [code]: { code, message, solution: 'See the documentation.' } } } };
}

function noKey({ headers }: StandinRequest): StandinAnswer | undefined {
  return headers['x-api-key'] === terms.SETTINGS.apiKey
    ? undefined
    : refuse(401, 'ER002', 'Invalid API key.');
}

export function pairs(request: StandinRequest, { currencies }: World): StandinAnswer {
  const refusal = noKey(request);
  if (refusal) return refusal;
  const bound = (amount: Amount) => ({ amount, currencyCode: 'EUR' });
  const body = [...terms.coinsOf(currencies)].map(([code, asset]) => ({
    currencyPair: `${code}-EUR`,
    baseCurrency: {
      code,
      ticker: asset.code,
      chain: isNative(asset) ? null : asset.network,
      name: asset.name,
      decimals: asset.decimals,
      supportsTag: currencies.networks.get(asset.network)?.tag ?? false,
      caip19: terms.caip19(asset),
    },
    quoteCurrency: { code: 'EUR', name: 'Euro', decimals: 2, caip19: 'swift:0/iso4217:EUR' },
    buy: { status: 'enabled', min: bound(terms.LEAST), max: bound(terms.MOST) },
    sell: { status: 'disabled', min: null, max: null },
  }));
  return { status: 200, body };
}

export function methods(request: StandinRequest): StandinAnswer {
  const refusal = noKey(request);
  if (refusal) return refusal;
  const paymentMethods = Object.entries(terms.METHODS).map(([code, { label, fixed, percentage }]) => ({
    code,
    label,
    psp: 'standin',
    limit: terms.MOST,
    fees: { fixed, percentage },
    expirationPeriod: 1800,
    openInNewTab: false,
    context: null,
  }));
  return { status: 200, body: { paymentMethods, countries: terms.COUNTRIES } };
}

export function quote(request: StandinRequest, world: World): StandinAnswer {
  const refusal = noKey(request);
  if (refusal) return refusal;
  const given = (request.body ?? {}) as Record<string, string | undefined>;
  const code = given.currencyPair?.replace(/-?EUR$/, '') ?? '';
  const fiatAmount = readDecimal(given.fiatAmount);
  const cryptoAmount = readDecimal(given.cryptoAmount);
  const wanted = fiatAmount ? { pays: fiatAmount } : { gets: cryptoAmount ?? ZERO };
  const deal = dealOf({ code, method: given.paymentMethod ?? '', wanted }, world);
  if (typeof deal === 'string') return refuse(400, 'ER100', deal);
  const isOut = deal.pays.lt(terms.LEAST) || deal.pays.gt(terms.MOST);
  return {
    status: 200,
    body: {
      quote: `${uuid(world.id(), world)}.standin`,
      currencyPair: `${code}EUR`,
      ...figuresOf(deal),
      paymentMethod: deal.method,
      expiryDate: iso(world.now + QUOTE_MS).replace('.000Z', '+00:00'),
      quoteUnconfirmableReasons: [
        ...(isOut ? ['currencyLimitExceeded'] : []),
        'userRegistrationNotCompleted',
      ],
    },
  };
}

function figuresOf(deal: Deal): object {
  const { percentage, fixed } = terms.METHODS[deal.method] ?? { percentage: ZERO, fixed: ZERO };
  const paymentMethodCost = cut(deal.pays.times(percentage).div(HUNDRED).plus(fixed), 2);
  return {
    fiatAmount: deal.pays,
    totalCost: deal.pays,
    cryptoAmount: deal.gets,
    paymentMethodCost,
    networkFeeCost: deal.networkFee,
    btcdirectFee: deal.fee.minus(paymentMethodCost),
    btcdirectFeePercentage: terms.FEE,
    partnerFee: ZERO,
    partnerFeePercentage: ZERO,
    singleCoinEstimate: deal.rate,
  };
}

interface Wanted {
  code: string;
  method: string;
  wanted: { pays: Amount } | { gets: Amount };
}

/** What they offer, whether or not it can be confirmed; a text when they do not. */
export function dealOf({ code, method, wanted }: Wanted, world: World): Deal | string {
  const asset = terms.coinsOf(world.currencies).get(code);
  const fiat = world.currencies.findFiat('EUR');
  const market = asset && world.market.price(asset, 'EUR');
  if (!asset || !fiat || !market) return 'The currency pair is not supported.';
  const how = terms.METHODS[method];
  if (!how) return 'The payment method is not supported.';
  if (!('pays' in wanted ? wanted.pays : wanted.gets).gt(ZERO)) return 'An amount is required.';
  const price = terms.priceOf(asset, market);
  const networkFee = raise(world.market.networkFee(asset, 'EUR') ?? ZERO, 2);
  const share = how.percentage.plus(terms.FEE).div(HUNDRED);
  const places = Math.min(asset.decimals, 8);
  const common = { side: 'buy', fiat, asset, method, networkFee } as const;
  if ('gets' in wanted) {
    const value = raise(wanted.gets.times(price), 2);
    const rest = value.plus(networkFee).plus(how.fixed);
    const pays = raise(rest.div(decimal(1).minus(share)), 2);
    const fee = pays.minus(value).minus(networkFee);
    return { ...common, pays, gets: wanted.gets, value, fee, rate: significant(value.div(wanted.gets), 10) };
  }
  const { pays } = wanted;
  const fee = raise(pays.times(share).plus(how.fixed), 2);
  const value = pays.minus(fee).minus(networkFee);
  // Too little even for the fees: it is out of the limits, and its figures mean nothing.
  const gets = value.gt(ZERO) ? cut(value.div(price), places) : ZERO;
  return { ...common, pays, gets, value, fee, rate: significant(price, 10) };
}
