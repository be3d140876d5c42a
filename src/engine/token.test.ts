/** Tokens in hand: when they are replaced, and what is done while they cannot be. */
import { describe, expect, it } from 'vitest';
import type { Token } from '../providers/contract.ts';
import { createTokenHolder, type KeptToken } from './token.ts';

const MINUTE = 60_000;

/** A holder whose clock and whose database stand as they are told to. */
function setUp() {
  const stage = { now: 0, isAway: false, kept: undefined as KeptToken | undefined, asked: 0, reads: 0 };
  const answer = <T>(value: () => T): Promise<T> =>
    stage.isAway ? Promise.reject(new Error('the database is away')) : Promise.resolve(value());
  const holder = createTokenHolder({
    keeper: {
      read() {
        stage.reads++;
        return answer(() => stage.kept);
      },
      async renew(_stale, ask) {
        await answer(() => undefined);
        stage.kept = { ...(await ask()), previous: stage.kept?.secret };
        return stage.kept;
      },
    },
    now: () => stage.now,
    onHeld() {},
  });
  const ask = async (): Promise<Token> => {
    stage.asked++;
    return { secret: `token-${stage.asked}`, until: stage.now + 10 * MINUTE };
  };
  return { stage, holder, ask };
}

describe('a token in hand', () => {
  it('is used without asking anybody until its last minute, and replaced then', async () => {
    const { stage, holder, ask } = setUp();
    await holder.ensure(ask);
    stage.now = 9 * MINUTE - 1;
    await holder.ensure(ask);
    expect([holder.current(), stage.reads]).toEqual(['token-1', 1]);
    stage.now = 9 * MINUTE;
    await holder.ensure(ask);
    expect(holder.current()).toBe('token-2');
  });

  it('is used to its very end while the database is away, and the database is left in peace', async () => {
    const { stage, holder, ask } = setUp();
    await holder.ensure(ask);
    stage.isAway = true;
    stage.now = 10 * MINUTE - 1;
    for (let times = 0; times < 20; times++) await holder.ensure(ask);
    expect([holder.current(), stage.reads]).toEqual(['token-1', 2]);
    stage.now = 10 * MINUTE;
    await expect(holder.ensure(ask)).rejects.toThrow('the database is away');
    stage.isAway = false;
    await holder.ensure(ask);
    expect(holder.current()).toBe('token-2');
  });

  it('is used by everybody else while one of them gets the next', async () => {
    const { stage, holder, ask } = setUp();
    await holder.ensure(ask);
    stage.now = 9.5 * MINUTE;
    let hand: (token: Token) => void = () => {};
    const first = holder.ensure(() => new Promise<Token>(resolve => (hand = resolve)));
    await Promise.all([1, 2, 3].map(() => holder.ensure(ask)));
    expect([holder.current(), stage.asked]).toEqual(['token-1', 1]);
    hand({ secret: 'token-next', until: 60 * MINUTE });
    await first;
    expect(holder.current()).toBe('token-next');
  });

  it('is not used once it was refused, however long it would last', async () => {
    const { stage, holder, ask } = setUp();
    await holder.ensure(ask);
    stage.isAway = true;
    await expect(holder.ensure(ask, 'token-1')).rejects.toThrow('the database is away');
    stage.isAway = false;
    await holder.ensure(ask, 'token-1');
    expect(holder.current()).toBe('token-2');
  });
});
