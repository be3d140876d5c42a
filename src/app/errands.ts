/** Errands: what an order needs of its provider, asked for under a deadline; a refusal is written down, trouble is a fault. */
import type { Currencies } from '../domain/currency.ts';
import { Fault } from '../domain/fault.ts';
import type { Decline } from '../domain/offer.ts';
import { createDeadline } from '../engine/deadline.ts';
import { Upstream } from '../engine/upstream.ts';
import type { NativeOrder } from '../providers/contract.ts';
import type { Context, Work } from '../providers/exchange.ts';
import type { Database } from '../store/database.ts';
import { planTasks } from '../store/tasks.ts';
import type { Transaction } from '../store/transactions.ts';
import type { Access } from './access.ts';
import { faultOf } from './declines.ts';
import type { FlowAnswers } from './flow-answers.ts';
import type { Ledger } from './ledger.ts';
import type { Lines, OpenedLine } from './lines.ts';
import { plain } from './notices.ts';
import { nativeOrder } from './orders.ts';

/** One thing to be done for an order. */
export interface Errand<T> {
  line: OpenedLine;
  order: NativeOrder;
  work(context: Context): Work<T | Decline>;
  /** Reads what came; what it throws counts against the provider. */
  read?(result: T): T;
  /** A link is only signed: that says nothing of how the provider is. */
  isOwnWork?: boolean;
  deadlineMs?: number;
  onSent?(): void;
  /** Whether a refusal ends the order, as it stands then; it does unless told otherwise. */
  isDecisive?(transaction: Transaction): boolean;
}

export interface Errands {
  lineOf(transaction: Transaction): OpenedLine;
  /** The order in its provider's words, for somebody who is to come back to `returnUrl`. */
  orderOf(transaction: Transaction, at: Pick<NativeOrder, 'returnUrl' | 'clientIp'>): Promise<NativeOrder>;
  /** Faults: `declined` (written down), `providerLate`, `providerFailed`, `unavailable`. */
  run<T extends { kind: string }>(errand: Errand<T>): Promise<T>;
}

export interface ErrandsOptions {
  database: Database;
  currencies: Currencies;
  lines: Lines;
  ledger: Ledger;
  access: Access;
  answers: FlowAnswers;
  publicUrl(): string;
  now(): number;
}

const DEADLINE_MS = 10_000;
const BODY_LIMIT = 256 * 1024;

export function createErrands(options: ErrandsOptions): Errands {
  const { database, currencies, lines, ledger, access, answers, publicUrl, now } = options;

  async function refuse<T>({ order, isDecisive }: Errand<T>, decline: Decline): Promise<never> {
    const failed = { status: 'failed', at: now(), ours: true, reason: plain(decline.message) } as const;
    if (decline.isOver) await planTasks(database, [{ kind: 'look-up', key: order.id, inMs: 0 }]);
    else if (decline.reason !== 'unavailable')
      await ledger.judge(database, order.id, transaction =>
        (isDecisive?.(transaction) ?? true) ? failed : undefined,
      );
    throw faultOf(decline);
  }

  /** What comes of it counts for or against the provider; what we make of a refusal does not. */
  async function ask<T extends { kind: string }>(errand: Errand<T>): Promise<T | Decline> {
    const { line, order, work, read } = errand;
    const health = errand.isOwnWork ? undefined : line.health;
    if (health?.admit(performance.now()) === 'skip')
      throw new Fault('unavailable', 'The provider is not answering at the moment', 'onramp');
    const deadline = createDeadline(errand.deadlineMs ?? DEADLINE_MS);
    try {
      const running = line.run<T | Decline>(work, {
        deadline,
        bodyLimit: BODY_LIMIT,
        id: order.id,
        authorized: true,
        decline: answer => line.adapter.decline?.(answer, order),
      });
      errand.onSent?.();
      const came = await running;
      const result = read && !isDecline(came) ? read(came) : came;
      health?.succeeded();
      return result;
    } catch (error) {
      health?.failed(weigh(error, line), performance.now());
      throw upstreamFault(error);
    } finally {
      deadline.clear();
    }
  }

  return {
    lineOf({ provider, environment }) {
      const line = lines.find(provider, environment);
      if (!line) throw new Fault('unavailable', `${provider} is not available at the moment`, 'onramp');
      return line;
    },
    async orderOf(transaction, { returnUrl, clientIp }) {
      return nativeOrder(transaction, {
        currencies,
        email: await answers.emailOf(transaction),
        returnUrl,
        publicUrl: publicUrl(),
        access: access.open(transaction),
        clientIp,
      });
    },
    async run<T extends { kind: string }>(errand: Errand<T>): Promise<T> {
      const result = await ask(errand);
      return isDecline(result) ? refuse(errand, result) : result;
    },
  };
}

function isDecline(result: { kind: string }): result is Decline {
  return result.kind === 'decline';
}

/** What the trouble says of the provider: one person who is to wait says nothing of what others may ask. */
function weigh(error: unknown, { adapter }: OpenedLine): unknown {
  const { throttlesPeople } = adapter.manifest.checkout;
  const isPersonal = throttlesPeople && error instanceof Upstream && error.kind === 'limited';
  return isPersonal ? new Upstream('withdrawn', 'the person is to wait') : error;
}

/** Trouble of a provider's, as whoever waits for it is told. */
export function upstreamFault(error: unknown): Fault {
  if (error instanceof Upstream) {
    if (error.kind === 'late')
      return new Fault('providerLate', 'The provider did not answer in time', 'onramp');
    if (error.kind === 'limited' || error.kind === 'busy')
      return new Fault('unavailable', 'The provider is busy at the moment', 'onramp');
  }
  return new Fault('providerFailed', 'The provider could not be used', 'onramp');
}
