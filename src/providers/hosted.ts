/** Hosted pages of the stand-ins: what a person's way through them is made of, and what a provider says for itself. */
import type { Asset, Fiat } from '../domain/currency.ts';
import type { Amount } from '../domain/money.ts';
import type { Instant, Side } from '../domain/words.ts';
import type { OutgoingWebhook, StandinRequest, World } from './world.ts';

/** The page the person is on. */
export type Stage =
  | 'email'
  | 'code'
  | 'identity'
  | 'document'
  | 'blocked'
  | 'card'
  | 'secure'
  | 'declined'
  | 'bank'
  | 'wallet'
  | 'payout'
  | 'deposit'
  | 'progress'
  | 'end';

/** Where the order is, in no provider's words. `none`: nothing has been ordered yet. */
export type Standing =
  | 'none'
  | 'awaiting'
  | 'authorizing'
  | 'verifying'
  | 'paid'
  | 'sending'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'expired'
  | 'refunded';

export const ENDS: ReadonlySet<Standing> = new Set([
  'completed',
  'failed',
  'canceled',
  'expired',
  'refunded',
]);

/** What is exchanged, at the price of the moment the page was opened. */
export interface Deal {
  side: Side;
  fiat: Fiat;
  asset: Asset;
  /** The provider's word. */
  method: string;
  /** All the person hands over and all they receive. */
  pays: Amount;
  gets: Amount;
  /** In the fiat: what the coins are worth, and what is charged. */
  value: Amount;
  fee: Amount;
  networkFee: Amount;
  /** Fiat for one coin. */
  rate: Amount;
}

/** How the person hands over or receives the money. */
export type Means = 'card' | 'bank' | 'wallet';

/** How well the person must be known: not at all, by a form, or by a form and a document. */
export type Knowing = 'nothing' | 'identity' | 'document';

/** What a link to a page says, once it has been understood. */
export interface Intent {
  /** What opened the page: the same again goes on where the person was. */
  key: string;
  host: string;
  /** The provider's id of the order, should it come to one. */
  order: string;
  deal: Deal;
  means: Means;
  knowing: Knowing;
  /** The partner's references for the order and the customer. */
  reference: string | undefined;
  customer: string | undefined;
  /** Where coins go on a buy, where they go back to on a sell. */
  wallet: string | undefined;
  memo: string | undefined;
  email: string;
  country: string;
  returnUrl: string | undefined;
  dark: boolean;
  /** Why nothing may be paid on this page. */
  blocked?: string | undefined;
}

/** One person's way through the pages, with the order they make on it. Never changed, only replaced. */
export interface Flow extends Intent {
  /** Part of its pages' paths. */
  id: string;
  stage: Stage;
  standing: Standing;
  createdAt: Instant;
  updatedAt: Instant;
  /** What has been said of the order, first to last. */
  history: readonly { standing: Standing; at: Instant }[];
  /** Said at the top of the page. */
  problem?: string | undefined;
  /** Why the order ended, or why a card was declined. */
  reason?: string | undefined;
  /** The last digits of the card or account. */
  account?: string | undefined;
  /** The payout of this sell will fail, and the coins will go back. */
  payoutFails?: boolean | undefined;
}

/** What a link comes to. */
export type Opening =
  | { kind: 'start'; intent: Intent }
  | { kind: 'goOn'; flow: Flow }
  | { kind: 'refuse'; status: number; message: string };

/** What a link comes to that opens nothing, and why. */
export function noPage(status: number, message: string): Opening {
  return { kind: 'refuse', status, message };
}

/** What comes of paying with a card. */
export type CardOutcome = 'approved' | 'secure' | 'declined';

/** All that tells one provider's pages from another's. */
export interface Brand {
  name: string;
  /** Of buttons and marks; the second on dark pages. Both stand out from what is behind them. */
  color: string;
  colorOnDark: string;
  hosts: readonly string[];
  /** Their own headings; the others are the same everywhere. */
  titles: Partial<Record<Stage, string>>;
  /** Test cards by number, beside those that everyone has, with security codes that are declined. */
  cards: Readonly<Record<string, { outcome: CardOutcome; badCode?: string }>>;
  /** Whether a completed buy can be refunded in their words. */
  refundsBuys: boolean;
  /** Whether the person goes back to the partner to send what they sell. */
  returnsForDeposit: boolean;
  open(request: StandinRequest, host: string, world: World): Opening;
  /** The webhooks for where the order is now; none when they would say nothing. */
  tell(flow: Flow, world: World): readonly OutgoingWebhook[];
  /** What they add to the URL the person goes back to. */
  returns(flow: Flow, world: World): Readonly<Record<string, string>>;
}
