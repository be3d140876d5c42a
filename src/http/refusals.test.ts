/** Refusals: every one reads as any other problem does, is counted, and is told of once a second. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Fault } from '../domain/fault.ts';
import type { Refusal } from './admission.ts';
import { describeEarlierProblem, describeProblem } from './problem.ts';
import { createRefusals, wordingOf } from './refusals.ts';

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

it('read like any other problem of their surface, with the id of the request', () => {
  const fault = new Fault('tooMany', 'This key has sent too many requests', 'Authorization');
  const refusal: Refusal = { reason: 'key', fault, headers: ['retry-after', '1'] };
  const { status, head, parts } = wordingOf(refusal, false);
  expect([status, JSON.parse(parts.join('r1'))]).toEqual([429, describeProblem(fault, 'r1').body]);
  expect(head).toContain('retry-after');
  expect(JSON.parse(wordingOf(refusal, true).parts.join('r1'))).toEqual(describeEarlierProblem(fault).body);
  expect(wordingOf(refusal, false).parts).toBe(parts);
});
