/** Quote ids: what was promised to whom and until when, in a few characters that nobody can alter. */
import { hash, hkdfSync, timingSafeEqual } from 'node:crypto';
import { type Amount, cut, decimal } from '../domain/money.ts';
import type { Offer } from '../domain/offer.ts';
import type { AccountId, AssetId, FiatId, MethodId, ProviderId, Side } from '../domain/words.ts';

export interface QuoteIds {
  /** An id that is good for `bound` only and carries the promise. */
  issue(bounds: QuoteBounds, promise: Promised): string;
  /** What was promised; undefined when the id is not ours, was altered, or belongs to something else. */
  read(bounds: QuoteBounds, id: string): Promised | undefined;
}

/** What was shown; without figures when there was no price. */
export interface Promised {
  /** Milliseconds since 1970. */
  until: number;
  price?: Pick<Offer, 'gets' | 'networkFee' | 'providerFee'> | undefined;
}

/** What a quote is about: the id is good for exactly this. */
export interface QuoteBounds {
  account: AccountId;
  provider: ProviderId;
  side: Side;
  fiat: FiatId;
  asset: AssetId;
  method: MethodId;
  /** What the customer hands over. */
  amount: Amount;
}

const TAG_CHARACTERS = 22;
/** Fees are in fiat; so many places leave room for the rest. */
const FEE_PLACES = 8;
/** When it ends, then payout, network fee and provider's fee, then the tag. */
const FORM = /^(([0-9a-z]{1,11})-([0-9.]{0,40})-([0-9.]{0,24})-([0-9.]{0,24}))-([A-Za-z0-9_-]{22})$/;

export function createQuoteIds(masterKey: Buffer): QuoteIds {
  const key = Buffer.from(hkdfSync('sha256', masterKey, '', 'cloverleaf/quote', 32)).toString('base64url');
  /** What SHA-3 makes of a text cannot be continued, so a key before the text is enough, and takes less than half of an HMAC's time. */
  const tagOf = (promise: string, bounds: QuoteBounds) =>
    hash('sha3-256', `${key}|${promise}|${textOf(bounds)}`, 'base64url').slice(0, TAG_CHARACTERS);
  return {
    issue(bounds, { until, price }) {
      const figures = price
        ? `${price.gets}-${cut(price.networkFee, FEE_PLACES)}-${cut(price.providerFee, FEE_PLACES)}`
        : '--';
      const promise = `${until.toString(36)}-${figures}`;
      return `${promise}-${tagOf(promise, bounds)}`;
    },
    read(bounds, id) {
      const [, promise = '', until = '', gets, networkFee, providerFee, tag = ''] = FORM.exec(id) ?? [];
      if (!tag || !timingSafeEqual(Buffer.from(tag), Buffer.from(tagOf(promise, bounds)))) return undefined;
      const price =
        gets && networkFee && providerFee
          ? { gets: decimal(gets), networkFee: decimal(networkFee), providerFee: decimal(providerFee) }
          : undefined;
      return { until: Number.parseInt(until, 36), price };
    },
  };
}

function textOf({ account, provider, side, fiat, asset, method, amount }: QuoteBounds): string {
  return `${provider}|${account}|${side}|${fiat}|${asset}|${method}|${amount}`;
}
