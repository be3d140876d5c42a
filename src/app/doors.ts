/** Doors: how a person gets to the provider's page; made and signed by us, only for orders we own. */
import type { Currencies } from '../domain/currency.ts';
import { Fault } from '../domain/fault.ts';
import type { Decline } from '../domain/offer.ts';
import { isEnd } from '../domain/transaction.ts';
import { createDeadline } from '../engine/deadline.ts';
import { Upstream } from '../engine/upstream.ts';
import { BadAnswer, type Page } from '../providers/contract.ts';
import type { Database } from '../store/database.ts';
import { planTasks } from '../store/tasks.ts';
import { findTransaction, markOpened, markReady, type Transaction } from '../store/transactions.ts';
import type { CheckoutPoint } from './checkout.ts';
import { faultOf } from './declines.ts';
import type { Ledger } from './ledger.ts';
import type { Lines, OpenedLine } from './lines.ts';
import { nativeOrder } from './orders.ts';
import type { Seal } from './seal.ts';
import type { Sessions } from './sessions.ts';

export interface Doors {
  /** Whether the provider has to be asked before a person can be sent to it. */
  asks(line: OpenedLine): boolean;
  /** Asks the provider whether it takes the order, and makes it where it is to be made once. */
  prepare(transaction: Transaction, visit: Visit): Promise<void>;
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
  currencies: Currencies;
  lines: Lines;
  ledger: Ledger;
  sessions: Sessions;
  /** Closes pages that must not be made anew. */
  seal: Seal;
  /** Asks the provider what became of a transaction's order. */
  look(transactionId: string): Promise<unknown>;
  publicUrl(): string;
  now(): number;
}

const DEADLINE_MS = 10_000;
const BODY_LIMIT = 256 * 1024;
/** Whoever goes to the provider soon has something to tell. */
const FIRST_LOOK_MS = 10_000;

export function createDoors(options: DoorsOptions): Doors {
  const { database, currencies, lines, ledger, sessions, seal, now } = options;

  function lineOf({ provider, environment }: Transaction): OpenedLine {
    const line = lines.find(provider, environment);
    if (!line) throw new Fault('unavailable', `${provider} is not available at the moment`, 'onramp');
    return line;
  }

  /** Has the adapter make the page; a refusal is written down. */
  async function make(line: OpenedLine, transaction: Transaction, visit: Visit): Promise<Page> {
    const { adapter } = line;
    const returnUrl = `${options.publicUrl()}/pay/${sessions.tokenOf(transaction.sessionId)}/return`;
    const order = nativeOrder(transaction, {
      currencies,
      returnUrl,
      publicUrl: options.publicUrl(),
      clientIp: visit.clientIp,
    });
    // A link is only signed: that says nothing of how the provider is.
    const health = asks(line) ? line.health : undefined;
    if (health?.admit(performance.now()) === 'skip')
      throw new Fault('unavailable', 'The provider is not answering at the moment', 'onramp');
    const deadline = createDeadline(DEADLINE_MS);
    try {
      const made = line.run<Page | Decline>(context => adapter.checkout(order, context), {
        deadline,
        bodyLimit: BODY_LIMIT,
        id: transaction.id,
        authorized: true,
        decline: answer => adapter.decline?.(answer, order),
      });
      visit.reach?.('asking');
      const page = await made;
      health?.succeeded();
      if (page.kind === 'decline') return await refuse(transaction, page);
      if (!line.isOwnPage(transaction.side, page.url))
        throw new BadAnswer('a page that is not the provider’s own');
      return page;
    } catch (error) {
      if (error instanceof Fault) throw error;
      health?.failed(error, performance.now());
      throw upstreamFault(error);
    } finally {
      deadline.clear();
    }
  }

  async function refuse(transaction: Transaction, decline: Decline): Promise<never> {
    if (decline.reason !== 'unavailable') {
      await ledger.hear(database, transaction.id, [
        { status: 'failed', at: now(), ours: true, reason: decline.message },
      ]);
    }
    throw faultOf(decline);
  }

  /** Makes the order and keeps its page; one whose making was begun before is never made again, only asked for. */
  async function makeOnce(line: OpenedLine, transaction: Transaction, visit: Visit): Promise<string> {
    const kept = transaction.page === undefined ? undefined : seal.open(transaction.page, transaction.id);
    if (kept !== undefined) return kept;
    if (transaction.openedAt && !transaction.standing.theirs) return makeKnown(line, transaction, visit);
    const at = new Date(now());
    await markOpened(database, transaction.id, { at, page: undefined });
    await planLook(transaction, at);
    const { url, theirs } = await make(line, transaction, visit);
    await markOpened(database, transaction.id, {
      at: new Date(now()),
      page: seal.close(url, transaction.id),
    });
    if (theirs !== undefined)
      await ledger.hear(database, transaction.id, [{ status: 'new', at: now(), theirs }]);
    return url;
  }

  /** The page of an order that was begun, if the provider knows of it by now. */
  async function makeKnown(line: OpenedLine, { id }: Transaction, visit: Visit): Promise<string> {
    await options.look(id);
    const transaction = await findTransaction(database, id);
    if (transaction && isEnd(transaction.standing.status)) throw ended(transaction);
    if (!transaction?.standing.theirs)
      throw new Fault('providerFailed', 'The order was begun; its outcome is being looked up', 'onramp');
    return makeOnce(line, transaction, visit);
  }

  function planLook({ id }: Transaction, at: Date): Promise<void> {
    return planTasks(database, [{ kind: 'look-up', key: id, dueAt: new Date(at.getTime() + FIRST_LOOK_MS) }]);
  }

  return {
    asks,
    async prepare(transaction, visit) {
      if (isEnd(transaction.standing.status)) throw ended(transaction);
      const line = lineOf(transaction);
      const { makes } = line.adapter.manifest.checkout;
      if (makes === 'session') await make(line, transaction, visit);
      if (makes === 'order') await makeOnce(line, transaction, visit);
      await markReady(database, transaction.id);
    },
    async open(transaction, visit) {
      if (isEnd(transaction.standing.status)) throw ended(transaction);
      const at = new Date(now());
      if (!transaction.openedAt && at >= transaction.expiresAt)
        throw new Fault('expired', 'The session has ended: start again', 'session');
      const line = lineOf(transaction);
      if (line.adapter.manifest.checkout.makes === 'order') return makeOnce(line, transaction, visit);
      const { url } = await make(line, transaction, visit);
      await markOpened(database, transaction.id, { at, page: undefined });
      await planLook(transaction, at);
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

function upstreamFault(error: unknown): Fault {
  if (error instanceof Upstream) {
    if (error.kind === 'late')
      return new Fault('providerLate', 'The provider did not answer in time', 'onramp');
    if (error.kind === 'limited' || error.kind === 'busy')
      return new Fault('unavailable', 'The provider is busy at the moment', 'onramp');
  }
  return new Fault('providerFailed', 'The provider could not be used', 'onramp');
}
