/** Paybis' quotes: how they are asked for, signed or with the public key, and what one says of a payment method. */
import { writeJson } from '../../domain/json.ts';
import { cut, raise } from '../../domain/money.ts';
import { type Decline, decline, type Price } from '../../domain/offer.ts';
import type { Instant } from '../../domain/words.ts';
import { readBounds } from '../bounds.ts';
import type { Refused } from '../contract.ts';
import { amount, amountIfAny, BadAnswer, type Context, type HttpRequest } from '../exchange.ts';
import { readUtc } from '../moments.ts';
import type * as wire from './wire.ts';
import * as words from './words.ts';

export function authorization({ settings, secret }: Context): Record<string, string> {
  const prefix = settings.authorization === 'bearer' ? 'Bearer ' : '';
  return { Authorization: `${prefix}${secret('apiKey')}` };
}

/** "Signing request": over the bytes of the body exactly as they are sent, so that nothing in it may be a secret. */
export function signedPost(path: string, body: object, context: Context): HttpRequest {
  const how = context.settings.signs === 'body' ? 'rsa-pss-sha512-base64' : 'rsa-pss-sha512-digest-base64';
  const signature = context.sign(how, 'privateKey', writeJson(body));
  const headers = { ...authorization(context), 'X-Request-Signature': signature };
  return { method: 'POST', host: 'api', path, headers, body };
}

export function signedQuote(asked: Refused, context: Context): HttpRequest {
  return signedPost('/v2/quote', bodyOf(asked), context);
}

export function publicQuote(asked: Refused, { settings: { publicApiKey } }: Context): HttpRequest {
  const path = '/v2/public/quote';
  return { method: 'POST', host: 'api', path, query: { apikey: publicApiKey }, body: bodyOf(asked) };
}

/** How many places they take. */
const FIAT_PLACES = 2;
const CRYPTO_PLACES = 8;

function bodyOf({ side, amount, amountOf = 'source', native }: Refused): object {
  const isBuy = side === 'buy';
  const isSource = amountOf === 'source';
  const places = isBuy === isSource ? FIAT_PLACES : CRYPTO_PLACES;
  return {
    amount: (isSource ? cut(amount, places) : raise(amount, places)).toString(),
    directionChange: isSource ? 'from' : 'to',
    // What is received after all fees, not before them.
    isReceivedAmount: isSource ? undefined : true,
    currencyCodeFrom: isBuy ? native.fiat : native.asset,
    currencyCodeTo: isBuy ? native.asset : native.fiat,
    [isBuy ? 'paymentMethod' : 'payoutMethod']: native.method,
  };
}

/** What the quote says of the method: a price, or why there is none, which comes with a status of 200 as well. */
export function priceIn(quote: wire.Quote, asked: Refused, now: Instant): Price | Decline {
  const { side, native } = asked;
  const isBuy = side === 'buy';
  const [from, to] = isBuy ? [native.fiat, native.asset] : [native.asset, native.fiat];
  if (quote.currencyCodeFrom !== from || quote.currencyCodeTo !== to)
    throw new BadAnswer('a quote for another pair');
  const priced = (isBuy ? quote.paymentMethods : quote.payoutMethods) ?? [];
  const row = priced.find(({ id }) => id === native.method);
  return row ? priceOf(row, { isBuy, from, to, rate: rateOf(quote), now }) : refusalIn(quote, asked);
}

interface Terms {
  isBuy: boolean;
  from: string;
  to: string;
  rate: Price['rate'];
  now: Instant;
}

/**
 * The pair, which the quote has named by its codes, has the last word on what is traded: amounts were seen with the coin's
 * ticker in place of its code. Their rate is known to be before fees on a buy; what it is on a sell was not seen.
 */
function priceOf(
  { amountFrom, amountTo, fees, expiresAt }: wire.MethodPrice,
  { isBuy, from, to, rate, now }: Terms,
): Price {
  const [fiat, coin] = isBuy ? [from, to] : [to, from];
  const [money, coins] = isBuy ? [amountFrom, amountTo] : [amountTo, amountFrom];
  const isOdd =
    ![coin, words.tickerOf(coin)].includes(coins.currencyCode) ||
    [money, fees.networkFee, fees.serviceFee].some(({ currencyCode }) => currencyCode !== fiat);
  if (isOdd) throw new BadAnswer('amounts in another currency');
  const validUntil = readUtc(expiresAt);
  if (validUntil !== undefined && validUntil <= now) throw new BadAnswer('the quote has expired already');
  return {
    pays: amount(amountFrom.amount),
    gets: amount(amountTo.amount),
    networkFee: amount(fees.networkFee.amount),
    providerFee: amount(fees.serviceFee.amount),
    rate: isBuy ? rate : undefined,
    validUntil,
  };
}

function rateOf({ exchangeRateCryptoToFiat }: wire.Quote): Price['rate'] {
  return amountIfAny(exchangeRateCryptoToFiat?.rate);
}

function refusalIn(quote: wire.Quote, asked: Refused): Decline {
  const errors = [...(quote.paymentMethodErrors ?? []), ...(quote.payoutMethodErrors ?? [])];
  const own = errors.find(
    ({ paymentMethod, payoutMethod }) => (paymentMethod ?? payoutMethod) === asked.native.method,
  );
  const said = readRefusal(own?.error?.message ?? undefined, asked);
  return said ?? decline('method', 'The payment method is not available');
}

/** Reads a text that says no. They write `up to` and `less than` of the most they take. */
export function readRefusal(text: string | undefined, refused: Refused): Decline | undefined {
  if (!text || words.ABOUT_US.test(text)) return undefined;
  const reason = words.REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? 'refused';
  const plain = text.replace(/\b(up to|less than)\b/gi, 'at most');
  const bounds = reason === 'limit' ? readBounds(plain, refused) : undefined;
  return bounds ?? decline(reason, text.replace(/[\w-]{32,}/g, '…').slice(0, 200));
}
