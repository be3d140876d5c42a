/** The state of an order as the page shows it: made by the server alone, so that a reload and a live page look the same. */
import type { PayView } from '../../app/pay.ts';
import type { Currencies } from '../../domain/currency.ts';
import { cameToNothing, isEnd } from '../../domain/transaction.ts';
import { bankOf, isTransferDue } from './bank.ts';
import { depositOf } from './deposit.ts';
import { handoverOf } from './handover.ts';
import { visible } from './html.ts';
import type { PayState } from './shape.ts';
import { breakDown, writeSum } from './sums.ts';
import { type Moment, SAYINGS, type Tense, type Topic, WORDS } from './texts.ts';

export interface StateOptions {
  /** Milliseconds since 1970. */
  now: number;
  currencies?: Currencies | undefined;
}

export function stateOf(view: PayView, { now, currencies }: StateOptions): PayState {
  const { status, side, hash, transactionId, sequence } = view;
  const moment = momentOf(view, now);
  const tense = TENSE[moment];
  const isUndone = tense === 'undone';
  const name = visible(view.provider.name);
  const saying = SAYINGS[side][moment](topicOf(view, currencies));
  return {
    transactionId,
    status,
    reason: plainReason(view.reason),
    hash,
    deposit: (isSending(view) && depositOf(view)) || null,
    bank: bankOf(view) ?? null,
    handover: handoverOf(view, { moment, title: saying.title }) ?? null,
    sequence,
    finished: isEnd(status) && !cameToNothing(status),
    expiresIn: moment === 'ready' ? Math.min(view.expiresAt - now, MOST_WAIT_MS) : 0,
    can: { open: tense === 'due', again: isUndone && view.restarts },
    step: STEP[moment],
    tone: status === 'completed' ? 'good' : isUndone ? 'bad' : 'calm',
    moot: isMoot(tense),
    texts: {
      ...saying,
      ...wayOf(view, moment),
      reason: sayReason(view, moment),
      estimate: tense === 'due' ? WORDS.estimate(name) : '',
      wallet: WORDS.wallet[side][tense],
    },
    rows: rowsOf(view, tense, currencies),
  };
}

/** Longer than any session, and short enough for a timer. */
const MOST_WAIT_MS = 86_400_000;

/** Where each moment stands on the way of an order that goes well. */
const STEP: Readonly<Record<Moment, number>> = {
  ready: -1,
  new: 0,
  sendCoins: 0,
  sendMoney: 0,
  pending: 1,
  paid: 2,
  completed: 4,
  failed: -1,
  canceled: -1,
  expired: -1,
  refunded: -1,
  lapsed: -1,
};

const TENSE: Readonly<Record<Moment, Tense>> = {
  ready: 'due',
  new: 'due',
  sendCoins: 'due',
  sendMoney: 'due',
  pending: 'due',
  paid: 'paid',
  completed: 'done',
  failed: 'undone',
  canceled: 'undone',
  expired: 'undone',
  refunded: 'returned',
  lapsed: 'undone',
};

function momentOf(view: PayView, now: number): Moment {
  const { status, opened, expiresAt } = view;
  if (isSending(view)) return 'sendCoins';
  if (isTransferDue(view)) return 'sendMoney';
  // Nobody went there to pay: the same as before our clock said so.
  if (status === 'expired' && !opened) return 'lapsed';
  if (status !== 'new') return status;
  // Whoever went to the provider in time may finish there.
  if (opened) return 'new';
  return now >= expiresAt ? 'lapsed' : 'ready';
}

/** Some providers call it pending when they wait for coins: until a hash is known, they may not have been sent. */
function isSending({ side, deposit, status, hash }: PayView): boolean {
  return side === 'sell' && deposit !== undefined && !hash && (status === 'new' || status === 'pending');
}

function topicOf(view: PayView, currencies: Currencies | undefined): Topic {
  const { side, pays, deposit } = view;
  const sent = deposit?.amount ? { ...pays, amount: deposit.amount } : pays;
  return {
    provider: visible(view.provider.name),
    pays: writeSum(side === 'sell' ? sent : pays, currencies),
    gets: sayGets(view, currencies),
    asset: visible(assetCode(view)),
    network: visible(view.network),
  };
}

/** What is received; not as a fact where nobody has told it. */
function sayGets({ gets, status, isEstimate }: PayView, currencies: Currencies | undefined): string {
  const sum = writeSum(gets, currencies);
  return isEstimate && status === 'completed' ? WORDS.about(sum) : sum;
}

/** Whether nothing was exchanged in the end. */
function isMoot(tense: Tense): boolean {
  return tense === 'undone' || tense === 'returned';
}

/** What the way to the provider's page is called, and what to know before taking it again. */
function wayOf({ side, opened, provider }: PayView, moment: Moment): { open: string; openNote: string } {
  const name = visible(provider.name);
  if (moment === 'sendCoins' || moment === 'sendMoney') return { open: WORDS.link(name), openNote: '' };
  if (moment === 'pending') return { open: WORDS.reopen(name), openNote: WORDS.reopened(name, side) };
  return opened
    ? { open: WORDS.resume(name), openNote: WORDS.resumed(side) }
    : { open: WORDS.open(name), openNote: '' };
}

export function assetCode({ side, pays, gets }: PayView): string {
  return side === 'buy' ? gets.code : pays.code;
}

function rowsOf(view: PayView, tense: Tense, currencies: Currencies | undefined): PayState['rows'] {
  const { side, provider, pays, providerFee, networkFee } = view;
  const parts = breakDown(view);
  const asset = visible(assetCode(view));
  // Providers tell what was paid and received in the end, not what they kept of it.
  const fee = (label: string) => (tense === 'due' || tense === 'paid' ? label : WORDS.quoted(label));
  const row = (label: string, value: string) => ({ label, value });
  return {
    pays: row(WORDS.pays[side][tense], writeSum(pays, currencies)),
    value: row(
      isMoot(tense) ? WORDS.worth(asset) : WORDS.value(side, asset),
      parts ? writeSum(parts.value, currencies) : '',
    ),
    providerFee: row(fee(WORDS.providerFee(visible(provider.name))), writeSum(providerFee, currencies)),
    networkFee: row(fee(WORDS.networkFee), writeSum(networkFee, currencies)),
    rate: row(WORDS.rate, parts?.rate ?? ''),
    gets: row(WORDS.gets[tense], sayGets(view, currencies)),
  };
}

/** A reason as the provider's words; those of an order that ran out of time may be ours. */
function sayReason({ status, reason, provider }: PayView, moment: Moment): string {
  const plain = plainReason(reason);
  if (!plain || moment === 'lapsed') return '';
  return status === 'expired' ? plain : WORDS.says(visible(provider.name), plain);
}

const LONGEST_REASON = 300;

/** A provider's reason in words: `card_declined` becomes `Card declined`. */
function plainReason(reason: string): string {
  const text = visible(reason.slice(0, LONGEST_REASON)).trim();
  if (!/^[a-z0-9]+([_-][a-z0-9]+)*$/i.test(text) || !/[_-]/.test(text)) return text;
  const words = text.replace(/[_-]/g, ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
