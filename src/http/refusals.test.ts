/** Refusals: every one is counted, and told of once a second. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRefusals } from './refusals.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('are told of at once, and then together, a second later', () => {
  const count = vi.fn();
  const report = vi.fn();
  const refuse = createRefusals({ count, report, ticks: () => performance.now() });
  refuse('key');
  vi.advanceTimersByTime(0);
  expect(report.mock.calls).toEqual([[{ key: 1 }]]);
  for (let at = 0; at < 500; at++) refuse(at % 5 === 0 ? 'late' : 'key');
  vi.advanceTimersByTime(999);
  expect(report).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  expect(report.mock.calls[1]).toEqual([{ key: 400, late: 100 }]);
  expect(count).toHaveBeenCalledTimes(501);
  vi.advanceTimersByTime(60_000);
  expect(report).toHaveBeenCalledTimes(2);
});
