/** Ramp Network: one call prices every payment method, seven describe what it supports; orders stand beside. */
import { type Limits, within } from '../../domain/listing.ts';
import { type Amount, smallest, ZERO } from '../../domain/money.ts';
import { type Decline, decline as declineWith, limitDecline, type Price } from '../../domain/offer.ts';
import { type Instant, member, type ProviderId } from '../../domain/words.ts';
import type { Adapter, Manifest, NativeAsk } from '../contract.ts';
import {
  amount,
  amountIfAny,
  BadAnswer,
  type Context,
  exchange,
  type HttpAnswer,
  isSameWord,
  type Work,
} from '../exchange.ts';
import { bound, catalog, codeOf, leastCoins } from './catalog.ts';
import { checkout, refuses, status, webhook } from './orders.ts';
import { fromSmallest, toSmallest } from './units.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

const PHOTO_ID = ['passport', 'driverLicense', 'nationalIdentityCard'] as const;

const manifest: Manifest = {
  id: 'rampnetwork' as ProviderId,
  name: 'Ramp Network',
  hosts: {
    api: { live: 'https://api.rampnetwork.com/api', test: 'https://api.demo.rampnetwork.com/api' },
    app: { live: 'https://app.rampnetwork.com', test: 'https://app.demo.rampnetwork.com' },
  },
  sides: ['buy', 'sell'],
  pricesDestination: ['buy', 'sell'],
  methods: words.METHODS,
  networks: words.NETWORKS,
  settings: [
    { name: 'hostApiKey', label: 'Host API key', secret: false, required: true },
    { name: 'appName', label: 'Name shown in the widget', secret: false, required: false },
    {
      name: 'signingKey',
      label: 'Key that signs widget links (Ed25519), where links must be signed',
      secret: true,
      required: false,
    },
    // "Webhooks" publishes one key an environment.
    {
      name: 'webhookPublicKey',
      label: 'Key that proves webhooks (public, secp256k1)',
      secret: false,
      required: false,
      fallback: {
        live: 'MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAElvxpYOhgdAmI+7oL4mABRAfM5CwLkCbZm64ERVKAisSulWFC3oRZom/PeyE2iXPX1ekp9UD1r+51c9TiuIHU4w==',
        test: 'MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAEevN2PMEeIaaMkS4VIfXOqsLebj19kVeuwWl0AnkIA6DJU0r3ixkXVhJTltycJtkDoEAYtPHfARyTofB5ZNw9xA==',
      },
    },
  ],
  // It happens in the widget, and no tiers are published: promise no less than everything.
  kyc: [{ asks: ['email', 'phone', 'identity', 'address', PHOTO_ID, 'selfie'] }],
  // Not found; what is usual for cards and for banks.
  duration: { ach: 345_600, banktransfer: 86_400, sepabanktransfer: 86_400, '*': 600 },
  checkout: {
    makes: 'link',
    // Framing is the work of their script; the `hosted` variant is a page of its own.
    opens: 'redirect',
    pages: { buy: 'app', sell: 'app' },
    permissions: [],
  },
  statuses: words.STATUSES,
  // 100 a minute and 1000 in 15 minutes for one address, which may be blocked for an hour: both are kept.
  limits: { perSecond: 1, burst: 40, connections: 8 },
};

export const rampnetwork: Adapter = { manifest, catalog, quote, decline, refuses, checkout, status, webhook };

function quote(ask: NativeAsk, { settings: { hostApiKey }, now }: Context): Work<Price | Decline> {
  const inCoins = (ask.side === 'sell') === (ask.amountOf === 'source');
  return exchange<Price | Decline>(
    {
      method: 'POST',
      host: 'api',
      path: `/host-api/v3/${ask.side === 'buy' ? 'onramp' : 'offramp'}/quote/all`,
      query: { hostApiKey },
      body: {
        cryptoAssetSymbol: ask.native.asset,
        fiatCurrency: ask.native.fiat,
        ...(inCoins
          ? { cryptoAmount: toSmallest(ask.amount, ask.asset.decimals) }
          : { fiatValue: ask.amount }),
      },
    },
    ({ body }) => {
      const quotes = wire.readQuotes(body);
      const given = member(quotes as Record<string, unknown>, ask.native.method);
      if (!isSameWord(codeOf(quotes.asset), ask.native.asset))
        throw new BadAnswer('a quote for another asset');
      return given === undefined
        ? missing(ask, quotes)
        : priced(ask, wire.readQuote(given), { info: quotes.asset, now });
    },
  );
}

/** The widget refreshes its prices about every 30 seconds; no expiry is stated. */
const LIFETIME_MS = 30_000;

/**
 * `fiatValue` is all that is paid on a buy and all that is received on a sell, `appliedFee` everything that is charged.
 * The price of the asset among it is the market's, not the quote's, so no rate is stated.
 */
function priced(
  ask: NativeAsk,
  quote: wire.Quote,
  { info, now }: { info: wire.AssetInfo; now: Instant },
): Price {
  if (!isSameWord(quote.fiatCurrency, ask.native.fiat)) throw new BadAnswer('a quote in another currency');
  const fiat = amount(quote.fiatValue);
  const coins = fromSmallest(quote.cryptoAmount, info.decimals);
  const fees = amount(quote.appliedFee);
  const networkFee = ask.side === 'buy' ? networkFeeOf(info, ask, fees) : ZERO;
  return {
    pays: ask.side === 'buy' ? fiat : coins,
    gets: ask.side === 'buy' ? coins : fiat,
    networkFee,
    providerFee: fees.minus(networkFee),
    validUntil: now + LIFETIME_MS,
  };
}

/** A part of what is charged, in the currency of the list; on a sell the person pays the chain themselves. */
function networkFeeOf({ networkFee, currencyCode }: wire.AssetInfo, ask: NativeAsk, fees: Amount): Amount {
  const inFiat = !currencyCode || isSameWord(currencyCode, ask.native.fiat);
  const fee = amountIfAny(networkFee);
  return inFiat && fee ? (smallest(fee, fees) ?? ZERO) : ZERO;
}

/**
 * A method that is not among the prices is not offered for this currency or this amount. What the asset says of its
 * limits may tell which. Where no method is left it is the amount: the currency was listed with this one.
 */
function missing(ask: NativeAsk, { asset: info, ...others }: ReturnType<typeof wire.readQuotes>): Decline {
  const code = ask.side === 'buy' ? ask.fiat.code : ask.asset.code;
  const limits = limitsOf(ask, info);
  if (ask.amountOf === 'source' && !within(ask.amount, limits)) return limitDecline(code, limits);
  if (Object.keys(others).length === 0) return limitDecline(code, ask.amountOf === 'source' ? {} : limits);
  return worthTooMuch(ask, info)
    ? limitDecline(code, {})
    : declineWith('method', `${ask.native.method} is not offered for this currency and amount`);
}

/** In what the customer hands over. */
function limitsOf({ side, native }: NativeAsk, info: wire.AssetInfo): Limits {
  if (side === 'sell') return { min: leastCoins(info) };
  return isSameWord(info.currencyCode ?? '', native.fiat)
    ? { min: bound(info.minPurchaseAmount), max: bound(info.maxPurchaseAmount) }
    : {};
}

/** The most that may be sold is stated in fiat. */
function worthTooMuch(ask: NativeAsk, { currencyCode, price, maxPurchaseAmount }: wire.AssetInfo): boolean {
  const most = isSameWord(currencyCode ?? '', ask.native.fiat) ? bound(maxPurchaseAmount) : undefined;
  const each = bound(price?.[ask.native.fiat]);
  return (
    ask.side === 'sell' && !!most && !!each && ask.amount.times(ask.amountOf === 'source' ? each : 1).gt(most)
  );
}

/** A body without one of their codes comes from the router before them, and says nothing of the ask. */
function decline({ body }: HttpAnswer): Decline | undefined {
  const { code } = (body ?? {}) as { code?: unknown };
  const [, condition] = words.CODE.exec(typeof code === 'string' ? code : '') ?? [];
  if (!condition || words.ABOUT_US.test(condition)) return undefined;
  const reason = words.REASONS.find(([pattern]) => pattern.test(condition))?.[1] ?? 'refused';
  return declineWith(reason, condition.toLowerCase().replaceAll('_', ' '));
}
