/** Mercuryo (Widget API 1.6): buys and sells priced per pair, whatever the payment method; orders stand beside. */
import type { Requirement } from '../../domain/kyc.ts';
import type { Limits } from '../../domain/listing.ts';
import { ZERO } from '../../domain/money.ts';
import { type Decline, decline as declineWith, type Price } from '../../domain/offer.ts';
import type { ProviderId, Side } from '../../domain/words.ts';
import { readBounds } from '../bounds.ts';
import type {
  Adapter,
  Manifest,
  NativeAsk,
  Refused,
  TheirAsset,
  TheirFiat,
  TheirListing,
} from '../contract.ts';
import {
  amount,
  amountIfAny,
  BadAnswer,
  type Context,
  type Exchange,
  exchange,
  type HttpAnswer,
  readable,
  readEntries,
  type Work,
} from '../exchange.ts';
import { checkout, refuses, status, webhook } from './orders.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

const PHOTO_ID = ['passport', 'driverLicense', 'nationalIdentityCard'] as const;
const FULL: readonly Requirement[] = ['email', 'phone', 'identity', PHOTO_ID, 'selfie'];

const manifest: Manifest = {
  id: 'mercuryo' as ProviderId,
  name: 'Mercuryo',
  hosts: {
    api: { live: 'https://api.mercuryo.io', test: 'https://sandbox-api.mrcr.io' },
    widget: { live: 'https://exchange.mercuryo.io', test: 'https://sandbox-exchange.mrcr.io' },
  },
  sides: ['buy', 'sell'],
  // Both rate calls take what the customer hands over; none is documented for an exact received amount.
  pricesDestination: [],
  methods: words.METHODS,
  networks: words.NETWORKS,
  settings: [
    { name: 'widgetId', label: 'Widget ID', secret: false, required: true },
    { name: 'secretKey', label: 'Widget secret key (signs addresses)', secret: true, required: false },
    // "Signature Wallet Address" documents v1 and the newer "Signature Generation" v2: which one holds is the widget's.
    {
      name: 'signatureVersion',
      label: 'Signature, v1 or v2',
      secret: false,
      required: false,
      fallback: 'v1',
    },
    // No callback can be proven without it, and the partner token, with which orders are asked about, is optional.
    { name: 'signKey', label: 'Widget sign key (verifies callbacks)', secret: true, required: true },
    { name: 'partnerToken', label: 'SDK partner token (order status)', secret: true, required: false },
  ],
  // Not found; cards are usually done within minutes.
  duration: { banktransfer: 86_400, sepabanktransfer: 86_400, '*': 600 },
  kyc: [
    // The threshold is published in euros and for purchases only; other fiats count as above it, and so do sells.
    { upTo: { EUR: '699' }, asks: ['email', 'phone'] },
    { asks: FULL },
  ],
  checkout: {
    makes: 'link',
    // Framing goes through a script of theirs on another host ("iFrame Guide"); this page is for redirects.
    opens: 'redirect',
    pages: { buy: 'widget', sell: 'widget' },
    permissions: [],
  },
  statuses: words.STATUSES,
  // "Widget API" recommends to ask seldom (once in 10 s) without stating a bound.
  limits: { perSecond: 5, burst: 20, connections: 8 },
};

export const mercuryo: Adapter = { manifest, catalog, quote, decline, refuses, checkout, status, webhook };

interface Lists extends Record<Side, ReadonlySet<string>> {
  coins: readonly wire.Coin[];
  fiats: readonly Fiat[];
  countries: string[];
}

/** A fiat with how it can be paid, and how much of it. */
interface Fiat extends Limits {
  code: string;
  methods: readonly string[];
}

/** Assets, methods and limits come in one list; what is bought, what is sold and where, in three more. */
function catalog(): Work<TheirListing[]> {
  return list('/lib/currencies', body => {
    const { coins, fiats } = currenciesIn(body);
    return list('/public/currencies-buy', bought => {
      const buy = wordsIn(bought);
      return list('/public/currencies-sell', sold => {
        const sell = wordsIn(sold);
        return servedCountries(countries => listings({ coins, fiats, buy, sell, countries }));
      });
    });
  });
}

function currenciesIn(body: unknown): Pick<Lists, 'coins' | 'fiats'> {
  const { crypto, fiat, config, fiat_payment_methods: rows } = wire.readCurrencies(body).data;
  const tickers = new Set(readEntries(crypto, wire.readWord));
  return {
    coins: readEntries(config.crypto_currencies, wire.readCoin).filter(coin => tickers.has(coin.currency)),
    fiats: readEntries([...new Set(fiat)], code => fiatOf(wire.readWord(code), rows)),
  };
}

/** One whose limits cannot be read is left out, not listed without them. Cards have a row per scheme, merged here. */
function fiatOf(code: string, rows: Readonly<Record<string, unknown>>): Fiat {
  const { payment_methods = [], limits } = wire.readFiat(rows[code]);
  const methods = readable(payment_methods, method => wire.readMethod(method).code);
  return {
    ...{ code, methods: [...new Set(methods)] },
    ...{ min: amountIfAny(limits?.min), max: amountIfAny(limits?.max) },
  };
}

function wordsIn(body: unknown): Set<string> {
  return new Set(readEntries(wire.readWords(body).data, wire.readWord));
}

type Next<T> = (list: T) => Work<TheirListing[]>;

function list(path: string, next: Next<unknown>): Exchange<TheirListing[]> {
  return exchange({ method: 'GET', host: 'api', path: `/v1.6${path}` }, answer => next(answer.body));
}

/** "Get list of supported countries": alpha-3 codes unless asked for alpha-2, in lower case either way. */
function servedCountries(next: Next<string[]>): Exchange<TheirListing[]> {
  const path = '/v1.6/public/card-countries';
  return exchange({ method: 'GET', host: 'api', path, query: { type: 'alpha2' } }, ({ body }) =>
    next([...new Set([...wordsIn(body)].map(code => code.toUpperCase()))]),
  );
}

function listings(lists: Lists): TheirListing[] {
  return (['buy', 'sell'] as const)
    .map(side => ({
      side,
      countries: lists.countries,
      assets: assetsOf(lists.coins, lists[side]),
      fiats: fiatsOf(lists.fiats, side, lists[side]),
    }))
    .filter(listing => listing.assets.length && listing.fiats.length);
}

/** The tickers of a side on every network they have. Their limits exist per pair only: one call each, too many. */
function assetsOf(coins: readonly wire.Coin[], tickers: ReadonlySet<string>): TheirAsset[] {
  const assets = new Map<string, TheirAsset>();
  for (const { currency, network, contract } of coins) {
    const key = `${currency}_${network}`;
    if (!tickers.has(currency) || assets.has(key)) continue;
    const asset = { code: currency, symbol: currency, network };
    assets.set(key, isContract(contract) ? { ...asset, contract } : asset);
  }
  return [...assets.values()];
}

/** A network's own coin has an empty contract. */
function isContract(contract: string | null | undefined): contract is string {
  return !!contract && !/^0x0+$/.test(contract);
}

function fiatsOf(fiats: readonly Fiat[], side: Side, tickers: ReadonlySet<string>): TheirFiat[] {
  return fiats
    .filter(({ code }) => tickers.has(code))
    .map(fiat => ({ code: fiat.code, methods: methodsOf(fiat, side) }))
    .filter(({ methods }) => methods.length);
}

/**
 * The limits are those of a purchase. How a sale is paid out is said only in "Transaction status types" (to the card), and
 * its limits only per pair, so a sale lists cards without limits.
 */
function methodsOf({ methods, min, max }: Fiat, side: Side): TheirFiat['methods'] {
  if (side === 'sell') return methods.includes('card') ? [{ code: 'card' }] : [];
  return methods.map(code => ({ code, min, max }));
}

/** The amount is all that is handed over, fees included; the payment method and the country have no say in it. */
function quote(ask: NativeAsk, { settings }: Context): Work<Price | Decline> {
  const { fiat, asset, network } = ask.native;
  const isBuy = ask.side === 'buy';
  return exchange<Price | Decline>(
    {
      method: 'GET',
      host: 'api',
      path: isBuy ? '/v1.6/widget/buy/rate' : '/v1.6/widget/sell/rate',
      query: {
        from: isBuy ? fiat : asset,
        to: isBuy ? asset : fiat,
        amount: ask.amount.toString(),
        network,
        widget_id: settings.widgetId,
      },
    },
    answer => {
      const failure = wire.readFailure(answer);
      return failure ? declined(failure, ask) : priced(wire.readRate(answer.body).data, ask);
    },
  );
}

/**
 * No expiry is given and the network fee is not itemised: it is part of their fee. Who is not known to them may buy up to
 * their limit, and nothing says that they may sell.
 */
function priced(rate: wire.Rate, { side, native: { fiat, asset } }: NativeAsk): Price {
  if (rate.currency !== asset || rate.fiat_currency !== fiat) {
    throw new BadAnswer(`priced ${rate.currency}/${rate.fiat_currency}, not ${asset}/${fiat}`);
  }
  return {
    pays: amount(side === 'buy' ? rate.total[fiat] : rate.amount),
    gets: amount(side === 'buy' ? rate.amount : rate.subtotal[fiat]),
    networkFee: ZERO,
    providerFee: amount(rate.fee[fiat]),
    rate: amount(rate.rate),
    asks: side === 'sell' || rate.kyc_limit_exceeded === true ? FULL : undefined,
  };
}

/** A failure that came with a 2xx; one that is about us and not about the ask is no answer. */
function declined(failure: wire.Failure, refused: Refused): Decline {
  const said = readRefusal(failure, refused);
  if (!said) throw new BadAnswer(`failed with ${failure.status}: ${plain(failure.message)}`);
  return said;
}

function decline(answer: HttpAnswer, refused: Refused): Decline | undefined {
  const failure = wire.readFailure(answer);
  return failure && readRefusal(failure, refused);
}

function readRefusal({ message, status, code }: wire.Failure, refused: Refused): Decline | undefined {
  if (words.TROUBLE.test(status)) return undefined;
  if (code === words.COUNTRY_CODE) return words.NO_COUNTRY;
  const known = words.REASONS.find(([pattern]) => pattern.test(message))?.[1];
  if (known) return (known.reason === 'limit' && readBounds(message, refused)) || known;
  // A bare 404 is more likely a path of theirs that moved.
  return status === '404' ? undefined : declineWith('refused', plain(message));
}

/** Their text, short and without anything that could be a key or a token. */
function plain(message: string): string {
  const short = message.replace(/[\w-]{24,}/g, '…').replace(/\s+/g, ' ');
  return short.trim().slice(0, 200);
}
