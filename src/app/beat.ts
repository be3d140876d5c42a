/** A beat: does a piece of work again and again, sooner when woken, and never twice at the same time. */

export interface Beat {
  /** Does the work now; resolves when a round that began after the call is done. */
  wake(): Promise<void>;
  /** Finishes what is under way and does nothing more. */
  stop(): Promise<void>;
}

export interface BeatOptions {
  everyMs: number;
  work(): Promise<void>;
  onError(error: unknown): void;
}

export function startBeat({ everyMs, work, onError }: BeatOptions): Beat {
  let stopped = false;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function run(): Promise<void> {
    running = work()
      .catch(onError)
      .finally(() => {
        running = undefined;
      });
    return running;
  }

  function wake(): Promise<void> {
    if (stopped) return Promise.resolve();
    if (!running) return run();
    // One more round, whoever asks for it while this one is under way.
    next ??= running.then(() => {
      next = undefined;
      return stopped ? undefined : run();
    });
    return next;
  }

  const timer = setInterval(() => {
    if (!running) void wake();
  }, everyMs);
  return {
    wake,
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
