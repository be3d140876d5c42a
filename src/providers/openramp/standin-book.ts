/** The stand-in's book: its orders as it writes them, in answers and in signed webhooks, and its hosted pages. */
import { writeJson } from '../../domain/json.ts';
import type { Status } from '../../domain/transaction.ts';
import { type Brand, type Flow, noPage, type Opening, type Standing } from '../hosted.ts';
import { depositOf, hashOf } from '../hosted-chain.ts';
import { IBAN, referenceOf } from '../hosted-forms.ts';
import { iso } from '../standin-kit.ts';
import type { OutgoingWebhook, StandinRequest, World } from '../world.ts';
import { SETTINGS } from './standin-answers.ts';

/** What it keeps of an order beside the flow. Nothing that the person answered is in it. */
export interface Note {
  /** Whether the partner leads the person through the steps. */
  steps: boolean;
  /** Whose hook is told. */
  hook: string;
  /** The step that is asked at present, those that were answered, and how often in vain. */
  at: string;
  done: readonly string[];
  tries: number;
}

export function noteOf({ id }: Flow, { notes }: World): Note {
  return JSON.parse(notes.get(id) ?? '{"done":[]}') as Note;
}

export function keepNote({ id }: Flow, note: Note, { notes }: World): void {
  notes.put(id, JSON.stringify(note));
}

export const brand: Brand = {
  name: 'Openramp',
  color: '#0b6b4f',
  colorOnDark: '#7fe0c0',
  hosts: ['pages'],
  titles: {},
  cards: {},
  refundsBuys: true,
  returnsForDeposit: true,
  open,
  tell: (flow, world) => [webhookOf(flow, world)],
  returns: ({ order }) => ({ order }),
};

function open({ query }: StandinRequest, host: string, world: World): Opening {
  const flow = world.orders.get(query.order ?? '');
  return flow?.host === host
    ? { kind: 'goOn', flow }
    : noPage(404, 'There is no such order. Start again from the shop.');
}

const STATUSES: Readonly<Record<Standing, Status>> = {
  none: 'new',
  awaiting: 'pending',
  authorizing: 'pending',
  verifying: 'pending',
  paid: 'paid',
  sending: 'paid',
  completed: 'completed',
  failed: 'failed',
  canceled: 'canceled',
  expired: 'expired',
  refunded: 'refunded',
};

/** An order as it is now, without the step that is next. */
export function orderOf(flow: Flow, world: World): object {
  const { deal, standing, history, reason } = flow;
  const status = STATUSES[standing];
  const hasPaid = history.some(said => said.standing === 'paid');
  const isWaited = standing === 'awaiting';
  const { address, memo, amount } = depositOf(flow, world);
  return {
    id: flow.order,
    reference: flow.reference,
    status,
    at: iso(flow.updatedAt),
    ...(reason && status !== 'completed' && { reason }),
    page: `${world.base(flow.host)}/?order=${flow.id}`,
    ...(hasPaid && { paid: deal.pays.toString() }),
    ...(status === 'completed' && { received: deal.gets.toString() }),
    ...hashFor(flow, world),
    ...(deal.side === 'sell' && isWaited && { deposit: { address, memo, amount: amount?.toString() } }),
    ...(deal.side === 'buy' && isWaited && flow.means === 'bank' && { bank: bankOf(flow) }),
  };
}

function hashFor(flow: Flow, world: World): { hash?: string } {
  const { deal, standing, history } = flow;
  if (deal.side === 'buy') return standing === 'completed' ? { hash: hashOf('delivery', flow, world) } : {};
  if (standing === 'refunded') return { hash: hashOf('refund', flow, world) };
  return history.some(said => said.standing === 'paid') ? { hash: hashOf('deposit', flow, world) } : {};
}

/** Where the person sends the money. */
export function bankOf(flow: Flow): object {
  return {
    depositBankAccount: {
      iban: IBAN.replaceAll(' ', ''),
      bic: 'COBADEFFXXX',
      bankName: 'Sandbox Bank',
      bankAddress: 'Kaiserplatz 1, 60311 Frankfurt am Main, Germany',
      accountName: 'Openramp Sandbox',
      accountAddress: 'Nowhere 1, 10115 Berlin, Germany',
    },
    reference: referenceOf(flow),
    hint: 'Sandbox: send nothing. The money arrives by itself within a few seconds.',
  };
}

/** "Standard Webhooks". */
export function webhookOf(flow: Flow, world: World): OutgoingWebhook {
  const { hook } = noteOf(flow, world);
  const body = writeJson({ type: 'order.updated', timestamp: iso(world.now), data: orderOf(flow, world) });
  const id = `msg_${world.id()}`;
  const seconds = `${Math.floor(world.now / 1000)}`;
  const signature = world.sign('standard-webhooks', SETTINGS.webhookSecret, `${id}.${seconds}.${body}`);
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature}`,
  };
  return { headers, body, signature, ...(hook && { to: hook }) };
}
