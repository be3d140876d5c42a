/** Turns: what begins when, and who need not wait for whom. */
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTurns, type Lane, type Turns } from './turns.ts';

type Rush = { count: number; ms?: number; perSecond?: number };

let now = 0;
let begun: string[] = [];
let turns: Turns;
let lanes: Map<string, Lane>;

beforeEach(() => {
  now = 0;
  begun = [];
  turns = createTurns(() => now);
  lanes = new Map();
});

/** What has not begun yet would in the next test. */
afterEach(() => pass(1_000));

function laneOf(caller: string, perSecond = 0): Lane {
  const lane = lanes.get(caller) ?? turns.openLane(perSecond);
  lanes.set(caller, lane);
  return lane;
}

/** Begins so many rounds for a caller, which take so long to begin; tells which have. */
function rush(caller: string, { count, ms = 5, perSecond = 0 }: Rush): string[] {
  const lane = laneOf(caller, perSecond);
  for (let at = 0; at < count; at++) {
    const round = async () => {
      now += ms;
      begun.push(`${caller} ${at}`);
    };
    void turns.take(lane, round, false);
  }
  return begun;
}

/** So many milliseconds go by, each with a turn of the loop in which something happens. */
async function pass(ms: number, happen = () => {}): Promise<void> {
  for (const until = now + ms; now < until; now++) {
    happen();
    await nextTurn();
  }
}

describe('a rush', () => {
  it('begins rounds one after another, and leaves as much time in between', async () => {
    rush('one', { count: 20 });
    expect(begun).toHaveLength(1);
    await pass(4);
    expect(begun).toHaveLength(1);
    await pass(200);
    expect(begun).toEqual(Array.from({ length: 20 }, (_, at) => `one ${at}`));
    expect(now).toBeGreaterThanOrEqual(195);
  });

  it('begins a few in a row, of one caller after the other, and leaves as much time as all of them took', async () => {
    rush('one', { count: 5 });
    rush('two', { count: 5 });
    await pass(6);
    expect(begun).toEqual(['one 0', 'one 1', 'two 0', 'one 2', 'two 1']);
    await pass(18);
    expect(begun).toHaveLength(5);
    await pass(3);
    expect(begun).toHaveLength(9);
  });

  it('is none when rounds begin in no time', () => {
    expect(rush('one', { count: 500, ms: 0 })).toHaveLength(500);
  });

  it('is not held up for long because one of its rounds was', async () => {
    rush('one', { count: 2, ms: 1 });
    await pass(10);
    rush('one', { count: 1, ms: 100 });
    rush('one', { count: 1, ms: 1 });
    await pass(5);
    expect(begun).toHaveLength(4);
  });

  it('is not slow for long because its first round was', async () => {
    rush('one', { count: 1, ms: 40 });
    rush('one', { count: 10, ms: 1 });
    await pass(130);
    expect(begun).toHaveLength(11);
  });

  it('of a caller goes on at the pace that it may keep up, once it has begun a few', async () => {
    rush('greedy', { count: 20, ms: 0, perSecond: 160 });
    expect(begun).toHaveLength(8);
    now += 4;
    await wait(10);
    expect(begun).toHaveLength(8);
    for (let expected = 9; expected <= 20; expected++) {
      now += 5;
      await vi.waitFor(() => expect(begun).toHaveLength(expected));
    }
  });

  it('of a caller at its pace keeps nobody else waiting', () => {
    rush('greedy', { count: 20, ms: 0, perSecond: 200 });
    rush('other', { count: 1, ms: 0, perSecond: 200 });
    expect(begun.at(-1)).toBe('other 0');
  });

  it('is as quick as a page needs it, however little the caller may ask', async () => {
    rush('page', { count: 14, ms: 0, perSecond: 1 });
    await nextTurn();
    now += 60;
    await vi.waitFor(() => expect(begun).toHaveLength(14));
  });

  it('of one caller is overtaken by whoever has but one', async () => {
    rush('greedy', { count: 30 });
    rush('other', { count: 1 });
    await pass(40);
    expect(begun.slice(0, 4)).toContain('other 0');
  });

  it('lets those in who stand at the door, before the next round begins', async () => {
    rush('one', { count: 3 });
    await pass(15, turns.knock);
    expect(begun).toHaveLength(1);
    await pass(1);
    expect(begun).toHaveLength(3);
  });

  it('goes on all the same, slowly, when there is always somebody at the door', async () => {
    rush('one', { count: 5 });
    await pass(30, turns.knock);
    expect(begun).toHaveLength(1);
    await pass(200, turns.knock);
    expect(begun).toHaveLength(5);
  });

  it('passes on what a round throws', async () => {
    rush('one', { count: 2 });
    const failing = turns.take(laneOf('one'), () => Promise.reject(new Error('no')), false);
    const thrown = expect(failing).rejects.toThrow('no');
    await pass(50);
    await thrown;
  });
});

describe('whoever may go first', () => {
  it('need not wait for others', () => {
    rush('greedy', { count: 30 });
    void turns.take(laneOf('other'), async () => void begun.push('other'), true);
    expect(begun).toEqual(['greedy 0', 'other']);
  });

  it('waits all the same for its own pace', () => {
    rush('one', { count: 8, ms: 0, perSecond: 200 });
    void turns.take(laneOf('one'), async () => void begun.push('ninth'), true);
    expect(begun).toHaveLength(8);
  });
});

describe('there is no room to wait in', () => {
  it('for a lane in which as many wait as others still may', () => {
    rush('one', { count: 33 });
    expect([turns.waiting(), turns.refuses(laneOf('one')), turns.refuses(undefined)]).toEqual([
      32,
      'share',
      undefined,
    ]);
  });

  it('for anybody when sixty-four wait', () => {
    for (let at = 0; at < 65; at++) rush(`caller ${at}`, { count: 1 });
    expect([turns.waiting(), turns.refuses(undefined)]).toEqual([64, 'crowded']);
  });
});
