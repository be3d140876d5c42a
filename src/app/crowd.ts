/** The crowd: how many rounds of questions may be under way, so that each one that begins gets its connections in time. */
import { CrowdFault } from '../domain/fault.ts';
import type { Outcome } from '../domain/offer.ts';
import type { Bidder } from '../engine/auction.ts';
import type { Line } from '../engine/line.ts';

export interface Crowd {
  /** Takes a place for a round; throws when there is none, or none for this caller. */
  enter(caller: string, bidders: readonly Bidder[]): Place;
  /** Whether whoever comes now is refused for certain, so that nothing need be spent on finding out. */
  isFull(): boolean;
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

export interface CrowdOptions {
  /** Rounds under way at once; 0 for no bound but that of connections. */
  most: number;
  deadlineMs: number;
  /** A clock that only goes forward, in milliseconds. */
  ticks(): number;
  /** Told why somebody was refused. */
  onRefused(reason: 'crowded' | 'share'): void;
}

/** A caller may hold so many times what is left, so that something is always left for the next one. */
const SHARE = 3;
/** Rounds that wait for their turn. */
const MOST_WAITING = 64;
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

/** What is known of a caller: rounds under way, and those of them that have not begun. */
interface Holding {
  rounds: number;
  waiting: (() => void)[];
}

export function createCrowd({ most, deadlineMs, ticks, onRefused }: CrowdOptions): Crowd {
  const traffic = new WeakMap<Line, Traffic>();
  const holdings = new Map<string, Holding>();
  /** Callers whose rounds wait, each once: they take turns, however many each has. */
  const line: Holding[] = [];
  let rounds = 0;
  let waiting = 0;
  /** When the next round may begin. */
  let restUntil = Number.NEGATIVE_INFINITY;
  let widest = 0;
  let isFull = false;

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

  /** Throws unless there is a place, and one for this caller. */
  function check({ rounds: own, waiting: ownWaiting }: Holding, bidders: readonly Bidder[]): void {
    const left = placesFor(bidders);
    widest = Math.max(widest, bidders.length);
    if (left <= 0 || waiting >= MOST_WAITING) {
      // Where few are asked, others may still have room.
      isFull = waiting >= MOST_WAITING || bidders.length * 2 > widest;
      onRefused('crowded');
      throw new CrowdFault('unavailable', 'Too many quotes are under way');
    }
    if (own < left * SHARE && ownWaiting.length < (MOST_WAITING - waiting) * SHARE) return;
    onRefused('share');
    throw new CrowdFault('tooMany', 'Too many of your quotes are under way');
  }

  /** In every turn of the loop while somebody waits: turns in between are short, and each of them lets somebody in. */
  function turn(): void {
    if (ticks() >= restUntil) {
      const next = line.shift() as Holding;
      const start = next.waiting.shift() as () => void;
      if (next.waiting.length > 0) line.push(next);
      waiting--;
      isFull = false;
      begin(start);
    }
    if (waiting > 0) setImmediate(turn);
  }

  /** Beginning is most of the work. As much time as it took is left to all else, such as telling others that it is full. */
  function begin(start: () => void): void {
    const began = ticks();
    start();
    const now = ticks();
    restUntil = now + (now - began);
  }

  function enter(caller: string, bidders: readonly Bidder[]): Place {
    const holding = holdings.get(caller) ?? { rounds: 0, waiting: [] };
    check(holding, bidders);
    holdings.set(caller, holding);
    holding.rounds++;
    rounds++;
    const asked = bidders.filter(bidder => roomOn(bidder.line) > 0);
    const open = new Map(asked.map(bidder => [bidder.line.adapter.manifest.id, ask(bidder.line)]));
    return {
      asked,
      busy: asked.length === bidders.length ? NOBODY : bidders.filter(bidder => !asked.includes(bidder)),
      begin(round) {
        if (waiting === 0 && ticks() >= restUntil) return startNow(round);
        if (++waiting === 1) setImmediate(turn);
        return new Promise((resolve, reject) => {
          if (holding.waiting.push(() => void round().then(resolve, reject)) === 1) line.push(holding);
        });
      },
      answered: outcome => open.get(outcome.provider)?.(outcome),
      leave() {
        for (const close of open.values()) close();
        rounds--;
        isFull = false;
        if (--holding.rounds === 0) holdings.delete(caller);
      },
    };
  }

  function startNow<T>(round: () => Promise<T>): Promise<T> {
    let result: Promise<T> | undefined;
    begin(() => {
      result = round();
    });
    return result as Promise<T>;
  }

  /** A question under way; what is returned ends it, once. */
  function ask(toward: Line): (outcome?: Outcome) => void {
    const known = trafficOf(toward);
    const ahead = Math.ceil(++known.underWay / toward.adapter.manifest.limits.connections);
    const askedAt = ticks();
    let isOpen = true;
    return outcome => {
      if (!isOpen) return;
      isOpen = false;
      known.underWay--;
      // One that had to wait for a connection took as many times as long as there were others ahead of it.
      if (outcome && tellsTime(outcome)) learn(known, (ticks() - askedAt) / ahead);
    };
  }

  return { enter, isFull: () => isFull, underWay: () => rounds };
}

const NOBODY: readonly Bidder[] = [];

/** A price was asked for and waited for; a refusal may have been known without asking. */
function tellsTime({ answer }: Outcome): boolean {
  return answer.kind === 'offer' || answer.cause === 'late';
}

/** Slowness is believed at once, quickness by and by. */
function learn(known: Traffic, ms: number): void {
  const before = known.usualMs ?? ms;
  known.usualMs = ms > before ? (before + ms) / 2 : before * 0.9 + ms * 0.1;
}
