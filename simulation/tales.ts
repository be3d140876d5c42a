/** Tales: what becomes of an order at its provider, in the provider's words, and what each word comes to. */
import type { Chance } from '../faults/bed/chance.ts';
import { type Letter, writeLetter } from '../faults/bed/wire.ts';
import type { Saying, Status } from '../faults/webhooks/oracle.ts';

export const PROVIDERS = ['moonpay', 'transak', 'mercuryo', 'guardarian'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** One word of a tale. */
export interface Word {
  word: string;
  said: Saying;
  /** The order as the provider writes it when this is the last word. */
  body: Record<string, unknown>;
  /** As it is told by webhook; Guardarian's prove nothing. */
  letter: Letter | { provider: 'guardarian'; text: string };
}

export interface Tale {
  reference: string;
  provider: Provider;
  side: 'buy' | 'sell';
  theirs: string;
  /** What is still to be said, and what has been. */
  plot: Status[];
  words: Word[];
}

/** Where an order goes. */
const PLOTS: readonly Status[][] = [
  ['new'],
  ['pending'],
  ['new', 'pending', 'completed'],
  ['new', 'pending', 'completed'],
  ['new', 'pending', 'paid', 'completed'],
  ['pending', 'paid'],
  ['pending', 'paid', 'completed', 'refunded'],
  ['new', 'pending', 'failed'],
  ['new', 'expired'],
  ['new', 'canceled'],
  ['pending', 'failed', 'refunded'],
  ['expired', 'completed'],
  ['failed', 'completed'],
];

/** Their word for each status; who has none skips it. */
const WORDS: Record<string, Partial<Record<Status, readonly string[]>>> = {
  'moonpay buy': {
    new: ['waitingPayment'],
    pending: ['waitingAuthorization', 'pending'],
    completed: ['completed'],
    failed: ['failed'],
    expired: ['failed'],
  },
  'moonpay sell': {
    new: ['waitingForDeposit'],
    pending: ['pending'],
    completed: ['completed'],
    failed: ['failed'],
    expired: ['failed'],
  },
  'transak buy': {
    new: ['AWAITING_PAYMENT_FROM_USER'],
    pending: ['PAYMENT_DONE_MARKED_BY_USER', 'PROCESSING'],
    paid: ['PENDING_DELIVERY_FROM_TRANSAK'],
    completed: ['COMPLETED'],
    failed: ['FAILED'],
    canceled: ['CANCELLED'],
    expired: ['EXPIRED'],
    refunded: ['REFUNDED'],
  },
  'mercuryo buy': {
    new: ['buy.new'],
    pending: ['buy.pending'],
    paid: ['buy.paid'],
    completed: ['withdraw.completed'],
    failed: ['buy.order_failed'],
    canceled: ['buy.cancelled'],
    refunded: ['buy.refunded'],
  },
  'guardarian buy': {
    new: ['new'],
    pending: ['waiting_for_deposit'],
    paid: ['exchanging'],
    completed: ['finished'],
    failed: ['failed'],
    canceled: ['canceled'],
    expired: ['expired'],
    refunded: ['refunded'],
  },
};

export interface Beginning {
  reference: string;
  provider: Provider;
  side: 'buy' | 'sell';
  theirs: string;
}

export function beginTale(beginning: Beginning, chance: Chance): Tale {
  const words = wordsOf(beginning);
  const plot = chance.pick(PLOTS).filter(status => words[status]);
  return { ...beginning, plot: plot.length > 0 ? plot : ['pending'], words: [] };
}

/** A word that is told with every other one of its tale: what the amounts and the hash are in the end. */
export interface Facts {
  hash: string;
  cents: number;
  coins: string;
}

/** Says the next word, at a moment in whole seconds. */
export function sayNext(tale: Tale, at: number, chance: Chance): Word | undefined {
  const status = tale.plot.shift();
  if (!status) return undefined;
  const facts = {
    hash: `0x${chance.hex(40)}`,
    cents: chance.whole(5_000, 90_000),
    coins: `0.00${chance.whole(10_000, 99_999)}1`,
  };
  const word = chance.pick(wordsOf(tale)[status] ?? ['']);
  const said = { status, at, ...facts, word, serial: chance.hex(12) };
  const made = MAKERS[`${tale.provider} ${tale.side}`]?.(tale, said) as Word;
  tale.words.push(made);
  return made;
}

function wordsOf({ provider, side }: Pick<Tale, 'provider' | 'side'>) {
  return WORDS[`${provider} ${side}`] ?? {};
}

interface Telling extends Facts {
  status: Status;
  word: string;
  at: number;
  serial: string;
}

type Maker = (tale: Tale, telling: Telling) => Word;

/** What was said, without what was not. */
function saying(parts: Saying): Saying {
  return Object.fromEntries(
    Object.entries(parts).filter(([, value]) => value !== undefined),
  ) as unknown as Saying;
}

function reasonOf(status: Status): string | null {
  if (status === 'failed') return 'The card was declined';
  return status === 'expired' ? 'Bank transfer timeout' : null;
}

function money(cents: number): string {
  return (cents / 100).toFixed(2);
}

/** A buy that is one operation from beginning to end, with a hash once coins are out. */
function bought(
  provider: 'moonpay' | 'transak',
  { reference, theirs }: Tale,
  telling: Telling & { reason: string | null; isPaid: boolean },
): Word {
  const { status, word, at, cents, coins, serial, reason, isPaid } = telling;
  const isDone = status === 'completed';
  const hash = isDone ? telling.hash : null;
  const letter = writeLetter(provider, { reference, theirs, word, at, reason, hash, cents, coins, serial });
  const { data, webhookData } = JSON.parse(letter.text) as Record<string, Record<string, unknown>>;
  return {
    word,
    letter,
    body: data ?? webhookData ?? {},
    said: saying({
      ...{ status, at, theirs, reason: reason ?? undefined, hash: hash ?? undefined },
      paid: isPaid ? money(cents) : undefined,
      received: isDone ? coins : undefined,
    }),
  };
}

const MAKERS: Record<string, Maker> = {
  'moonpay buy': (tale, telling) =>
    bought('moonpay', tale, {
      ...telling,
      reason: reasonOf(telling.status),
      isPaid: telling.status === 'completed',
    }),
  'moonpay sell'({ reference, theirs }, { status, word, at, hash, cents, coins }) {
    const isDone = status === 'completed';
    const reason = status === 'expired' ? 'Deposit timeout' : reasonOf(status);
    const body = {
      id: theirs,
      status: word,
      externalTransactionId: reference,
      updatedAt: iso(at),
      failureReason: reason,
      baseCurrencyAmount: Number(coins),
      quoteCurrencyAmount: cents / 100,
      depositHash: isDone ? hash : null,
    };
    return {
      word,
      body,
      letter: { provider: 'moonpay', text: JSON.stringify({ type: 'sell_transaction_updated', data: body }) },
      said: saying({
        ...{ status, at, theirs, reason: reason ?? undefined, hash: isDone ? hash : undefined },
        paid: isDone ? coins : undefined,
        received: isDone ? money(cents) : undefined,
      }),
    };
  },
  'transak buy': (tale, telling) =>
    bought('transak', tale, {
      ...telling,
      reason: telling.status === 'failed' ? 'The card was declined' : null,
      isPaid: telling.status === 'completed' || telling.status === 'paid',
    }),
  'mercuryo buy'({ reference, theirs }, { status, word, at, hash, cents, coins, serial }) {
    const isTransfer = word.startsWith('withdraw');
    const letter = writeLetter('mercuryo', {
      ...{ reference, word, at, cents, coins, serial, reason: null },
      theirs: isTransfer ? `${theirs}-out` : theirs,
      hash: isTransfer ? hash : null,
    });
    return {
      word,
      letter,
      body: (JSON.parse(letter.text) as { data: Record<string, unknown> }).data,
      said: saying({
        ...{ status, at, theirs: isTransfer ? undefined : theirs, hash: isTransfer ? hash : undefined },
        paid: status === 'paid' ? money(cents) : undefined,
        received: isTransfer ? coins : undefined,
      }),
    };
  },
  'guardarian buy'({ reference, theirs }, { status, word, at, hash, cents, coins }) {
    const isDone = status === 'completed';
    const reason = status === 'failed' ? 'The card was declined' : undefined;
    const body = {
      id: theirs,
      status: word,
      external_partner_link_id: reference,
      from_amount: money(cents),
      to_amount: coins,
      output_hash: isDone ? hash : null,
      updated_at: iso(at),
      errors: reason ? [{ code: 'exchange_failed', reason }] : [],
    };
    const text = JSON.stringify({ requesterType: 'EXCHANGE', version: '1.0', payload: body });
    return {
      word,
      body,
      letter: { provider: 'guardarian', text },
      said: saying({
        ...{ status, at, theirs, reason, hash: isDone ? hash : undefined },
        paid: isDone || status === 'paid' ? money(cents) : undefined,
        received: isDone ? coins : undefined,
      }),
    };
  },
};

function iso(at: number): string {
  return new Date(at).toISOString();
}
