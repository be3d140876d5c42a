/** Quote ids: what was promised to whom and until when, in a few characters that nobody can alter. */
import { type Amount, cut, decimal } from '../domain/money.ts';
import type { Offer } from '../domain/offer.ts';
import type { AccountId, AssetId, FiatId, MethodId, ProviderId, Side } from '../domain/words.ts';
import { createTags, TAG } from './tags.ts';

export interface QuoteIds {
  /** Issues ids for all that is promised about one matter until one moment, each good for its own quote only. */
  issuer(matter: QuoteMatter, until: number): (quote: QuoteTerms & Pick<Promised, 'price'>) => string;
  /** What was promised; undefined when the id is not ours, was altered, or belongs to something else. */
  read(bounds: QuoteBounds, id: string): Promised | undefined;
}

/** What was shown; without figures when there was no price. */
export interface Promised {
  /** Milliseconds since 1970. */
  until: number;
  price?: Pick<Offer, 'gets' | 'networkFee' | 'providerFee'> | undefined;
}

/** What all quotes that are shown together are about. */
export interface QuoteMatter {
  account: AccountId;
  side: Side;
  fiat: FiatId;
  asset: AssetId;
  method: MethodId;
}

/** What one of them is about besides. */
export interface QuoteTerms {
  provider: ProviderId;
  /** What the customer hands over. */
  amount: Amount;
}

/** What a quote is about: its id is good for exactly this. */
export type QuoteBounds = QuoteMatter & QuoteTerms;

/** Fees are in fiat; so many places leave room for the rest. */
const FEE_PLACES = 8;
/** When it ends, then payout, network fee and provider's fee, then the tag. */
const FORM = new RegExp(`^(([0-9]{1,15})-([0-9.]{0,40})-([0-9.]{0,24})-([0-9.]{0,24}))-(${TAG})$`);

export function createQuoteIds(masterKey: Buffer): QuoteIds {
  const tags = createTags(masterKey, 'quote');
  return {
    issuer(matter, until) {
      const about = textOf(matter);
      const end = String(until);
      return quote => {
        const promise = promiseOf(end, quote);
        // Joined, it is one piece, and whoever looks at it need not put it together.
        return [promise, tags.of(wholeOf(about, quote, promise))].join('-');
      };
    },
    read(bounds, id) {
      const [, promise = '', until = '', gets, networkFee, providerFee, tag = ''] = FORM.exec(id) ?? [];
      if (!tag || !tags.isOf(wholeOf(textOf(bounds), bounds, promise), tag)) return undefined;
      const price =
        gets && networkFee && providerFee
          ? { gets: decimal(gets), networkFee: decimal(networkFee), providerFee: decimal(providerFee) }
          : undefined;
      return { until: Number.parseInt(until, 10), price };
    },
  };
}

function promiseOf(end: string, { price }: Pick<Promised, 'price'>): string {
  if (!price) return `${end}---`;
  const { gets, networkFee, providerFee } = price;
  return `${end}-${gets.toString()}-${feeOf(networkFee)}-${feeOf(providerFee)}`;
}

function feeOf(fee: Amount): string {
  return cut(fee, FEE_PLACES).toString();
}

function textOf({ account, side, fiat, asset, method }: QuoteMatter): string {
  return `${account}|${side}|${fiat}|${asset}|${method}`;
}

/** All that an id stands for. */
function wholeOf(matter: string, { provider, amount }: QuoteTerms, promise: string): string {
  return `${matter}|${provider}|${amount.toString()}|${promise}`;
}
