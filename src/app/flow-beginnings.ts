/** Flow beginnings: the first answer, which makes the transaction and the order with it, once. */
import { FatalFault } from '../domain/fault.ts';
import { isEnd } from '../domain/transaction.ts';
import type { Database } from '../store/database.ts';
import { leaseTurn } from '../store/flows.ts';
import type { Account, Callers } from './accounts.ts';
import type { Checkout } from './checkout.ts';
import type { FlowAnswers } from './flow-answers.ts';
import { type FlowCourse, LEASE_MS, type Present } from './flow-course.ts';
import { answeredBefore, ended, unknown } from './flow-faults.ts';
import type { FirstAnswers, FlowOffer, FlowOffers } from './flow-offers.ts';
import type { FlowStages } from './flow-stages.ts';
import type { Turn } from './flow-turns.ts';
import { checkVisitor, type Visitor } from './flow-visitors.ts';

export interface FlowBeginnings {
  /** Takes the answer to the first step; what comes next. */
  begin(token: string, body: unknown, visitor: Visitor): Promise<Turn>;
}

export interface FlowBeginningsOptions {
  database: Database;
  callers: Callers;
  checkout: Pick<Checkout, 'place'>;
  offers: FlowOffers;
  answers: FlowAnswers;
  stages: FlowStages;
  course: FlowCourse;
  now(): number;
}

const FLOW_MS = 24 * 3_600_000;

export function createFlowBeginnings(options: FlowBeginningsOptions): FlowBeginnings {
  const { database, callers, checkout, offers, answers, stages, now } = options;
  const { find, held, goOn, visitOf } = options.course;

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
      given.partnerContext === transaction.partnerContext &&
      given.contextIsObject === transaction.contextIsObject &&
      given.email === answers.open(transaction.id, flow.answers)?.email;
    if (isEnd(transaction.standing.status)) throw ended(transaction);
    if (!isSame || !(await leaseTurn(database, flow, LEASE_MS))) throw answeredBefore();
  }

  return {
    async begin(token, body, visitor) {
      const offer = offers.read(token);
      const account = offer && callers.find(offer.accountId);
      if (!account) throw unknown();
      checkVisitor(visitor, offer, callers);
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
    },
  };
}
