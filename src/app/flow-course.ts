/** Flow courses: where a flow stands, and how it gets from one turn to the next. */
import { FatalFault, Fault } from '../domain/fault.ts';
import type { Step } from '../domain/step.ts';
import { isEnd } from '../domain/transaction.ts';
import type { Database } from '../store/database.ts';
import { type Flow, findFlow, nextTurn, releaseTurn } from '../store/flows.ts';
import { findTransaction, type Transaction } from '../store/transactions.ts';
import { answeredBefore, ended } from './flow-faults.ts';
import type { StageVisit } from './flow-stages.ts';
import type { FlowTurns, Turn } from './flow-turns.ts';
import type { Visitor } from './flow-visitors.ts';

/** A flow and the order it is about. */
export interface Present {
  flow: Flow;
  transaction: Transaction;
}

export interface FlowCourse {
  find(transactionId: string): Promise<Present | undefined>;
  /** Where a flow stands; nobody is asked. */
  standing(present: Present): Turn;
  /** `expired` for a flow that was begun too long ago. */
  checkAge(present: Present): void;
  /** Does what a turn was taken for; whoever fails gives it back. */
  held<T>(present: Present, work: () => Promise<T>, pauseMs?: number): Promise<T>;
  /** Goes on to the next turn with this step. */
  goOn(present: Present, step: Step | undefined): Promise<Turn>;
  /** What whoever asks is told of an order that has ended. */
  endTurn(transaction: Transaction): Turn;
  /** Where somebody is to come back to from a page, and from where they ask. */
  visitOf(present: Present, visitor: Pick<Visitor, 'clientIp'>): StageVisit;
}

export interface FlowCourseOptions {
  database: Database;
  turns: FlowTurns;
  now(): number;
}

/** Longer than a provider may take to answer, and then to say what it asks instead. */
export const LEASE_MS = 25_000;
/** Whoever waits asks often; the provider is not asked as often. */
export const PAUSE_MS = 1_000;
const MOST_TURNS = 1_000;

export function createFlowCourse({ database, turns, now }: FlowCourseOptions): FlowCourse {
  function checkAge({ flow }: Present): void {
    if (flow.expiresAt.getTime() <= now())
      throw new FatalFault('expired', 'The order was not gone on with in time: start again');
  }

  function endTurn(transaction: Transaction): Turn {
    if (transaction.standing.status !== 'completed') throw ended(transaction);
    return turns.turnOf(transaction, { type: 'completed' }, 0);
  }

  return {
    checkAge,
    endTurn,
    visitOf: ({ transaction }, { clientIp }) => ({ returnUrl: turns.returnUrl(transaction), clientIp }),
    async find(transactionId) {
      const flow = await findFlow(database, transactionId);
      const transaction = flow && (await findTransaction(database, transactionId));
      return transaction && { flow, transaction };
    },
    standing(present) {
      const { flow, transaction } = present;
      if (isEnd(transaction.standing.status)) return endTurn(transaction);
      checkAge(present);
      return turns.turnOf(transaction, turns.open(flow), flow.turn);
    },
    async held({ flow }, work, pauseMs = 0) {
      try {
        return await work();
      } catch (error) {
        await releaseTurn(database, flow, pauseMs);
        throw error;
      }
    },
    async goOn({ flow, transaction }, step) {
      const sealed = step && turns.close(transaction, step);
      if (flow.turn >= MOST_TURNS || (step && !sealed)) {
        await releaseTurn(database, flow);
        throw new Fault('providerFailed', 'The provider asks for more than can be shown');
      }
      const pauseMs = step?.type === 'wait' ? PAUSE_MS : 0;
      if (await nextTurn(database, flow, { step: sealed, pauseMs }))
        return turns.turnOf(transaction, step, flow.turn + 1);
      const present = await findTransaction(database, transaction.id);
      if (present && isEnd(present.standing.status)) return endTurn(present);
      throw answeredBefore();
    },
  };
}
