/** Guardarian's checkout and transactions imitated: made once, looked up by id, and told of without any proof. */
import { writeJson } from '../../domain/json.ts';
import { decimal } from '../../domain/money.ts';
import { type Brand, type Flow, noPage, type Opening, type Standing } from '../hosted.ts';
import { hashOf, walletOf } from '../hosted-chain.ts';
import { LIFE_MS } from '../hosted-moves.ts';
import { hostedRoutes } from '../hosted-routes.ts';
import { digest, isAbove, iso } from '../standin-kit.ts';
import type { OutgoingWebhook, StandinAnswer, StandinRequest, StandinRoute, World } from '../world.ts';
import { guarded, refused, SETTINGS } from './standin-answers.ts';
import { priceOf, type Wanted } from './standin-estimates.ts';
import { CATEGORIES } from './standin-terms.ts';

const brand: Brand = {
  name: 'Guardarian',
  color: '#0a6b4f',
  colorOnDark: '#86dcbf',
  hosts: ['pages'],
  titles: { email: 'Enter your email', code: 'Confirm your email', identity: 'Billing information' },
  cards: {},
  refundsBuys: true,
  returnsForDeposit: false,
  open,
  tell: (flow, world) => tellOf(flow.order, world),
  returns: () => ({}),
};

/** In euros; thresholds are not published. */
const DOCUMENT_FROM = decimal(700);

const [root, ...pages] = hostedRoutes(brand);

/** Their page has a path; the bare address answers too. */
export const orderRoutes: readonly StandinRoute[] = [
  ...pages,
  ...['/', '/checkout', '/en/checkout'].flatMap(path => (root ? [{ ...root, path }] : [])),
  guarded('POST', '/transaction', make),
  guarded('GET', '/transaction/:id', ({ params }, world) => {
    const body = transactionOf(params.id ?? '', world);
    return body ? { status: 200, body } : refused(404, 'NOT_FOUND', 'Transaction not found');
  }),
];

/** A transaction as it was asked for. */
interface Order {
  id: string;
  at: number;
  wanted: Wanted;
  reference: string | undefined;
  address: string | undefined;
  memo: string | undefined;
  email: string;
  back: string | undefined;
}

/** "Signing requests". That one address may make one a minute is not imitated: here everyone has the same. */
function make({ headers, rawBody, body }: StandinRequest, world: World): StandinAnswer {
  const signature = headers['partner-signature'] ?? '';
  if (!world.isSigned('rsa-sha256-base64', SETTINGS.privateKey, rawBody, signature)) {
    return refused(403, 'FORBIDDEN', 'Invalid signature');
  }
  const order = orderOf(body, world);
  const deal = priceOf(order.wanted, world);
  if ('status' in deal) return deal;
  world.notes.put(`order ${order.id}`, JSON.stringify(order));
  for (const webhook of tellOf(order.id, world)) world.notify(webhook);
  return { status: 201, body: transactionOf(order.id, world) };
}

function orderOf(body: unknown, world: World): Order {
  const at = (...names: string[]): string | undefined => {
    const found = names.reduce<unknown>(
      (value, name) => (value as Record<string, unknown> | null)?.[name],
      body,
    );
    return typeof found === 'string' ? found : undefined;
  };
  const names = [
    'from_currency',
    'to_currency',
    'from_network',
    'to_network',
    'from_amount',
    'customer_country',
  ];
  return {
    id: `5${digest(`transaction ${world.id()}`, world).replace(/\D/g, '').slice(0, 9)}`,
    at: world.now,
    wanted: {
      ...Object.fromEntries(names.map(name => [name, at(name)])),
      deposit_category: at('deposit', 'payment_category'),
    },
    reference: at('external_partner_link_id'),
    address: at('payout_info', 'payout_address'),
    memo: at('payout_info', 'extra_id'),
    email: at('customer', 'contact_info', 'email') ?? '',
    back: at('redirects', 'successful'),
  };
}

function readOrder(id: string, { notes }: World): Order | undefined {
  const note = notes.get(`order ${id}`);
  return note === undefined ? undefined : (JSON.parse(note) as Order);
}

/** Whoever has the address goes on where the person was. */
function open({ query }: StandinRequest, host: string, world: World): Opening {
  const order = readOrder(query.tid ?? '', world);
  if (!order) return noPage(404, 'This transaction does not exist.');
  const flow = flowOf(order.id, world);
  if (flow) return { kind: 'goOn', flow };
  if (world.now > order.at + LIFE_MS) {
    return noPage(410, 'This transaction has expired.');
  }
  const deal = priceOf(order.wanted, world);
  if ('status' in deal) return noPage(400, 'The price has moved too far.');
  return {
    kind: 'start',
    intent: {
      ...{ key: order.id, host, deal, order: order.id },
      means: CATEGORIES[deal.method]?.means ?? 'card',
      knowing: isAbove(DOCUMENT_FROM, deal, world) ? 'document' : 'identity',
      reference: order.reference,
      customer: undefined,
      wallet: order.address,
      memo: order.memo,
      email: order.email,
      country: order.wanted.customer_country ?? 'DE',
      returnUrl: order.back,
      dark: false,
    },
  };
}

function flowOf(id: string, { orders }: World): Flow | undefined {
  return orders.find(({ key }) => key === id).at(-1);
}

const STATUSES: Readonly<Record<Standing, string>> = {
  none: 'new',
  awaiting: 'waiting_for_deposit',
  authorizing: 'waiting_for_deposit',
  verifying: 'waiting_for_deposit',
  paid: 'exchanging',
  sending: 'sending',
  completed: 'finished',
  failed: 'failed',
  canceled: 'canceled',
  expired: 'expired',
  refunded: 'refunded',
};

/** "Webhooks": what lies between the beginning and the end is not told. */
const TOLD: ReadonlySet<string> = new Set(['new', 'failed', 'refunded', 'finished', 'expired', 'canceled']);

/** Nothing is signed; who forges one changes whom it is about. */
function tellOf(id: string, world: World): OutgoingWebhook[] {
  const payload = transactionOf(id, world);
  if (!payload || !TOLD.has(payload.status)) return [];
  const body = writeJson({ requesterType: 'EXCHANGE', version: '1.0', payload });
  return [{ headers: {}, body, signature: id }];
}

const PAID: ReadonlySet<Standing> = new Set(['paid', 'sending', 'completed', 'refunded']);

/** As their API and their webhooks write it; undefined when there is none. */
function transactionOf(id: string, world: World): { status: string; [name: string]: unknown } | undefined {
  const order = readOrder(id, world);
  if (!order) return undefined;
  const flow = flowOf(id, world);
  const left = world.now > order.at + LIFE_MS ? 'expired' : 'new';
  const status = flow ? STATUSES[flow.standing] : left;
  const failed = status === 'failed' || status === 'refunded';
  return {
    id,
    status,
    redirect_url: `${world.base('pages')}/en/checkout?tid=${id}`,
    from_currency: order.wanted.from_currency,
    from_network: order.wanted.from_network ?? null,
    from_amount: flow && PAID.has(flow.standing) ? flow.deal.pays.toString() : null,
    expected_from_amount: order.wanted.from_amount,
    to_currency: order.wanted.to_currency,
    to_network: order.wanted.to_network ?? null,
    to_amount: flow?.standing === 'completed' ? flow.deal.gets.toString() : null,
    expected_to_amount: flow?.deal.gets.toString() ?? null,
    payout: {
      address: flow?.deal.side === 'buy' ? walletOf(flow, world) : (order.address ?? null),
      extra_id: order.memo ?? null,
    },
    output_hash:
      flow?.deal.side === 'buy' && flow.standing === 'completed' ? hashOf('delivery', flow, world) : null,
    deposit_payment_category: order.wanted.deposit_category ?? null,
    errors: failed ? [{ code: 'exchange_failed', reason: flow?.reason ?? null }] : [],
    external_partner_link_id: order.reference ?? null,
    email: order.email || null,
    created_at: iso(order.at),
    updated_at: iso(flow?.updatedAt ?? order.at),
  };
}
