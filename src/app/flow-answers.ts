/** What people told us ourselves in a flow: sealed while it is of use, bound to its order, and erased with its end. */
import type { Database } from '../store/database.ts';
import { findFlow } from '../store/flows.ts';
import type { Transaction } from '../store/transactions.ts';
import type { Seal } from './seal.ts';

export interface OwnAnswers {
  email: string;
}

export interface FlowAnswers {
  close(transactionId: string, answers: OwnAnswers): string;
  open(transactionId: string, sealed: string | undefined): OwnAnswers | undefined;
  /** The person's e-mail address, where we asked for it and still know it. */
  emailOf(transaction: Pick<Transaction, 'id' | 'origin'>): Promise<string | undefined>;
}

export interface FlowAnswersOptions {
  database: Database;
  /** For `flow-answers`. */
  seal: Seal;
}

export function createFlowAnswers({ database, seal }: FlowAnswersOptions): FlowAnswers {
  function open(transactionId: string, sealed: string | undefined): OwnAnswers | undefined {
    const text = sealed === undefined ? undefined : seal.open(sealed, transactionId);
    return text === undefined ? undefined : (JSON.parse(text) as OwnAnswers);
  }

  return {
    close: (transactionId, answers) => seal.close(JSON.stringify(answers), transactionId),
    open,
    async emailOf({ id, origin }) {
      if (origin !== 'earlier') return undefined;
      const flow = await findFlow(database, id);
      return open(id, flow?.answers)?.email;
    },
  };
}
