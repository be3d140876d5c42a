/** What the page's script is told. Types alone, so that the script is checked against the very same ones. */
import type { Status } from '../../domain/transaction.ts';

/** What never changes while the page is open. */
export interface PaySetup {
  /** Path of this order's page. */
  path: string;
  provider: string;
  /** Whether the provider's page stands inside ours. */
  framed: boolean;
  pageOrigin: string;
  /** Powers the frame is given. */
  allow: string;
  frameTitle: string;
  /** Origins of pages that may frame ours and are told of progress. */
  ancestors: string[];
}

/** The order as it stands; what is text here is ready to be shown. */
export interface PayState {
  transactionId: string;
  status: Status;
  reason: string;
  hash: string;
  /** Present while coins are still to be sent. */
  deposit: DepositState | null;
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
  /** Empty when there is nothing to say. */
  value: string;
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
