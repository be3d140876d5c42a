/** Transak: what it supports and what it charges, read from its public partner endpoints; orders stand beside. */
import type { Limits } from '../../domain/listing.ts';
import { type Amount, decimal, largest, ratio, smallest, ZERO } from '../../domain/money.ts';
import { type Decline, decline as declineWith, type Price } from '../../domain/offer.ts';
import type { ProviderId, Side } from '../../domain/words.ts';
import { readBounds } from '../bounds.ts';
import type {
  Adapter,
  NativeAsk,
  Refused,
  TheirAsset,
  TheirFiat,
  TheirListing,
  TheirMethod,
} from '../contract.ts';
import {
  amount,
  amountIfAny,
  BadAnswer,
  type Context,
  type Exchange,
  exchange,
  isSameWord,
  readable,
  readSome,
  type Work,
} from '../exchange.ts';
import { absence, checkout, checkToken, status, token, webhook } from './orders.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

const PHOTO_ID = ['passport', 'driverLicense', 'nationalIdentityCard'] as const;

export const transak: Adapter = {
  manifest: {
    id: 'transak' as ProviderId,
    name: 'Transak',
    hosts: {
      api: { live: 'https://api.transak.com', test: 'https://api-stg.transak.com' },
      gateway: { live: 'https://api-gateway.transak.com', test: 'https://api-gateway-stg.transak.com' },
      widget: { live: 'https://global.transak.com', test: 'https://global-stg.transak.com' },
    },
    sides: ['buy', 'sell'],
    // "Get Price": whether `fiatAmount` on a sell is before or after fees is not documented, so sells are asked by `cryptoAmount`.
    pricesDestination: ['buy'],
    methods: words.METHODS,
    networks: words.NETWORKS,
    settings: [
      { name: 'apiKey', label: 'API key', secret: false, required: true },
      { name: 'apiSecret', label: 'API secret', secret: true, required: true },
      { name: 'referrerDomain', label: 'Whitelisted referrer domain', secret: false, required: true },
    ],
    // A lighter level exists, but up to which amount is not published: promise no less than the full one.
    // "processingTime" of their payment options, the longer end of each.
    duration: { ach: 345_600, banktransfer: 172_800, sepabanktransfer: 172_800, wire: 172_800, '*': 300 },
    kyc: [{ asks: ['email', 'phone', 'identity', 'address', PHOTO_ID, 'selfie'] }],
    checkout: {
      makes: 'session',
      opens: 'iframe',
      pages: { buy: 'widget', sell: 'widget' },
      // "iFrame".
      permissions: ['camera', 'microphone', 'payment'],
    },
    statuses: words.STATUSES,
    // No figures are published.
    limits: { perSecond: 20, burst: 40, connections: 16 },
  },

  /**
   * Limits are those of the payment options. The finer list by asset, fiat and method (`pricing/public/limits`) is not
   * fetched: a listing pairs every asset with every fiat, and its amounts of crypto move with the price.
   */
  catalog: ({ settings: { apiKey } }) =>
    list({ path: '/cryptocoverage/api/v1/public/crypto-currencies', read: wire.read.coin }, coins =>
      list(
        { path: '/fiat/public/v1/currencies/fiat-currencies', query: { apiKey }, read: wire.read.fiat },
        fiats =>
          list({ path: '/api/v2/countries', read: wire.read.country }, countries => [
            listing('buy', { coins, fiats, countries }),
            listing('sell', { coins, fiats, countries }),
          ]),
      ),
    ),
  quote,
  decline({ body }, refused) {
    checkToken(body);
    return readRefusal(body, refused);
  },
  token,
  checkout,
  status,
  absence,
  webhook,
};

interface List<T> {
  path: string;
  query?: Record<string, string | undefined>;
  read(entry: unknown): T;
}

/** Asks for one of their lists and goes on with its entries. */
function list<T>(wanted: List<T>, next: (entries: T[]) => Work<TheirListing[]>): Exchange<TheirListing[]> {
  const { read: readEntry, ...request } = wanted;
  return exchange({ method: 'GET', host: 'api', ...request }, ({ body }) =>
    next(readSome(wire.readList(body).response, readEntry)),
  );
}

function listing(side: Side, lists: wire.Lists): TheirListing {
  const served = lists.countries.filter(country => country.isAllowed);
  return {
    side,
    countries: [...new Set(served.map(country => country.alpha2))],
    assets: distinct(lists.coins.filter(coin => trades(side, coin)).map(asset)),
    fiats: fiatsOf(side, lists.fiats, served),
  };
}

/** `isAllowed` is about buying, `isPayInAllowed` about selling. A `mainnet` that names no coin cannot be placed. */
function trades(side: Side, coin: wire.Coin): boolean {
  if (coin.network.name === 'mainnet' && !coin.coinId) return false;
  return !coin.isSuspended && (side === 'buy' ? coin.isAllowed : coin.isPayInAllowed === true);
}

function asset({ symbol, network, coinId, address, kycCountriesNotSupported }: wire.Coin): TheirAsset {
  return {
    code: symbol,
    symbol,
    network: network.name === 'mainnet' ? `mainnet/${coinId}` : network.name,
    contract: address && !/^0x0+$/.test(address) ? address : undefined,
    notIn: kycCountriesNotSupported.length ? kycCountriesNotSupported : undefined,
  };
}

/** One asset per pair of words. Different contracts under the same words could not be told apart when asking. */
function distinct(assets: readonly TheirAsset[]): TheirAsset[] {
  const known = new Map<string, TheirAsset | 'ambiguous'>();
  for (const asset of assets) {
    const key = `${asset.network} ${asset.code}`;
    const twin = known.get(key) ?? asset;
    const same = twin !== 'ambiguous' && twin.contract?.toLowerCase() === asset.contract?.toLowerCase();
    known.set(key, same ? { ...twin, notIn: united(twin.notIn ?? [], asset.notIn ?? []) } : 'ambiguous');
  }
  return [...known.values()].filter(asset => asset !== 'ambiguous');
}

function fiatsOf(side: Side, fiats: readonly wire.Fiat[], served: readonly wire.Country[]): TheirFiat[] {
  const known = new Map<string, Map<string, TheirMethod>>();
  for (const fiat of fiats) {
    if (!fiat.isAllowed || (side === 'sell' && !fiat.isPayOutAllowed)) continue;
    const methods = known.get(fiat.symbol) ?? new Map<string, TheirMethod>();
    for (const method of methodsOf(side, fiat, served)) {
      methods.set(method.code, merged(methods.get(method.code) ?? method, method));
    }
    if (methods.size) known.set(fiat.symbol, methods);
  }
  return [...known].map(([code, methods]) => ({ code, methods: [...methods.values()] }));
}

/** A fiat is for the countries it names and for those that name it as theirs, unless an option names its own. */
function methodsOf(side: Side, fiat: wire.Fiat, served: readonly wire.Country[]): TheirMethod[] {
  const naming = served
    .filter(country => country.currencyCode === fiat.symbol)
    .map(country => country.alpha2);
  const options = readable(fiat.paymentOptions, wire.read.option).filter(
    option => option.isActive && (side === 'buy' || option.isPayOutAllowed),
  );
  return readable(options, option => ({
    code: option.id,
    ...limitsOf(side, option, fiat),
    onlyIn: ownCountries(side, option) ?? united(fiat.supportingCountries, naming) ?? [],
  }));
}

/** Limits stated in another currency than the fiat cannot be used: Transak converts them at a rate we do not know. */
function limitsOf(side: Side, option: wire.Option, fiat: wire.Fiat): Limits {
  if (option.limitCurrency !== fiat.symbol) return {};
  const { minAmount, maxAmount, minAmountForPayOut, maxAmountForPayOut } = option;
  return side === 'buy'
    ? { min: amountIfAny(minAmount), max: amountIfAny(maxAmount) }
    : { min: amountIfAny(minAmountForPayOut), max: amountIfAny(maxAmountForPayOut) };
}

/** On a sell, cards are paid out to in the countries of either brand. */
function ownCountries(side: Side, option: wire.Option): string[] | undefined {
  const cards = united(option.visaPayoutCountries ?? [], option.mastercardPayoutCountries ?? []);
  return (side === 'sell' ? cards : undefined) ?? united(option.supportedCountryCode ?? [], []);
}

/** The same option listed twice: in all its countries, within both its limits. Without any it is offered nowhere. */
function merged(a: TheirMethod, b: TheirMethod): TheirMethod {
  return {
    code: a.code,
    min: largest(a.min, b.min),
    max: smallest(a.max, b.max),
    onlyIn: united(a.onlyIn ?? [], b.onlyIn ?? []) ?? [],
  };
}

/** Both lists as one without repetition; undefined when there is nothing in it. */
function united(a: readonly string[], b: readonly string[]): string[] | undefined {
  return a.length || b.length ? [...new Set([...a, ...b])] : undefined;
}

function quote(ask: NativeAsk, { settings }: Context): Work<Price | Decline> {
  const { fiat, asset, network, method } = ask.native;
  const sum = ask.amount.toString();
  const inFiat = (ask.side === 'buy') === (ask.amountOf === 'source');
  const query = {
    partnerApiKey: settings.apiKey,
    fiatCurrency: fiat,
    cryptoCurrency: asset,
    network: words.networkWord(network),
    isBuyOrSell: ask.side === 'buy' ? 'BUY' : 'SELL',
    fiatAmount: inFiat ? sum : undefined,
    cryptoAmount: inFiat ? undefined : sum,
    paymentMethod: method,
    quoteCountryCode: ask.country,
  };
  return exchange<Price | Decline>(
    { method: 'GET', host: 'api', path: '/api/v1/pricing/public/quotes', query },
    ({ body }) => readRefusal(body, ask) ?? priceOf(ask, wire.read.quote(body).response),
  );
}

const ONE = decimal(1);

/** `conversionPrice` is crypto for one unit of fiat, after fees; no expiry is stated. */
function priceOf(ask: NativeAsk, quote: wire.Quote): Price {
  checkPair(ask, quote);
  const price = amount(quote.conversionPrice);
  if (!price.gt(ZERO)) throw new BadAnswer('conversionPrice is not above zero');
  const fiat = amount(quote.fiatAmount);
  const crypto = amount(quote.cryptoAmount);
  const networkFee = networkFeeOf(quote);
  return {
    pays: ask.side === 'buy' ? fiat : crypto,
    gets: ask.side === 'buy' ? crypto : fiat,
    networkFee,
    providerFee: amount(quote.totalFee).minus(networkFee),
    rate: ratio(ONE, price),
  };
}

function checkPair({ native, side }: NativeAsk, quote: wire.Quote): void {
  const same =
    isSameWord(quote.fiatCurrency, native.fiat) &&
    isSameWord(quote.cryptoCurrency, native.asset) &&
    isSameWord(quote.network, words.networkWord(native.network)) &&
    isSameWord(quote.isBuyOrSell, side);
  if (!same) throw new BadAnswer('a quote for another pair, network or side');
}

function networkFeeOf({ feeBreakdown }: wire.Quote): Amount {
  let sum = ZERO;
  for (const { id, ids, value } of feeBreakdown) {
    if (id !== 'network_fee' && !ids?.includes('network_fee')) continue;
    const fee = amount(value);
    sum = sum === ZERO ? fee : sum.plus(fee);
  }
  return sum;
}

/** Reads a body that says no, which also comes with a status of 200. */
function readRefusal(body: unknown, refused: Refused): Decline | undefined {
  const text = wire.errorText(body);
  if (!text || words.ABOUT_US.test(text)) return undefined;
  const reason = words.REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? 'refused';
  const bounds = reason === 'limit' ? readBounds(text, refused) : undefined;
  return bounds ?? declineWith(reason, text.replace(/[\w.-]{32,}/g, '…').slice(0, 200));
}
