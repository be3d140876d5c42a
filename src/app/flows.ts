/** Flows: orders gone through step by step. The first answer makes the transaction; every other goes to whoever asked. */
import { readAnswers } from '../domain/answers.ts';
import type { Asset, Fiat } from '../domain/currency.ts';
import { FatalFault, Fault } from '../domain/fault.ts';
import type { Amount } from '../domain/money.ts';
import type { FileType, Step } from '../domain/step.ts';
import { isEnd } from '../domain/transaction.ts';
import type { AccountId, CountryCode, MethodId, ProviderId, Side, StateCode } from '../domain/words.ts';
import type { StepAnswer } from '../providers/contract.ts';
import type { Database } from '../store/database.ts';
import {
  type Flow,
  findFlow,
  findListener,
  type Listener,
  leaseTurn,
  nextTurn,
  releaseTurn,
} from '../store/flows.ts';

export type { Listener };

import { findTransaction, type Promised, type Transaction } from '../store/transactions.ts';
import type { Account, Callers } from './accounts.ts';
import type { Checkout } from './checkout.ts';
import type { FlowAnswers } from './flow-answers.ts';
import { answeredBefore, ended, plainly, unknown } from './flow-faults.ts';
import type { FirstAnswers, FlowOffer, FlowOffers } from './flow-offers.ts';
import type { FlowStages } from './flow-stages.ts';
import type { FlowPlace, FlowTokens } from './flow-tokens.ts';
import type { FlowTurns } from './flow-turns.ts';

/** What was offered, and to whom: all that a flow begins with. */
export interface FlowTerms {
  account: Account;
  provider: ProviderId;
  side: Side;
  fiat: Fiat;
  asset: Asset;
  method: MethodId;
  country: CountryCode;
  state?: StateCode | undefined;
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
  /** The last part of the step's address; for a choice one for each of its options, and none at the end. */
  tokens: readonly string[];
}

export interface Visitor {
  /** Whose key was sent, if any: that of another account opens nothing. Without one the token alone does. */
  account: Account | undefined;
  /** Address of the person's device; never stored. */
  clientIp: string | undefined;
  /** Web origin of the page that shows the steps, when there is one, and of the page that frames it. */
  origin: string | undefined;
  around: string | undefined;
}

/**
 * Faults of all of them: `notFound` for a token that is not ours or another account's, `conflict` for a step that was
 * answered before or is being answered, `FatalFault` where the order cannot go on (`expired`, `declined`, `forbidden`),
 * `providerFailed`, `providerLate` and `unavailable` where the same may be tried again.
 */
export interface Flows {
  /** Whether a token leads into a flow at all; its turn may be over. */
  leads(token: string): boolean;
  /** The first step on these terms. Nothing is made or kept. */
  offer(terms: FlowTerms): Turn;
  /** Takes the answer to a form or asks again after a wait; what comes next. `badInput` names the field that is wrong. */
  answer(token: string, body: unknown, visitor: Visitor): Promise<Turn>;
  /** Takes a file; what comes next. `unsupportedMedia` for a type that the step does not take. */
  upload(token: string, file: { type: FileType; bytes: Uint8Array }, visitor: Visitor): Promise<Turn>;
  /** The page that a frame or window is to show: the provider's, or our pay page. */
  lead(token: string): Promise<string>;
  /** What comes next for somebody whom a provider's page has sent back. */
  back(token: string): Promise<{ turn: Turn }>;
  /** The page that is to be told then; undefined for a token that is not ours. */
  listener(token: string): Promise<Listener | undefined>;
}

export interface FlowsOptions {
  database: Database;
  callers: Callers;
  checkout: Pick<Checkout, 'place'>;
  offers: FlowOffers;
  tokens: FlowTokens;
  answers: FlowAnswers;
  stages: FlowStages;
  turns: FlowTurns;
  now(): number;
}

/** A flow and the order it is about. */
interface Present {
  flow: Flow;
  transaction: Transaction;
}

const FLOW_MS = 24 * 3_600_000;
/** Longer than a provider may take to answer, or to take a file. */
const LEASE_MS = 20_000;
const FILE_LEASE_MS = 60_000;
/** Whoever waits asks often; the provider is not asked as often. */
const PAUSE_MS = 1_000;
const MOST_TURNS = 1_000;
const LONGEST_MESSAGE = 300;

export function createFlows(options: FlowsOptions): Flows {
  const { database, callers, checkout, offers, tokens, answers, stages, turns, now } = options;

  async function find(transactionId: string): Promise<Present | undefined> {
    const flow = await findFlow(database, transactionId);
    const transaction = flow && (await findTransaction(database, transactionId));
    return transaction && { flow, transaction };
  }

  const isOpenTo = ({ account }: Pick<Visitor, 'account'>, owner: AccountId) =>
    account === undefined || account.id === owner;

  /** The first answer: it makes the transaction, once, and the order with it. */
  async function begin(token: string, body: unknown, visitor: Visitor): Promise<Turn> {
    const offer = offers.read(token);
    const account = offer && callers.find(offer.accountId);
    if (!account || !isOpenTo(visitor, account.id)) throw unknown();
    if (account.signedCheckouts)
      throw new FatalFault('forbidden', 'Checkouts of this account must be signed');
    const before = await find(offer.id);
    if (before && before.flow.turn > 0) throw answeredBefore();
    if (!before && offer.until <= now())
      throw new FatalFault('expired', 'The offer has run out: ask for rates again');
    const given = offers.readFirst(offer, body);
    if (before) await takeUp(before, given);
    else await place(offer, account, { given, visitor });
    const present = await find(offer.id);
    if (!present) throw unknown();
    const step = await held(present, () => stages.begin(present.transaction, visitOf(present, visitor)));
    return goOn(present, step);
  }

  async function place(
    offer: FlowOffer,
    account: Account,
    { given, visitor }: { given: FirstAnswers; visitor: Visitor },
  ): Promise<void> {
    const { email, ...rest } = given;
    const { fiat, asset } = offer;
    const [fiatWord, coinWord] = [fiat.code.toLowerCase(), asset.main ? asset.code.toLowerCase() : asset.id];
    await checkout.place({
      ...offer,
      ...rest,
      account,
      origin: 'earlier',
      source: offer.side === 'buy' ? fiatWord : coinWord,
      target: offer.side === 'buy' ? coinWord : fiatWord,
      quoteId: undefined,
      uuid: undefined,
      originatingHost: undefined,
      theme: { isDark: false },
      returnTo: undefined,
      signNonce: undefined,
      idempotency: undefined,
      clientIp: visitor.clientIp,
      flow: {
        answers: answers.close(offer.id, { email }),
        embedder: visitor.origin,
        around: visitor.around,
        expiresAt: new Date(now() + FLOW_MS),
        leaseMs: LEASE_MS,
      },
    });
  }

  /** Goes on where an order was made and its provider did not answer; with other answers it would be another order. */
  async function takeUp({ flow, transaction }: Present, given: FirstAnswers): Promise<void> {
    const isSame =
      (given.wallet?.address ?? '') === transaction.walletAddress &&
      given.wallet?.memo === transaction.walletMemo &&
      given.email === answers.open(transaction.id, flow.answers)?.email;
    if (isEnd(transaction.standing.status)) throw ended(transaction);
    if (!isSame || !(await leaseTurn(database, flow, LEASE_MS))) throw answeredBefore();
  }

  /** Does what a turn was taken for; whoever fails gives it back. */
  async function held<T>({ flow }: Present, work: () => Promise<T>, pauseMs = 0): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await releaseTurn(database, flow, pauseMs);
      throw error;
    }
  }

  async function goOn({ flow, transaction }: Present, step: Step | undefined): Promise<Turn> {
    const sealed = step && turns.close(transaction, step);
    if (flow.turn >= MOST_TURNS || (step && !sealed)) {
      await releaseTurn(database, flow);
      throw new Fault('providerFailed', 'The provider asks for more than can be shown');
    }
    const pauseMs = step?.type === 'wait' ? PAUSE_MS : 0;
    if (await nextTurn(database, flow, { step: sealed, pauseMs }))
      return turns.turnOf(transaction, step, flow.turn + 1);
    const present = await findTransaction(database, transaction.id);
    if (present && isEnd(present.standing.status)) return endTurn(present);
    throw answeredBefore();
  }

  function endTurn(transaction: Transaction): Turn {
    if (transaction.standing.status !== 'completed') throw ended(transaction);
    return turns.turnOf(transaction, { type: 'completed' }, 0);
  }

  const visitOf = ({ transaction }: Present, { clientIp }: Pick<Visitor, 'clientIp'>) => ({
    returnUrl: turns.returnUrl(transaction),
    clientIp,
  });

  /** The flow a token leads to, if it is at that turn. */
  async function presentAt(place: FlowPlace | undefined, visitor: Visitor): Promise<Present> {
    const present = place && place.turn > 0 ? await find(place.transactionId) : undefined;
    if (!present || !isOpenTo(visitor, present.transaction.accountId)) throw unknown();
    if (present.flow.turn !== place?.turn) throw answeredBefore();
    checkAge(present);
    return present;
  }

  function checkAge({ flow }: Present): void {
    if (flow.expiresAt.getTime() <= now())
      throw new FatalFault('expired', 'The order was not gone on with in time: start again');
  }

  /** The step that a token leads to: one of several, where there is a choice. */
  function chosenStep(flow: Flow, { option }: Pick<FlowPlace, 'option'>): Step | undefined {
    const step = turns.open(flow);
    if (step?.type === 'pickOne') return step.options[option]?.step;
    return option === 0 ? step : undefined;
  }

  /** Hands an answer on; nothing of it is kept. */
  async function take(present: Present, answer: StepAnswer, visitor: Visitor): Promise<Turn> {
    const { flow, transaction } = present;
    if (!(await leaseTurn(database, flow, 'file' in answer ? FILE_LEASE_MS : LEASE_MS)))
      throw new Fault('conflict', 'The step is being answered already');
    const taken = await held(present, () => stages.answer(transaction, answer, visitOf(present, visitor)));
    if (!('kind' in taken)) return goOn(present, taken);
    await releaseTurn(database, flow);
    const { field = '', message } = taken;
    const isAnswered = 'values' in answer && Object.hasOwn(answer.values, field);
    throw new Fault('badInput', message.slice(0, LONGEST_MESSAGE), isAnswered ? field : undefined);
  }

  /** Asks the provider what comes next, unless it was asked just now. */
  async function askAgain(present: Present, visitor: Pick<Visitor, 'clientIp'>): Promise<Turn> {
    const { flow, transaction } = present;
    const step = turns.open(flow);
    if (!(await leaseTurn(database, flow, LEASE_MS))) return turns.turnOf(transaction, step, flow.turn);
    const next = await held(present, () => stages.next(transaction, visitOf(present, visitor)), PAUSE_MS);
    if (JSON.stringify(next) !== JSON.stringify(step)) return goOn(present, next);
    await releaseTurn(database, flow, PAUSE_MS);
    return turns.turnOf(transaction, step, flow.turn);
  }

  return {
    leads: token => tokens.read(token) !== undefined,
    offer: terms => ({
      provider: terms.provider,
      transactionId: undefined,
      step: offers.firstStep(terms),
      tokens: [offers.issue(terms)],
    }),
    answer: (token, body, visitor) =>
      plainly(async () => {
        const place = tokens.read(token);
        if (!place) return begin(token, body, visitor);
        const present = await presentAt(place, visitor);
        if (isEnd(present.transaction.standing.status)) return endTurn(present.transaction);
        const step = chosenStep(present.flow, place);
        if (step?.type === 'wait') return askAgain(present, visitor);
        if (step?.type !== 'form') throw unknown();
        return take(present, { key: step.key, values: readAnswers(step.fields, body) }, visitor);
      }),
    upload: (token, file, visitor) =>
      plainly(async () => {
        const place = tokens.read(token);
        const present = await presentAt(place, visitor);
        if (isEnd(present.transaction.standing.status)) return endTurn(present.transaction);
        const step = place && chosenStep(present.flow, place);
        if (step?.type !== 'file') throw unknown();
        if (!step.accepts.includes(file.type))
          throw new Fault('unsupportedMedia', `The file must be one of: ${step.accepts.join(', ')}`);
        return take(present, { key: step.key, file }, visitor);
      }),
    lead: token =>
      plainly(async () => {
        const place = tokens.read(token);
        const present = place && place.turn > 0 ? await find(place.transactionId) : undefined;
        if (!present || !place) throw unknown();
        const { flow, transaction } = present;
        if (isEnd(transaction.standing.status) || (flow.step === undefined && flow.turn === place.turn))
          return turns.payPage(transaction);
        if (flow.turn !== place.turn) throw answeredBefore();
        checkAge(present);
        const step = chosenStep(flow, place);
        if (step?.type !== 'iframe' && step?.type !== 'redirect') throw unknown();
        return step.url;
      }),
    back: token =>
      plainly(async () => {
        const place = tokens.read(token);
        const present = place?.turn === 0 ? await find(place.transactionId) : undefined;
        if (!present) throw unknown();
        const { flow, transaction } = present;
        if (isEnd(transaction.standing.status)) return { turn: endTurn(transaction) };
        checkAge(present);
        const step = turns.open(flow);
        if (step && leadsAway(step)) return { turn: await askAgain(present, { clientIp: undefined }) };
        return { turn: turns.turnOf(transaction, step, flow.turn) };
      }),
    async listener(token) {
      const place = tokens.read(token);
      return place && findListener(database, place.transactionId);
    },
  };
}

/** Whether somebody may come back from the step with news. */
function leadsAway({ type }: Step): boolean {
  return ['iframe', 'redirect', 'pickOne', 'wait'].includes(type);
}
