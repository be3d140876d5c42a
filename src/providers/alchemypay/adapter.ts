/** Alchemy Pay (Ramp API v4): every request is signed, and refusals come as successes; orders stand beside. */
import { type Limits, within } from '../../domain/listing.ts';
import { raise, readDecimal, ZERO } from '../../domain/money.ts';
import { type Decline, decline as declineWith, limitDecline, type Price } from '../../domain/offer.ts';
import type { ProviderId, Side } from '../../domain/words.ts';
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
  exchange,
  type HttpAnswer,
  isSameWord,
  readable,
  readEntries,
  Unauthorized,
  type Work,
} from '../exchange.ts';
import { inSeries } from '../series.ts';
import { absence, checkout, refuses, status, webhook } from './orders.ts';
import { signedRequest } from './signing.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

const PHOTO_ID = ['passport', 'driverLicense', 'nationalIdentityCard'] as const;

export const alchemypay: Adapter = {
  manifest: {
    id: 'alchemypay' as ProviderId,
    name: 'Alchemy Pay',
    hosts: {
      api: { live: 'https://openapi.alchemypay.org', test: 'https://openapi-test.alchemypay.org' },
      page: { live: 'https://ramp.alchemypay.org', test: 'https://ramptest.alchemypay.org' },
    },
    sides: ['buy', 'sell'],
    // Whether a fiat amount of a sell is before or after their fee is not stated there, so sells are asked by coins.
    pricesDestination: ['buy'],
    methods: words.METHODS,
    networks: words.NETWORKS,
    settings: [
      { name: 'appId', label: 'App ID', secret: false, required: true },
      { name: 'appSecret', label: 'App secret', secret: true, required: true },
    ],
    // "Testing Notes": small amounts are recommended.
    testMovesMoney: true,
    // Tiers exist, but no figures were found: promise no less than the full one.
    kyc: [{ asks: ['email', 'identity', PHOTO_ID, 'selfie'] }],
    // Not found; cards and wallets are done within minutes, banks within days.
    duration: { banktransfer: 172_800, sepabanktransfer: 172_800, '*': 900 },
    checkout: {
      makes: 'link',
      // Nothing is said of frames.
      opens: 'redirect',
      pages: { buy: 'page', sell: 'page' },
      permissions: [],
    },
    statuses: words.STATUSES,
    // None were found.
    limits: { perSecond: 10, burst: 20, connections: 8 },
  },
  catalog,
  quote,
  decline,
  refuses,
  checkout,
  status,
  absence,
  webhook,
};

const FOLDER = '/open/api/v4/merchant';

/** Purchase limits of a coin are in dollars whatever is paid, and so of no use; those of a payment method are in its fiat. */
function catalog(context: Context): Work<TheirListing[]> {
  const list = (path: string, query?: Record<string, string>) =>
    signedRequest({ path: `${FOLDER}${path}`, ...(query && { query }) }, context);
  const requests = [
    list('/crypto/list'),
    list('/fiat/list', { type: 'BUY' }),
    list('/fiat/list', { type: 'SELL' }),
  ];
  return inSeries(requests, ([coins, bought, sold]) => {
    const assets = readEntries(dataOf(coins), wire.readCoin);
    return [
      listing('buy', assets, readEntries(dataOf(bought), wayOf)),
      listing('sell', assets, readEntries(dataOf(sold), wayOf)),
    ].filter(({ assets, fiats }) => assets.length && fiats.length);
  });
}

function listing(side: Side, coins: readonly wire.Coin[], ways: readonly Way[]): TheirListing {
  const isOn = (coin: wire.Coin) => (side === 'buy' ? coin.buyEnable : coin.sellEnable) === '1';
  return {
    side,
    countries: [...new Set(ways.map(way => way.country))],
    assets: readable(coins.filter(isOn), coin => assetOf(side, coin)),
    fiats: fiatsOf(ways),
  };
}

function assetOf(side: Side, coin: wire.Coin): TheirAsset {
  const { crypto, network, address } = coin;
  const contract = address && !/^0x0+$/.test(address) ? address : undefined;
  const limits: Limits =
    side === 'sell' ? { min: amountIfAny(coin.minSellAmount), max: amountIfAny(coin.maxSellAmount) } : {};
  return { code: crypto, symbol: crypto, network, contract, ...limits };
}

/** A row of theirs, with its limits as figures. */
type Way = Omit<wire.Way, 'payMin' | 'payMax'> & { limits: Limits };

function wayOf(entry: unknown): Way {
  const { payMin, payMax, ...way } = wire.readWay(entry);
  return { ...way, limits: { min: amountIfAny(payMin), max: amountIfAny(payMax) } };
}

/** One row for each currency, country and method: a method is listed once for each of its limits, where they hold. */
function fiatsOf(ways: readonly Way[]): TheirFiat[] {
  const fiats = new Map<string, Map<string, TheirMethod>>();
  for (const { currency, country, payWayCode: code, payWayName, limits } of ways) {
    const kind = words.kindOf(code, payWayName);
    if (!kind) continue;
    const methods = fiats.get(currency) ?? new Map<string, TheirMethod>();
    const key = `${code} ${kind} ${limits.min} ${limits.max}`;
    const onlyIn = [...new Set([...(methods.get(key)?.onlyIn ?? []), country])];
    fiats.set(currency, methods.set(key, { code, kind, ...limits, onlyIn }));
  }
  return [...fiats].map(([code, methods]) => ({ code, methods: [...methods.values()] }));
}

function quote(ask: NativeAsk, context: Context): Work<Price | Decline> {
  const { native, amount: wanted } = ask;
  if (ask.amountOf === 'destination') return quoteExactly(ask, context);
  if (ask.side === 'buy' && words.WHOLE.has(ask.fiat.code) && !wanted.isInteger()) {
    return declineWith('refused', `Alchemy Pay takes whole amounts of ${ask.fiat.code} only`);
  }
  const body = {
    crypto: native.asset,
    network: native.network,
    fiat: native.fiat,
    amount: wanted.toString(),
    side: ask.side.toUpperCase(),
    // Sells are priced without one.
    payWayCode: ask.side === 'buy' ? native.method : undefined,
  };
  return exchange<Price | Decline>(
    signedRequest({ path: `${FOLDER}/order/quote`, body }, context),
    ({ body }) => refusalIn(body, ask) ?? (ask.side === 'buy' ? bought(body, ask) : sold(body, ask)),
  );
}

/** All that is paid less both fees is what the coins cost. */
function bought(body: unknown, ask: NativeAsk): Price {
  const quote = wire.readBought(dataOf(body));
  checkPair(quote, ask);
  return {
    pays: ask.amount,
    gets: amount(quote.cryptoQuantity),
    networkFee: amount(quote.networkFee),
    providerFee: amount(quote.rampFee),
    rate: amount(quote.cryptoPrice),
  };
}

/** The fiat figure is before their fee, as a webhook of theirs shows. */
function sold(body: unknown, ask: NativeAsk): Price {
  const quote = wire.readSold(dataOf(body));
  checkPair(quote, ask);
  const fee = amount(quote.rampFee);
  return {
    pays: ask.amount,
    gets: amount(quote.fiatQuantity).minus(fee),
    networkFee: ZERO,
    providerFee: fee,
    rate: amount(quote.cryptoPrice),
  };
}

/** "Estimate Price Query", for an exact number of coins. Where only whole amounts are taken, the rest is a fee. */
function quoteExactly(ask: NativeAsk, context: Context): Work<Price | Decline> {
  const { native } = ask;
  const body = {
    side: 'BUY',
    cryptoQuantity: ask.amount.toString(),
    fiatCurrency: native.fiat,
    cryptoCurrency: native.asset,
    network: native.network,
    payWayCode: native.method,
  };
  return exchange<Price | Decline>(
    signedRequest({ path: `${FOLDER}/order/quoted/result`, body }, context),
    ({ body }) => {
      const refusal = refusalIn(body, ask);
      if (refusal) return refusal;
      const quote = wire.readExact(dataOf(body));
      checkPair(quote, ask);
      const total = amount(quote.fiatAmount);
      const pays = raise(total, words.WHOLE.has(ask.fiat.code) ? 0 : ask.fiat.decimals);
      return {
        pays,
        gets: amount(quote.cryptoQuantity),
        networkFee: amount(quote.networkFee),
        providerFee: amount(quote.rampFee).plus(pays.minus(total)),
        rate: amount(quote.cryptoPrice),
      };
    },
  );
}

type Pair = Partial<Record<'crypto' | 'fiat' | 'network', string | null>>;

/** What is stated must agree; a sell need not state it. */
function checkPair(quote: Pair, ask: NativeAsk): void {
  const { asset, fiat, network } = ask.native;
  const same =
    isSameWord(quote.crypto ?? asset, asset) &&
    isSameWord(quote.fiat ?? fiat, fiat) &&
    isSameWord(quote.network ?? network, network);
  if (!same) throw new BadAnswer('a quote for another pair');
}

/** What an answer carries; a failure that nobody can be told of is no answer. */
function dataOf(body: unknown): unknown {
  const { returnCode, data } = wire.readEnvelope(body);
  if (returnCode === words.BAD_SIGN) throw new Unauthorized('our signature is refused');
  if (returnCode !== words.GOOD) throw new BadAnswer(`failed with ${returnCode}`);
  return data;
}

function decline({ body }: HttpAnswer, refused: Refused): Decline | undefined {
  const { returnCode } = (body ?? {}) as { returnCode?: unknown };
  return typeof returnCode === 'string' ? refusalIn(body, refused) : undefined;
}

/** A refusal of what was asked; failures mostly come with a status of 200. */
function refusalIn(body: unknown, refused: Refused): Decline | undefined {
  const { returnCode: code, returnMsg } = wire.readEnvelope(body);
  if (code === words.BAD_SIGN) throw new Unauthorized('our signature is refused');
  if (code === words.GOOD || words.ABOUT_US.has(code)) return undefined;
  const text = (returnMsg ?? '').replace(/\s+/g, ' ').slice(0, 200);
  const found = words.REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? 'refused';
  const reason = code === words.OUT_OF_RANGE ? 'limit' : found;
  const limits = reason === 'limit' ? limitsIn(text, refused) : undefined;
  return limits ? limitDecline(refused.fiat.code, limits) : declineWith(reason, text || `Refused (${code})`);
}

const RANGE =
  /\bmin purchase amount is (\d{1,15}(?:\.\d{1,8})?)\b.*\bmax purchase amount is (\d{1,15}(?:\.\d{1,8})?)\b/i;

/** Bounds of a purchase are in its fiat; what they are in on a sell is not stated. */
function limitsIn(text: string, { side, amount, amountOf }: Refused): Limits | undefined {
  const [found, min, max] = RANGE.exec(text) ?? [];
  if (!found || side === 'sell') return undefined;
  const limits = { min: readDecimal(min), max: readDecimal(max) };
  return amountOf !== 'destination' && within(amount, limits) ? undefined : limits;
}
