/** Turns: rounds begin one after another, with time left to all else in between, and callers take turns however many each has. */
import { type Budget, createBudget } from '../engine/budget.ts';
import { afterwards } from '../together.ts';

export interface Turns {
  /** A lane for the rounds of a caller that may ask for so many a second; 0 for any number. */
  openLane(perSecond: number): Lane;
  /** Whether there is no room to wait in, or none in this lane: nobody has more waiting than others still may. */
  refuses(lane: Lane | undefined): TurnRefusal | undefined;
  /** Begins a round of a lane when it is its turn; at once, but for a rush, or when it may go first. */
  take<T>(lane: Lane, round: () => Promise<T>, mayGoFirst: boolean): Promise<T>;
  /** Somebody was let in, and others may stand at the door: rounds that wait begin when nobody does. */
  knock(): void;
  /** Rounds that wait. */
  waiting(): number;
}

/** Nobody else can wait, or not of this caller. */
export type TurnRefusal = 'crowded' | 'share';

/** A caller's rounds that wait, and how soon they may begin. */
export interface Lane {
  readonly waiting: (() => void)[];
  readonly pace: Budget | undefined;
}

/** Rounds that wait for their turn. */
const MOST_WAITING = 64;
/** Rounds of a caller that begin at once. What more it asks for in a burst begins at the pace that it may keep up. */
const AT_ONCE = 8;
/** That pace, of what it may ask for: chance has requests come unevenly, and nobody who keeps to a limit is to wait for that. */
const LEEWAY = 1.25;
/** A slower pace than this a second would keep people waiting and spare nobody anything. */
const LEAST_PACE = 100;
/** How long until somebody looks again whether one may begin. */
const PACE_MS = 1;
/** Rounds that begin one right after the other, while the processor has at hand what the next one needs. */
const IN_A_ROW = 4;
/** While others stand at the door, so many times as long passes between two rounds as one took to begin. */
const DOOR_REST = 8;

/** `ticks` is a clock that only goes forward, in milliseconds. */
export function createTurns(ticks: () => number): Turns {
  /** Lanes with rounds that wait, each once. */
  const line: Lane[] = [];
  let waiting = 0;
  /** When rounds had begun last, how many those were, and how long one of them usually takes for it. */
  let begunAt = Number.NEGATIVE_INFINITY;
  let inARow = 0;
  let beginningMs = 0;
  let someoneKnocked = false;

  /** In every turn of the loop while somebody may begin: turns in between are short, and each of them lets somebody in. */
  function turn(): void {
    const rest = someoneKnocked ? DOOR_REST : 1;
    const most = someoneKnocked ? 1 : IN_A_ROW;
    someoneKnocked = false;
    if (hasRested(rest)) begin(nextInLine(most));
    if (waiting === 0) return;
    if (line.some(mayBegin)) setImmediate(turn);
    else setTimeout(turn, PACE_MS);
  }

  /** At most so many rounds that may begin, of one caller after the other. */
  function nextInLine(most: number): (() => void)[] {
    const rounds: (() => void)[] = [];
    for (let at = line.findIndex(mayBegin); at >= 0 && rounds.length < most; at = line.findIndex(mayBegin)) {
      const [next] = line.splice(at, 1) as [Lane];
      rounds.push(next.waiting.shift() as () => void);
      if (next.waiting.length > 0) line.push(next);
      next.pace?.take(ticks());
      waiting--;
    }
    return rounds;
  }

  /** As much time as it took is left to all else, such as telling others that it is full. */
  function begin(rounds: readonly (() => void)[]): void {
    if (rounds.length === 0) return;
    const began = ticks();
    const usualMs = beginningMs;
    const look = () => {
      begunAt = ticks();
      const ms = (begunAt - began) / rounds.length;
      beginningMs = rounds.reduce(before => smooth(before, ms), usualMs);
    };
    inARow = rounds.length;
    for (const round of rounds) round();
    look();
    // Once more when their requests are sent, which they are right after.
    afterwards(look);
  }

  function mayBegin({ pace }: Lane): boolean {
    return !pace || pace.waitMs(ticks()) === 0;
  }

  function hasRested(times: number): boolean {
    return ticks() >= begunAt + beginningMs * inARow * times;
  }

  return {
    openLane: perSecond => ({
      waiting: [],
      pace: perSecond === 0 ? undefined : createBudget(Math.max(perSecond * LEEWAY, LEAST_PACE), AT_ONCE),
    }),
    refuses(lane) {
      const left = MOST_WAITING - waiting;
      if (left <= 0) return 'crowded';
      return (lane?.waiting.length ?? 0) >= left ? 'share' : undefined;
    },
    take(lane, round, mayGoFirst) {
      const { pace } = lane;
      return new Promise((resolve, reject) => {
        const start = () => void round().then(resolve, reject);
        if (mayBegin(lane) && (mayGoFirst || (!line.some(mayBegin) && hasRested(1)))) {
          pace?.take(ticks());
          return begin([start]);
        }
        if (++waiting === 1) setImmediate(turn);
        if (lane.waiting.push(start) === 1) line.push(lane);
      });
    },
    knock() {
      someoneKnocked = true;
    },
    waiting: () => waiting,
  };
}

/** Quickness is believed at once: one that was held up by something else, or the first, must not hold up the others as well. */
function smooth(before: number, ms: number): number {
  if (before === 0) return ms;
  return ms < before ? (before + ms) / 2 : before * 0.9 + Math.min(ms, before * 2) * 0.1;
}
