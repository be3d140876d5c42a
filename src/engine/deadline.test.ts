/** A deadline: one moment for everybody, and none left after it. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createDeadline } from './deadline.ts';

afterEach(() => void vi.useRealTimers());

describe('a deadline', () => {
  it('has no time left once it has expired, though its timer fired before its time', () => {
    // The clock goes on as it is: no time passes.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const deadline = createDeadline(60_000);
    const heard: number[] = [];
    deadline.add({ giveUp: () => heard.push(deadline.remaining()) });
    expect(deadline.remaining()).toBeGreaterThan(0);
    vi.advanceTimersByTime(60_000);
    deadline.add({ giveUp: () => heard.push(deadline.remaining()) });
    expect(heard).toEqual([0, 0]);
  });
});
