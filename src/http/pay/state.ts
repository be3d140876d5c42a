/** The state of an order as the page shows it: made by the server alone, so that a reload and a live page look the same. */
import type { PayView } from '../../app/pay.ts';
import type { Currencies } from '../../domain/currency.ts';
import { GIVEN_UP } from '../../domain/lookup.ts';
import { cameToNothing, isEnd, SINCE } from '../../domain/transaction.ts';
import { visible } from '../html.ts';
import { bankOf, isTransferDue } from './bank.ts';
import { depositOf } from './deposit.ts';
import { handoverOf } from './handover.ts';
import type { PayState } from './shape.ts';
import { type Speech, speechOf } from './speech.ts';
import { breakDown, writeSum } from './sums.ts';
import type { Moment, Saying, Tense, Words } from './texts.ts';

export interface StateOptions {
  /** Milliseconds since 1970. */
  now: number;
  speech: Speech;
  currencies?: Currencies | undefined;
}

/** What a state is put into words with. */
type Voice = Omit<StateOptions, 'now'>;

export function stateOf(view: PayView, { now, ...pen }: StateOptions): PayState {
  const { status, side, hash, transactionId, sequence } = view;
  const { words, say } = pen.speech;
  const moment = momentOf(view, now);
  const tense = TENSE[moment];
  const isUndone = tense === 'undone';
  const provider = visible(view.provider.name);
  // What programs read is in one language, whatever the person reads.
  const { title } = sayingOf(view, moment, speechOf('en').words);
  const saying = sayingOf(view, moment, words);
  return {
    transactionId,
    status,
    reason: plainReason(view.reason),
    hash,
    deposit: (moment === 'sendCoins' && depositOf(view)) || null,
    bank: bankOf(view) ?? null,
    handover: handoverOf(view, { moment, title }) ?? null,
    sequence,
    finished: isEnd(status) && !cameToNothing(status),
    expiresIn: Math.max(0, Math.min(endOf(view, moment) - now, MOST_WAIT_MS)),
    can: { open: tense === 'due', again: isUndone && view.restarts },
    step: STEP[moment],
    tone: status === 'completed' ? 'good' : isUndone ? 'bad' : 'calm',
    moot: isMoot(tense),
    texts: {
      title: saying.title,
      lead: say(saying.lead, topicOf(view, tense, pen)),
      ...wayOf(view, moment, pen.speech),
      reason: sayReason(view, moment, pen.speech),
      estimate: tense === 'due' ? say(words.estimate, { provider }) : '',
      wallet: words.wallet[side][tense],
    },
    rows: rowsOf(view, tense, pen),
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
  const { status, reason, opened, expiresAt } = view;
  // We gave it up, and were wrong: nobody is to pay once more.
  if (cameToNothing(status) && reason === SINCE.paid) return 'paid';
  if (isSending(view, now)) return 'sendCoins';
  if (isTransferDue(view)) return 'sendMoney';
  // Nobody went there to pay: the same as before our clock said so.
  if (status === 'expired' && !opened) return 'lapsed';
  if (status !== 'new') return status;
  // Whoever went to the provider in time may finish there.
  if (opened) return 'new';
  return now >= expiresAt ? 'lapsed' : 'ready';
}

/** When something else is to be said though nothing has happened; 0 for never. */
function endOf({ expiresAt, deposit }: PayView, moment: Moment): number {
  if (moment === 'ready') return expiresAt;
  return moment === 'sendCoins' ? (deposit?.until ?? 0) : 0;
}

/** Some providers call it pending when they wait for coins: unless a hash is known, or they say so, none may have been sent. */
function isSending({ side, deposit, status, hash }: PayView, now: number): boolean {
  if (side !== 'sell' || !deposit || deposit.isSent || hash || now >= (deposit.until ?? Infinity))
    return false;
  return status === 'new' || status === 'pending';
}

/** Titles hold no names and no sums; a moment that the side does not know is like its first. */
function sayingOf({ side }: PayView, moment: Moment, { sayings }: Words): Saying {
  const known: Readonly<Partial<Record<Moment, Saying>>> = sayings[side];
  return known[moment] ?? sayings[side].new;
}

/** What the words are about. */
function topicOf(view: PayView, tense: Tense, pen: Voice): Record<string, string> {
  const { side, pays, deposit } = view;
  const { words, say } = pen.speech;
  const sent = deposit?.amount ? { ...pays, amount: deposit.amount } : pays;
  const gets = writeSum(view.gets, pen);
  return {
    provider: visible(view.provider.name),
    pays: writeSum(side === 'sell' ? sent : pays, pen),
    gets: isAbout(view, tense) ? say(words.about.sum, { sum: gets }) : gets,
    asset: visible(assetCode(view)),
    network: visible(view.network),
  };
}

/** Whether what is received cannot be stated as a fact: nobody has told it yet, and it was not given up. */
function isAbout({ isEstimate }: PayView, tense: Tense): boolean {
  return isEstimate && !isMoot(tense);
}

/** Whether nothing was exchanged in the end. */
function isMoot(tense: Tense): boolean {
  return tense === 'undone' || tense === 'returned';
}

/** What the way to the provider's page is called, and what to know before taking it again. */
function wayOf(
  { side, opened, provider: { name } }: PayView,
  moment: Moment,
  { words, say }: Speech,
): { open: string; openNote: string } {
  const provider = visible(name);
  const way = (open: string, note = '') => ({
    open: say(open, { provider }),
    openNote: say(note, { provider }),
  });
  if (moment === 'sendCoins' || moment === 'sendMoney') return way(words.link);
  if (moment === 'pending') return way(words.reopen, words.reopened[side]);
  if (!opened) return way(words.open);
  return way(words.resume, side === 'buy' ? words.resumed : '');
}

export function assetCode({ side, pays, gets }: PayView): string {
  return side === 'buy' ? gets.code : pays.code;
}

function rowsOf(view: PayView, tense: Tense, pen: Voice): PayState['rows'] {
  const { side, pays, providerFee, networkFee } = view;
  const { words, say } = pen.speech;
  const parts = breakDown(view, pen);
  const asset = visible(assetCode(view));
  const provider = visible(view.provider.name);
  // Providers tell what was paid and received in the end, not what they kept of it.
  const fee = (label: string) =>
    tense === 'due' || tense === 'paid' ? label : say(words.quoted, { fee: label });
  const row = (label: string, value: string, about = '') => ({ label, about, value });
  return {
    pays: row(words.pays[side][tense], writeSum(pays, pen)),
    value: row(
      say(isMoot(tense) ? words.worth : words.value[side], { asset }),
      parts ? writeSum(parts.value, pen) : '',
    ),
    providerFee: row(fee(say(words.providerFee, { provider })), writeSum(providerFee, pen)),
    networkFee: row(fee(words.networkFee), writeSum(networkFee, pen)),
    rate: row(words.rate, parts?.rate ?? ''),
    gets: row(words.gets[tense], writeSum(view.gets, pen), isAbout(view, tense) ? words.about.word : ''),
  };
}

/** A reason as the provider's words; those of an order that ran out of time may be ours. */
function sayReason({ status, reason, provider }: PayView, moment: Moment, { words, say }: Speech): string {
  const plain = plainReason(reason);
  if (!plain || moment === 'lapsed' || moment === 'paid') return '';
  const own = OUR_REASONS.get(plain);
  if (own !== undefined) return words.reasons[own];
  return status === 'expired' ? plain : say(words.says, { provider: visible(provider.name), reason: plain });
}

/** What is said of an order that we gave up after it was begun, and of one that its provider goes on with. */
const OUR_REASONS: ReadonlyMap<string, keyof Words['reasons']> = new Map([
  [GIVEN_UP.unpaid, 'unpaid'],
  [GIVEN_UP.noCoins, 'noCoins'],
  [GIVEN_UP.silent, 'silent'],
  [GIVEN_UP.unknown, 'unknown'],
  [GIVEN_UP.untold, 'untold'],
  [SINCE.pending, 'resumed'],
]);

const LONGEST_REASON = 300;

/** A provider's reason in words: `card_declined` becomes `Card declined`. */
function plainReason(reason: string): string {
  const text = visible(reason.slice(0, LONGEST_REASON)).trim();
  if (!/^[a-z0-9]+([_-][a-z0-9]+)*$/i.test(text) || !/[_-]/.test(text)) return text;
  const words = text.replace(/[_-]/g, ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
