/** MoonPay, over its Widget API: one call prices a buy or a sell, two describe what it supports. */

import type { Limits } from '../../domain/listing.ts';
import { type Amount, readDecimal, ZERO } from '../../domain/money.ts';
import { type Decline, type DeclineReason, decline, type Price } from '../../domain/offer.ts';
import type { ProviderId, Side } from '../../domain/words.ts';
import {
  type Adapter,
  amount,
  amountIfAny,
  BadAnswer,
  type Context,
  exchange,
  type HttpAnswer,
  type NativeAsk,
  type TheirAsset,
  type TheirFiat,
  type TheirListing,
  type Work,
} from '../contract.ts';
import * as wire from './wire.ts';

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
    sides: ['buy', 'sell'],
    pricesDestination: ['buy', 'sell'],
    methods: wire.METHODS,
    networks: wire.NETWORKS,
    settings: [
      { name: 'apiKey', label: 'Publishable key (pk_…)', secret: false, required: true },
      { name: 'secretKey', label: 'Secret key (sk_…), signs widget links', secret: true, required: false },
      { name: 'webhookKey', label: 'Webhook key', secret: true, required: false },
    ],
    // Everyone is verified ("On-ramp overview"); thresholds are not published, so the most is announced.
    kyc: [{ asks: ['email', 'phone', 'identity', PHOTO_ID, 'selfie'] }],
    // Only the Platform API states a rate (30 a second); ours stays below it.
    limits: { perSecond: 20, burst: 40, connections: 16 },
  },
  catalog,
  quote,
  decline: readRefusal,
};

/** `show=enabled` asks for what the partner has switched on. */
function catalog({ settings: { apiKey } }: Context): Work<TheirListing[]> {
  return exchange(get('/v3/currencies', { apiKey, show: 'enabled' }), ({ body }) => {
    const currencies = wire.readCurrencies(body).filter(currency => isOn(currency, apiKey));
    return exchange(get('/v3/countries', { apiKey }), ({ body }) => {
      const countries = wire.readCountries(body);
      return (['buy', 'sell'] as const)
        .map(side => listing(side, currencies, countries))
        .filter(({ assets, fiats }) => assets.length && fiats.length);
    });
  });
}

function get(path: string, query: Record<string, string | undefined>) {
  return { method: 'GET', host: 'api', path, query } as const;
}

/** A key works in one mode, and some currencies exist in the other one only. */
function isOn(currency: wire.Currency, apiKey = ''): boolean {
  const inMode = apiKey.startsWith('pk_test_') ? currency.supportsTestMode : currency.supportsLiveMode;
  return currency.isSuspended !== true && inMode !== false;
}

function listing(side: Side, currencies: wire.Currency[], countries: wire.Country[]): TheirListing {
  const served = countries.filter(country => isOpen(side, country)).map(country => country.alpha2);
  return {
    side,
    countries: [...new Set(served)],
    assets: unique(currencies.flatMap(currency => asset(side, currency))),
    fiats: unique(currencies.flatMap(currency => fiat(side, currency))),
  };
}

/** Where states are told apart, one open state opens the country: an ask does not name the state, their page does. */
function isOpen(side: Side, { states, ...country }: wire.Country): boolean {
  const allows = (region: wire.Region) =>
    region.isAllowed && (side === 'buy' ? region.isBuyAllowed : region.isSellAllowed);
  return allows(country) && (!states?.length || states.some(allows));
}

const NO_CONTRACT = /^(0x0*)?$/;

/** As nothing or one: a currency that is no coin, is not traded on this side or lacks what names it is left out. */
function asset(side: Side, currency: wire.Currency): TheirAsset[] {
  const { code, metadata } = currency;
  const network = metadata?.networkCode;
  if (currency.type !== 'crypto' || !network) return [];
  const limits = limitsOf(side, currency);
  if (side === 'buy' ? !limits.min && !limits.max : currency.isSellSupported !== true) return [];

  const address = metadata?.contractAddress ?? '';
  const contract = currency.isBaseAsset || NO_CONTRACT.test(address) ? undefined : issued(network, address);
  if (!contract && !currency.isBaseAsset) return [];
  const blocked = new Set(currency.notAllowedCountries);
  if (currency.isSupportedInUS === false) blocked.add('US');
  const symbol = code.replace(/_.*/, '').toUpperCase();
  return [{ code, symbol, network, contract, ...limits, notIn: blocked.size ? [...blocked] : undefined }];
}

/** In the currency's own unit: coins for a coin, money for a fiat, which has none for sells. */
function limitsOf(side: Side, currency: wire.Currency): Limits {
  return side === 'buy'
    ? { min: amountIfAny(currency.minBuyAmount), max: amountIfAny(currency.maxBuyAmount) }
    : { min: amountIfAny(currency.minSellAmount), max: amountIfAny(currency.maxSellAmount) };
}

/** On the XRP ledger a token is written `CURRENCY.issuer`; the issuer is its address. */
function issued(network: string, address: string): string {
  return network === 'ripple' ? address.slice(address.lastIndexOf('.') + 1) : address;
}

function fiat(side: Side, currency: wire.Currency): TheirFiat[] {
  const { type, code } = currency;
  if (type !== 'fiat' || (side === 'sell' && currency.isSellSupported !== true)) return [];
  const methods = wire.REACH.filter(way => (side === 'buy' || way.paysOut) && (way.fiat ?? code) === code);
  const limits = limitsOf(side, currency);
  return [{ code, methods: methods.map(({ method, onlyIn }) => ({ code: method, onlyIn, ...limits })) }];
}

function unique<T extends { code: string }>(entries: T[]): T[] {
  return [...new Map(entries.map(entry => [entry.code, entry])).values()];
}

function quote(ask: NativeAsk, { settings: { apiKey } }: Context): Work<Price> {
  const { fiat, method } = ask.native;
  const path = `/v3/currencies/${encodeURIComponent(ask.native.asset)}`;
  const fixed = ask.amountOf === 'source' ? 'baseCurrencyAmount' : 'quoteCurrencyAmount';
  const sum = { [fixed]: ask.amount.toString() };
  if (ask.side === 'sell') {
    const query = { apiKey, quoteCurrencyCode: fiat, payoutMethod: method, ...sum };
    return exchange(get(`${path}/sell_quote`, query), ({ body }) => readSell(body, ask));
  }
  // With the fees included, the amount sent is all the customer pays.
  const areFeesIncluded = ask.amountOf === 'source' ? 'true' : undefined;
  const query = { apiKey, baseCurrencyCode: fiat, paymentMethod: quotedAs(method), areFeesIncluded, ...sum };
  return exchange(get(`${path}/buy_quote`, query), ({ body }) => readBuy(body, ask));
}

/** Phone wallets carry cards and are quoted as such; "Get buy quote" does not name them. */
function quotedAs(method: string): string {
  return /^(apple_pay|google_pay|mobile_wallet)$/.test(method) ? 'credit_debit_card' : method;
}

function readBuy(body: unknown, { native }: NativeAsk): Price {
  const quote = wire.readBuyQuote(body);
  return {
    pays: amount(quote.totalAmount),
    networkFee: amount(quote.networkFeeAmount),
    rate: amountIfAny(quote.quoteCurrencyPrice),
    ...readQuote(quote, `${native.fiat}/${native.asset}`),
  };
}

/** "Get sell quote" has no network fee: the customer pays it when sending the deposit. */
function readSell(body: unknown, { native }: NativeAsk): Price {
  const quote = wire.readSellQuote(body);
  return {
    pays: amount(quote.baseCurrencyAmount),
    networkFee: ZERO,
    rate: amountIfAny(quote.baseCurrencyPrice),
    ...readQuote(quote, `${native.asset}/${native.fiat}`),
  };
}

function readQuote(quote: wire.Quote, pair: string) {
  const quoted = `${quote.baseCurrencyCode}/${quote.quoteCurrencyCode}`;
  if (quoted.toLowerCase() !== pair.toLowerCase()) throw new BadAnswer('a quote for another pair');
  return {
    gets: amount(quote.quoteCurrencyAmount),
    providerFee: amount(quote.feeAmount).plus(amountIfAny(quote.extraFeeAmount) ?? ZERO),
    validUntil: quote.expiresAt ? Date.parse(quote.expiresAt) : undefined,
  };
}

/** The reason a text of theirs gives, first match first. Their wordings are not published, so these are loose. */
const REASONS: readonly [RegExp, DeclineReason][] = [
  [/\b(minimum|maximum|at least|at most|(less|lower|greater|more) than|exceeds?|limits?)\b/i, 'limit'],
  [/\b(payment|payout) ?method|not supported for/i, 'method'],
  [/\b(country|countries|region|state)\b/i, 'country'],
  [/\b(currency|currencies|asset|token)\b/i, 'pair'],
];

/** A key or a rate that is refused, and trouble of theirs, say nothing about the request. */
function readRefusal({ status, body }: HttpAnswer): Decline | undefined {
  const text = (body as { message?: unknown } | undefined | null)?.message;
  if ([401, 403, 429].includes(status) || status >= 500) return undefined;
  if (typeof text !== 'string' || !text || /\bapi ?key\b/i.test(text)) return undefined;
  const message = text.replace(/\b[ps]k_(test|live)_\w+/g, 'key').slice(0, 200);
  const reason = REASONS.find(([words]) => words.test(text))?.[1] ?? (status === 404 ? 'pair' : 'refused');
  return decline(reason, message, reason === 'limit' ? limitsIn(text) : undefined);
}

/** The base currency is what the customer hands over; a bound on the quote currency is none of ours. */
function limitsIn(text: string): Limits | undefined {
  if (/quote ?currency/i.test(text)) return undefined;
  const min = numberAfter('minimum|at least|greater than or equal to', text);
  const max = numberAfter('maximum|at most|less than or equal to', text);
  return min || max ? { ...(min && { min }), ...(max && { max }) } : undefined;
}

/** The next number, standing alone: `30,000` is one, the 1 of `1inch` and the 0 of `0,5` are none. */
function numberAfter(words: string, text: string): Amount | undefined {
  const number = '(\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?)(?![.,]?\\w)';
  const found = new RegExp(`\\b(?:${words})\\b\\D{0,80}?${number}`, 'i').exec(text)?.[1];
  return readDecimal(found?.replaceAll(',', ''));
}
