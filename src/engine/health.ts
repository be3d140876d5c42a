/** Health: whether a provider is worth asking now. A breaker with single probes, and a budget of requests. */
import type { Instant } from '../domain/words.ts';
import { Upstream } from './upstream.ts';

/** `go`: ask. `probe`: ask on the side, nobody waits for it. `skip`: leave it alone. */
export type Admission = 'go' | 'probe' | 'skip';

export type BreakerState = 'closed' | 'open' | 'probing';

export interface Health {
  admit(now: Instant): Admission;
  succeeded(): void;
  failed(error: unknown, now: Instant): void;
  /** Registers a way to end a request under way; called when the breaker opens, so that nobody waits in vain. */
  track(abort: () => void): () => void;
  state(): BreakerState;
}

export interface HealthOptions {
  perSecond: number;
  burst: number;
  /** Told when the provider refuses our credentials: an operator must act. */
  onUnauthorized?(): void;
}

const FAILURES_TO_OPEN = 5;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
const DEFAULT_RETRY_AFTER_MS = 5_000;
const LONGEST_RETRY_AFTER_MS = 3_600_000;

export function createHealth(options: HealthOptions): Health {
  const underWay = new Set<() => void>();
  const budget = createBudget(options.perSecond, options.burst);
  let failures = 0;
  let pause = FIRST_PAUSE_MS;
  let closedUntil: Instant = 0;
  let state: BreakerState = 'closed';

  function open(now: Instant, forMs: number): void {
    state = 'open';
    closedUntil = now + forMs;
    for (const abort of underWay) abort();
    underWay.clear();
  }

  return {
    admit(now) {
      if (state === 'probing' || now < closedUntil) return 'skip';
      if (!budget.take(now)) return 'skip';
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
    failed(error, now) {
      const kind = error instanceof Upstream ? error.kind : 'garbage';
      // Our own doing, not the provider's.
      if (kind === 'withdrawn' || kind === 'busy') return;
      if (kind === 'limited') {
        const asked = (error as Upstream).retryAfterMs ?? DEFAULT_RETRY_AFTER_MS;
        closedUntil = Math.max(closedUntil, now + Math.min(asked, LONGEST_RETRY_AFTER_MS));
        if (state === 'probing') state = 'open';
        return;
      }
      if (kind === 'unauthorized') {
        options.onUnauthorized?.();
        return open(now, LONGEST_PAUSE_MS);
      }
      if (state === 'probing') {
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
        return open(now, pause);
      }
      if (state === 'closed' && ++failures >= FAILURES_TO_OPEN) open(now, pause);
    },
    track(abort) {
      underWay.add(abort);
      return () => underWay.delete(abort);
    },
    state: () => state,
  };
}

/** A bucket of requests that refills with time. */
function createBudget(perSecond: number, burst: number) {
  let tokens = burst;
  let filledAt: Instant | undefined;
  return {
    take(now: Instant): boolean {
      tokens = Math.min(burst, tokens + (Math.max(0, now - (filledAt ?? now)) / 1000) * perSecond);
      filledAt = now;
      if (tokens < 1) return false;
      tokens--;
      return true;
    },
  };
}
