/** MoonPay, over its Widget API: one call prices a buy or a sell, two describe what it supports; orders stand beside. */
import type { Limits } from '../../domain/listing.ts';
import { type Amount, decimal, ZERO } from '../../domain/money.ts';
import {
  type Decline,
  decline as declineWith,
  isDearer,
  limitDecline,
  type Price,
} from '../../domain/offer.ts';
import type { Instant, ProviderId, Side } from '../../domain/words.ts';
import { readBounds } from '../bounds.ts';
import type { Adapter, NativeAsk, Refused, TheirAsset, TheirFiat, TheirListing } from '../contract.ts';
import {
  amount,
  amountIfAny,
  BadAnswer,
  type Context,
  exchange,
  type HttpAnswer,
  isSameWord,
  readable,
  readEntries,
  type Work,
} from '../exchange.ts';
import { checkout, refuses, status, webhook } from './orders.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

const PHOTO_ID = ['passport', 'driverLicense', 'nationalIdentityCard'] as const;

export const moonpay: Adapter = {
  manifest: {
    id: 'moonpay' as ProviderId,
    name: 'MoonPay',
    // One API host for both: the prefix of the key (pk_test_, pk_live_) selects the mode.
    hosts: {
      api: { live: 'https://api.moonpay.com', test: 'https://api.moonpay.com' },
      buy: { live: 'https://buy.moonpay.com', test: 'https://buy-sandbox.moonpay.com' },
      sell: { live: 'https://sell.moonpay.com', test: 'https://sell-sandbox.moonpay.com' },
    },
    keyDecides: ['api'],
    sides: ['buy', 'sell'],
    pricesDestination: ['buy', 'sell'],
    methods: words.METHODS,
    networks: words.NETWORKS,
    settings: [
      {
        name: 'apiKey',
        label: 'Publishable key (pk_…)',
        secret: false,
        required: true,
        begins: { live: ['pk_live_'], test: ['pk_test_'] },
      },
      // A link that names a wallet must be signed ("URL signing").
      {
        name: 'secretKey',
        label: 'Secret key (sk_…), signs widget links',
        secret: true,
        required: true,
        begins: { live: ['sk_live_'], test: ['sk_test_'] },
      },
      { name: 'webhookKey', label: 'Webhook key', secret: true, required: false },
    ],
    // Everyone is verified ("On-ramp overview"); thresholds are not published, so the most is announced.
    kyc: [{ asks: ['email', 'phone', 'identity', PHOTO_ID, 'selfie'] }],
    // Not found; what its public pages say of cards and of banks.
    duration: { ach: 345_600, banktransfer: 86_400, sepabanktransfer: 86_400, '*': 600 },
    checkout: {
      makes: 'link',
      opens: 'iframe',
      pages: { buy: 'buy', sell: 'sell' },
      // No list of theirs was found; these are what integrators give the frame.
      permissions: ['accelerometer', 'autoplay', 'camera', 'gyroscope', 'payment'],
    },
    statuses: words.STATUSES,
    // Only the Platform API states a rate (30 a second); ours stays below it.
    limits: { perSecond: 20, burst: 40, connections: 16 },
  },
  catalog,
  quote,
  decline,
  refuses,
  checkout,
  status,
  webhook,
};

/** `show=enabled` asks for what the partner has switched on. */
function catalog({ settings: { apiKey } }: Context): Work<TheirListing[]> {
  return exchange(get('/v3/currencies', { apiKey, show: 'enabled' }), ({ body }) => {
    const currencies = readEntries(body, currencyOf).filter(currency => isOn(currency, apiKey));
    return exchange(get('/v3/countries', { apiKey }), ({ body }) => {
      const countries = readEntries(body, wire.readCountry);
      return (['buy', 'sell'] as const)
        .map(side => listing(side, currencies, countries))
        .filter(({ assets, fiats }) => assets.length && fiats.length);
    });
  });
}

function get(path: string, query: Record<string, string | undefined>) {
  return { method: 'GET', host: 'api', path, query } as const;
}

/** With its limits as figures: one of which they cannot be read is left out, not listed without them. */
type Currency = wire.Currency & { limits: Readonly<Record<Side, Limits>> };

/** Limits are in the currency's own unit: coins for a coin, money for a fiat, which has none for sells. */
function currencyOf(entry: unknown): Currency {
  const currency = wire.readCurrency(entry);
  const { minBuyAmount, maxBuyAmount, minSellAmount, maxSellAmount } = currency;
  return {
    ...currency,
    limits: {
      buy: { min: amountIfAny(minBuyAmount), max: amountIfAny(maxBuyAmount) },
      sell: { min: amountIfAny(minSellAmount), max: amountIfAny(maxSellAmount) },
    },
  };
}

/** A key works in one mode, and some currencies exist in the other one only. */
function isOn(currency: Currency, apiKey = ''): boolean {
  const inMode = apiKey.startsWith('pk_test_') ? currency.supportsTestMode : currency.supportsLiveMode;
  return currency.isSuspended !== true && inMode !== false;
}

function listing(side: Side, currencies: Currency[], countries: wire.Country[]): TheirListing {
  const served = countries.filter(country => isOpen(side, country)).map(country => country.alpha2);
  const closed = countries.flatMap(country => closedStates(side, country));
  return {
    side,
    countries: [...new Set(served)],
    assets: unique(currencies.flatMap(currency => asset(side, currency, closed))),
    fiats: unique(currencies.flatMap(currency => fiat(side, currency))),
  };
}

function allows(side: Side, region: wire.Region): boolean {
  return region.isAllowed && (side === 'buy' ? region.isBuyAllowed : region.isSellAllowed);
}

/** Where states are told apart, one open state opens the country: an ask may not name the state, and then their page does. */
function isOpen(side: Side, { states, ...country }: wire.Country): boolean {
  return allows(side, country) && (!states?.length || states.some(state => isOpenState(side, state)));
}

function closedStates(side: Side, { alpha2, states }: wire.Country): string[] {
  const closed = readable(states?.filter(state => !isOpenState(side, state)) ?? [], wire.readState);
  return closed.map(({ code }) => `${alpha2}-${code}`);
}

/** A state that does not say whether it is open is not. */
function isOpenState(side: Side, state: unknown): boolean {
  return readable([state], wire.readRegion).some(region => allows(side, region));
}

const NO_CONTRACT = /^(0x0*)?$/;

/** As nothing or one: a currency that is no coin, is not traded on this side or lacks what names it is left out. */
function asset(side: Side, currency: Currency, closed: readonly string[]): TheirAsset[] {
  const { code, metadata, precision } = currency;
  const network = metadata?.networkCode;
  if (currency.type !== 'crypto' || !network) return [];
  const limits = currency.limits[side];
  if (side === 'buy' ? !limits.min && !limits.max : currency.isSellSupported !== true) return [];

  const address = metadata?.contractAddress ?? '';
  const contract = currency.isBaseAsset || NO_CONTRACT.test(address) ? undefined : issued(network, address);
  if (!contract && !currency.isBaseAsset) return [];
  const states = currency.notAllowedUSStates?.map(state => `US-${state}`) ?? [];
  const blocked = new Set([...(currency.notAllowedCountries ?? []), ...states, ...closed]);
  if (currency.isSupportedInUS === false) blocked.add('US');
  const symbol = code.replace(/_.*/, '').toUpperCase();
  const listed = { code, symbol, network, contract, places: placesIn(precision) };
  return [{ ...listed, ...limits, notIn: blocked.size ? [...blocked] : undefined }];
}

/** On the XRP ledger a token is written `CURRENCY.issuer`; the issuer is its address. */
function issued(network: string, address: string): string {
  return network === 'ripple' ? address.slice(address.lastIndexOf('.') + 1) : address;
}

function fiat(side: Side, currency: Currency): TheirFiat[] {
  const { type, code, precision } = currency;
  if (type !== 'fiat' || (side === 'sell' && currency.isSellSupported !== true)) return [];
  const methods = words.REACH.filter(way => (side === 'buy' || way.paysOut) && (way.fiat ?? code) === code);
  const limits = currency.limits[side];
  const listed = methods.map(({ method, onlyIn }) => ({ code: method, onlyIn, ...limits }));
  return [{ code, places: placesIn(precision), methods: listed }];
}

/** "Get currencies": the digits that are accepted in amounts. */
function placesIn(precision: string | null | undefined): number | undefined {
  return precision ? +precision : undefined;
}

function unique<T extends { code: string }>(entries: T[]): T[] {
  return [...new Map(entries.map(entry => [entry.code, entry])).values()];
}

function quote(ask: NativeAsk, { settings: { apiKey } }: Context): Work<Price | Decline> {
  const { fiat, asset, method } = ask.native;
  const path = `/v3/currencies/${encodeURIComponent(asset)}`;
  const sum = ask.amount.toString();
  const bySource = ask.amountOf === 'source';
  const baseCurrencyAmount = bySource ? sum : undefined;
  const quoteCurrencyAmount = bySource ? undefined : sum;
  if (ask.side === 'sell') {
    return exchange(
      get(`${path}/sell_quote`, {
        apiKey,
        quoteCurrencyCode: fiat,
        payoutMethod: method,
        baseCurrencyAmount,
        quoteCurrencyAmount,
      }),
      ({ body }) => readSell(body, ask),
    );
  }
  return exchange(
    get(`${path}/buy_quote`, {
      apiKey,
      baseCurrencyCode: fiat,
      paymentMethod: words.QUOTED_AS_CARD.has(method) ? 'credit_debit_card' : method,
      // With the fees included, the amount sent is all the customer pays.
      areFeesIncluded: bySource ? 'true' : undefined,
      baseCurrencyAmount,
      quoteCurrencyAmount,
    }),
    ({ body }) => readBuy(body, ask),
  );
}

/** Asked about less than their least amount, they price that one instead. */
function readBuy(body: unknown, ask: NativeAsk): Price | Decline {
  const { native } = ask;
  const quote = wire.readBuyQuote(body);
  checkPair(quote, native.fiat, native.asset);
  const pays = amount(quote.totalAmount);
  if (isDearer(ask, pays)) return limitDecline(native.fiat.toUpperCase(), { min: pays });
  const [networkFee, providerFee] = [amount(quote.networkFeeAmount), feeOf(quote)];
  const value = pays.minus(networkFee).minus(providerFee);
  // "totalAmount = baseCurrencyAmount + fees".
  if (!isNear(amountIfAny(quote.baseCurrencyAmount) ?? value, value, ROUNDING))
    throw new BadAnswer('the parts of the total do not add up');
  const gets = amount(quote.quoteCurrencyAmount);
  const price = amountIfAny(quote.quoteCurrencyPrice);
  return {
    pays,
    gets,
    networkFee,
    providerFee,
    // They price one coin before they round the coins to a few places, which of a small amount is some percent.
    rate: price && isNear(price.times(gets), value, COARSENESS) ? undefined : price,
    validUntil: expiryOf(quote),
  };
}

const CENTS = decimal('0.02');
const ROUNDING = decimal('0.01');
const COARSENESS = decimal('0.05');

/** Whether a sum is another but for such a share of it, or for what rounding makes of small change. */
function isNear(sum: Amount, other: Amount, share: Amount): boolean {
  const off = sum.minus(other).abs();
  return off.lte(other.abs().times(share)) || off.lte(CENTS);
}

/** "Get sell quote" has no network fee: the customer pays it when sending the deposit. */
function readSell(body: unknown, { native }: NativeAsk): Price {
  const quote = wire.readSellQuote(body);
  checkPair(quote, native.asset, native.fiat);
  return {
    pays: amount(quote.baseCurrencyAmount),
    gets: amount(quote.quoteCurrencyAmount),
    networkFee: ZERO,
    providerFee: feeOf(quote),
    rate: amountIfAny(quote.baseCurrencyPrice),
    validUntil: expiryOf(quote),
  };
}

function checkPair(quote: wire.Quote, base: string, quoted: string): void {
  const same = isSameWord(quote.baseCurrencyCode, base) && isSameWord(quote.quoteCurrencyCode, quoted);
  if (!same) throw new BadAnswer('a quote for another pair');
}

/** Theirs and the partner's, which is mostly nothing. */
function feeOf({ feeAmount, extraFeeAmount }: wire.Quote): Amount {
  const fee = amount(feeAmount);
  return extraFeeAmount && extraFeeAmount !== '0' ? fee.plus(amount(extraFeeAmount)) : fee;
}

function expiryOf({ expiresAt }: wire.Quote): Instant | undefined {
  return expiresAt ? Date.parse(expiresAt) : undefined;
}

/** What the text says is all we have to go by; a bare 404 is about the code in the path. */
function decline({ status, body }: HttpAnswer, refused: Refused): Decline | undefined {
  const text = (body as { message?: unknown } | undefined | null)?.message;
  if (typeof text !== 'string' || !text || words.ABOUT_US.test(text)) return undefined;
  const reason =
    words.REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? (status === 404 ? 'pair' : 'refused');
  const bounds = reason === 'limit' ? readBounds(text, refused) : undefined;
  return bounds ?? declineWith(reason, text.replace(/\b[ps]k_(test|live)_\w+/g, 'key').slice(0, 200));
}
