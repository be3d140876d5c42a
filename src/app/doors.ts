/** Doors: how a person gets to the provider's page; made and signed by us, only for orders we own. */
import { Fault } from '../domain/fault.ts';
import { isEnd } from '../domain/transaction.ts';
import { Upstream } from '../engine/upstream.ts';
import type { Page } from '../providers/contract.ts';
import { BadAnswer } from '../providers/exchange.ts';
import type { Database } from '../store/database.ts';
import { markBegun, markOpened, markReady, markVisited } from '../store/openings.ts';
import { planTasks } from '../store/tasks.ts';
import { findTransaction, type Transaction } from '../store/transactions.ts';
import type { CheckoutPoint } from './checkout.ts';
import { type Errands, upstreamFault } from './errands.ts';
import type { Ledger } from './ledger.ts';
import type { OpenedLine } from './lines.ts';
import type { Seal } from './seal.ts';
import type { Sessions } from './sessions.ts';

export interface Doors {
  /** Whether the provider has to be asked before a person can be sent to it. */
  asks(line: OpenedLine): boolean;
  /** Asks the provider whether it takes the order, and makes it where it is to be made once. */
  prepare(transaction: Transaction, visit: Visit): Promise<void>;
  /**
   * Remembers that the person is with the provider from now on, so that it is asked what became of the order. Throws, as
   * the others do, when the session has ended meanwhile.
   */
  enter(transaction: Transaction): Promise<void>;
  /** Keeps a page that must not be made anew, with the provider's own id of the order. */
  keep(transaction: Transaction, page: Page): Promise<void>;
  /** The provider's page for a person who is about to go there. */
  open(transaction: Transaction, visit: Visit): Promise<string>;
}

export interface Visit {
  /** Address of the person's device; never stored. */
  clientIp: string | undefined;
  reach?(point: CheckoutPoint): void;
}

export interface DoorsOptions {
  database: Database;
  ledger: Ledger;
  errands: Errands;
  sessions: Sessions;
  /** Closes pages that must not be made anew. */
  seal: Seal;
  /** Asks the provider what became of a transaction's order. */
  look(transactionId: string): Promise<unknown>;
  publicUrl(): string;
  now(): number;
}

const TOO_LATE = new Fault('expired', 'The session has ended: start again', 'session');
/** A page made anew would ask for the money once more. */
const PAID = new Fault('conflict', 'The order is paid: there is nothing to do at the provider’s', 'session');
/** Whoever goes to the provider soon has something to tell. */
const FIRST_LOOK_MS = 10_000;

export function createDoors(options: DoorsOptions): Doors {
  const { database, ledger, errands, sessions, seal, now } = options;

  /** Has the adapter make the page; a refusal is written down, unless somebody may be paying on one that was made before. */
  async function make(line: OpenedLine, transaction: Transaction, visit: Visit): Promise<Page> {
    const returnUrl = `${options.publicUrl()}/pay/${sessions.tokenOf(transaction.sessionId)}/return`;
    const order = await errands.orderOf(transaction, { returnUrl, clientIp: visit.clientIp });
    return errands.run<Page>({
      line,
      order,
      work: context => line.adapter.checkout(order, context),
      read(page) {
        if (line.isOwnPage(transaction.side, page.url)) return page;
        throw new BadAnswer('a page that is not the provider’s own');
      },
      isOwnWork: !asks(line),
      onSent: () => visit.reach?.('asking'),
      isDecisive: ({ standing, visitedAt }) => standing.status === 'new' && visitedAt === undefined,
    });
  }

  /** Makes the order and keeps its page; one whose making was begun before is never made again, only asked for. */
  async function makeOnce(line: OpenedLine, transaction: Transaction, visit: Visit): Promise<string> {
    const kept = transaction.page === undefined ? undefined : seal.open(transaction.page, transaction.id);
    if (kept !== undefined) return kept;
    if (transaction.openedAt && !transaction.standing.theirs) return makeKnown(line, transaction, visit);
    const at = new Date(now());
    // Whoever was held up for long may find that somebody else has begun meanwhile.
    if (!(await markBegun(database, transaction, at))) return makeKnown(line, transaction, visit);
    await planLook(transaction);
    const page = await make(line, transaction, visit).catch(error => leave(transaction, error));
    await keep(transaction, page);
    return page.url;
  }

  /** A provider that was not available has made nothing: what was begun may be begun again. */
  async function leave({ id, openedAt }: Transaction, error: unknown): Promise<never> {
    if (error instanceof Fault && error.kind === 'unavailable')
      await markOpened(database, id, { at: openedAt });
    throw error;
  }

  async function makeAnew(line: OpenedLine, transaction: Transaction, visit: Visit): Promise<string> {
    const { url, theirs } = await make(line, transaction, visit);
    await enter(transaction);
    await remember(transaction, theirs);
    return url;
  }

  async function enter(transaction: Transaction): Promise<void> {
    if (!(await markOpened(database, transaction.id, { at: new Date(now()) }))) throw TOO_LATE;
    await planLook(transaction);
  }

  async function keep(transaction: Transaction, { url, theirs }: Page): Promise<void> {
    // Before the page: some orders can only be asked about by their id, and whoever finds a page asks for nothing more.
    await remember(transaction, theirs);
    const page = seal.close(url, transaction.id);
    if (!(await markOpened(database, transaction.id, { at: new Date(now()), page }))) throw TOO_LATE;
  }

  /** From now on the provider can be asked about the order, whether or not it ever tells of it. */
  async function remember({ id, standing }: Transaction, theirs: string | undefined): Promise<void> {
    if (theirs === undefined || theirs === standing.theirs) return;
    await ledger.hear(database, id, [{ status: 'new', at: now(), theirs }]);
  }

  /** The page of an order that was begun, if the provider knows of it by now. */
  async function makeKnown(line: OpenedLine, { id }: Transaction, visit: Visit): Promise<string> {
    await options.look(id).catch(error => {
      throw error instanceof Upstream || error instanceof BadAnswer ? upstreamFault(error) : error;
    });
    const transaction = await findTransaction(database, id);
    if (transaction && isEnd(transaction.standing.status)) throw ended(transaction);
    if (!transaction?.standing.theirs)
      throw new Fault('providerFailed', 'The order was begun; its outcome is being looked up', 'onramp');
    return makeOnce(line, transaction, visit);
  }

  function planLook({ id }: Transaction): Promise<void> {
    return planTasks(database, [{ kind: 'look-up', key: id, inMs: FIRST_LOOK_MS }]);
  }

  return {
    asks,
    enter,
    keep,
    async prepare(transaction, visit) {
      if (isEnd(transaction.standing.status)) throw ended(transaction);
      const line = errands.lineOf(transaction);
      const { makes } = line.adapter.manifest.checkout;
      if (makes === 'session') await make(line, transaction, visit);
      if (makes === 'order') await makeOnce(line, transaction, visit);
      if (!(await markReady(database, transaction.id))) throw TOO_LATE;
    },
    async open(transaction, visit) {
      const { standing, visitedAt, expiresAt } = transaction;
      if (isEnd(standing.status)) throw ended(transaction);
      if (standing.status === 'paid') throw PAID;
      // Nobody was there: it can be started over by now, also where the order was made beforehand.
      if (standing.status === 'new' && !visitedAt && now() >= expiresAt.getTime()) throw TOO_LATE;
      const line = errands.lineOf(transaction);
      const { makes } = line.adapter.manifest.checkout;
      const url = await (makes === 'order' ? makeOnce : makeAnew)(line, transaction, visit);
      await markVisited(database, transaction.id, new Date(now()));
      // One that was made beforehand is looked at from now on as often as one that is made now.
      if (makes === 'order') await planLook(transaction);
      return url;
    },
  };
}

function asks({ adapter }: OpenedLine): boolean {
  return adapter.manifest.checkout.makes !== 'link';
}

function ended({ standing: { status, reason } }: Transaction): Fault {
  const kind = status === 'failed' ? 'declined' : 'expired';
  return new Fault(kind, reason || `The transaction is ${status}`, 'session');
}
