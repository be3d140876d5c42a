/** Bounds: the limits that a provider's refusal states in words, as far as it is certain what they are in. */
import { type Limits, within } from '../domain/listing.ts';
import { type Amount, readDecimal } from '../domain/money.ts';
import { type Decline, limitDecline } from '../domain/offer.ts';
import type { Refused } from './contract.ts';
import { isSameWord } from './exchange.ts';

const LONGEST_TEXT = 500;

/**
 * Reads the bounds a text puts on what the customer hands over; undefined unless each figure stands before that
 * currency's code. Bounds that would have let it through are not what it was refused for.
 */
export function readBounds(text: string, refused: Refused): Decline | undefined {
  const { side, fiat, asset, native } = refused;
  const names = side === 'buy' ? [fiat.code, native.fiat] : [asset.code, native.asset];
  const { min, max } = findBounds(text.slice(0, LONGEST_TEXT));
  const isSource = ({ code }: Bound) => names.some(name => isSameWord(name, code));
  if (!(min || max) || (min && !isSource(min)) || (max && !isSource(max))) return undefined;

  const limits: Limits = { min: amountOf(min), max: amountOf(max) };
  if (refused.amountOf !== 'destination' && within(refused.amount, limits)) return undefined;
  return limitDecline(side === 'buy' ? fiat.code : asset.code, limits);
}

interface Bound {
  figure: string;
  code: string;
}

/** `30,000.00` is a figure; the 1 of `1inch` and the 0 of `0,5` are none. */
const FIGURE = String.raw`(?<![\w.,])([1-9]\d{0,2}(?:,\d{3}){1,5}(?:\.\d{1,18})?|\d{1,20}(?:\.\d{1,18})?)(?![.,]?\w)`;
const CODE = String.raw` (\w{1,20})`;
const LEAST = String.raw`\b(?:min(?:imum|imal)?|at least|greater than or equal to)\b`;
const MOST = String.raw`\b(?:max(?:imum|imal)?|at most|less than or equal to)\b`;

const SAYS_LEAST = new RegExp(LEAST, 'i');
const SAYS_MOST = new RegExp(MOST, 'i');
const AT_LEAST = new RegExp(`${LEAST}(?:(?!${MOST})\\D){1,80}?${FIGURE}${CODE}`, 'i');
const AT_MOST = new RegExp(`${MOST}(?:(?!${LEAST})\\D){1,80}?${FIGURE}${CODE}`, 'i');
const BETWEEN = new RegExp(`\\bbetween ${FIGURE}(?:${CODE})? and ${FIGURE}${CODE}`, 'i');

/** Where both words stand and not each has a figure of its own, it cannot be told which bound a figure is. */
function findBounds(text: string): { min?: Bound | undefined; max?: Bound | undefined } {
  const between = BETWEEN.exec(text);
  if (between) {
    const [, least = '', leastCode, most = '', code = ''] = between;
    return { min: { figure: least, code: leastCode ?? code }, max: { figure: most, code } };
  }
  const min = boundIn(AT_LEAST.exec(text));
  const max = boundIn(AT_MOST.exec(text));
  return SAYS_LEAST.test(text) && SAYS_MOST.test(text) && !(min && max) ? {} : { min, max };
}

function boundIn(found: RegExpExecArray | null): Bound | undefined {
  return found ? { figure: found[1] ?? '', code: found[2] ?? '' } : undefined;
}

function amountOf(bound: Bound | undefined): Amount | undefined {
  return readDecimal(bound?.figure.replaceAll(',', ''));
}
