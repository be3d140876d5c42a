/** Lateness: how much later than it should a timer of this machine goes off, which is nobody's fault but the machine's. */

export interface Lateness {
  /** The worst since the last call, in milliseconds. */
  take(): number;
  stop(): void;
}

const EVERY_MS = 20;

export function startLateness(): Lateness {
  let worst = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    worst = Math.max(worst, now - last - EVERY_MS);
    last = now;
  }, EVERY_MS);
  return {
    take() {
      const taken = Math.max(0, worst);
      worst = 0;
      return taken;
    },
    stop: () => clearInterval(timer),
  };
}
