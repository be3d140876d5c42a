/** Coinbase, over its Onramp and Offramp API: every request carries a token of its own; orders stand beside. */
import { type Amount, ZERO } from '../../domain/money.ts';
import { type Decline, decline as declineWith, type Price } from '../../domain/offer.ts';
import { member, type ProviderId } from '../../domain/words.ts';
import { readBounds } from '../bounds.ts';
import type { Adapter, Manifest, NativeAsk, Refused } from '../contract.ts';
import {
  amount,
  BadAnswer,
  type Context,
  exchange,
  type HttpAnswer,
  isSameWord,
  type Work,
} from '../exchange.ts';
import { catalog } from './catalog.ts';
import { checkout, status, webhook } from './orders.ts';
import { signed } from './requests.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

const PHOTO_ID = ['passport', 'driverLicense', 'nationalIdentityCard'] as const;
const API = 'https://api.developer.coinbase.com';
const SANDBOX = 'https://pay-sandbox.coinbase.com';

const manifest: Manifest = {
  id: 'coinbase' as ProviderId,
  name: 'Coinbase',
  // One API for both: it only reads and lends tokens for pages, and orders are made on the page.
  hosts: {
    api: { live: API, test: API },
    buy: { live: 'https://pay.coinbase.com/buy/select-asset', test: SANDBOX },
    sell: { live: 'https://pay.coinbase.com/v3/sell/input', test: SANDBOX },
  },
  keyDecides: ['api'],
  sides: ['buy', 'sell'],
  // Quotes take what is handed over; none is documented for an exact received amount.
  pricesDestination: [],
  methods: words.METHODS,
  networks: words.NETWORKS,
  settings: [
    { name: 'apiKeyId', label: 'Secret API key: its id', secret: false, required: true },
    { name: 'apiKeySecret', label: 'Secret API key', secret: true, required: true },
    {
      name: 'keyType',
      label: 'Kind of the key, ed25519 or ec',
      secret: false,
      required: false,
      fallback: 'ed25519',
    },
    // A quote for the United States must name a state, which is not always told; the page goes by the account's.
    {
      name: 'usState',
      label: 'State that prices for the United States are asked for when the person’s is not known',
      secret: false,
      required: false,
      fallback: 'CA',
    },
    { name: 'webhookSecret', label: 'Secret of the webhook subscription', secret: true, required: false },
  ],
  // It lies with the Coinbase account; what an account asks for is not published by amount.
  kyc: [{ asks: ['email', 'phone', 'identity', 'address', PHOTO_ID, 'selfie'] }],
  // Not found; what is usual for cards and for banks.
  duration: { ach: 345_600, banktransfer: 3_600, '*': 600 },
  checkout: {
    makes: 'session',
    // "Onramp FAQ": a window of its own; frames are refused.
    opens: 'redirect',
    pages: { buy: 'buy', sell: 'sell' },
    permissions: [],
    // They have no word for a buy that nobody paid; a transfer from a bank takes days.
    givenUpAfter: 604_800,
  },
  statuses: words.STATUSES,
  // Ten quotes in any second for one app: what may come at once and what follows it stay within that.
  limits: { perSecond: 5, burst: 5, connections: 8 },
};

export const coinbase: Adapter = { manifest, catalog, quote, decline, checkout, status, webhook };

function quote(ask: NativeAsk, context: Context): Work<Price | Decline> {
  const isBuy = ask.side === 'buy';
  const where = {
    payment_method: ask.native.method,
    country: ask.country,
    subdivision: ask.country === 'US' ? (ask.state ?? context.settings.usState) : undefined,
  };
  const request = signed(
    {
      method: 'POST',
      path: `/onramp/v1/${ask.side}/quote`,
      body: { ...(isBuy ? bought(ask) : sold(ask)), ...where },
    },
    context,
  );
  return exchange<Price | Decline>(request, ({ body }) => (isBuy ? readBuy(body, ask) : readSell(body, ask)));
}

function bought({ native, amount: sum }: NativeAsk) {
  return {
    purchase_currency: native.asset,
    purchase_network: native.network,
    payment_amount: sum.toString(),
    payment_currency: native.fiat,
  };
}

function sold({ native, amount: sum }: NativeAsk) {
  return {
    sell_currency: native.asset,
    sell_network: native.network,
    sell_amount: sum.toString(),
    cashout_currency: native.fiat,
  };
}

/** The id that comes with it cannot be handed over to a buy, and no expiry is stated. */
function readBuy(body: unknown, { native }: NativeAsk): Price | Decline {
  const quote = wire.readBuyQuote(body);
  checkAsset(quote.purchase_amount, native.asset);
  // A fiat that is not supported is priced in dollars without a word.
  const other = otherFiat([quote.payment_total, quote.coinbase_fee, quote.network_fee], native.fiat);
  if (other) return other;
  return {
    pays: figureOf(quote.payment_total),
    gets: figureOf(quote.purchase_amount),
    networkFee: figureOf(quote.network_fee),
    providerFee: figureOf(quote.coinbase_fee),
  };
}

/** No network fee: the person pays it when sending the coins. */
function readSell(body: unknown, { native }: NativeAsk): Price | Decline {
  const quote = wire.readSellQuote(body);
  checkAsset(quote.sell_amount, native.asset);
  const other = otherFiat([quote.cashout_total, quote.coinbase_fee], native.fiat);
  if (other) return other;
  return {
    pays: figureOf(quote.sell_amount),
    gets: figureOf(quote.cashout_total),
    networkFee: ZERO,
    providerFee: figureOf(quote.coinbase_fee),
  };
}

function checkAsset({ currency }: wire.Money, code: string): void {
  if (!isSameWord(currency, code)) throw new BadAnswer('a quote for another asset');
}

function otherFiat(sums: readonly wire.Money[], code: string): Decline | undefined {
  return sums.some(({ currency }) => !isSameWord(currency, code))
    ? declineWith('pair', `${code} is not supported here`)
    : undefined;
}

function figureOf({ value, amount: figure }: wire.Money): Amount {
  return amount(value ?? figure);
}

/** What a refusal looks like is not published: whatever is refused is not quoted, and the text may tell why. */
function decline({ status, body }: HttpAnswer, refused: Refused): Decline | undefined {
  const { code, errorType, errorMessage, message } = (body ?? {}) as Record<string, unknown>;
  const known = typeof errorType === 'string' ? member(words.ERROR_TYPES, errorType) : undefined;
  const text = [errorMessage, message].find(one => typeof one === 'string') as string | undefined;
  // A refusal has a code or a text: a 404 with neither is a path that is gone.
  if (status === 404 && code === undefined && text === undefined) return undefined;
  if (!text)
    return body === undefined ? undefined : declineWith(known ?? 'refused', 'Coinbase does not offer this');
  if (!known && words.isAboutUs(text)) return undefined;
  const reason = known ?? words.REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? 'refused';
  const bounds = reason === 'limit' ? readBounds(text, refused) : undefined;
  return bounds ?? declineWith(reason, text.replace(/[\w-]{24,}/g, '…').slice(0, 200));
}
