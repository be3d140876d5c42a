/** Orders to the house: what its providers can be told, and what they report. */
import type { Pace } from '../../bench/latency.ts';
import type { Script } from './script.ts';

/** What a provider does wrong when it is asked for a quote. */
export type Fate =
  | { kind: 'slow'; ms: number; share?: number }
  | { kind: 'hang'; share?: number }
  | { kind: 'drip'; share?: number }
  | { kind: 'status'; status: number; share?: number }
  /** 429, with how long to stay away, in seconds or as a date. */
  | { kind: 'limited'; seconds: number; asDate: boolean; share?: number }
  /** A gibibyte with its length stated, or chunks without an end; `paced` sends small pieces and counts them. */
  | { kind: 'flood'; framing: 'length' | 'chunks'; paced: boolean; share?: number }
  /** The connection is reset, or ended, before, in the middle of, or after the headers. */
  | { kind: 'cut'; when: 'before' | 'within' | 'after'; how: 'reset' | 'end'; share?: number };

/** The body of `PUT /_house`; what is absent stays as it is. */
export interface HouseOrder {
  pace?: Pace;
  /** All fates there are, by provider. */
  fates?: Readonly<Record<string, Fate>>;
  script?: Script;
  /** Begin counting anew. */
  recount?: boolean;
}

/** What happened to one provider since the last recount. */
export interface Tally {
  /** Questions for a quote. */
  calls: number;
  /** Questions that had been asked before, word for word. */
  repeats: number;
  /** Questions that its fate befell, and those of them whose connection was closed before we had done. */
  struck: number;
  cut: number;
  /** The most bytes of one answer that were taken from us before it was cut. */
  largest: number;
  /** Times it asked to be left alone, and questions that came all the same. */
  limits: number;
  inside: number;
  /** Of questions that its fate befell, from when to when, in milliseconds since 1970; the first thousand. */
  spans: { from: number; to: number }[];
}

export interface HouseReport {
  tallies: Record<string, Tally>;
  /** Amounts, in cents, at which the house itself was held up for longer than half the deadline; nobody else is to blame. */
  tardy: number[];
  /** How often each part of the script was said. */
  said: Record<string, number>;
}

export const NOBODY: Tally = {
  ...{ calls: 0, repeats: 0, struck: 0, cut: 0, largest: 0, limits: 0, inside: 0 },
  spans: [],
};

/** The same providers live in the wing as well, with fates of their own: two instances can be compared at one moment. */
export const WING = '/_wing/';

/** How one of them is called in orders and reports. */
export function wingOf(provider: string): string {
  return `wing ${provider}`;
}

/** The same fate for all of them. */
export function fateOf(providers: readonly string[], fate: Fate): Record<string, Fate> {
  return Object.fromEntries(providers.map(provider => [provider, fate]));
}

/** Whether a fate befalls the questions for an amount; by the amount alone, so that everybody can tell. */
export function isStruck({ share = 1 }: Fate, cents: number): boolean {
  // Neighbouring amounts fall far apart: a share of them is never in one place.
  return share === 1 || (cents * 0.618_033_988_75) % 1 < share;
}
