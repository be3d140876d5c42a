/** A spot in the catalog: what is traded, which way, and where. */
import type { Side } from '../../client/src/index.ts';
import type { Pair } from './state.ts';

export interface Place {
  country: string;
  /** The state within the United States, once it is known. */
  region?: string | undefined;
}

export interface Spot extends Place {
  side: Side;
  pair: Pair;
}

export function spotKey({ side, pair, ...place }: Spot): string {
  return `${side} ${pair.fiat.id} ${pair.crypto.id} ${placeKey(place)}`;
}

/** `DE`, `US-NY` */
export function placeKey({ country, region }: Place): string {
  return region === undefined ? country : `${country}-${region}`;
}

/** As the service asks for it. */
export function placeQuery({ country, region }: Place): { country: string; state?: string } {
  return region === undefined ? { country } : { country, state: region };
}
