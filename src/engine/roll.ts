/** A roll: those who wait for something, and are told when there is nothing to wait for any more, unless they are struck off before. */
import type { Upstream } from './upstream.ts';

export interface Waiter {
  giveUp(fault: Upstream): void;
}

/** Where somebody stands on a roll. */
export interface Place {
  /** Until it is struck off. */
  waiter: Waiter | undefined;
  at: number;
}

export interface Roll {
  add(waiter: Waiter): Place;
  /** Whoever is not on it any more stays off. */
  strike(place: Place): void;
  /** Takes everybody off; what is returned tells them, but for those who are struck off until then. */
  dismiss(fault: Upstream): () => void;
  clear(): void;
}

/** For those who come and go. */
export type Register = Pick<Roll, 'add' | 'strike'>;

/**
 * A list, not a Set: V8 replaces the table of a Set ever so often, and a table that has grown old keeps the next one alive
 * with all that is on it, long after anybody needs it.
 */
export function createRoll(): Roll {
  let places: Place[] = [];

  return {
    add(waiter) {
      const place = { waiter, at: places.length };
      places.push(place);
      return place;
    },
    strike(place) {
      place.waiter = undefined;
      if (places[place.at] !== place) return;
      const last = places.pop() as Place;
      if (last === place) return;
      places[place.at] = last;
      last.at = place.at;
    },
    dismiss(fault) {
      const dismissed = places;
      places = [];
      return () => {
        for (const { waiter } of dismissed) waiter?.giveUp(fault);
      };
    },
    clear() {
      places = [];
    },
  };
}

/** Stands on no roll. */
export function nowhere(): Place {
  return { waiter: undefined, at: -1 };
}
