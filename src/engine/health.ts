/** Health: whether a provider is worth asking now. A breaker with single probes, on a clock that only goes forward. */
import { createRoll, type Register } from './roll.ts';
import { Upstream } from './upstream.ts';

/** `go`: ask. `probe`: ask on the side, nobody waits for it. `skip`: leave it alone. */
export type Admission = 'go' | 'probe' | 'skip';

export type BreakerState = 'closed' | 'open' | 'probing';

export interface Health {
  admit(ticks: number): Admission;
  /** Whether the provider has asked to be left alone until later, which also holds for work that was admitted before. */
  isLeftAlone(ticks: number): boolean;
  succeeded(): void;
  failed(error: unknown, ticks: number): void;
  /** Requests under way: when the breaker opens they give up, so that nobody waits in vain. */
  underWay: Register;
  state(): BreakerState;
}

export interface HealthOptions {
  /** Told when the provider refuses our credentials: an operator must act. */
  onUnauthorized?(): void;
}

/** Made once, as there are hundreds when every provider hangs. */
const BROKEN_OFF = new Upstream('withdrawn', 'the request was broken off');

const FAILURES_TO_OPEN = 5;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
const DEFAULT_RETRY_AFTER_MS = 5_000;
const LONGEST_RETRY_AFTER_MS = 3_600_000;

export function createHealth(options: HealthOptions = {}): Health {
  const underWay = createRoll();
  let failures = 0;
  let pause = FIRST_PAUSE_MS;
  let closedUntil = 0;
  let aloneUntil = 0;
  let state: BreakerState = 'closed';

  function open(ticks: number, forMs: number): void {
    state = 'open';
    closedUntil = Math.max(closedUntil, ticks + forMs);
    // Once those are answered who have waited for as long as it takes to be sure.
    setImmediate(underWay.dismiss(BROKEN_OFF));
  }

  const isLeftAlone = (ticks: number) => ticks < aloneUntil;

  return {
    isLeftAlone,
    admit(ticks) {
      if (state === 'probing' || ticks < closedUntil || isLeftAlone(ticks)) return 'skip';
      if (state === 'closed') return 'go';
      state = 'probing';
      return 'probe';
    },
    succeeded() {
      failures = 0;
      // A late success of a request sent before the breaker opened proves nothing; only a probe closes it.
      if (state === 'open') return;
      state = 'closed';
      pause = FIRST_PAUSE_MS;
    },
    failed(error, ticks) {
      const kind = error instanceof Upstream ? error.kind : 'garbage';
      if (kind === 'withdrawn' || kind === 'busy') {
        // Our own doing, not the provider's; a probe that was never made is still due.
        if (state === 'probing') state = 'open';
        return;
      }
      if (kind === 'limited') {
        const asked = (error as Upstream).retryAfterMs ?? DEFAULT_RETRY_AFTER_MS;
        aloneUntil = Math.max(aloneUntil, ticks + Math.min(asked, LONGEST_RETRY_AFTER_MS));
        if (state === 'probing') state = 'open';
        return;
      }
      if (kind === 'unauthorized') {
        options.onUnauthorized?.();
        return open(ticks, LONGEST_PAUSE_MS);
      }
      if (state === 'probing') {
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
        return open(ticks, pause);
      }
      if (state === 'closed' && ++failures >= FAILURES_TO_OPEN) open(ticks, pause);
    },
    underWay,
    state: () => state,
  };
}
