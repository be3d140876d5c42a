/** The pulse: whether the loop comes round in time, or everybody waits for everybody. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface PulseOptions {
  /** How late is too late, in milliseconds; 0 when it never is. */
  mostMs: number;
  /** A clock that only goes forward, in milliseconds. */
  ticks(): number;
  /** Delays of the loop since the last look, in nanoseconds, the wait itself included. */
  delays?: Pick<ReturnType<typeof monitorEventLoopDelay>, 'percentile' | 'reset'>;
}

/** Seldom enough to cost nothing: the loop is woken for every beat. */
const BEAT_MS = 50;
const LOOK_MS = 250;

/** Tells whether the loop has been late most of the time lately; a single hiccup is nobody's fault. */
export function createPulse({ mostMs, ticks, delays }: PulseOptions): () => boolean {
  if (mostMs === 0) return () => false;
  const watched = delays ?? watchLoop();
  let isLate = false;
  let lookedAt: number | undefined;
  return () => {
    const now = ticks();
    if (lookedAt !== undefined && now - lookedAt < LOOK_MS) return isLate;
    // A start keeps the loop for long, and says nothing of how busy we are.
    isLate = lookedAt !== undefined && watched.percentile(50) / 1e6 - BEAT_MS > mostMs;
    lookedAt = now;
    watched.reset();
    return isLate;
  };
}

function watchLoop() {
  const delays = monitorEventLoopDelay({ resolution: BEAT_MS });
  delays.enable();
  return delays;
}
