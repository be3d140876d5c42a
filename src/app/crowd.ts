/** The crowd: how many rounds of questions may be under way, so that each one that begins gets its connections in time. */
import { CrowdFault } from '../domain/fault.ts';
import type { Outcome } from '../domain/offer.ts';
import type { Line } from '../engine/line.ts';
import type { Bidder } from '../engine/questions.ts';
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
  /** To be told of each outcome, by the place among those asked of whom it is. */
  answered(outcome: Outcome, at: number): void;
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
  connections: number;
  underWay: number;
  usualMs: number | undefined;
}

/** A question under way. */
interface Question {
  toward: Traffic;
  /** How many times the line's connections are taken by those before it, and itself: it takes as many times as long. */
  ahead: number;
  isOpen: boolean;
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
    const { connections } = toward.adapter.manifest.limits;
    const fresh = { connections, underWay: 0, usualMs: undefined };
    traffic.set(toward, fresh);
    return fresh;
  }

  /** Questions that a line can still take and answer in time. */
  function roomOn({ connections, underWay, usualMs }: Traffic): number {
    const uses = usualMs === undefined ? FIRST_USES : Math.floor((deadlineMs * PATIENCE) / usualMs);
    return connections * Math.min(MOST_USES, Math.max(1, uses)) - underWay;
  }

  const hasRoom = (toward: Traffic) => roomOn(toward) > 0;

  /** Places left for rounds such as this one: whoever gets one is answered by all, but for those that are slow. */
  function placesFor(lines: readonly Traffic[]): number {
    const slow = slowAmong(lines);
    let left = most === 0 ? Number.POSITIVE_INFINITY : most - rounds;
    for (const toward of lines) {
      // For one that takes much longer than the others nobody is refused: it is left out instead.
      if (usualOf(toward) <= slow) left = Math.min(left, roomOn(toward));
    }
    return left;
  }

  /** Why there is no place for a round, or none for this caller. */
  function judge({ id, reach }: Caller, lines: readonly Traffic[]): CrowdRefusal | undefined {
    const holding = holdings.get(id);
    const left = placesFor(lines);
    const most = Math.max(widest.get(reach) ?? 0, lines.length);
    widest.set(reach, most);
    // Where few are asked, others may still have room.
    const isForAll = lines.length * 2 > most;
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
    const lines = bidders.map(({ line }) => trafficOf(line));
    const refusal = judge(caller, lines);
    if (refusal) {
      onRefused(refusal);
      throw CROWD_FAULTS[refusal];
    }
    const holding = holdings.get(id) ?? { rounds: 0, lane: turns.openLane(perSecond) };
    holdings.set(id, holding);
    holding.rounds++;
    rounds++;
    const asked = bidders.filter((_, at) => hasRoom(lines[at] as Traffic));
    const questions = lines.filter(hasRoom).map(ask);
    // What a round waits for its turn is no provider's doing.
    let askedAt = ticks();
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
      answered(outcome, at) {
        const question = questions[at];
        if (!question?.isOpen) return;
        learn(question, outcome, ticks() - askedAt);
        close(question);
      },
      leave() {
        questions.forEach(close);
        rounds--;
        reopen();
        if (--holding.rounds === 0) holdings.delete(id);
      },
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

function ask(toward: Traffic): Question {
  toward.underWay++;
  return { toward, ahead: Math.ceil(toward.underWay / toward.connections), isOpen: true };
}

/** A question that is over no longer keeps others from being asked. */
function close(question: Question): void {
  if (question.isOpen) question.toward.underWay--;
  question.isOpen = false;
}

/** How long one took that had none ahead of it; slowness is believed at once, quickness by and by. */
function learn({ toward, ahead }: Question, outcome: Outcome, tookMs: number): void {
  const ms = tookMs / ahead;
  if (!tellsTime(outcome, ms)) return;
  const before = toward.usualMs ?? ms;
  toward.usualMs = ms > before ? (before + ms) / 2 : before * 0.9 + ms * 0.1;
}

/** A price was asked for and waited for; a refusal that came at once may have been known without asking. */
function tellsTime({ answer }: Outcome, ms: number): boolean {
  if (answer.kind === 'offer' || answer.cause === 'late') return true;
  return answer.cause === undefined && ms > QUICK_MS;
}

function usualOf({ usualMs }: Traffic): number {
  return usualMs ?? 0;
}

/** What takes longer than this is slow among lines. */
function slowAmong(lines: readonly Traffic[]): number {
  if (lines.every(toward => usualOf(toward) <= QUICK_MS)) return QUICK_MS;
  const times = lines.map(usualOf).sort((a, b) => a - b);
  return Math.max((times[(times.length - 1) >> 1] ?? 0) * SLOW, QUICK_MS);
}
