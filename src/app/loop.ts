/** A loop: claims pieces of work that are due and does them, many at a time, none waiting for another. */

export interface Loop {
  /**
   * Looks for due work now instead of at the next beat. Resolves when a claim that began after the call has been handed
   * out, and everything that was under way then is finished; at once when the loop has been stopped.
   */
  wake(): Promise<void>;
  /** Claims nothing more; resolves when everything that was claimed is finished. */
  stop(): Promise<void>;
}

export interface LoopOptions<T> {
  /** How often it looks without being woken. */
  beatMs: number;
  /** How many pieces are under way at once. */
  slots: number;
  /** Takes at most so many pieces for us; never called twice at once, nor with every slot taken. */
  claim(most: number): Promise<readonly T[]>;
  perform(piece: T): Promise<void>;
  /** Told what `claim` or `perform` threw; the loop goes on. */
  onError(error: unknown): void;
}

/** The first look is at the first beat, or when it is woken. */
export function startLoop<T>({ beatMs, slots, claim, perform, onError }: LoopOptions<T>): Loop {
  const underWay = new Set<Promise<void>>();
  let stopped = false;
  /** Whether somebody wants a claim that has not begun. */
  let wanted = false;
  let isClaiming = false;
  let claims = Promise.resolve();
  let waking: (() => void)[] = [];

  function look(): void {
    wanted = true;
    if (isClaiming || stopped) return;
    isClaiming = true;
    claims = claimAll();
  }

  /** Claims as long as it is wanted and there is a slot; who finds none free is served when one falls free. */
  async function claimAll(): Promise<void> {
    while (wanted && !stopped && underWay.size < slots) {
      wanted = false;
      const served = waking;
      waking = [];
      try {
        for (const piece of await claim(slots - underWay.size)) start(piece);
      } catch (error) {
        onError(error);
      }
      if (served.length > 0) void Promise.all(underWay).then(() => release(served));
    }
    isClaiming = false;
  }

  function start(piece: T): void {
    const work = Promise.resolve(piece)
      .then(perform)
      .catch(onError)
      .then(() => {
        underWay.delete(work);
        // There is a slot again, and what was done may have made something else due.
        look();
      });
    underWay.add(work);
  }

  const beat = setInterval(look, beatMs);
  return {
    wake() {
      if (stopped) return Promise.resolve();
      return new Promise(resolve => {
        waking.push(resolve);
        look();
      });
    },
    async stop() {
      stopped = true;
      clearInterval(beat);
      // A claim that has begun brings pieces nobody else will do before their lease ends.
      await claims;
      await Promise.all(underWay);
      release(waking);
    },
  };
}

function release(waiting: readonly (() => void)[]): void {
  for (const resolve of waiting) resolve();
}
