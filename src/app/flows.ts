/** Flows: orders gone through step by step. The first answer makes the transaction; every other goes to whoever asked. */
import { readAnswers } from '../domain/answers.ts';
import type { Asset, Fiat } from '../domain/currency.ts';
import { Fault } from '../domain/fault.ts';
import type { Amount } from '../domain/money.ts';
import type { Field, FileType, Step } from '../domain/step.ts';
import { isEnd } from '../domain/transaction.ts';
import type { CountryCode, MethodId, ProviderId, Side, StateCode } from '../domain/words.ts';
import type { StepAnswer } from '../providers/contract.ts';
import type { Database } from '../store/database.ts';
import { type Flow, findListener, type Listener, leaseTurn, releaseTurn } from '../store/flows.ts';
import { findTransaction, type Promised } from '../store/transactions.ts';
import type { Account, Callers } from './accounts.ts';
import type { Checkout } from './checkout.ts';
import type { FlowAnswers } from './flow-answers.ts';
import { createFlowBeginnings } from './flow-beginnings.ts';
import { createFlowCourse, LEASE_MS, PAUSE_MS, type Present } from './flow-course.ts';
import { answeredBefore, plainly, unknown } from './flow-faults.ts';
import type { FlowOffers } from './flow-offers.ts';
import type { FlowStages, StageVisit } from './flow-stages.ts';
import type { FlowPlace, FlowTokens } from './flow-tokens.ts';
import type { FlowTurns, Turn } from './flow-turns.ts';
import { checkVisitor, type Visitor } from './flow-visitors.ts';

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

/** Who may show the page between two steps, by web origin; the embedder alone is told. */
export interface Framers extends Listener {
  /** What the account has registered. */
  registered: readonly string[];
}

/**
 * Faults of all of them: `notFound` for a token that is not ours or another account's, `conflict` for a step that was
 * answered before or is being answered, `FatalFault` where the order cannot go on (`expired`, `declined`, `forbidden`),
 * `providerFailed`, `providerLate` and `unavailable` where the same may be tried again.
 */
export interface Flows {
  /** The order that a token leads to, if it is ours; its turn may be over. */
  leads(token: string): string | undefined;
  /** The first step on these terms. Nothing is made or kept. */
  offer(terms: FlowTerms): Turn;
  /** Takes the answer to a form; what comes next. `badInput` names the field that is wrong. */
  answer(token: string, body: unknown, visitor: Visitor): Promise<Turn>;
  /** Asks again after a wait; what comes next. Of one that is over, what came next: nothing was answered. */
  wait(token: string, visitor: Visitor): Promise<Turn>;
  /** Faults unless a file is due there. */
  expectFile(token: string, visitor: Visitor): Promise<void>;
  /** Takes a file; what comes next. `unsupportedMedia` for a type that the step does not take. */
  upload(token: string, file: { type: FileType; bytes: Uint8Array }, visitor: Visitor): Promise<Turn>;
  /** The page that a frame or window is to show: the provider's, or our pay page. */
  lead(token: string): Promise<string>;
  /** What comes next for somebody whom a provider's page has sent back. */
  back(token: string): Promise<{ turn: Turn }>;
  /** The page that is to be told then, and others around it; undefined for a token that is not ours. */
  framers(token: string): Promise<Framers | undefined>;
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

/** Longer than a provider may take over a file. */
const FILE_LEASE_MS = 60_000;
const LONGEST_MESSAGE = 1_000;

export function createFlows(options: FlowsOptions): Flows {
  const { database, callers, offers, tokens, stages, turns } = options;
  const course = createFlowCourse(options);
  const { find, standing, checkAge, held, goOn, endTurn, visitOf } = course;
  const { begin } = createFlowBeginnings({ ...options, course });

  /** Where a token leads, and the flow there, whichever turn it is at. */
  async function placeOf(token: string, visitor: Visitor): Promise<{ place: FlowPlace; present: Present }> {
    const place = tokens.read(token);
    const present = place && place.turn > 0 ? await find(place.transactionId) : undefined;
    if (!place || !present) throw unknown();
    checkVisitor(visitor, present.transaction, callers);
    return { place, present };
  }

  /** The step that a token leads to, if its flow is at that turn. */
  async function stepAt(
    token: string,
    visitor: Visitor,
  ): Promise<{ present: Present; step: Step | undefined }> {
    const { place, present } = await placeOf(token, visitor);
    if (present.flow.turn !== place.turn) throw answeredBefore();
    checkAge(present);
    return { present, step: chosenStep(present.flow, place) };
  }

  const isOver = ({ transaction }: Present) => isEnd(transaction.standing.status);

  /** The step that a token leads to: one of several, where there is a choice. */
  function chosenStep(flow: Flow, { option }: Pick<FlowPlace, 'option'>): Step | undefined {
    const step = turns.open(flow);
    if (step?.type === 'pickOne') return step.options[option]?.step;
    return option === 0 ? step : undefined;
  }

  /** Hands an answer on; nothing of it is kept. Only a field of the step's own can be what is wrong. */
  async function take(
    present: Present,
    answer: StepAnswer,
    { visitor, fields }: { visitor: Visitor; fields: readonly Field[] },
  ): Promise<Turn> {
    const { flow } = present;
    if (!(await leaseTurn(database, flow, 'file' in answer ? FILE_LEASE_MS : LEASE_MS)))
      throw new Fault('conflict', 'The step is being answered already');
    const taken = await held(present, () => handOn(present, answer, visitOf(present, visitor)));
    if (!taken || !('kind' in taken)) return goOn(present, taken);
    await releaseTurn(database, flow);
    const wrong = fields.find(({ name }) => name === taken.field);
    throw new Fault('badInput', taken.message.slice(0, LONGEST_MESSAGE), wrong?.name);
  }

  /** What an answer leads to. One that fails may be asked for no more: it ran out, or another was taken unheard. */
  async function handOn({ flow, transaction }: Present, answer: StepAnswer, visit: StageVisit) {
    try {
      return await stages.answer(transaction, answer, visit);
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'providerFailed') throw error;
      const next = await stages.next(transaction, visit);
      if (isSame(next, turns.open(flow))) throw error;
      return next;
    }
  }

  /** Asks the provider what comes next, unless it was asked just now. */
  async function askAgain(present: Present, visitor: Pick<Visitor, 'clientIp'>): Promise<Turn> {
    const { flow, transaction } = present;
    const step = turns.open(flow);
    // Whoever has it may have gone on already.
    if (!(await leaseTurn(database, flow, LEASE_MS)))
      return standing((await find(transaction.id)) ?? present);
    const next = await held(present, () => stages.next(transaction, visitOf(present, visitor)), PAUSE_MS);
    if (!isSame(next, step)) return goOn(present, next);
    await releaseTurn(database, flow, PAUSE_MS);
    return turns.turnOf(transaction, step, flow.turn);
  }

  return {
    leads: token => tokens.read(token)?.transactionId,
    offer: terms => ({
      provider: terms.provider,
      transactionId: undefined,
      step: offers.firstStep(terms),
      tokens: [offers.issue(terms)],
    }),
    answer: (token, body, visitor) =>
      plainly(async () => {
        if (!tokens.read(token)) return begin(token, body, visitor);
        const { present, step } = await stepAt(token, visitor);
        if (isOver(present)) return endTurn(present.transaction);
        if (step?.type !== 'form') throw unknown();
        const { key, fields } = step;
        return take(present, { key, values: readAnswers(fields, body) }, { visitor, fields });
      }),
    wait: (token, visitor) =>
      plainly(async () => {
        const { place, present } = await placeOf(token, visitor);
        const isPast = place.turn < present.flow.turn;
        // What was answered opens nothing more, however its address is spelled.
        if (isPast && !place.isWait) throw answeredBefore();
        // It was asked once too often, or what came next was not heard.
        if (isPast || isOver(present)) return standing(present);
        checkAge(present);
        if (chosenStep(present.flow, place)?.type !== 'wait') throw unknown();
        return askAgain(present, visitor);
      }),
    expectFile: (token, visitor) =>
      plainly(async () => {
        const { present, step } = await stepAt(token, visitor);
        if (isOver(present)) endTurn(present.transaction);
        else if (step?.type !== 'file') throw unknown();
      }),
    upload: (token, file, visitor) =>
      plainly(async () => {
        const { present, step } = await stepAt(token, visitor);
        if (isOver(present)) return endTurn(present.transaction);
        if (step?.type !== 'file') throw unknown();
        if (!step.accepts.includes(file.type))
          throw new Fault('unsupportedMedia', `The file must be one of: ${step.accepts.join(', ')}`);
        return take(present, { key: step.key, file }, { visitor, fields: [] });
      }),
    lead: token =>
      plainly(async () => {
        const place = tokens.read(token);
        const present = place && place.turn > 0 ? await find(place.transactionId) : undefined;
        if (!present || !place) throw unknown();
        const { flow, transaction } = present;
        // After the end any turn leads there, for people come back to pages that they left long ago: it shows them their
        // own order, of which whoever had a step of it knows as much, and nothing can be done there any more.
        if (isOver(present) || (flow.step === undefined && flow.turn === place.turn))
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
        const turn = standing(present);
        const step = isOver(present) ? undefined : turns.open(present.flow);
        return { turn: step && leadsAway(step) ? await askAgain(present, { clientIp: undefined }) : turn };
      }),
    async framers(token) {
      const place = tokens.read(token);
      const listener = place && (await findListener(database, place.transactionId));
      const transaction = listener && (await findTransaction(database, place.transactionId));
      if (!transaction) return undefined;
      return { ...listener, registered: callers.find(transaction.accountId)?.origins ?? [] };
    },
  };
}

function isSame(one: Step | undefined, other: Step | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Whether somebody may come back from the step with news. */
function leadsAway({ type }: Step): boolean {
  return ['iframe', 'redirect', 'pickOne', 'wait'].includes(type);
}
