/** The crowd: how many rounds of questions may be under way, so that each one that begins gets its connections in time. */
import { CrowdFault } from '../domain/fault.ts';
import type { Outcome } from '../domain/offer.ts';
import type { Bidder } from '../engine/auction.ts';
import { type Budget, createBudget } from '../engine/budget.ts';
import type { Line } from '../engine/line.ts';

/** Whose share of the rounds is taken from, and how many a second that caller may ask for; 0 for any number. */
export interface Caller {
  id: string;
  perSecond: number;
}

export interface Crowd {
  /** Takes a place for a round; throws when there is none, or none for this caller. */
  enter(caller: Caller, bidders: readonly Bidder[]): Place;
  /** Why a caller who comes now, by its id, is refused for certain, so that nothing need be spent on finding out. */
  refuses(callerId: string): CrowdRefusal | undefined;
  /** Somebody was let in, and others may stand at the door: rounds that wait begin when nobody does. */
  knock(): void;
  /** Rounds under way. */
  underWay(): number;
}

/** The place of one round. */
export interface Place {
  /** Those who can be asked in time, and those to whom too many questions are under way already. */
  asked: readonly Bidder[];
  busy: readonly Bidder[];
  /** Begins the round when it is its turn: at once, but for a rush. */
  begin<T>(round: () => Promise<T>): Promise<T>;
  /** To be told of each outcome. */
  answered(outcome: Outcome): void;
  /** The round is over. */
  leave(): void;
}

/** There is no place for anybody, or none for this caller. */
export type CrowdRefusal = 'crowded' | 'share';

/** How they are told. Made once: whoever makes an error walks the stack, and these are made for thousands. */
export const CROWD_FAULTS: Readonly<Record<CrowdRefusal, CrowdFault>> = {
  crowded: new CrowdFault('unavailable', 'Too many quotes are under way'),
  share: new CrowdFault('tooMany', 'Too many of your quotes are under way'),
};

export interface CrowdOptions {
  /** Rounds under way at once; 0 for no bound but that of connections. */
  most: number;
  deadlineMs: number;
  /** A clock that only goes forward, in milliseconds. */
  ticks(): number;
  /** Told why somebody was refused. */
  onRefused(reason: CrowdRefusal): void;
}

/** A caller may hold so many times what is left, so that something is always left for the next one. */
const SHARE = 3;
/** Rounds that wait for their turn. */
const MOST_WAITING = 64;
/** Rounds of a caller that begin at once. What more it asks for in a burst begins at the pace that it may keep up. */
const AT_ONCE = 8;
/** While no more are under way than this, whoever has none among them need not wait for a turn. */
const FEW = 16;
/** That pace, of what it may ask for: chance has requests come unevenly, and nobody who keeps to a limit is to wait for that. */
const LEEWAY = 1.25;
/** A slower pace than this a second would keep people waiting and spare nobody anything. */
const LEAST_PACE = 100;
/** How long until somebody looks again whether one may begin. */
const PACE_MS = 1;
/** While others stand at the door, so many times as long passes between two rounds as one took to begin. */
const DOOR_REST = 8;
/** How often a connection is used again before a question that has just come; the line itself takes one more. */
const MOST_USES = 8;
/** Until a provider has answered nobody knows how long it takes. */
const FIRST_USES = 2;
/** So many times what others take is slow, unless it is quick all the same. */
const SLOW = 3;
const QUICK_MS = 100;
/** The part of the deadline that may pass before the last answer: orders go over the same connections. */
const PATIENCE = 0.75;

/** What is known of a line: questions under way, and how long an answer usually takes. */
interface Traffic {
  underWay: number;
  usualMs: number | undefined;
}

/** What is known of a caller: rounds under way, those of them that have not begun, and how soon they may. */
interface Holding {
  rounds: number;
  waiting: (() => void)[];
  pace: Budget | undefined;
}

export function createCrowd({ most, deadlineMs, ticks, onRefused }: CrowdOptions): Crowd {
  const traffic = new WeakMap<Line, Traffic>();
  const holdings = new Map<string, Holding>();
  /** Callers whose rounds wait, each once: they take turns, however many each has. */
  const line: Holding[] = [];
  let rounds = 0;
  let waiting = 0;
  /** When the last round had begun, and how long that usually takes. */
  let begunAt = Number.NEGATIVE_INFINITY;
  let beginningMs = 0;
  let someoneKnocked = false;
  let widest = 0;
  let isFull = false;
  /** Callers that have their share, until a round ends. */
  const sated = new Set<string>();

  function trafficOf(toward: Line): Traffic {
    const known = traffic.get(toward);
    if (known) return known;
    const fresh: Traffic = { underWay: 0, usualMs: undefined };
    traffic.set(toward, fresh);
    return fresh;
  }

  /** Questions that a line can still take and answer in time. */
  function roomOn(toward: Line): number {
    const { underWay, usualMs } = trafficOf(toward);
    const uses = usualMs === undefined ? FIRST_USES : Math.floor((deadlineMs * PATIENCE) / usualMs);
    return toward.adapter.manifest.limits.connections * Math.min(MOST_USES, Math.max(1, uses)) - underWay;
  }

  /** Places left for rounds such as this one: whoever gets one is answered by all, but for those that are slow. */
  function placesFor(bidders: readonly Bidder[]): number {
    const times = bidders.map(bidder => trafficOf(bidder.line).usualMs ?? 0);
    const usual = [...times].sort((a, b) => a - b)[(times.length - 1) >> 1] ?? 0;
    let left = most === 0 ? Number.POSITIVE_INFINITY : most - rounds;
    for (const [at, bidder] of bidders.entries()) {
      // For one that takes much longer than the others nobody is refused: it is left out instead.
      if ((times[at] as number) <= Math.max(usual * SLOW, QUICK_MS))
        left = Math.min(left, roomOn(bidder.line));
    }
    return left;
  }

  /** Why no further round may wait for its turn, or none of this caller: nobody has more waiting than others still may. */
  function lineRefuses(callerId: string): CrowdRefusal | undefined {
    const waitable = MOST_WAITING - waiting;
    if (waitable <= 0) return 'crowded';
    const { length } = (holdings.get(callerId) ?? NOTHING).waiting;
    return length >= waitable ? 'share' : undefined;
  }

  /** Why there is no place for a round, or none for this caller. */
  function judge(callerId: string, bidders: readonly Bidder[]): CrowdRefusal | undefined {
    const { rounds: own } = holdings.get(callerId) ?? NOTHING;
    const left = placesFor(bidders);
    widest = Math.max(widest, bidders.length);
    // Where few are asked, others may still have room.
    const isForAll = bidders.length * 2 > widest;
    if (left <= 0) {
      isFull = isForAll;
      return 'crowded';
    }
    if (own < left * SHARE) return lineRefuses(callerId);
    if (isForAll) sated.add(callerId);
    return 'share';
  }

  /** What was refused for certain no longer is. */
  function reopen(): void {
    isFull = false;
    if (sated.size > 0) sated.clear();
  }

  /** In every turn of the loop while somebody may begin: turns in between are short, and each of them lets somebody in. */
  function turn(): void {
    const rest = someoneKnocked ? DOOR_REST : 1;
    someoneKnocked = false;
    const at = line.findIndex(mayBegin);
    if (at >= 0 && hasRested(rest)) {
      const [next] = line.splice(at, 1) as [Holding];
      const start = next.waiting.shift() as () => void;
      if (next.waiting.length > 0) line.push(next);
      waiting--;
      begin(next, start);
    }
    if (waiting === 0) return;
    if (at >= 0) setImmediate(turn);
    else setTimeout(turn, PACE_MS);
  }

  /** As much time as it took is left to all else, such as telling others that it is full. */
  function begin({ pace }: Holding, start: () => void): void {
    const began = ticks();
    start();
    begunAt = ticks();
    beginningMs = smooth(beginningMs, begunAt - began);
    pace?.take(begunAt);
  }

  function mayBegin({ pace }: Holding): boolean {
    return !pace || pace.waitMs(ticks()) === 0;
  }

  function hasRested(times: number): boolean {
    return ticks() >= begunAt + beginningMs * times;
  }

  /** Nothing else of a caller is under way, and little at all. */
  function isAlone({ rounds: own }: Holding): boolean {
    return own === 1 && rounds - waiting <= FEW;
  }

  function enter({ id, perSecond }: Caller, bidders: readonly Bidder[]): Place {
    const refusal = judge(id, bidders);
    if (refusal) {
      onRefused(refusal);
      throw CROWD_FAULTS[refusal];
    }
    const holding = holdings.get(id) ?? {
      ...NOTHING,
      waiting: [],
      pace: perSecond === 0 ? undefined : createBudget(Math.max(perSecond * LEEWAY, LEAST_PACE), AT_ONCE),
    };
    holdings.set(id, holding);
    holding.rounds++;
    rounds++;
    const asked = bidders.filter(bidder => roomOn(bidder.line) > 0);
    // What a round waits for its turn is no provider's doing.
    let askedAt = ticks();
    const open = new Map(
      asked.map(bidder => [bidder.line.adapter.manifest.id, ask(bidder.line, () => askedAt)]),
    );
    return {
      asked,
      busy: asked.length === bidders.length ? NOBODY : bidders.filter(bidder => !asked.includes(bidder)),
      begin(round) {
        if (mayBegin(holding) && (isAlone(holding) || (!line.some(mayBegin) && hasRested(1))))
          return startNow(holding, round);
        if (++waiting === 1) setImmediate(turn);
        return new Promise((resolve, reject) => {
          const start = () => {
            askedAt = ticks();
            void round().then(resolve, reject);
          };
          if (holding.waiting.push(start) === 1) line.push(holding);
        });
      },
      answered: outcome => open.get(outcome.provider)?.(outcome),
      leave() {
        for (const close of open.values()) close();
        rounds--;
        reopen();
        if (--holding.rounds === 0) holdings.delete(id);
      },
    };
  }

  function startNow<T>(holding: Holding, round: () => Promise<T>): Promise<T> {
    let result: Promise<T> | undefined;
    begin(holding, () => {
      result = round();
    });
    return result as Promise<T>;
  }

  /** A question under way, which was asked when told; what is returned ends it, once. */
  function ask(toward: Line, askedAt: () => number): (outcome?: Outcome) => void {
    const known = trafficOf(toward);
    const ahead = Math.ceil(++known.underWay / toward.adapter.manifest.limits.connections);
    let isOpen = true;
    return outcome => {
      if (!isOpen) return;
      isOpen = false;
      known.underWay--;
      // One that had to wait for a connection took as many times as long as there were others ahead of it.
      const ms = (ticks() - askedAt()) / ahead;
      if (outcome && tellsTime(outcome, ms)) learn(known, ms);
    };
  }

  return {
    enter,
    refuses: callerId => (isFull ? 'crowded' : sated.has(callerId) ? 'share' : lineRefuses(callerId)),
    knock() {
      someoneKnocked = true;
    },
    underWay: () => rounds,
  };
}

const NOTHING: Holding = { rounds: 0, waiting: [], pace: undefined };
const NOBODY: readonly Bidder[] = [];

/** A price was asked for and waited for; a refusal that came at once may have been known without asking. */
function tellsTime({ answer }: Outcome, ms: number): boolean {
  if (answer.kind === 'offer' || answer.cause === 'late') return true;
  return answer.cause === undefined && ms > QUICK_MS;
}

/** Quickness is believed at once: one that was held up by something else, or the first, must not hold up the others as well. */
function smooth(before: number, ms: number): number {
  if (before === 0) return ms;
  return ms < before ? (before + ms) / 2 : before * 0.9 + Math.min(ms, before * 2) * 0.1;
}

/** Slowness is believed at once, quickness by and by. */
function learn(known: Traffic, ms: number): void {
  const before = known.usualMs ?? ms;
  known.usualMs = ms > before ? (before + ms) / 2 : before * 0.9 + ms * 0.1;
}
