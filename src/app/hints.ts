/** Hints: deliveries that nobody can prove make us ask the provider sooner, and nothing more. */
import type { ProviderId } from '../domain/words.ts';
import type { Delivery, Hint, Webhook } from '../providers/contract.ts';
import type { Database } from '../store/database.ts';
import { findNamed, type Named, type Naming } from '../store/looks.ts';
import { planTasks } from '../store/tasks.ts';

/** Anybody can send a delivery, but nobody shall have us call a provider more often than this about one order. */
const PAUSE_MS = 5_000;
const MOST_HINTS = 20;
const LONGEST_NAME = 128;

/** The orders that a delivery may be about; none when it cannot be read. */
export function hintsIn(webhook: Webhook | undefined, delivery: Delivery): Hint[] {
  try {
    const hints = webhook?.hints?.(delivery) ?? [];
    return hints.slice(0, MOST_HINTS).filter(hint => isName(hint.reference) || isName(hint.theirs));
  } catch {
    return [];
  }
}

/** Makes the look-ups of these orders due at once, or as soon as the provider may be asked about them again. */
export async function hasten(
  { database, now }: { database: Database; now(): number },
  provider: ProviderId,
  hints: readonly Hint[],
): Promise<void> {
  const found = await findNamed(database, provider, namesIn(hints));
  await planTasks(
    database,
    found.map(named => ({ kind: 'look-up', key: named.id, inMs: pauseOf(named, now()) })),
  );
}

/** How orders are named, as far as anything can be found by it. */
export function namesIn(hints: readonly Hint[]): Naming[] {
  return hints.map(({ reference, theirs }) => ({
    reference: isName(reference) ? reference : undefined,
    theirs: isName(theirs) ? theirs : undefined,
  }));
}

function pauseOf({ lookedAt, isLooking }: Named, now: number): number {
  if (isLooking) return PAUSE_MS;
  const left = (lookedAt?.getTime() ?? 0) + PAUSE_MS - now;
  // Whoever looked may have another clock.
  return Math.min(Math.max(0, left), PAUSE_MS);
}

/** Whether it can be anybody's name for an order: of one line and of bounded length. */
function isName(text: string | undefined): text is string {
  return text !== undefined && text !== '' && text.length <= LONGEST_NAME && !/\p{Cc}/u.test(text);
}
