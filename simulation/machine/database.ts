/** The database as the service reaches it: connections over the simulated network, which come and go. */
import type { Answer } from './backend.ts';
import { anyChance } from './chance.ts';
import { abandon, type Client, execute } from './execution.ts';
import type { Result } from './replies.ts';
import { type Statement, traitsOf } from './statements.ts';
import { after, type Owner, WORLD } from './time.ts';
import { beginTrouble, counts, trouble } from './trouble.ts';

/** A connection of the service's. */
export interface Session extends Client {
  owner: Owner;
  onLost(): void;
  /** It will be lost in a moment: what it is sent still arrives, and nobody hears what came of it. */
  isDoomed: boolean;
  /** Tells whoever waits that there will be no answer. */
  fail: ((error: Error) => void) | undefined;
}

const FASTEST_MS = 0.1;
const SLOWEST_MS = 1.5;

let sessions = new Set<Session>();

/** A new world begins, in which nothing is wrong with the database. */
export function beginDatabase(): void {
  beginTrouble();
  sessions = new Set();
}

/** Ends whatever anybody was in the middle of. */
export function endDatabase(): void {
  for (const session of sessions) closeSession(session);
}

export interface SessionOptions {
  owner: Owner;
  /** How long a statement may take before the server gives it up, in milliseconds; 0 for as long as it likes. */
  statementMs: number;
  onLost(): void;
}

export function openSession({ owner, statementMs, onLost }: SessionOptions): Promise<Session> {
  return new Promise((resolve, reject) => {
    after(
      delay() * 2,
      () => {
        if (trouble.isAway) {
          counts.refused++;
          after(delay(), () => reject(lost('connect ECONNREFUSED', 'ECONNREFUSED')), owner);
          return;
        }
        const session: Session = {
          ...{ owner, statementMs, isOpen: true, backend: undefined, inTransaction: false, isLocking: false },
          begunAt: undefined,
          isDoomed: false,
          fail: undefined,
          onLost,
        };
        sessions.add(session);
        after(delay(), () => resolve(session), owner);
      },
      WORLD,
    );
  });
}

export function closeSession(session: Session): void {
  if (!session.isOpen) return;
  session.isOpen = false;
  sessions.delete(session);
  abandon(session);
}

/** How many connections somebody has. */
export function countSessions(owner: Owner): number {
  return [...sessions].filter(session => session.owner === owner).length;
}

export function runStatement(session: Session, statement: Statement): Promise<Result> {
  return new Promise((resolve, reject) => {
    // Whoever has died sends nothing more, and hears nothing.
    if (!session.owner.isAlive) return;
    if (!session.isOpen) return reject(lost('Connection terminated'));
    session.fail = reject;
    after(delay(), () => arrive(session, statement, { resolve, reject }), WORLD);
  });
}

interface Settlers {
  resolve(result: Result): void;
  reject(error: Error): void;
}

function arrive(session: Session, statement: Statement, { resolve, reject }: Settlers): void {
  // What somebody sent who has died since may have left their machine or not.
  if (!session.isOpen) return;
  const tell = (act: () => void) => {
    session.fail = undefined;
    after(delay(), act, session.owner);
  };
  const { isEnding, isWriting } = traitsOf(statement);
  if (anyChance() < trouble.cancels && !isEnding) {
    counts.cancelled++;
    tell(() => reject(lost('canceling statement due to statement timeout', '57014')));
    return;
  }
  if (trouble.isFull && isWriting) {
    counts.full++;
    tell(() => reject(lost('could not extend file: No space left on device', '53100')));
    return;
  }
  counts.statements++;
  const conclude = (answer: Answer) => {
    if (answer.error && (answer.error as { code?: string }).code === '40P01') counts.deadlocks++;
    // Nobody hears the answer over a connection that is gone, or about to be.
    if (!session.isOpen || session.isDoomed) return;
    tell(() => (answer.error ? reject(answer.error) : resolve(answer.result)));
  };
  execute({ client: session, statement, conclude });
}

/** Everybody's connections are lost, or those of one who has died. */
export function loseSessions(owner?: Owner): void {
  for (const session of [...sessions]) {
    if (owner && session.owner !== owner) continue;
    // What was sent last may still arrive before the server notices.
    if (!session.fail || anyChance() < 0.5) {
      loseSession(session);
      continue;
    }
    session.isDoomed = true;
    after(SLOWEST_MS * 3, () => loseSession(session), WORLD);
  }
}

function loseSession(session: Session): void {
  if (!session.isOpen) return;
  const { fail } = session;
  closeSession(session);
  if (fail) counts.lostAnswers++;
  after(
    delay(),
    () => {
      session.onLost();
      fail?.(lost('Connection terminated unexpectedly'));
    },
    session.owner,
  );
}

/** As PostgreSQL and its driver put it. */
function lost(message: string, code?: string): Error {
  return Object.assign(new Error(message), code && { code });
}

function delay(): number {
  return FASTEST_MS + anyChance() * SLOWEST_MS;
}
