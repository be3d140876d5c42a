/** What the page's script is told. Types alone, so that the script is checked against the very same ones. */
import type { Status } from '../../domain/transaction.ts';
import type { Words } from './texts.ts';

/** What never changes while the page is open. */
export interface PaySetup {
  /** Path of this order's page. */
  path: string;
  /** What its addresses end with, so that all of them answer in one language. */
  query: string;
  /** What the script itself says; `{seconds}` is left for it to fill in. */
  texts: Words['live'] & { copy: string; retry: string };
  /** Why something was refused, by the status of the answer; `{reason}` is what the answer says. */
  refusals: Readonly<Record<string, string>>;
  /** Whether the provider's page stands inside ours. */
  framed: boolean;
  pageOrigin: string;
  /** Powers the frame is given. */
  allow: string;
  frameTitle: string;
  /** Origins of pages that may frame ours and are told of progress. */
  ancestors: string[];
  /** For an order by steps, the origin of the page that is handed the next step, empty where only the browser may know it; null for any other. */
  listener: string | null;
}

/** The order as it stands; what is text here is ready to be shown. */
export interface PayState {
  transactionId: string;
  status: Status;
  reason: string;
  hash: string;
  /** Present while coins are still to be sent. */
  deposit: DepositState | null;
  /** Present while a bank transfer may still have to be made. */
  bank: Record<BankPart, string> | null;
  /** What the page that leads through the order by steps is to know; null while there is more to be done here. */
  handover: NextStep | null;
  /** Grows with every change. */
  sequence: number;
  /** Whether it has ended for good. What came to nothing has not: late money still counts. */
  finished: boolean;
  /** Milliseconds until the session lapses; 0 when it has, or when that no longer matters. */
  expiresIn: number;
  /** What the person can do here. */
  can: { open: boolean; again: boolean };
  /** Which of the four steps is under way; 4 when all are done, -1 when the order left that way or has not begun. */
  step: number;
  tone: 'calm' | 'good' | 'bad';
  /** Whether the figures are only what was ordered, and nothing was exchanged. */
  moot: boolean;
  texts: Record<TextName, string>;
  rows: Record<RowName, Row>;
}

/** Empty when there is nothing to say. */
export type TextName = 'title' | 'lead' | 'reason' | 'open' | 'openNote' | 'estimate' | 'wallet';

export type RowName = 'pays' | 'value' | 'providerFee' | 'networkFee' | 'rate' | 'gets';

export interface Row {
  label: string;
  /** The word for what is not known exactly yet; empty for what is. */
  about: string;
  /** Empty when there is nothing to say. */
  value: string;
}

/** Parts of a bank transfer, exactly as they are to be used; empty when there is nothing to say. */
export type BankPart =
  | 'amount'
  | 'accountName'
  | 'iban'
  | 'bic'
  | 'reference'
  | 'accountAddress'
  | 'bankName'
  | 'bankAddress'
  | 'hint';

/** A step of the earlier surface, or that there is none any more. */
export interface NextStep {
  type: string;
  [field: string]: unknown;
}

/** Where coins that are sold are sent. */
export interface DepositState {
  /** Exactly as they are to be used. */
  address: string;
  memo: string;
  /** Plain digits, as a wallet takes them. */
  amount: string;
  /** What the picture says, and the picture itself as a `data:` URL; empty when it cannot be drawn. */
  uri: string;
  picture: string;
}
