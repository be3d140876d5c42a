/** Latency: how long a provider takes, a pure function of seed, provider and amount, so that every ideal is known. */

/** Lognormal by its median in milliseconds; with sigma 0 every answer takes the median. */
export interface Pace {
  median: number;
  sigma: number;
}

const SEED = 20_260_101;

/** Whole milliseconds, because timers know nothing finer. */
export function latencyOf({ median, sigma }: Pace, provider: number, cents: number): number {
  if (sigma === 0) return median;
  const one = mix(SEED ^ Math.imul(provider, 0x9e3779b1) ^ Math.imul(cents, 0x85ebca6b));
  const two = mix(one ^ 0xc2b2ae35);
  const normal = Math.sqrt(-2 * Math.log((one + 1) / 2 ** 32)) * Math.cos((2 * Math.PI * two) / 2 ** 32);
  return Math.max(1, Math.round(median * Math.exp(sigma * normal)));
}

/** When the slowest of the providers has answered, or the deadline ends the wait. */
export function idealOf(pace: Pace, providers: number, { cents, deadlineMs }: Moment): number {
  let slowest = 0;
  for (let provider = 1; provider <= providers; provider++) {
    slowest = Math.max(slowest, latencyOf(pace, provider, cents));
  }
  return Math.min(slowest, deadlineMs);
}

interface Moment {
  cents: number;
  deadlineMs: number;
}

/** Scatters the bits of an integer (the finaliser of MurmurHash3). */
function mix(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
