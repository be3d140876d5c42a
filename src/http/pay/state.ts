/** The state of an order as the page shows it: made by the server alone, so that a reload and a live page look the same. */
import type { PayView } from '../../app/pay.ts';
import type { Currencies } from '../../domain/currency.ts';
import { cameToNothing, isEnd } from '../../domain/transaction.ts';
import { depositOf } from './deposit.ts';
import { visible } from './html.ts';
import type { PayState } from './shape.ts';
import { breakDown, writeSum } from './sums.ts';
import { type Moment, SAYINGS, type Topic, WORDS } from './texts.ts';

export interface StateOptions {
  /** Milliseconds since 1970. */
  now: number;
  currencies?: Currencies | undefined;
}

export function stateOf(view: PayView, { now, currencies }: StateOptions): PayState {
  const { status, side, opened, hash, transactionId, sequence } = view;
  const moment = momentOf(view, now);
  const finished = isEnd(status);
  const isUndone = cameToNothing(status) || moment === 'lapsed';
  const isEarly = !isUndone && (status === 'new' || status === 'pending');
  const name = visible(view.provider.name);
  const reason = plainReason(view.reason);
  return {
    transactionId,
    status,
    reason,
    hash,
    deposit: (isSending(view) && depositOf(view)) || null,
    sequence,
    finished,
    expiresIn: moment === 'ready' ? Math.min(view.expiresAt - now, MOST_WAIT_MS) : 0,
    can: { open: isEarly, again: isUndone },
    step: STEP[moment],
    tone: status === 'completed' ? 'good' : isUndone ? 'bad' : 'calm',
    texts: {
      ...SAYINGS[side][moment](topicOf(view, currencies)),
      reason: reason && WORDS.says(name, reason),
      open: moment === 'sendCoins' ? WORDS.link(name) : opened ? WORDS.resume : WORDS.open(name),
      estimate: isEarly ? WORDS.estimate(name) : '',
    },
    rows: rowsOf(view, currencies),
  };
}

/** Longer than any session, and short enough for a timer. */
const MOST_WAIT_MS = 86_400_000;

/** Where each moment stands on the way of an order that goes well. */
const STEP: Readonly<Record<Moment, number>> = {
  ready: -1,
  new: 0,
  sendCoins: 0,
  pending: 1,
  paid: 2,
  completed: 4,
  failed: -1,
  canceled: -1,
  expired: -1,
  refunded: -1,
  lapsed: -1,
};

function momentOf(view: PayView, now: number): Moment {
  const { status, opened, expiresAt } = view;
  if (isSending(view)) return 'sendCoins';
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
  const { side, pays, gets, deposit } = view;
  const sent = deposit?.amount ? { ...pays, amount: deposit.amount } : pays;
  return {
    provider: visible(view.provider.name),
    pays: writeSum(side === 'sell' ? sent : pays, currencies),
    gets: writeSum(gets, currencies),
    asset: visible(assetCode(view)),
    network: visible(view.network),
  };
}

export function assetCode({ side, pays, gets }: PayView): string {
  return side === 'buy' ? gets.code : pays.code;
}

function rowsOf(view: PayView, currencies: Currencies | undefined): PayState['rows'] {
  const { side, status, provider, pays, gets, providerFee, networkFee } = view;
  const parts = breakDown(view);
  const isPaid = status === 'paid' || status === 'completed';
  const row = (label: string, value: string) => ({ label, value });
  return {
    pays: row(WORDS.pays[side][isPaid ? 1 : 0] ?? '', writeSum(pays, currencies)),
    value: row(WORDS.value(side, visible(assetCode(view))), parts ? writeSum(parts.value, currencies) : ''),
    providerFee: row(WORDS.providerFee(visible(provider.name)), writeSum(providerFee, currencies)),
    networkFee: row(WORDS.networkFee, writeSum(networkFee, currencies)),
    rate: row(WORDS.rate, parts?.rate ?? ''),
    gets: row(WORDS.gets[status === 'completed' ? 1 : 0] ?? '', writeSum(gets, currencies)),
  };
}

const LONGEST_REASON = 300;

/** A provider's reason in words: `card_declined` becomes `Card declined`. */
function plainReason(reason: string): string {
  const text = visible(reason.slice(0, LONGEST_REASON)).trim();
  if (!/^[a-z0-9]+([_-][a-z0-9]+)*$/i.test(text) || !/[_-]/.test(text)) return text;
  const words = text.replace(/[_-]/g, ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
