/** The handover: what a page that leads a person through an order by steps is told once their part here is done. */
import type { PayView } from '../../app/pay.ts';
import type { BankStep, DoneStep } from '../../domain/step.ts';
import type { ProviderId } from '../../domain/words.ts';
import { viewStep } from '../earlier/step-view.ts';
import type { NextStep } from './shape.ts';
import type { Moment } from './texts.ts';

/** What the person is told at this moment. */
interface Now {
  moment: Moment;
  title: string;
}

/**
 * The next step itself; undefined while there is more to be done here. Nothing in it is personal, nor are a provider's
 * own words: who listens is not always known.
 */
export function handoverOf(view: PayView, { moment, title }: Now): NextStep | undefined {
  const { handover, bank, side } = view;
  if (!handover) return undefined;
  const { trackingUrl } = handover;
  if (moment === 'completed' || (moment === 'paid' && side === 'buy'))
    return finish(view, { type: 'completed', trackingUrl });
  if (moment === 'sendMoney' && bank) return finish(view, { type: 'requestBankTransaction', ...bank });
  return ENDED.has(moment) ? { type: 'error', message: title, fatal: true } : undefined;
}

/** The last step, which leads nowhere, as clients of the earlier surface read it. */
function finish({ provider, transactionId }: PayView, step: BankStep | DoneStep): NextStep {
  const turn = { provider: provider.id as ProviderId, transactionId, step, tokens: [] };
  return { ...viewStep(turn, ''), type: step.type };
}

const ENDED: ReadonlySet<Moment> = new Set(['failed', 'canceled', 'expired', 'refunded', 'lapsed']);
