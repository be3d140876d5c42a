/** The journal: what happened, in order, as one running digest; and how often each kind of fault did. */
import { createHash, type Hash } from 'node:crypto';
import type { Kind } from './kinds.ts';
import { ticks } from './machine/time.ts';

export interface Journal {
  /** Writes down that something happened. */
  note(what: string): void;
  /** A fault has struck, or a way out of one was taken. */
  reach(kind: Kind, times?: number): void;
  /** Something that must never be. */
  violate(property: string, what: string): void;
  readonly reached: ReadonlyMap<Kind, number>;
  readonly violations: readonly string[];
  /** What the service logged when something of its own went wrong. */
  lastError: string;
  digest(): string;
}

const MOST_VIOLATIONS = 20;

export function openJournal(print?: (line: string) => void): Journal {
  const hash: Hash = createHash('sha256');
  const reached = new Map<Kind, number>();
  const violations: string[] = [];
  const note = (what: string) => {
    const line = `${ticks().toFixed(3)} ${what}`;
    hash.update(`${line}\n`);
    print?.(line);
  };
  return {
    note,
    lastError: '',
    reached,
    violations,
    reach(kind, times = 1) {
      if (times > 0) reached.set(kind, (reached.get(kind) ?? 0) + times);
    },
    violate(property, what) {
      note(`VIOLATED ${property}: ${what}`);
      if (violations.length < MOST_VIOLATIONS)
        violations.push(`${property} at ${(ticks() / 1000).toFixed(3)} s: ${what}`);
    },
    digest: () => hash.copy().digest('hex'),
  };
}
