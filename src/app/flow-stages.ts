/** Flow stages: where a provider that asks everything through us says an order stands, and what it asks next. */
import type { Step } from '../domain/step.ts';
import type { NativeOrder, Page, Stage, StepAnswer, Wrong } from '../providers/contract.ts';
import { BadAnswer } from '../providers/exchange.ts';
import type { Database } from '../store/database.ts';
import { markReady, markVisited } from '../store/openings.ts';
import { planTasks } from '../store/tasks.ts';
import type { Transaction } from '../store/transactions.ts';
import type { Doors } from './doors.ts';
import type { Errand, Errands } from './errands.ts';
import type { Ledger } from './ledger.ts';
import type { OpenedLine } from './lines.ts';
import { plainBank } from './notices.ts';

/** Where the person is to come back to from a page, and from where they ask. */
export type StageVisit = Pick<NativeOrder, 'returnUrl' | 'clientIp'>;

/** What comes next; undefined where the provider's own page is all there is from here on. */
export interface FlowStages {
  /** Makes the order. */
  begin(transaction: Transaction, visit: StageVisit): Promise<Step | undefined>;
  answer(transaction: Transaction, answer: StepAnswer, visit: StageVisit): Promise<Step | Wrong | undefined>;
  next(transaction: Transaction, visit: StageVisit): Promise<Step | undefined>;
}

export interface FlowStagesOptions {
  database: Database;
  errands: Errands;
  doors: Doors;
  ledger: Ledger;
  now(): number;
}

/** A file may take the provider a while. */
const FILE_DEADLINE_MS = 30_000;
const MOST_OPTIONS = 20;
const MOST_FIELDS = 50;

export function createFlowStages(options: FlowStagesOptions): FlowStages {
  const { database, errands, doors, ledger, now } = options;

  /** Writes down what is told of the order. Whoever is done is soon told what became of it. */
  async function note(transaction: Transaction, told: Stage | Page): Promise<Step | undefined> {
    if (told.kind === 'page') {
      await doors.keep(transaction, told);
      return undefined;
    }
    const { step, theirs } = told;
    const bank = step.type === 'requestBankTransaction' ? plainBank(step) : undefined;
    const isNews = (theirs !== undefined && theirs !== transaction.standing.theirs) || bank !== undefined;
    if (isNews) await ledger.hear(database, transaction.id, [{ status: 'new', at: now(), theirs, bank }]);
    if (step.type === 'completed')
      await planTasks(database, [{ kind: 'look-up', key: transaction.id, inMs: 0 }]);
    return step;
  }

  async function run<T extends { kind: string }>(
    transaction: Transaction,
    visit: StageVisit,
    errand: (line: OpenedLine, order: NativeOrder) => Omit<Errand<T>, 'line' | 'order'>,
  ): Promise<T> {
    const line = errands.lineOf(transaction);
    const order = await errands.orderOf(transaction, visit);
    return errands.run<T>({
      line,
      order,
      read: result => checkResult(result, url => line.isOwnPage(transaction.side, url)),
      // Money that was taken is not gone because a step is refused.
      isDecisive: ({ standing: { status } }) => status === 'new' || status === 'pending',
      ...errand(line, order),
    });
  }

  return {
    async begin(transaction, visit) {
      const { steps } = errands.lineOf(transaction).adapter;
      if (!steps) {
        await doors.prepare(transaction, visit);
        return undefined;
      }
      await doors.enter(transaction);
      const begun = await run<Stage | Page>(transaction, visit, (_line, order) => ({
        work: context => steps.begin(order, context),
      }));
      // From their first step on people are with the provider, as others are on its page.
      if (begun.kind === 'stage') await markVisited(database, transaction.id, new Date(now()));
      const step = await note(transaction, begun);
      await markReady(database, transaction.id);
      return step;
    },
    async answer(transaction, answer, visit) {
      const result = await run<Stage | Page | Wrong>(transaction, visit, ({ adapter }, order) => ({
        work: context => stepsOf(adapter).answer(order, answer, context),
        ...('file' in answer && { deadlineMs: FILE_DEADLINE_MS }),
      }));
      return result.kind === 'wrong' ? result : note(transaction, result);
    },
    async next(transaction, visit) {
      const told = await run<Stage | Page>(transaction, visit, ({ adapter }, order) => ({
        work: context => stepsOf(adapter).next(order, context),
      }));
      return note(transaction, told);
    },
  };
}

function stepsOf({ manifest, steps }: OpenedLine['adapter']): NonNullable<OpenedLine['adapter']['steps']> {
  if (!steps) throw new Error(`${manifest.id} has no steps any more`);
  return steps;
}

/** A step that cannot be shown, or leads elsewhere than to the provider's own pages, is no answer. */
function checkResult<T extends { kind: string }>(result: T, isOwnPage: (url: string) => boolean): T {
  const { kind, step, url } = result as { kind: string; step?: Step; url?: string };
  if (kind === 'page' && !isOwnPage(url ?? '')) throw new BadAnswer('a page that is not the provider’s own');
  if (step) checkStep(step, isOwnPage);
  return result;
}

function checkStep(step: Step, isOwnPage: (url: string) => boolean): void {
  if ((step.type === 'iframe' || step.type === 'redirect') && !isOwnPage(step.url))
    throw new BadAnswer('a page that is not the provider’s own');
  if (step.type === 'form' && step.fields.length > MOST_FIELDS) throw new BadAnswer('too many fields');
  if (step.type !== 'pickOne') return;
  if (step.options.length === 0 || step.options.length > MOST_OPTIONS)
    throw new BadAnswer(`${step.options.length} options to pick from`);
  for (const option of step.options) checkStep(option.step, isOwnPage);
}
