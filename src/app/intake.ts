/** Intake: webhooks of providers, proven on their raw bytes, kept in one write and acknowledged, then dealt with. */
import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from '../domain/fault.ts';
import { writeJson } from '../domain/json.ts';
import { ENVIRONMENTS, type ProviderId } from '../domain/words.ts';
import type { Line } from '../engine/line.ts';
import type { Delivery, Manifest, Notice, Webhook } from '../providers/contract.ts';
import type { Database } from '../store/database.ts';
import {
  type Fate,
  type Incoming,
  type Kept,
  keepIncoming,
  postponeIncoming,
  settleIncoming,
  takeIncoming,
} from '../store/inbox.ts';
import { findNamed } from '../store/looks.ts';
import type { Heard } from '../store/notices.ts';
import { type Change, lockNamed, type OrderName, type Transaction } from '../store/transactions.ts';
import { startBeat } from './beat.ts';
import { createGroup } from './group.ts';
import { hasten, hintsIn, namesIn } from './hints.ts';
import type { Ledger } from './ledger.ts';
import type { Lines } from './lines.ts';
import { concerns, saidOf } from './notices.ts';
import { contentOf, deliveryOf, noticesIn, type Received } from './received.ts';

export interface Intake {
  /** Resolves when the delivery is kept for good, or has been taken as a hint. Faults: `notFound`, `unauthorized`. */
  receive(provider: ProviderId, received: Received): Promise<void>;
  /** Deals with what is due; resolves when it is done. */
  wake(): Promise<void>;
  stop(): Promise<void>;
}

export interface IntakeOptions {
  /** For keeping, which providers wait for, and for dealing with what was kept, which nobody does. */
  database: Database;
  background: Database;
  lines: Lines;
  ledger: Ledger;
  now(): number;
  /** Told what became of deliveries, for metrics. */
  observe(provider: ProviderId, what: IntakeOutcome): void;
  onError(error: unknown): void;
}

export type IntakeOutcome =
  | 'kept'
  | 'hinted'
  | 'refused'
  | 'applied'
  | 'unknownWord'
  | 'unknownOrder'
  | 'unreadable';

/** A line that webhooks are taken for. */
interface Hook {
  line: Line;
  webhook: Webhook;
}

type Proven = [Hook, ...Hook[]];

const BEAT_MS = 1_000;
const MOST_AT_ONCE = 200;
const BATCH = 200;
/** While more comes in, which waits for it. */
const SMALL_BATCH = 64;
const LONGEST_REST_MS = 100;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
/** How long an order may remain unknown before its notice is left to a person. */
const PATIENCE_MS = 24 * 3_600_000;

export function createIntake(options: IntakeOptions): Intake {
  const { database, background, lines, ledger, now, observe, onError } = options;
  let groups = 0;
  const keep = createGroup<Incoming, void>({
    most: MOST_AT_ONCE,
    async write(group) {
      await keepIncoming(database, group);
      groups++;
      void beat.wake();
      return [];
    },
  });
  const beat = startBeat({ everyMs: BEAT_MS, work: drain, onError });

  /** While more comes in, that goes first: dealing with it rests for as long as it has worked. */
  async function drain(): Promise<void> {
    try {
      for (let most = SMALL_BATCH, isMore = true; isMore; ) {
        const [began, before] = [now(), groups];
        isMore = (await batch(most)) === most;
        const comesMore = groups > before;
        if (comesMore) await wait(Math.min(now() - began, LONGEST_REST_MS));
        most = comesMore ? SMALL_BATCH : BATCH;
      }
    } catch (error) {
      onError(error);
      await sortOut();
    }
  }

  /** One by one, so that a delivery nobody can deal with does not hold up the others. */
  async function sortOut(): Promise<void> {
    for (let left = BATCH; left > 0; left--) {
      let taken: Kept | undefined;
      try {
        const count = await batch(1, ([one]) => {
          taken = one;
        });
        if (count === 0) return;
      } catch (error) {
        if (!taken) throw error;
        await postponeIncoming(background, taken.id, {
          reason: (error as Error).message.slice(0, 300),
          parkBefore: new Date(now() - PATIENCE_MS),
        });
      }
    }
  }

  /** Deals with some of what is due, all of it in one database transaction; how many there were. */
  async function batch(most: number, onTaken?: (kept: readonly Kept[]) => void): Promise<number> {
    const done = await background.transaction().execute(async trx => {
      const kept = await takeIncoming(trx, most, lines.names());
      onTaken?.(kept);
      return dealWith(trx, kept);
    });
    ledger.announce(done.changes);
    return done.count;
  }

  async function dealWith(
    trx: Database,
    kept: readonly Kept[],
  ): Promise<{ count: number; changes: Change[] }> {
    if (kept.length === 0) return { count: 0, changes: [] };
    const read = kept.map(one => ({ kept: one, ...readKept(one) }));
    const names = read.flatMap(({ kept: one, notices }) => notices.map(notice => nameOf(one, notice)));
    const transactions = names.length > 0 ? await lockNamed(trx, names) : [];
    const find = indexNamed(transactions);
    const heard: Heard[] = [];
    const fates = read.map(({ kept: one, notices, manifest, flaw }): Fate => {
      if (flaw !== undefined) return fateOf(one, 'parked', flaw);
      // Nobody who has the line has come for it.
      if (!manifest) return tryLater(one, 'the provider is not set up');
      let missing: string | undefined;
      for (const notice of notices) {
        const transaction = find(nameOf(one, notice));
        if (!transaction) missing = 'it names no transaction of ours';
        else if (!concerns(notice, transaction))
          missing = `it tells of another wallet or coin than ${transaction.id}`;
        else heard.push(...hearNotice(one, notice, { manifest, transaction }));
      }
      return missing === undefined ? fateOf(one, 'done', '') : tryLater(one, missing);
    });
    const changes = await ledger.write(trx, transactions, heard);
    await settleIncoming(trx, fates);
    return { count: kept.length, changes };
  }

  function readKept(kept: Kept): { notices: Notice[]; manifest?: Manifest; flaw?: string } {
    const line = lines.find(kept.provider, kept.environment);
    const webhook = line?.adapter.webhook;
    if (!line || !webhook) return { notices: [] };
    const envelope = JSON.parse(kept.headers) as Omit<Received, 'raw'>;
    try {
      return {
        notices: webhook.read(deliveryOf({ ...envelope, raw: kept.body })),
        manifest: line.adapter.manifest,
      };
    } catch (error) {
      observe(kept.provider, 'unreadable');
      return { notices: [], flaw: `cannot be read: ${(error as Error).message}`.slice(0, 300) };
    }
  }

  function hearNotice(
    kept: Kept,
    notice: Notice,
    { manifest, transaction }: { manifest: Manifest; transaction: Transaction },
  ): Heard[] {
    const said = saidOf(manifest, notice, {
      heardAt: kept.receivedAt.getTime(),
      order: transaction,
    });
    observe(kept.provider, said ? 'applied' : 'unknownWord');
    return said ? [{ transactionId: transaction.id, said, access: notice.access }] : [];
  }

  /** Early, or of a line that is not there at present, or not ours at all: only time tells. */
  function tryLater(kept: Kept, reason: string): Fate {
    const age = now() - kept.receivedAt.getTime();
    if (age > PATIENCE_MS) {
      observe(kept.provider, 'unknownOrder');
      return fateOf(kept, 'parked', reason);
    }
    // An account may be used elsewhere too: what has been nobody's for long is looked at less and less often.
    const longest = Math.max(LONGEST_RETRY_MS, age / 10);
    const inMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(kept.attempts, 20), Math.round(longest));
    return { ...fateOf(kept, 'due', reason), inMs };
  }

  const fateOf = (kept: Kept, state: Fate['state'], reason: string): Fate => ({
    id: kept.id,
    state,
    reason,
    inMs: 0,
  });

  /** Keeps what was proven, unless it is about nothing of ours. */
  async function file(provider: ProviderId, proven: Proven, received: Received, delivery: Delivery) {
    const [{ webhook }] = proven;
    const notices = noticesIn(webhook, delivery);
    if (notices?.length === 0) return;
    // The same news are the same delivery, however often they are sent, in whatever envelope and with whatever signature.
    const digest = hash('sha256', notices ? writeJson(notices) : delivery.raw, 'buffer');
    const environment = await environmentOf(provider, proven, notices);
    await keep({ provider, environment, digest, ...contentOf(webhook, delivery, received) });
  }

  /** Where one secret is set for both environments, that of an order it tells of, and the live one when there is none. */
  async function environmentOf(provider: ProviderId, [first, ...more]: Proven, notices: Notice[] = []) {
    if (more.length === 0) return first.line.environment;
    const [named] = await findNamed(database, provider, namesIn(notices));
    return named?.environment ?? 'live';
  }

  return {
    async receive(provider, received) {
      const delivery = deliveryOf(received);
      const hooks = ENVIRONMENTS.flatMap(environment => hookOf(lines.find(provider, environment)));
      if (hooks.length === 0) throw new Fault('notFound', 'There is no such hook', 'provider');
      const [first, ...more] = await provenBy(hooks, delivery);
      if (first) {
        await file(provider, [first, ...more], received, delivery);
        observe(provider, 'kept');
        return;
      }
      const hints = hintsIn(hooks.find(({ webhook }) => webhook.hints)?.webhook, delivery);
      if (hints.length > 0) {
        await hasten(options, provider, hints);
        observe(provider, 'hinted');
        return;
      }
      observe(provider, 'refused');
      throw new Fault('unauthorized', 'The delivery is not proven to be the provider’s', 'signature');
    },
    wake: beat.wake,
    stop: beat.stop,
  };
}

function hookOf(line: Line | undefined): Hook[] {
  const webhook = line?.adapter.webhook;
  return line && webhook ? [{ line, webhook }] : [];
}

/** Those of them whose secrets it was signed with. */
async function provenBy(hooks: readonly Hook[], delivery: Delivery): Promise<Hook[]> {
  const proven: Hook[] = [];
  for (const hook of hooks) if (await hook.line.prove(hook.webhook.claims(delivery))) proven.push(hook);
  return proven;
}

function nameOf({ provider, environment }: Kept, { reference, theirs }: Notice): OrderName {
  return { provider, environment, reference, theirs };
}

/** Finds transactions by our name for them, or else by their provider's. */
function indexNamed(transactions: readonly Transaction[]): (name: OrderName) => Transaction | undefined {
  const keyOf = ({ provider, environment }: Pick<OrderName, 'provider' | 'environment'>, name = '') =>
    `${provider} ${environment} ${name}`;
  const own = new Map(transactions.map(one => [keyOf(one, one.id), one]));
  const theirs = new Map<string, Transaction>();
  for (const one of transactions) {
    const key = keyOf(one, one.standing.theirs);
    if (one.standing.theirs !== '' && !theirs.has(key)) theirs.set(key, one);
  }
  return name => {
    const named = own.get(keyOf(name, name.reference));
    const known = theirs.get(keyOf(name, name.theirs));
    // An order of theirs is one of ours: whoever names another by it has no say there.
    return named && known && known !== named ? undefined : (named ?? known);
  };
}
