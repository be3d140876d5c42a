/** Mercuryo (Widget API 1.6): buys and sells priced per pair, whatever the payment method. */
import { ZERO } from '../../domain/money.ts';
import { type Decline, decline as declineWith, limitDecline, type Price } from '../../domain/offer.ts';
import type { ProviderId, Side } from '../../domain/words.ts';
import {
  type Adapter,
  amount,
  amountIfAny,
  BadAnswer,
  type Context,
  type Exchange,
  exchange,
  type HttpAnswer,
  type Manifest,
  type NativeAsk,
  type TheirAsset,
  type TheirFiat,
  type TheirListing,
  type Work,
} from '../contract.ts';
import { type Failure, methods, networks, readCurrencies, readFailure, readRate, readWords } from './wire.ts';

const manifest: Manifest = {
  id: 'mercuryo' as ProviderId,
  name: 'Mercuryo',
  hosts: { api: { live: 'https://api.mercuryo.io', test: 'https://sandbox-api.mrcr.io' } },
  sides: ['buy', 'sell'],
  // Both rate calls take what the customer hands over; none is documented for an exact received amount.
  pricesDestination: [],
  methods,
  networks,
  settings: [
    { name: 'widgetId', label: 'Widget ID', secret: false, required: true },
    { name: 'secretKey', label: 'Widget secret key (signs addresses)', secret: true, required: false },
    // "Signature Wallet Address" documents v1; v2 is known from production use only, hence the choice.
    {
      name: 'signatureVersion',
      label: 'Signature, v1 or v2',
      secret: false,
      required: false,
      fallback: 'v1',
    },
    { name: 'signKey', label: 'Widget sign key (verifies callbacks)', secret: true, required: false },
    { name: 'partnerToken', label: 'SDK partner token (order status)', secret: true, required: false },
  ],
  kyc: [
    // The threshold is published in euros and for purchases only; other fiats count as above it.
    { upTo: { EUR: '699' }, asks: ['email', 'phone'] },
    {
      asks: ['email', 'phone', 'identity', ['passport', 'driverLicense', 'nationalIdentityCard'], 'selfie'],
    },
  ],
  // "Widget API" recommends to ask seldom (once in 10 s) without stating a bound.
  limits: { perSecond: 5, burst: 20, connections: 8 },
};

export const mercuryo: Adapter = { manifest, catalog, quote, decline };

type Currencies = ReturnType<typeof readCurrencies>['data'];
type FiatRow = Currencies['fiat_payment_methods'][string];

interface Lists extends Record<Side, ReadonlySet<string>> {
  currencies: Currencies;
  countries: string[];
}

/** Assets, methods and limits come in one list; what is bought, what is sold and where, in three more. */
function catalog(): Work<TheirListing[]> {
  return list('/lib/currencies', body => {
    const currencies = readCurrencies(body).data;
    return list('/public/currencies-buy', bought => {
      const buy = new Set(readWords(bought).data);
      return list('/public/currencies-sell', sold => {
        const sell = new Set(readWords(sold).data);
        return servedCountries(countries => listings({ currencies, buy, sell, countries }));
      });
    });
  });
}

type Next<T> = (list: T) => Work<TheirListing[]>;

function list(path: string, next: Next<unknown>): Exchange<TheirListing[]> {
  return exchange({ method: 'GET', host: 'api', path: `/v1.6${path}` }, answer => next(answer.body));
}

/** "Get list of supported countries": alpha-3 codes unless asked for alpha-2, in lower case either way. */
function servedCountries(next: Next<string[]>): Exchange<TheirListing[]> {
  const path = '/v1.6/public/card-countries';
  return exchange({ method: 'GET', host: 'api', path, query: { type: 'alpha2' } }, ({ body }) =>
    next([...new Set(readWords(body).data.map(code => code.toUpperCase()))]),
  );
}

function listings(lists: Lists): TheirListing[] {
  return (['buy', 'sell'] as const)
    .map(side => ({
      side,
      countries: lists.countries,
      assets: assetsOf(lists.currencies, lists[side]),
      fiats: fiatsOf(lists.currencies, side, lists[side]),
    }))
    .filter(listing => listing.assets.length && listing.fiats.length);
}

/** The tickers of a side on every network they have. Their limits exist per pair only: one call each, too many. */
function assetsOf(currencies: Currencies, tickers: ReadonlySet<string>): TheirAsset[] {
  const crypto = new Set(currencies.crypto);
  const assets = new Map<string, TheirAsset>();
  for (const { currency, network, contract } of currencies.config.crypto_currencies) {
    if (!currency || !network || !crypto.has(currency) || !tickers.has(currency)) continue;
    const key = `${currency}_${network}`;
    if (assets.has(key)) continue;
    const asset = { code: currency, symbol: currency, network };
    assets.set(key, isContract(contract) ? { ...asset, contract } : asset);
  }
  return [...assets.values()];
}

/** A network's own coin has an empty contract. */
function isContract(contract: string | null | undefined): contract is string {
  return !!contract && !/^0x0+$/.test(contract);
}

function fiatsOf(currencies: Currencies, side: Side, tickers: ReadonlySet<string>): TheirFiat[] {
  return [...new Set(currencies.fiat)]
    .filter(code => tickers.has(code))
    .map(code => ({ code, methods: methodsOf(currencies.fiat_payment_methods[code], side) }))
    .filter(fiat => fiat.methods.length);
}

/**
 * Cards have a row per scheme, merged here. The limits are those of a purchase. How a sale is paid out is said only
 * in "Transaction status types" (to the card), and its limits only per pair, so a sale lists cards without limits.
 */
function methodsOf(row: FiatRow | undefined, side: Side): TheirFiat['methods'] {
  const codes = new Set((row?.payment_methods ?? []).flatMap(({ code }) => code || []));
  if (side === 'sell') return codes.has('card') ? [{ code: 'card' }] : [];
  const min = amountIfAny(row?.limits?.min);
  const max = amountIfAny(row?.limits?.max);
  return [...codes].map(code => ({ code, ...(min && { min }), ...(max && { max }) }));
}

/** The amount is all that is handed over, fees included; the payment method and the country have no say in it. */
function quote(ask: NativeAsk, context: Context): Work<Price | Decline> {
  const { fiat, asset, network } = ask.native;
  const [from, to] = ask.side === 'buy' ? [fiat, asset] : [asset, fiat];
  const query = { from, to, amount: ask.amount.toString(), network, widget_id: context.settings.widgetId };
  return exchange({ method: 'GET', host: 'api', path: `/v1.6/widget/${ask.side}/rate`, query }, answer => {
    const failure = readFailure(answer.body);
    return failure ? declined(failure, from) : priced(ask, answer);
  });
}

/** No expiry is given and the network fee is not itemised: it is part of their fee. */
function priced({ side, native }: NativeAsk, answer: HttpAnswer): Price {
  const { currency, fiat_currency, fee, total, subtotal, ...rest } = readRate(answer.body).data;
  if (currency !== native.asset || fiat_currency !== native.fiat) {
    throw new BadAnswer(`priced ${currency}/${fiat_currency}, not ${native.asset}/${native.fiat}`);
  }
  return {
    pays: amount(side === 'buy' ? total[native.fiat] : rest.amount),
    gets: amount(side === 'buy' ? rest.amount : subtotal[native.fiat]),
    networkFee: ZERO,
    providerFee: amount(fee[native.fiat]),
    rate: amount(rest.rate),
  };
}

/** A failure that came with a 2xx; one that is about us and not about the request is no answer. */
function declined(failure: Failure, source: string): Decline {
  const said = refusal(failure, { status: failure.status ?? '400', source });
  if (!said) throw new BadAnswer(`failed with ${failure.status}: ${plain(failure.message)}`);
  return said;
}

function decline(answer: HttpAnswer): Decline | undefined {
  const failure = readFailure(answer.body);
  return failure && refusal(failure, { status: String(answer.status) });
}

/** Troubles with tokens, access and rate are ours, 5xx theirs: none of them is about the request. */
const TROUBLE = /^(401|403|429|5..)$/;
/** Their codes and words for a refused price are not published, so the text is read for what it is about. */
const COUNTRY = /\bcountr|\bregion/i;
const METHOD = /payment.?method/i;
const LIMIT = /\b(min|max)(imum|imal)?\b|amount.*\b(between|least|most|limit|small|large|low|high)/i;
const PAIR = /\b(currenc|network|pair)/i;

function refusal(failure: Failure, said: { status: string; source?: string }): Decline | undefined {
  const { message, code } = failure;
  if (TROUBLE.test(said.status)) return undefined;
  if (code === '400005' || COUNTRY.test(message)) return declineWith('country', 'Country is not served');
  if (METHOD.test(message)) return declineWith('method', 'Payment method is not supported');
  if (LIMIT.test(message)) return outOfBounds(message, said.source);
  if (PAIR.test(message)) return declineWith('pair', 'Pair is not supported');
  // A bare 404 is more likely a path of theirs that moved.
  return said.status === '404' ? undefined : declineWith('refused', plain(message));
}

const FIGURE = '([0-9]{1,20}(?:\\.[0-9]{1,18})?)(?![0-9.,]*[0-9])';
const LEAST = new RegExp(`(?:\\bmin\\w*|at least|between)[^0-9]{0,30}${FIGURE}`, 'i');
const MOST = new RegExp(`(?:\\bmax\\w*|at most|between [0-9.]+(?: \\w+)? and)[^0-9]{0,30}${FIGURE}`, 'i');
const CODE = /[0-9] ([A-Z0-9]{1,10})\b/;

/** The amount we send is what the customer hands over, so bounds on it are too, unless they name another currency. */
function outOfBounds(message: string, source?: string): Decline {
  const code = CODE.exec(message)?.[1];
  const [min, max] = [amountIfAny(LEAST.exec(message)?.[1]), amountIfAny(MOST.exec(message)?.[1])];
  if (!code || (source && code !== source) || !(min || max)) {
    return declineWith('limit', 'Amount is outside the limits');
  }
  return limitDecline(code, { ...(min && { min }), ...(max && { max }) });
}

/** Their text, short and without anything that could be a key or a token. */
function plain(message: string): string {
  const short = message.replace(/[\w-]{24,}/g, '…').replace(/\s+/g, ' ');
  return short.trim().slice(0, 200);
}
