/** Quote ids: what was promised to whom and until when, in a few characters that nobody can alter. */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

export interface QuoteIds {
  /** An id that is good for `bound` only (account, provider, pair, amount, method, side) and carries the promise. */
  issue(bound: string, promise: Promised): string;
  /** What was promised; undefined when the id is not ours, was altered, or belongs to something else. */
  read(bound: string, id: string): Promised | undefined;
}

export interface Promised {
  /** Milliseconds since 1970. */
  until: number;
  /** The payout that was shown; empty when there was none. */
  payout: string;
}

const TAG_CHARACTERS = 22;
const FORM = /^(([0-9a-z]{1,11})-([0-9.]{0,64}))-([A-Za-z0-9_-]{22})$/;

export function createQuoteIds(masterKey: Buffer): QuoteIds {
  const key = Buffer.from(hkdfSync('sha256', masterKey, '', 'cloverleaf/quote', 32));
  const tagOf = (promise: string, bound: string) =>
    createHmac('sha256', key).update(`${promise}|${bound}`).digest('base64url').slice(0, TAG_CHARACTERS);
  return {
    issue(bound, { until, payout }) {
      const promise = `${until.toString(36)}-${payout}`;
      return `${promise}-${tagOf(promise, bound)}`;
    },
    read(bound, id) {
      const [, promise = '', until = '', payout = '', tag = ''] = FORM.exec(id) ?? [];
      if (!tag || !timingSafeEqual(Buffer.from(tag), Buffer.from(tagOf(promise, bound)))) return undefined;
      return { until: Number.parseInt(until, 36), payout };
    },
  };
}
