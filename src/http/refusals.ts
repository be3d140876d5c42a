/** Refusals: worded once, counted one by one, and told of once a second at most. */
import type { Refusal } from './admission.ts';
import { describeEarlierProblem, describeProblem } from './problem.ts';

/** How a refusal reads on a surface, but for the id of the request. */
interface Wording {
  status: number;
  /** Headers that are always the same, as a flat list. */
  head: readonly string[];
  /** What stands between the ids in the body. */
  parts: readonly string[];
}

export interface RefusalsOptions {
  count(reason: string): void;
  /** Told how many were refused since the last time, by reason. */
  report(counts: Readonly<Record<string, number>>): void;
  /** A clock that only goes forward, in milliseconds. */
  ticks(): number;
}

const EVERY_MS = 1_000;
const ID = '<id>';
const wordings = new WeakMap<Refusal, Record<'current' | 'earlier', Wording>>();

/** To refuse must cost little beside what it spares: nothing is put into words twice. */
export function wordingOf(refusal: Refusal, isEarlier: boolean): Wording {
  let known = wordings.get(refusal);
  if (!known) {
    known = {
      current: word(refusal, describeProblem(refusal.fault, ID)),
      earlier: word(refusal, describeEarlierProblem(refusal.fault)),
    };
    wordings.set(refusal, known);
  }
  return isEarlier ? known.earlier : known.current;
}

function word({ headers }: Refusal, { status, body }: { status: number; body: object }): Wording {
  const head = ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store', ...headers];
  return { status, head, parts: JSON.stringify(body).split(ID) };
}

export function createRefusals({ count, report, ticks }: RefusalsOptions): (reason: string) => void {
  let counts: Record<string, number> = {};
  let reportedAt = Number.NEGATIVE_INFINITY;
  let isDue = false;

  function tell(): void {
    isDue = false;
    reportedAt = ticks();
    report(counts);
    counts = {};
  }

  return reason => {
    count(reason);
    counts[reason] = (counts[reason] ?? 0) + 1;
    if (isDue) return;
    isDue = true;
    setTimeout(tell, Math.max(0, reportedAt + EVERY_MS - ticks())).unref();
  };
}
