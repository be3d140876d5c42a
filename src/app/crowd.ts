/** The crowd: how many rounds of questions may be under way, so that each one that begins gets its connections in time. */
import { CrowdFault } from '../domain/fault.ts';
import type { Outcome } from '../domain/offer.ts';
import type { Bidder } from '../engine/auction.ts';
import type { Line } from '../engine/line.ts';
import { createTurns, type Lane, type TurnRefusal } from './turns.ts';

/** Whose share of the rounds is taken from. */
export interface Caller {
  id: string;
  /** How many a second it may ask for; 0 for any number. */
  perSecond: number;
  /** A word for the providers that can be asked for it: what is full for one is full for all with the same. */
  reach: string;
}

export interface Crowd {
  /** Takes a place for a round; throws when there is none, or none for this caller. */
  enter(caller: Caller, bidders: readonly Bidder[]): Place;
  /** Why a caller who comes now is refused for certain, so that nothing need be spent on finding out. */
  refuses(caller: Caller): CrowdRefusal | undefined;
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
  /** Begins the round when it is its turn: at once, but for a rush. It is told how long it has waited. */
  begin<T>(round: (waitedMs: number) => Promise<T>): Promise<T>;
  /** To be told of each outcome. */
  answered(outcome: Outcome): void;
  /** The round is over. */
  leave(): void;
}

/** There is no place for anybody, or none for this caller. */
export type CrowdRefusal = TurnRefusal;

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
/** While no more are under way than this, whoever has none among them need not wait for a turn. */
const FEW = 16;
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

/** What is known of a caller: rounds under way, and where those wait that have not begun. */
interface Holding {
  rounds: number;
  lane: Lane;
}

export function createCrowd({ most, deadlineMs, ticks, onRefused }: CrowdOptions): Crowd {
  const traffic = new WeakMap<Line, Traffic>();
  const holdings = new Map<string, Holding>();
  const turns = createTurns(ticks);
  let rounds = 0;
  /** By reach: the most that were ever asked in one round. */
  const widest = new Map<string, number>();
  /** Until a round ends: reaches without a place, and callers that have their share. */
  const full = new Set<string>();
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
    const slow = slowAmong(times);
    let left = most === 0 ? Number.POSITIVE_INFINITY : most - rounds;
    bidders.forEach((bidder, at) => {
      // For one that takes much longer than the others nobody is refused: it is left out instead.
      if ((times[at] as number) <= slow) left = Math.min(left, roomOn(bidder.line));
    });
    return left;
  }

  /** Why there is no place for a round, or none for this caller. */
  function judge({ id, reach }: Caller, bidders: readonly Bidder[]): CrowdRefusal | undefined {
    const holding = holdings.get(id);
    const left = placesFor(bidders);
    const most = Math.max(widest.get(reach) ?? 0, bidders.length);
    widest.set(reach, most);
    // Where few are asked, others may still have room.
    const isForAll = bidders.length * 2 > most;
    if (left <= 0) {
      if (isForAll) full.add(reach);
      return 'crowded';
    }
    if ((holding?.rounds ?? 0) < left * SHARE) return turns.refuses(holding?.lane);
    if (isForAll) sated.add(id);
    return 'share';
  }

  /** What was refused for certain no longer is. */
  function reopen(): void {
    if (full.size > 0) full.clear();
    if (sated.size > 0) sated.clear();
  }

  /** Nothing else of a caller is under way, and little at all. */
  function isAlone({ rounds: own }: Holding): boolean {
    return own === 1 && rounds - turns.waiting() <= FEW;
  }

  function enter(caller: Caller, bidders: readonly Bidder[]): Place {
    const { id, perSecond } = caller;
    const refusal = judge(caller, bidders);
    if (refusal) {
      onRefused(refusal);
      throw CROWD_FAULTS[refusal];
    }
    const holding = holdings.get(id) ?? { rounds: 0, lane: turns.openLane(perSecond) };
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
        const start = () => {
          const waitedMs = ticks() - askedAt;
          askedAt += waitedMs;
          return round(waitedMs);
        };
        return turns.take(holding.lane, start, isAlone(holding));
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
    refuses({ id, reach }) {
      if (full.has(reach)) return 'crowded';
      return sated.has(id) ? 'share' : turns.refuses(holdings.get(id)?.lane);
    },
    knock: turns.knock,
    underWay: () => rounds,
  };
}

const NOBODY: readonly Bidder[] = [];

/** A price was asked for and waited for; a refusal that came at once may have been known without asking. */
function tellsTime({ answer }: Outcome, ms: number): boolean {
  if (answer.kind === 'offer' || answer.cause === 'late') return true;
  return answer.cause === undefined && ms > QUICK_MS;
}

/** Slowness is believed at once, quickness by and by. */
function learn(known: Traffic, ms: number): void {
  const before = known.usualMs ?? ms;
  known.usualMs = ms > before ? (before + ms) / 2 : before * 0.9 + ms * 0.1;
}

/** What is longer than this is slow among times. */
function slowAmong(times: readonly number[]): number {
  if (times.every(time => time <= QUICK_MS)) return QUICK_MS;
  const usual = [...times].sort((a, b) => a - b)[(times.length - 1) >> 1] ?? 0;
  return Math.max(usual * SLOW, QUICK_MS);
}
