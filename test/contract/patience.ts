/** Patience: waiting for what must come true, with an end. */
import { setTimeout as wait } from 'node:timers/promises';

const LONGEST_MS = 15_000;

/** Resolves when the condition holds; throws when it does not within the time. */
export async function eventually(
  condition: () => Promise<boolean> | boolean,
  what: string,
  { longestMs = LONGEST_MS, everyMs = 50 }: { longestMs?: number; everyMs?: number } = {},
): Promise<void> {
  const end = Date.now() + longestMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`never came true: ${what}`);
    await wait(everyMs);
  }
}
