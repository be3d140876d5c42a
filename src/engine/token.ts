/** A provider's token: a secret it lends for a time, shared by every instance. */
import type { Token } from '../providers/contract.ts';

/** A token and the one before it, which may still be what a webhook was signed with. */
export interface KeptToken extends Token {
  previous?: string | undefined;
}

/** Keeps a token for every instance: getting a new one may end the one another instance holds. */
export interface TokenKeeper {
  read(): Promise<KeptToken | undefined>;
  /** Gets a new one by `ask`, unless somebody else has replaced `stale` meanwhile. */
  renew(stale: string | undefined, ask: () => Promise<Token>): Promise<KeptToken>;
}

export interface TokenHolder {
  /** The token in hand, if any. */
  current(): string | undefined;
  /** Makes sure a token is in hand that is good, and not the one that was refused. */
  ensure(ask: () => Promise<Token>, refused?: string): Promise<void>;
  /** Takes a newer one in hand, if another instance has got one. */
  look(): Promise<void>;
}

export interface TokenHolderOptions {
  keeper: TokenKeeper;
  now(): number;
  /** Told of every token taken in hand, the newest value first. */
  onHeld(values: readonly string[]): void;
}

/** A token is replaced this long before it ends; where that fails it is used until then, and tried again so often. */
const MARGIN_MS = 60_000;
const RETRY_MS = 5_000;
/** How often forged webhooks can make us look for a newer one; whoever comes meanwhile waits for the next look. */
const LOOK_MS = 250;

export function createTokenHolder({ keeper, now, onHeld }: TokenHolderOptions): TokenHolder {
  let held: KeptToken | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;
  let isReplacing = false;
  let failedAt = Number.NEGATIVE_INFINITY;

  function hold(kept: KeptToken): void {
    held = kept;
    onHeld(kept.previous ? [kept.secret, kept.previous] : [kept.secret]);
  }

  async function lookInTurn(): Promise<void> {
    const wait = lookedAt + LOOK_MS - performance.now();
    if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait));
    lookedAt = performance.now();
    const kept = await keeper.read();
    if (kept && kept.secret !== held?.secret) hold(kept);
  }

  return {
    current: () => held?.secret,
    async ensure(ask, refused) {
      const lasts = (token: KeptToken | undefined, ms: number) =>
        token !== undefined && token.secret !== refused && token.until - now() > ms;
      if (lasts(held, MARGIN_MS)) return;
      // One of those who come sees to it that there is a new one in time; the others use what is good still.
      if (lasts(held, 0) && (isReplacing || performance.now() < failedAt + RETRY_MS)) return;
      isReplacing = true;
      try {
        const kept = await keeper.read();
        hold(kept && lasts(kept, MARGIN_MS) ? kept : await keeper.renew(kept?.secret, ask));
      } catch (error) {
        failedAt = performance.now();
        if (!lasts(held, 0)) throw error;
      } finally {
        isReplacing = false;
      }
    },
    look() {
      looking ??= lookInTurn().finally(() => {
        looking = undefined;
      });
      return looking;
    },
  };
}
