/** The database: a real PostgreSQL that is given one statement at a time, in the order of simulated time. */
import { clearTimeout as realClear, setTimeout as realTimeout } from 'node:timers';
import { type Backend, openBackend, type Statement } from './backend.ts';
import { anyChance } from './chance.ts';
import { after, hold, type Owner, WORLD, wallOf } from './time.ts';
import { beginTrouble, counts, trouble } from './trouble.ts';

export type { Result } from './backend.ts';

import type { Result } from './backend.ts';

/** A connection of the service's; it has a backend of its own only while something is under way. */
export interface Session {
  owner: Owner;
  isOpen: boolean;
  /** Bound from `begin` to the end of the transaction, and while a statement runs. */
  backend: Backend | undefined;
  inTransaction: boolean;
  /** Whether it holds a lock that outlives transactions. */
  isLocking: boolean;
  onLost(): void;
  /** It will be lost in a moment: what it is sent still arrives, and nobody hears what came of it. */
  isDoomed: boolean;
  /** Tells whoever waits that there will be no answer. */
  fail: ((error: Error) => void) | undefined;
}

/** A statement that is under way. */
interface Running {
  session: Session;
  outcome: Promise<void>;
  isDone: boolean;
  /** Tells whoever sent it what came of it. */
  conclude(): void;
}

const FASTEST_MS = 0.1;
const SLOWEST_MS = 1.5;

let url = '';
let free: Backend[] = [];
let all: Backend[] = [];
let blocked: Running[] = [];
let sessions = new Set<Session>();
let monitor: Backend | undefined;

/** From now on statements go to this database. */
export async function beginDatabase(at: string): Promise<void> {
  url = at;
  free = [];
  blocked = [];
  sessions = new Set();
  beginTrouble();
  monitor = await openBackend(url);
  all = [monitor];
}

export async function endDatabase(): Promise<void> {
  await Promise.all(all.map(backend => backend.close()));
  all = [];
}

/** What the database holds, asked for from outside the simulation. */
export async function look<Row extends object>(
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const { rows } = await (monitor as Backend).run({ text, values }, wallOf(WORLD));
  return rows as Row[];
}

export function openSession(owner: Owner, onLost: () => void): Promise<Session> {
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
          ...{ owner, isOpen: true, backend: undefined, inTransaction: false, isLocking: false },
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
  if (session.backend) hold(abandon(session));
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
  const { owner } = session;
  const tell = (act: () => void) => {
    session.fail = undefined;
    after(delay(), act, owner);
  };
  if (anyChance() < trouble.cancels && !isEnding(statement)) {
    counts.cancelled++;
    tell(() => reject(lost('canceling statement due to statement timeout', '57014')));
    return;
  }
  if (trouble.isFull && /\b(insert|update|delete)\b/.test(statement.text)) {
    counts.full++;
    tell(() => reject(lost('could not extend file: No space left on device', '53100')));
    return;
  }
  counts.statements++;
  const one: Running = { session, outcome: Promise.resolve(), isDone: false, conclude() {} };
  one.outcome = perform(session, statement).then(
    result => {
      one.conclude = () => tell(() => resolve(result));
    },
    error => {
      if (error.code === '40P01') counts.deadlocks++;
      one.conclude = () => tell(() => reject(error));
    },
  );
  hold(watch(one));
}

async function perform(session: Session, statement: Statement): Promise<Result> {
  const backend = session.backend ?? free.pop() ?? (await openAnother());
  session.backend = backend;
  try {
    if (isBeginning(statement)) session.inTransaction = true;
    if (/\bpg_advisory_lock\b/.test(statement.text)) session.isLocking = true;
    return await backend.run(statement, wallOf(WORLD));
  } finally {
    if (isEnding(statement)) session.inTransaction = false;
    if (/\bpg_advisory_unlock\b/.test(statement.text)) session.isLocking = false;
    if (!session.inTransaction && !session.isLocking && session.isOpen) giveBack(session);
  }
}

async function openAnother(): Promise<Backend> {
  const backend = await openBackend(url);
  all.push(backend);
  return backend;
}

/** The lowest number first, so that the choice never depends on who was quicker. */
function giveBack(session: Session): void {
  if (session.backend) free.push(session.backend);
  free.sort((a, b) => b.number - a.number);
  session.backend = undefined;
}

const PATIENCE_MS = 4;

/**
 * Waits until a statement is answered, or waits for a lock that somebody else holds; then for all that it has let go.
 * Answers are told in this order, whichever came first.
 */
async function watch(one: Running): Promise<void> {
  void one.outcome.then(() => {
    one.isDone = true;
  });
  if (await isDecided(one)) {
    conclude(one);
  } else {
    counts.blocked++;
    blocked.push(one);
  }
  await watchBlocked();
}

async function watchBlocked(): Promise<void> {
  for (const waiting of [...blocked]) {
    if (!(await isDecided(waiting))) continue;
    blocked = blocked.filter(other => other !== waiting);
    conclude(waiting);
  }
}

/** Nobody hears the answer over a connection that is gone, or about to be. */
function conclude({ session, conclude: tell }: Running): void {
  if (session.isOpen && !session.isDoomed) tell();
}

/** True when it was answered; false when it waits for a lock. */
async function isDecided(one: Running): Promise<boolean> {
  for (;;) {
    await withPatience(one.outcome);
    if (one.isDone) return true;
    const pid = one.session.backend?.pid ?? 0;
    const [found] = await look<{ waits: boolean }>('select cardinality(pg_blocking_pids($1)) > 0 as waits', [
      pid,
    ]);
    if (found?.waits && !one.isDone) return false;
  }
}

/** Resolves with the outcome, or when it takes suspiciously long. */
function withPatience(outcome: Promise<void>): Promise<void> {
  return new Promise(resolve => {
    const timer = realTimeout(resolve, PATIENCE_MS);
    void outcome.then(() => {
      realClear(timer);
      resolve();
    });
  });
}

/** Ends whatever a connection was in the middle of. */
async function abandon(session: Session): Promise<void> {
  const { backend } = session;
  if (!backend) return;
  const own = blocked.find(one => one.session === session);
  if (own) {
    await look('select pg_cancel_backend($1)', [backend.pid]);
    await own.outcome;
    blocked = blocked.filter(one => one !== own);
  }
  session.inTransaction = false;
  for (const text of ['rollback', 'select pg_advisory_unlock_all()'])
    await backend.run({ text, values: [] }, wallOf(WORLD)).catch(() => {});
  giveBack(session);
  await watchBlocked();
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

function isBeginning({ text }: Statement): boolean {
  return /^(begin|start transaction)/.test(text);
}

function isEnding({ text }: Statement): boolean {
  return text === 'commit' || text === 'rollback';
}

function delay(): number {
  return FASTEST_MS + anyChance() * SLOWEST_MS;
}
