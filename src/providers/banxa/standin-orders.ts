/** Banxa's checkout and orders imitated: pages that open once within a minute, orders as looked up and as told. */
import { writeJson } from '../../domain/json.ts';
import { cut, decimal } from '../../domain/money.ts';
import { member } from '../../domain/words.ts';
import { type Brand, type Flow, noPage, type Opening, type Standing } from '../hosted.ts';
import { hashOf, walletOf } from '../hosted-chain.ts';
import { LIFE_MS } from '../hosted-moves.ts';
import { hostedRoutes, reopen } from '../hosted-routes.ts';
import { digest, filled, isAbove, iso } from '../standin-kit.ts';
import type { OutgoingWebhook, StandinAnswer, StandinRequest, StandinRoute, World } from '../world.ts';
import { refused, route, SETTINGS } from './standin-answers.ts';
import { amountsOf, priceOf, type Wanted } from './standin-quotes.ts';
import { blockchainOf, METHODS } from './standin-terms.ts';

const brand: Brand = {
  name: 'Banxa',
  color: '#1b6e63',
  colorOnDark: '#7fd6c8',
  hosts: ['pages'],
  titles: { email: 'Create your order', code: 'Verify your email', identity: 'Identity verification' },
  // "Sandbox test data".
  cards: { '4111111111111111': { outcome: 'approved' } },
  refundsBuys: true,
  returnsForDeposit: false,
  open,
  tell,
  // The names in the address are ours: theirs were not found.
  returns: flow => ({ orderId: flow.order, orderStatus: SAID[flow.standing] }),
};

/** How long a page that nobody opens can be opened. */
const PAGE_MS = 60_000;
/** In euros; which amount parts their levels is not published. */
const DOCUMENT_FROM = decimal(1000);

export const orderRoutes: readonly StandinRoute[] = [
  ...hostedRoutes(brand),
  route('POST', '/buy', make),
  route('GET', '/orders/:id', ({ params }, world) => {
    const order = readOrder(params.id ?? '', world);
    if (!order) return refused(404, 'The order was not found');
    const [flow] = world.orders.find(one => one.order === order.id);
    return { status: 200, body: flow ? foundOf(flow, order, world) : unopened(order, world) };
  }),
];

/** An order as it was asked for. */
interface Order {
  id: string;
  at: number;
  wanted: Wanted;
}

const NEEDED = ['crypto', 'fiat', 'walletAddress', 'redirectUrl', 'externalCustomerId'];

/** "Create buy order". */
function make({ body }: StandinRequest, world: World): StandinAnswer {
  const wanted = textsOf(body);
  const missing = NEEDED.find(name => !wanted[name]);
  if (missing) return refused(422, `${missing} is required`, missing);
  const deal = priceOf(wanted, world);
  if ('status' in deal) return deal;
  const id = digest(`order ${world.id()}`, world).slice(0, 32);
  const order: Order = { id, at: world.now, wanted };
  world.notes.put(`order ${id}`, JSON.stringify(order));
  const checkoutUrl = `${world.base('pages')}/?id=${id}&oneTime=${oneTimeOf(id, world)}`;
  return { status: 200, body: { id, checkoutUrl, ...namesOf(wanted), ...amountsOf(deal) } };
}

function textsOf(body: unknown): Wanted {
  const given = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  return Object.fromEntries(given.filter(([, value]) => typeof value === 'string')) as Wanted;
}

function namesOf({ externalOrderId, externalCustomerId, fiat, crypto, blockchain }: Wanted): object {
  return { externalOrderId: externalOrderId ?? null, externalCustomerId, fiat, crypto, blockchain };
}

function oneTimeOf(id: string, world: World): string {
  return digest(`page ${id} ${SETTINGS.apiKey}`, world).slice(32, 64);
}

function readOrder(id: string, { notes }: World): Order | undefined {
  const note = notes.get(`order ${id}`);
  return note === undefined ? undefined : (JSON.parse(note) as Order);
}

/** A page opens once; whoever has it open may come back to it. */
function open(request: StandinRequest, host: string, world: World): Opening {
  const { id = '', oneTime } = request.query;
  const order = readOrder(id, world);
  if (!order || oneTime !== oneTimeOf(id, world)) return noPage(403, 'This link is not valid.');
  const again = reopen(request, id, world);
  if (again) return again;
  if (world.now > order.at + PAGE_MS) return noPage(403, 'This link has expired.');
  const { wanted } = order;
  const deal = priceOf(wanted, world);
  if ('status' in deal) return noPage(400, 'The order cannot be priced.');
  return {
    kind: 'start',
    intent: {
      ...{ key: id, host, deal, order: id },
      means: METHODS[deal.method]?.means ?? 'card',
      knowing: isAbove(DOCUMENT_FROM, deal, world) ? 'document' : 'identity',
      reference: wanted.externalOrderId,
      customer: wanted.externalCustomerId,
      wallet: wanted.walletAddress,
      memo: wanted.walletAddressTag,
      email: wanted.email ?? '',
      country: 'AU',
      returnUrl: wanted.redirectUrl,
      dark: false,
    },
  };
}

/** "Order statuses". */
const SAID: Readonly<Record<Standing, string>> = {
  none: 'pendingPayment',
  awaiting: 'pendingPayment',
  authorizing: 'waitingPayment',
  verifying: 'waitingPayment',
  paid: 'paymentReceived',
  sending: 'cryptoTransferred',
  completed: 'complete',
  failed: 'declined',
  canceled: 'cancelled',
  expired: 'expired',
  refunded: 'refunded',
};

/** "Webhooks": on every change of the status, signed with the path of the address that was registered. */
function tell(flow: Flow, world: World): OutgoingWebhook[] {
  const before = flow.history.at(-2);
  if (before && SAID[before.standing] === SAID[flow.standing]) return [];
  const body = writeJson(toldOf(flow, world));
  const nonce = Math.floor(world.now / 1000);
  const signed = `POST\n${world.hookPath}\n${nonce}\n${body}`;
  const signature = world.sign('hmac-sha256-hex', SETTINGS.webhookSecret, signed);
  const headers = { Authorization: `Bearer ${SETTINGS.apiKey}:${signature}:${nonce}` };
  return [{ headers, body, signature, received: [200] }];
}

function hashIfAny(flow: Flow, world: World): string | undefined {
  const isSent = flow.history.some(({ standing }) => standing === 'sending');
  return isSent ? hashOf('delivery', flow, world) : undefined;
}

function toldOf(flow: Flow, world: World): object {
  const { deal } = flow;
  const { fiatAmount, cryptoAmount } = amountsOf(deal);
  const dollars = (world.market.perEuro(deal.fiat.code) ?? decimal(1)).div(world.market.perEuro('USD') ?? 1);
  return {
    order_id: flow.order,
    status: SAID[flow.standing],
    status_date: written(flow.updatedAt),
    created_at: written(flow.createdAt),
    updated_at: written(flow.updatedAt),
    external_id: flow.reference ?? null,
    order_type: 'BUY',
    crypto_coin: deal.asset.code,
    crypto_blockchain: blockchainOf(deal.asset),
    crypto_amount: cryptoAmount,
    fiat_currency: deal.fiat.code,
    fiat_amount: fiatAmount,
    asset_price: deal.rate.toString(),
    payment_method: deal.method,
    processing_fee: deal.fee.toString(),
    network_fee: deal.networkFee.toString(),
    usd_exchange_rate: filled(cut(dollars, 7), { decimals: 7 }),
    transaction_hash: hashIfAny(flow, world) ?? '0',
    metadata: [],
  };
}

/** `2026-01-01 12:00:00` */
function written(at: number): string {
  return iso(at).slice(0, 19).replace('T', ' ');
}

/** "Get order". */
function foundOf(flow: Flow, order: Order, world: World): object {
  const { deal } = flow;
  return {
    ...bare(order, { status: SAID[flow.standing], updatedAt: flow.updatedAt }),
    country: flow.country,
    ...amountsOf(deal),
    processingFee: deal.fee.toString(),
    networkFee: deal.networkFee.toString(),
    transactionHash: hashIfAny(flow, world) ?? null,
    walletAddress: walletOf(flow, world),
  };
}

/** One whose page was never opened waits for it, and expires as any other. */
function unopened(order: Order, { now }: World): object {
  const end = order.at + LIFE_MS;
  return now < end
    ? bare(order, { status: 'pendingPayment', updatedAt: order.at })
    : bare(order, { status: 'expired', updatedAt: end });
}

function bare({ id, at, wanted }: Order, now: { status: string; updatedAt: number }): object {
  return {
    id,
    reference: decimal(`18${id.replace(/\D/g, '').slice(0, 6)}`),
    externalOrderId: wanted.externalOrderId ?? null,
    externalCustomerId: wanted.externalCustomerId,
    country: null,
    orderStatusUrl: null,
    orderType: 'BUY',
    crypto: { id: wanted.crypto, blockchain: wanted.blockchain },
    fiat: wanted.fiat,
    fiatAmount: wanted.fiatAmount ?? null,
    cryptoAmount: wanted.cryptoAmount ?? null,
    paymentMethodId: wanted.paymentMethodId,
    paymentMethodName: member(METHODS, wanted.paymentMethodId ?? '')?.name,
    transactionHash: null,
    walletAddress: wanted.walletAddress,
    walletAddressTag: wanted.walletAddressTag ?? '',
    status: now.status,
    metadata: null,
    createdAt: micro(at),
    updatedAt: micro(now.updatedAt),
  };
}

/** `2026-01-01T12:00:00.000000Z` */
function micro(at: number): string {
  return iso(at).replace('Z', '000Z');
}
