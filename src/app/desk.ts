/** The order desk: everything that carries orders out and keeps their record, put together. */
import type { Currencies } from '../domain/currency.ts';
import type { Status } from '../domain/transaction.ts';
import type { ProviderId } from '../domain/words.ts';
import type { Database } from '../store/database.ts';
import type { Change } from '../store/transactions.ts';
import { createAccess } from './access.ts';
import type { Callers } from './accounts.ts';
import { type Checkout, type CheckoutPoint, createCheckout } from './checkout.ts';
import { createDoors } from './doors.ts';
import { createErrands } from './errands.ts';
import { createFlowAnswers } from './flow-answers.ts';
import { createFlowOffers } from './flow-offers.ts';
import { createFlowStages } from './flow-stages.ts';
import { createFlowTokens } from './flow-tokens.ts';
import { createFlowTurns } from './flow-turns.ts';
import { createFlows, type Flows } from './flows.ts';
import { createIntake, type Intake, type IntakeOutcome } from './intake.ts';
import { createLedger } from './ledger.ts';
import type { Lines } from './lines.ts';
import type { Listings } from './listings.ts';
import { createLookups, type Lookups } from './lookups.ts';
import { createPay, type Pay } from './pay.ts';
import type { QuoteIds } from './quote-ids.ts';
import type { Quotes } from './quotes.ts';
import { createReleases } from './releases.ts';
import { createSeal } from './seal.ts';
import { createSessions } from './sessions.ts';

export interface Desk {
  checkout: Checkout;
  flows: Flows;
  pay: Pay;
  intake: Intake;
  lookups: Lookups;
  /** Finishes what is under way. */
  stop(): Promise<void>;
}

export interface DeskOptions {
  /** For those who wait for an answer, and for work that nobody waits for: connections of their own. */
  database: Database;
  background: Database;
  masterKey: Buffer;
  currencies: Currencies;
  callers: Callers;
  lines: Lines;
  listings: Listings;
  quotes: Quotes;
  ids: QuoteIds;
  publicUrl(): string;
  /** Where the earlier surface is found by the outside world. */
  legacyUrl(): string;
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
  const { database, background, masterKey, lines, observe } = options;
  const sessions = createSessions(masterKey);
  const access = createAccess(createSeal(masterKey, 'order-access'));
  const ledger = createLedger({
    access,
    currencies: options.currencies,
    now: options.now,
    onChanged: announce,
  });
  const lookups = createLookups({
    ...options,
    database: background,
    ledger,
    access,
    onUnknownWord: observe.unknownWord,
  });
  const answers = createFlowAnswers({ database, seal: createSeal(masterKey, 'flow-answers') });
  const errands = createErrands({ ...options, ledger, access, answers });
  const doors = createDoors({
    ...options,
    ledger,
    errands,
    sessions,
    look: lookups.look,
    seal: createSeal(masterKey, 'pages'),
  });
  const releases = createReleases();
  const checkout = createCheckout({ ...options, sessions, doors, releases });
  const tokens = createFlowTokens(masterKey);
  const flows = createFlows({
    ...options,
    checkout,
    tokens,
    answers,
    offers: createFlowOffers({ ...options, seal: createSeal(masterKey, 'flow-offers') }),
    stages: createFlowStages({ ...options, errands, doors, ledger }),
    turns: createFlowTurns({ ...options, tokens, sessions, seal: createSeal(masterKey, 'flow-steps') }),
  });
  const pay = createPay({ ...options, sessions, doors, checkout, onError: observe.trouble });
  const intake = createIntake({
    database,
    background,
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
    flows,
    pay,
    intake,
    lookups,
    async stop() {
      await intake.stop();
      await pay.stop();
      await releases.stop();
    },
  };
}
