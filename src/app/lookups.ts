/** Look-ups: asks providers what became of orders, so that no order depends on a webhook that may never come. */
import type { Currencies } from '../domain/currency.ts';
import { expiryOf, isForOthers, nextLook, type Watched } from '../domain/lookup.ts';
import { isEnd, openOrders, type Status } from '../domain/transaction.ts';
import { createDeadline } from '../engine/deadline.ts';
import { Upstream } from '../engine/upstream.ts';
import { absenceIn, type Notice } from '../providers/contract.ts';
import type { Database } from '../store/database.ts';
import { markLooked } from '../store/looks.ts';
import { type Heard, lastTold, listNotices } from '../store/notices.ts';
import { eraseAccess, findTransaction, type Transaction } from '../store/transactions.ts';
import { type Access, MOST_ORDERS } from './access.ts';
import type { Ledger } from './ledger.ts';
import type { Lines, OpenedLine } from './lines.ts';
import { concerns, saidOf } from './notices.ts';
import { nativeOrder } from './orders.ts';

export interface LookupsOptions {
  database: Database;
  currencies: Currencies;
  lines: Lines;
  ledger: Ledger;
  access: Access;
  publicUrl(): string;
  now(): number;
  onUnknownWord(provider: string, word: string): void;
}

export interface Lookups {
  /**
   * Asks about one order and writes down what is said; in how many milliseconds to ask again, if at all. `others` when the
   * provider cannot be reached from here, and others should try.
   */
  look(transactionId: string): Promise<number | undefined | 'others'>;
}

const DEADLINE_MS = 10_000;
const BODY_LIMIT = 256 * 1024;

export function createLookups(options: LookupsOptions): Lookups {
  const { database, currencies, lines, ledger, now } = options;

  /** What the provider says; undefined when it cannot be asked at present. */
  async function ask(line: OpenedLine, transaction: Transaction): Promise<Notice[] | undefined> {
    const { adapter, health } = line;
    if (!adapter.status) return undefined;
    if (adapter.webhook?.hints) await markLooked(database, transaction.id, new Date(now()));
    const order = nativeOrder(transaction, {
      currencies,
      returnUrl: '',
      publicUrl: options.publicUrl(),
      access: options.access.open(transaction),
      clientIp: undefined,
    });
    if (health.admit(performance.now()) === 'skip')
      throw new Upstream('busy', 'the provider is left alone for now');
    let canAsk = true;
    let isTold = true;
    const deadline = createDeadline(DEADLINE_MS);
    try {
      const notices = await line.run<Notice[] | undefined>(
        context => {
          const work = adapter.status?.(order, context);
          canAsk = work !== undefined;
          return work;
        },
        {
          deadline,
          bodyLimit: BODY_LIMIT,
          id: transaction.id,
          authorized: true,
          // "No such order" is an answer.
          decline(answer) {
            const absence = absenceIn(answer, adapter, order);
            isTold = absence !== 'untold';
            return absence && [];
          },
        },
      );
      if (canAsk) health.succeeded();
      // Nothing was asked, so nothing is known of how it is.
      else health.failed(new Upstream('withdrawn', 'nothing to ask'), performance.now());
      return isTold ? notices : undefined;
    } catch (error) {
      health.failed(error, performance.now());
      throw error;
    } finally {
      deadline.clear();
    }
  }

  /** Writes down what is understood of what the provider says. */
  async function hear(
    line: OpenedLine,
    transaction: Transaction,
    notices: readonly Notice[],
  ): Promise<readonly Heard[]> {
    const { manifest } = line.adapter;
    const heard = notices.flatMap(notice => {
      const said = saidOf(manifest, notice, {
        // The same at every look, so that what was said before is not written down again.
        heardAt: transaction.createdAt.getTime(),
        order: transaction,
      });
      if (!said) options.onUnknownWord(manifest.id, notice.word);
      return said ? [{ transactionId: transaction.id, said, access: notice.access }] : [];
    });
    if (heard.length > 0) await ledger.note(database, heard);
    return heard;
  }

  /** When to look again; whoever is not looked at any more needs nothing that opens it. */
  async function plan(watched: Watched, { id, access }: Transaction): Promise<number | undefined> {
    const next = nextLook(watched, now());
    if (next === undefined && access !== undefined) await eraseAccess(database, id);
    return next;
  }

  /** Gives the order up when it is time to, as it stands by now: a person may go on with it at this very moment. */
  function giveUp(id: string, watch: (transaction: Transaction) => Watched): Promise<boolean> {
    const at = now();
    return ledger.judge(database, id, transaction => {
      const reason = expiryOf(watch(transaction), at);
      return reason === undefined ? undefined : { status: 'expired', at, ours: true, reason };
    });
  }

  /** Asks about an order that its provider may know of; about each, where a person has made several under our reference. */
  async function learn(line: OpenedLine | undefined, transaction: Transaction): Promise<Learned> {
    if (!line || !transaction.openedAt) return NOTHING;
    const told: Notice[] = [];
    const heard: Heard[] = [];
    let canAsk = false;
    try {
      for (const theirs of await namesOf(transaction)) {
        // Some tell of all that carry our reference, whichever is asked about.
        if (told.some(notice => notice.theirs === theirs)) continue;
        const notices = await ask(line, { ...transaction, standing: { ...transaction.standing, theirs } });
        if (!notices) continue;
        canAsk = true;
        const ours = notices.filter(notice => concerns(notice, transaction));
        told.push(...ours);
        heard.push(...(await hear(line, transaction, ours)));
      }
    } catch (trouble) {
      // What it has told before it still knows of, and is still doing.
      const last = await lastTold(database, transaction.id);
      const isUnderWay = last === 'pending' || last === 'paid';
      return { ...NOTHING, isKnown: last !== undefined, isUnderWay, trouble };
    }
    if (!canAsk) return NOTHING;
    const hasSaid = (...statuses: Status[]) => heard.some(({ said }) => statuses.includes(said.status));
    return {
      isKnown: told.length > 0,
      canAsk,
      isGone: told.length === 0,
      isUnpaid: hasSaid('new', 'pending'),
      isUnderWay: hasSaid('pending', 'paid'),
      trouble: undefined,
    };
  }

  /** The provider's ids of what is asked about; without a name while none was told. */
  async function namesOf({ id }: Transaction): Promise<string[]> {
    const names = openOrders(await listNotices(database, id), MOST_ORDERS);
    return names.length > 0 ? names : [''];
  }

  return {
    async look(transactionId) {
      const before = await findTransaction(database, transactionId);
      if (!before) return undefined;
      const line = lines.find(before.provider, before.environment);
      if (!line && isForOthers(watchedOf(before, NOTHING, line), now())) return 'others';
      const learned = await learn(line, before);
      const after = await findTransaction(database, transactionId);
      if (!after) return undefined;
      const watch = (transaction: Transaction) => watchedOf(transaction, learned, line);
      const isOver = expiryOf(watch(after), now()) !== undefined && (await giveUp(transactionId, watch));
      const watched = { ...watch(after), ...(isOver && { status: 'expired' as const, statusAt: now() }) };
      // Whoever cannot be asked is asked again soon, unless the order has ended: then at its own pace, if at all.
      if (learned.trouble !== undefined && !isEnd(watched.status)) throw learned.trouble;
      return plan(watched, after);
    },
  };
}

/** What came of asking, and what went wrong with it. */
type Learned = Pick<Watched, 'isKnown' | 'canAsk' | 'isGone' | 'isUnpaid' | 'isUnderWay'> & {
  trouble: unknown;
};

const NOTHING: Learned = {
  ...{ isKnown: false, canAsk: false, isGone: false, isUnpaid: false, isUnderWay: false },
  trouble: undefined,
};

function watchedOf(
  { standing, statusAt, createdAt, expiresAt, ready, openedAt, visitedAt }: Transaction,
  { isKnown, canAsk, isGone, isUnpaid, isUnderWay }: Learned,
  line: OpenedLine | undefined,
): Watched {
  const { givenUpAfter, lookEvery = 0 } = line?.adapter.manifest.checkout ?? {};
  return {
    status: standing.status,
    statusAt: statusAt.getTime(),
    createdAt: createdAt.getTime(),
    expiresAt: expiresAt.getTime(),
    ready,
    // An order that was made beforehand is gone on with at every visit.
    openedAt: openedAt && Math.max(openedAt.getTime(), visitedAt?.getTime() ?? 0),
    isKnown: isKnown || standing.theirs !== '',
    ...{ canAsk, isGone, isUnpaid, isUnderWay },
    unpaidMs: givenUpAfter === undefined ? undefined : givenUpAfter * 1_000,
    awaitedUntil: standing.deposit?.isSent ? undefined : standing.deposit?.until,
    isSent: standing.deposit?.isSent,
    everyMs: lookEvery * 1_000,
  };
}
