/** The order desk: everything that carries orders out and keeps their record, put together. */
import type { Currencies } from '../domain/currency.ts';
import type { Status } from '../domain/transaction.ts';
import type { ProviderId } from '../domain/words.ts';
import type { Database } from '../store/database.ts';
import type { Change } from '../store/transactions.ts';
import type { Callers } from './accounts.ts';
import { type Checkout, type CheckoutPoint, createCheckout } from './checkout.ts';
import { createDoors } from './doors.ts';
import { createIntake, type Intake, type IntakeOutcome } from './intake.ts';
import { createLedger } from './ledger.ts';
import type { Lines } from './lines.ts';
import type { Listings } from './listings.ts';
import { createLookups, type Lookups } from './lookups.ts';
import { createPay, type Pay } from './pay.ts';
import type { QuoteIds } from './quote-ids.ts';
import type { Quotes } from './quotes.ts';
import { createSeal } from './seal.ts';
import { createSessions } from './sessions.ts';

export interface Desk {
  checkout: Checkout;
  pay: Pay;
  intake: Intake;
  lookups: Lookups;
  /** Finishes what is under way. */
  stop(): Promise<void>;
}

export interface DeskOptions {
  database: Database;
  masterKey: Buffer;
  currencies: Currencies;
  callers: Callers;
  lines: Lines;
  listings: Listings;
  quotes: Quotes;
  ids: QuoteIds;
  publicUrl(): string;
  now(): number;
  /** Called when there is something to tell accounts. */
  onEvents(): void;
  observe: DeskObserver;
  reach(point: CheckoutPoint): void;
}

/** Told of what an operator may want to know. */
export interface DeskObserver {
  statusReached(provider: ProviderId, status: Status): void;
  contradicted(provider: ProviderId, transactionId: string): void;
  unknownWord(provider: string, word: string): void;
  webhook(provider: ProviderId, outcome: IntakeOutcome): void;
  trouble(error: unknown): void;
}

export function createDesk(options: DeskOptions): Desk {
  const { database, masterKey, lines, observe } = options;
  const sessions = createSessions(masterKey);
  const ledger = createLedger({ now: options.now, onChanged: announce });
  const lookups = createLookups({ ...options, ledger, onUnknownWord: observe.unknownWord });
  const doors = createDoors({
    ...options,
    ledger,
    sessions,
    look: lookups.look,
    seal: createSeal(masterKey, 'pages'),
  });
  const checkout = createCheckout({ ...options, sessions, doors });
  const pay = createPay({ ...options, sessions, doors, checkout, onError: observe.trouble });
  const intake = createIntake({
    database,
    lines,
    ledger,
    now: options.now,
    observe: observe.webhook,
    onError: observe.trouble,
  });

  function announce(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    for (const { transaction, standing } of changes) {
      const { provider, id } = transaction;
      if (standing.status !== transaction.standing.status) observe.statusReached(provider, standing.status);
      if (standing.contradicted && !transaction.standing.contradicted) observe.contradicted(provider, id);
    }
    pay.wake();
    options.onEvents();
  }

  return {
    checkout,
    pay,
    intake,
    lookups,
    async stop() {
      await intake.stop();
      await pay.stop();
    },
  };
}
