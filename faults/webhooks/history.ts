/** Histories: what providers tell of orders, at random but from one seed, in every mix that may happen. */
import type { Chance } from '../bed/chance.ts';
import { type Letter, type Provider, writeLetter } from '../bed/wire.ts';
import type { Saying, Status } from './oracle.ts';

/** One webhook, and what it comes to. */
export interface News extends Letter {
  kind: 'told' | 'strange word' | 'other event' | 'unknown order' | 'unreadable';
  /** The transaction it is about; empty when there is none. */
  reference: string;
  said?: Saying;
}

export interface Told {
  id: string;
  provider: Provider;
}

/** Where an order goes; `*` marks a second order under the same reference. */
const PLOTS = [
  'new',
  'new pending',
  'new hold pending',
  'new pending completed',
  'new pending paid completed',
  'pending paid completed refunded',
  'new pending failed',
  'new expired',
  'new canceled',
  'failed refunded',
  'expired completed',
  'failed completed',
  'canceled pending paid completed',
  'new failed *new *pending *completed',
  'expired *pending *failed',
  'failed *pending',
  'completed *completed',
].map(plot => plot.split(' '));

/** Their word for each step; a provider that has none skips it. */
const WORDS: Record<Provider, Readonly<Record<string, readonly string[]>>> = {
  moonpay: {
    new: ['waitingPayment'],
    pending: ['waitingAuthorization', 'pending'],
    completed: ['completed'],
    failed: ['failed'],
    expired: ['failed'],
  },
  transak: {
    new: ['AWAITING_PAYMENT_FROM_USER'],
    hold: ['ON_HOLD_PENDING_DELIVERY_FROM_TRANSAK'],
    pending: ['PAYMENT_DONE_MARKED_BY_USER', 'PROCESSING'],
    paid: ['PENDING_DELIVERY_FROM_TRANSAK'],
    completed: ['COMPLETED'],
    failed: ['FAILED'],
    canceled: ['CANCELLED'],
    expired: ['EXPIRED'],
    refunded: ['REFUNDED'],
  },
  mercuryo: {
    new: ['buy.new'],
    pending: ['buy.pending', 'withdraw.pending'],
    paid: ['buy.paid'],
    completed: ['withdraw.completed'],
    failed: ['buy.order_failed', 'withdraw.failed'],
    canceled: ['buy.cancelled'],
    refunded: ['buy.refunded'],
  },
};

const DAY_SECONDS = 86_400;

/** So many webhooks in all about these transactions, few of which are about nothing we know. */
export function tellHistories(transactions: readonly Told[], wanted: number, chance: Chance): News[] {
  const odd = tellOddities(transactions, Math.ceil(wanted / 25), chance);
  const tellers = transactions.map(transaction => createTeller(transaction, chance));
  const news = [...odd, ...tellers.flatMap(teller => teller.plot())];
  while (news.length < wanted) news.push(chance.pick(tellers).more());
  return news;
}

interface Teller {
  plot(): News[];
  /** One more of what the plot holds, at another time and with other facts. */
  more(): News;
}

function createTeller({ id, provider }: Told, chance: Chance): Teller {
  const words = WORDS[provider];
  const plot = chance.pick(PLOTS).filter(step => words[step.replace('*', '')]);
  const steps = plot.length > 0 ? plot : ['pending'];
  const orders = { first: chance.hex(16), second: chance.hex(16) };
  const hasTwo = steps.some(step => step.startsWith('*'));
  const [hash, cents] = [`0x${chance.hex(40)}`, chance.whole(5_000, 90_000)];
  const coins = `0.00${chance.whole(10_000, 99_999)}1`;
  const began = Date.UTC(2026, 0, 1) / 1000 + chance.whole(0, 365 * DAY_SECONDS);
  const times = new Set<number>();
  let isNamed = false;

  /** No two at the same time: the oracle need not know what then counts more. */
  function nextTime(): number {
    for (;;) {
      const at = (began + chance.whole(0, DAY_SECONDS)) * 1000;
      if (times.has(at)) continue;
      times.add(at);
      return at;
    }
  }

  function tell(step: string): News {
    const status = step.replace('*', '');
    const word = chance.pick(words[status] ?? []);
    const theirs = step.startsWith('*') ? orders.second : orders.first;
    // An order can be found by its own id once a webhook has brought both.
    const omits = isNamed && !hasTwo && provider !== 'mercuryo' && chance.below(1) < 0.05;
    if (!word.startsWith('withdraw')) isNamed = true;
    const tidings = {
      reference: omits ? undefined : id,
      theirs,
      word,
      at: nextTime(),
      reason: reasonOf(provider, status),
      hash: chance.below(1) < 0.4 ? hash : null,
      cents,
      coins,
      serial: chance.hex(12),
    };
    const letter = writeLetter(provider, tidings);
    return { ...letter, kind: 'told', reference: id, said: understand(provider, status, tidings) };
  }

  return { plot: () => steps.map(tell), more: () => tell(chance.pick(steps)) };
}

function reasonOf(provider: Provider, status: string): string | null {
  if (provider === 'mercuryo') return null;
  if (status === 'failed') return 'The card was declined';
  return status === 'expired' && provider === 'moonpay' ? 'Bank transfer timeout' : null;
}

type Tidings = Parameters<typeof writeLetter>[1];

/** What a webhook of a buy means, by the provider's documents: amounts count once they have moved. */
function understand(provider: Provider, step: string, tidings: Tidings): Saying {
  const { at, hash, cents, coins, theirs, reason } = tidings;
  const status = (step === 'hold' ? 'pending' : step) as Status;
  const isTransfer = tidings.word.startsWith('withdraw');
  const isDone = status === 'completed';
  const money = (cents / 100).toFixed(2);
  return {
    status,
    at,
    theirs: isTransfer ? undefined : theirs,
    reason: step === 'hold' ? 'on hold' : (reason ?? undefined),
    hash: provider !== 'mercuryo' || isTransfer ? (hash ?? undefined) : undefined,
    paid: status === 'paid' || (isDone && !isTransfer) ? money : undefined,
    received: isDone ? coins : undefined,
  };
}

/** Words nobody knows, events about people, orders nobody has made, and bodies that are not as documented. */
function tellOddities(transactions: readonly Told[], count: number, chance: Chance): News[] {
  const kinds = ['strange word', 'other event', 'unknown order', 'unreadable'] as const;
  return Array.from({ length: count }, (_, at) => {
    const { id, provider } = chance.pick(transactions);
    const kind = kinds[at % kinds.length] as (typeof kinds)[number];
    const serial = chance.hex(12);
    const tidings: Tidings = {
      reference: kind === 'unknown order' ? `01UNKNOWN${chance.hex(17).toUpperCase()}` : id,
      theirs: chance.hex(16),
      word: provider === 'mercuryo' ? 'buy.pending' : chance.pick(WORDS[provider].pending ?? []),
      ...{ at: Date.UTC(2026, 0, 1), reason: null, hash: null, cents: 10_000, coins: '0.001', serial },
    };
    if (kind === 'strange word')
      tidings.word = `buy.strange_${serial}`.slice(provider === 'mercuryo' ? 0 : 4);
    if (kind === 'other event' || kind === 'unreadable')
      return { kind, reference: '', provider, text: ODD[kind](provider, serial) };
    return { ...writeLetter(provider, tidings), kind, reference: '' };
  });
}

const ODD = {
  'other event': (provider: Provider, serial: string) =>
    JSON.stringify(
      provider === 'moonpay'
        ? { type: 'identity_check_updated', data: { id: serial } }
        : provider === 'transak'
          ? { eventID: 'KYC_APPROVED', webhookData: { id: serial } }
          : { eventId: serial, data: { type: 'deposit', id: '0', status: 'new' } },
    ),
  unreadable: (provider: Provider, serial: string) =>
    JSON.stringify({
      type: 'transaction_updated',
      eventID: 'ORDER_CREATED',
      webhookData: { status: 'COMPLETED', serial },
      data: provider === 'transak' ? undefined : { status: 'completed', serial },
    }),
};
