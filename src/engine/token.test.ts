/** Tokens in hand: when they are replaced, and what is done while they cannot be. */
import { describe, expect, it } from 'vitest';
import type { Token } from '../providers/contract.ts';
import type { Deadline } from './deadline.ts';
import { createRoll } from './roll.ts';
import { createTokenHolder, type KeptToken } from './token.ts';
import { Upstream } from './upstream.ts';

const MINUTE = 60_000;
/** Nothing of the provider's. */
const AWAY = { kind: 'busy', cause: { message: 'the database is away' } };
const LATE = new Upstream('late', 'no answer before the deadline');
const { deadline } = deadlineByHand();

/** A deadline that comes when it is told to. */
function deadlineByHand(): { deadline: Deadline; expire(): void } {
  const waiting = createRoll();
  let left = 1;
  return {
    deadline: { ...waiting, remaining: () => left },
    expire() {
      left = 0;
      waiting.dismiss(LATE)();
    },
  };
}

/** A holder whose clock and whose database stand as they are told to. */
function setUp() {
  const stage = {
    ...{ now: 0, isAway: false, isStuck: false, kept: undefined as KeptToken | undefined },
    ...{ asked: 0, reads: 0, renewals: 0 },
  };
  const answer = <T>(value: () => T): Promise<T> =>
    stage.isAway ? Promise.reject(new Error('the database is away')) : Promise.resolve(value());
  const holder = createTokenHolder({
    keeper: {
      read() {
        stage.reads++;
        return answer(() => stage.kept);
      },
      async renew(_stale, ask) {
        stage.renewals++;
        await answer(() => undefined);
        if (stage.isStuck) await new Promise(() => {});
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
    await holder.ensure(ask, deadline);
    stage.now = 9 * MINUTE - 1;
    await holder.ensure(ask, deadline);
    expect([holder.current(), stage.reads]).toEqual(['token-1', 1]);
    stage.now = 9 * MINUTE;
    await holder.ensure(ask, deadline);
    expect(holder.current()).toBe('token-2');
  });

  it('is used to its very end while the database is away, and the database is left in peace', async () => {
    const { stage, holder, ask } = setUp();
    await holder.ensure(ask, deadline);
    stage.isAway = true;
    stage.now = 10 * MINUTE - 1;
    for (let times = 0; times < 20; times++) await holder.ensure(ask, deadline);
    expect([holder.current(), stage.reads]).toEqual(['token-1', 2]);
    stage.now = 10 * MINUTE;
    await expect(holder.ensure(ask, deadline)).rejects.toMatchObject(AWAY);
    stage.isAway = false;
    await holder.ensure(ask, deadline);
    expect(holder.current()).toBe('token-2');
  });

  it('is used by everybody else while one of them gets the next', async () => {
    const { stage, holder, ask } = setUp();
    await holder.ensure(ask, deadline);
    stage.now = 9.5 * MINUTE;
    let hand: (token: Token) => void = () => {};
    const first = holder.ensure(() => new Promise<Token>(resolve => (hand = resolve)), deadline);
    await Promise.all([1, 2, 3].map(() => holder.ensure(ask, deadline)));
    expect([holder.current(), stage.asked]).toEqual(['token-1', 1]);
    hand({ secret: 'token-next', until: 60 * MINUTE });
    await first;
    expect(holder.current()).toBe('token-next');
  });

  it('is not used once it was refused, however long it would last', async () => {
    const { stage, holder, ask } = setUp();
    await holder.ensure(ask, deadline);
    stage.isAway = true;
    await expect(holder.ensure(ask, deadline, 'token-1')).rejects.toMatchObject(AWAY);
    stage.isAway = false;
    await holder.ensure(ask, deadline, 'token-1');
    expect(holder.current()).toBe('token-2');
  });
});

describe('a token that many need at once', () => {
  it('is got once, by one transaction', async () => {
    const { stage, holder, ask } = setUp();
    const ensureAll = (refused?: string) =>
      Promise.all(Array.from({ length: 25 }, () => holder.ensure(ask, deadline, refused)));
    await ensureAll();
    expect([holder.current(), stage.asked, stage.renewals]).toEqual(['token-1', 1, 1]);
    await ensureAll('token-1');
    expect([holder.current(), stage.asked, stage.renewals]).toEqual(['token-2', 2, 2]);
  });

  it('is waited for by each until its own deadline', async () => {
    const { stage, holder, ask } = setUp();
    const { hand, first } = begin(holder);
    const short = deadlineByHand();
    const second = holder.ensure(ask, short.deadline);
    await settled();
    short.expire();
    await expect(second).rejects.toMatchObject({ kind: 'late' });
    hand({ secret: 'token-next', until: 60 * MINUTE });
    await first;
    expect([holder.current(), stage.asked]).toEqual(['token-next', 0]);
  });

  it('is asked for once more where the first had too little time', async () => {
    const { stage, holder, ask } = setUp();
    const { fail, first } = begin(holder);
    const others = [1, 2, 3].map(() => holder.ensure(ask, deadline));
    await settled();
    fail(new Upstream('late', 'no answer before the deadline'));
    await expect(first).rejects.toMatchObject({ kind: 'late' });
    await Promise.all(others);
    expect([holder.current(), stage.asked]).toEqual(['token-1', 1]);
  });

  it('is not asked for without end', async () => {
    const { holder } = setUp();
    let asked = 0;
    const tooSlow = async () => {
      asked++;
      await settled();
      throw new Upstream('late', 'no answer before the deadline');
    };
    const ends = await Promise.allSettled(Array.from({ length: 9 }, () => holder.ensure(tooSlow, deadline)));
    expect(ends.map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 'rejected'));
    expect(asked).toBe(2);
  });

  it('is refused to all by one refusal', async () => {
    const { stage, holder, ask } = setUp();
    const { fail, first } = begin(holder);
    const second = holder.ensure(ask, deadline);
    await settled();
    fail(new Upstream('status', 'answered 500'));
    await expect(first).rejects.toMatchObject({ kind: 'status' });
    await expect(second).rejects.toMatchObject({ kind: 'status' });
    expect(stage.asked).toBe(0);
  });

  it('is not the provider’s lateness while it is the database that is waited for', async () => {
    const { stage, holder, ask } = setUp();
    stage.isStuck = true;
    const short = deadlineByHand();
    const waiting = holder.ensure(ask, short.deadline);
    await settled();
    short.expire();
    await expect(waiting).rejects.toMatchObject({ kind: 'busy' });
  });
});

/** Begins to get a token, which the provider hands out, or fails to, when it is told to. */
function begin(holder: ReturnType<typeof setUp>['holder']) {
  let hand: (token: Token) => void = () => {};
  let fail: (error: Error) => void = () => {};
  const answer = new Promise<Token>((resolve, reject) => {
    hand = resolve;
    fail = reject;
  });
  return { hand, fail, first: holder.ensure(() => answer, deadline) };
}

/** Whatever can go on has gone on. */
const settled = () => new Promise(resolve => setImmediate(resolve));
