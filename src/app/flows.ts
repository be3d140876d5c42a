/** Flows: orders gone through step by step. The first answer makes the transaction; every other goes to whoever asked. */
import type { Asset, Fiat } from '../domain/currency.ts';
import type { Amount } from '../domain/money.ts';
import type { FileType, Step } from '../domain/step.ts';
import type { CountryCode, MethodId, ProviderId, Side } from '../domain/words.ts';
import type { Promised } from '../store/transactions.ts';
import type { Account } from './accounts.ts';

/** What was offered, and to whom: all that a flow begins with. */
export interface FlowTerms {
  account: Account;
  provider: ProviderId;
  side: Side;
  fiat: Fiat;
  asset: Asset;
  method: MethodId;
  country: CountryCode;
  /** What the customer hands over. */
  amount: Amount;
  price: Promised;
  /** Where coins go, when the client said so with the ask; the person is not asked again. */
  wallet: { address: string; memo?: string | undefined } | undefined;
}

/** A step that somebody is to take, and the words that lead to it. */
export interface Turn {
  provider: ProviderId;
  /** Unknown before the first answer. */
  transactionId: string | undefined;
  step: Step;
  /** The last part of the step's address; for a choice one for each of its options. */
  tokens: readonly string[];
}

export interface Visitor {
  /** Who calls; a flow can be gone on with by the account it was begun by alone. */
  account: Account;
  /** Address of the person's device; never stored. */
  clientIp: string | undefined;
  /** Web origin of the page that shows the steps, when there is one. */
  origin: string | undefined;
}

export interface Flows {
  /** The first step on these terms. Nothing is made or kept. */
  offer(terms: FlowTerms): Turn;
  /** Takes the answer to a form or asks again after a wait; what comes next. Faults name the field that is wrong. */
  answer(token: string, body: unknown, visitor: Visitor): Promise<Turn>;
  /** Takes a file; what comes next. */
  upload(token: string, file: { type: FileType; bytes: Uint8Array }, visitor: Visitor): Promise<Turn>;
  /** The page that a frame or window is to show: the provider's, or our pay page. */
  lead(token: string, clientIp: string | undefined): Promise<string>;
  /** What comes next for somebody whom a provider's page has sent back, and the page that is to be told. */
  back(token: string): Promise<{ turn: Turn; embedder: string | undefined }>;
}
