/** A provider's token: a secret it lends for a time, shared by every instance. */
import type { Token } from '../providers/contract.ts';
import type { Deadline } from './deadline.ts';
import { Upstream } from './upstream.ts';

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
  /**
   * Makes sure by the deadline that a token is in hand that is good, and not the one that was refused. Throws what `ask`
   * throws; trouble with the keeper is `busy`, for it is none of the provider's.
   */
  ensure(ask: () => Promise<Token>, deadline: Deadline, refused?: string): Promise<void>;
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

/** A token on its way, for all who need it. */
interface Renewal {
  /** Whether it is the provider that is waited for. */
  isAsking: boolean;
  done: Promise<void>;
}

export function createTokenHolder({ keeper, now, onHeld }: TokenHolderOptions): TokenHolder {
  let held: KeptToken | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;
  /** Those under way, by the token that was refused. */
  const renewals = new Map<string | undefined, Renewal>();
  let failedAt = Number.NEGATIVE_INFINITY;

  function hold(kept: KeptToken): void {
    held = kept;
    onHeld(kept.previous ? [kept.secret, kept.previous] : [kept.secret]);
  }

  function isGood(token: KeptToken | undefined, refused: string | undefined, forMs = 0): boolean {
    return token !== undefined && token.secret !== refused && token.until - now() > forMs;
  }

  /** Joins the renewal under way, or begins one: each holds a connection to the database for as long as it takes. */
  function renewalBy(ask: () => Promise<Token>, refused: string | undefined): Renewal {
    const known = renewals.get(refused);
    if (known) return known;
    const renewal: Renewal = { isAsking: false, done: Promise.resolve() };
    renewals.set(refused, renewal);
    renewal.done = renew(renewal, ask, refused).finally(() => renewals.delete(refused));
    return renewal;
  }

  async function renew(renewal: Renewal, ask: () => Promise<Token>, refused: string | undefined) {
    let fault: unknown;
    const askOnce = async () => {
      renewal.isAsking = true;
      try {
        return await ask();
      } catch (error) {
        fault = error;
        throw error;
      } finally {
        renewal.isAsking = false;
      }
    };
    try {
      const kept = await keeper.read();
      hold(kept && isGood(kept, refused, MARGIN_MS) ? kept : await keeper.renew(kept?.secret, askOnce));
    } catch (error) {
      failedAt = performance.now();
      throw fault ?? unkept(error);
    }
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
    async ensure(ask, deadline, refused) {
      for (let tries = 1; ; tries++) {
        if (isGood(held, refused, MARGIN_MS)) return;
        // One of those who come sees to it that there is a new one in time; the others use what is good still.
        if (isGood(held, refused) && (renewals.size > 0 || performance.now() < failedAt + RETRY_MS)) return;
        const isJoined = renewals.has(refused);
        try {
          return await inTime(renewalBy(ask, refused), deadline);
        } catch (error) {
          if (isGood(held, refused)) return;
          // Whoever began it may have had less time.
          const isWorthMore = isJoined && tries === 1 && isLate(error) && deadline.remaining() > 0;
          if (!isWorthMore) throw error;
        }
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

/** Each waits for as long as its own time lasts; the renewal goes on, for others may wait for it. */
function inTime(renewal: Renewal, deadline: Deadline): Promise<void> {
  return new Promise((resolve, reject) => {
    const place = deadline.add({ giveUp: late => reject(renewal.isAsking ? late : unkept()) });
    renewal.done.then(resolve, reject).finally(() => deadline.strike(place));
  });
}

function isLate(error: unknown): boolean {
  return error instanceof Upstream && error.kind === 'late';
}

function unkept(cause?: unknown): Upstream {
  return Object.assign(new Upstream('busy', 'the token cannot be kept at the moment'), { cause });
}
