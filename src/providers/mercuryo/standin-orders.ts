/** Mercuryo's widget and orders imitated: the link, and the two operations of an order as looked up and called back. */
import { writeJson } from '../../domain/json.ts';
import type { Instant, Side } from '../../domain/words.ts';
import {
  type Brand,
  type Deal,
  type Flow,
  type Knowing,
  type Means,
  noPage,
  type Opening,
  type Standing,
} from '../hosted.ts';
import { depositOf, hashOf, walletOf } from '../hosted-chain.ts';
import { hostedRoutes } from '../hosted-routes.ts';
import { digest, filled, iso, uuid } from '../standin-kit.ts';
import type { OutgoingWebhook, StandinAnswer, StandinRequest, World } from '../world.ts';
import { fail, SETTINGS } from './standin-answers.ts';
import { priceOf } from './standin-rates.ts';
import { FIATS, mustBeVerified, THEIR_NETWORKS } from './standin-terms.ts';

const brand: Brand = {
  name: 'Mercuryo',
  color: '#0a7a52',
  colorOnDark: '#5fd6a8',
  hosts: ['widget'],
  titles: { email: 'Log in', code: 'Confirm your email', document: 'Identity verification' },
  // "Sandbox": the second one fails with this security code.
  cards: {
    '4444444444443333': { outcome: 'approved' },
    '5555444433331111': { outcome: 'approved', badCode: '555' },
  },
  refundsBuys: true,
  returnsForDeposit: false,
  open,
  tell,
  // None are documented.
  returns: () => ({}),
};

export const hostedPages = hostedRoutes(brand);

/** Their reference of a partner is unique: a link with it leads to the same order for ever. */
function open({ query, search, ip }: StandinRequest, host: string, world: World): Opening {
  if (query.widget_id !== SETTINGS.widgetId) return noPage(401, 'Widget is not found');
  const reference = query.merchant_transaction_id;
  const known = world.orders.find(flow =>
    reference ? flow.reference === reference : flow.key === search && flow.stage !== 'end',
  );
  if (known[0]) return { kind: 'goOn', flow: known[0] };

  const side: Side = query.type === 'sell' ? 'sell' : 'buy';
  const deal = priceOf(
    {
      ...{ side, fiat: query.fiat_currency, ticker: query.currency, network: query.network },
      amount: side === 'buy' ? query.fiat_amount : query.amount,
      method: methodOf(query),
    },
    world,
  );
  if (typeof deal === 'string') return noPage(400, deal);
  return {
    kind: 'start',
    intent: {
      ...{ key: search, host, deal, reference },
      order: idOf(world.id(), world),
      means: meansOf(deal.method),
      knowing: knowingOf(deal, world),
      customer: undefined,
      wallet: side === 'buy' ? query.address : query.refund_address,
      memo: undefined,
      email: query.email ?? '',
      country: (query.country_code ?? 'de').toUpperCase(),
      returnUrl: query.return_url,
      dark: /dark/.test(query.theme ?? ''),
      blocked: isSigned(query, ip, world) ? undefined : 'Signature is invalid',
    },
  };
}

/** Which values the parameter has is not published; those of the lists are taken, and cards for any other. */
function methodOf({ fiat_currency: fiat, payment_method: method }: StandinRequest['query']): string {
  return method && FIATS[fiat ?? '']?.includes(method) ? method : 'card';
}

function meansOf(method: string): Means {
  if (method === 'card') return 'card';
  return /bank|pix|interac|mandiri|bni|bri|permata/.test(method) ? 'bank' : 'wallet';
}

/** The threshold is published for buys; whoever sells is asked a little more. */
function knowingOf({ side, fiat, pays, value }: Deal, world: World): Knowing {
  if (mustBeVerified(side === 'buy' ? pays : value, fiat, world)) return 'document';
  return side === 'buy' ? 'nothing' : 'identity';
}

/** "Signature Wallet Address" (v1), and what is seen in production (v2). Without an address there is nothing to sign. */
function isSigned(query: StandinRequest['query'], ip: string, world: World): boolean {
  const { address, signature } = query;
  if (!address) return true;
  const text = `${address}${SETTINGS.secretKey}`;
  const v2 = digest(`${text}${ip}${query.merchant_transaction_id ?? ''}`, world);
  return signature === digest(text, world) || signature === `v2:${v2}`;
}

type Type = 'buy' | 'withdraw' | 'deposit' | 'sell';

/** What each standing means for the two operations of an order. They have no word for an order that expired. */
const SAID: Readonly<Record<Side, Record<Standing, readonly (readonly [Type, string])[]>>> = {
  buy: {
    none: [],
    awaiting: [['buy', 'new']],
    authorizing: [['buy', 'pending']],
    verifying: [['buy', 'pending']],
    paid: [
      ['buy', 'paid'],
      ['withdraw', 'new'],
    ],
    sending: [['withdraw', 'pending']],
    completed: [['withdraw', 'completed']],
    failed: [['buy', 'order_failed']],
    canceled: [['buy', 'cancelled']],
    expired: [['buy', 'cancelled']],
    // Not documented; one integrator reports the word.
    refunded: [['buy', 'refunded']],
  },
  sell: {
    none: [],
    awaiting: [['deposit', 'new']],
    authorizing: [],
    verifying: [['deposit', 'pending']],
    paid: [
      ['deposit', 'completed'],
      ['sell', 'new'],
    ],
    sending: [['sell', 'pending']],
    completed: [['sell', 'succeeded']],
    failed: [['deposit', 'failed']],
    canceled: [['deposit', 'failed']],
    expired: [['deposit', 'failed']],
    refunded: [['sell', 'failed']],
  },
};

/** Once the first operation is through, it is the second one that fails. */
function saidAt(standing: Standing, { deal, history }: Flow): readonly (readonly [Type, string])[] {
  const isPaid = history.some(said => said.standing === 'paid');
  if (standing !== 'failed' || !isPaid) return SAID[deal.side][standing];
  return [[deal.side === 'buy' ? 'withdraw' : 'sell', 'failed']];
}

/** "Callbacks": one for each operation that changed; only a 200 is taken for received. */
function tell(flow: Flow, world: World): OutgoingWebhook[] {
  return saidAt(flow.standing, flow).map(([type, status]) => {
    const data = callbackOf(flow, { type, status, at: flow.updatedAt }, world);
    const body = writeJson({ eventId: uuid(world.id(), world), data });
    const signature = world.sign('hmac-sha256-hex', SETTINGS.signKey, body);
    return { headers: { 'X-Signature': signature }, body, signature, received: [200] };
  });
}

interface Operation {
  type: Type;
  status: string;
  at: Instant;
}

function callbackOf(flow: Flow, operation: Operation, world: World): object {
  const { deal } = flow;
  return {
    ...amountsOf(flow, operation, world),
    type: operation.type,
    payment_method: PAID_WITH[deal.method] ?? 'bank_card',
    network: THEIR_NETWORKS.get(deal.asset.network),
    contract_address: null,
    rate: filled(deal.rate, deal.fiat),
    fee: filled(deal.fee, deal.fiat),
    partner_fee: '0.00',
    card: flow.means === 'card' && flow.account ? { number: flow.account } : null,
    card_masked_pan: null,
    user: {
      uuid4: uuid(`user ${flow.email}`, world),
      country_code: flow.country.toLowerCase(),
      email: flow.email,
    },
    tx: transferOf(flow, operation, world),
    created_at_ts: Math.floor(flow.createdAt / 1000),
    updated_at_ts: Math.floor(operation.at / 1000),
  };
}

const PAID_WITH: Readonly<Record<string, string>> = {
  card: 'card',
  apple: 'mobile_pay',
  google: 'mobile_pay',
  revolut_pay: 'revolut',
};

/** What callbacks and look-ups have in common. On a sell a recorded payload has the money after the fee. */
function amountsOf(flow: Flow, { type, status, at }: Operation, world: World) {
  const { side, fiat, asset, pays, gets } = flow.deal;
  const isBuy = side === 'buy';
  return {
    id: type === side ? flow.order : idOf(`${type} ${flow.order}`, world),
    merchant_transaction_id: flow.reference ?? null,
    fiat_currency: fiat.code,
    fiat_amount: filled(isBuy ? pays : gets, fiat),
    currency: asset.code,
    amount: filled(isBuy ? gets : pays, asset),
    status,
    created_at: spaced(flow.createdAt),
    updated_at: spaced(at),
  };
}

/** The coins' way out, or in; the other operations move money. */
function transferOf(flow: Flow, { type, status }: Operation, world: World) {
  const isDone = status === 'completed';
  if (type === 'withdraw') {
    return { id: isDone ? hashOf('delivery', flow, world) : null, address: walletOf(flow, world) };
  }
  if (type !== 'deposit') return null;
  return { id: isDone ? hashOf('deposit', flow, world) : null, address: depositOf(flow, world).address };
}

/** `2025-01-01 10:00:00` */
function spaced(at: Instant): string {
  return iso(at).slice(0, 19).replace('T', ' ');
}

/** Their ids are hexadecimal and open with a zero. */
function idOf(text: string, world: World): string {
  return `0${digest(text, world).slice(0, 17)}`;
}

const MOST_ROWS = 50;

/** "Get transactions": a row for each order, its operations by type. */
export function listOrders({ headers, query }: StandinRequest, world: World): StandinAnswer {
  if (headers['sdk-partner-token'] !== SETTINGS.partnerToken) return fail(401, 'Token is invalid');
  const { merchant_transaction_id: reference, widget_id: widget, status } = query;
  const words = status ? new Set(status.split(',')) : undefined;
  const found = world.orders
    .find(flow => flow.history.length > 0 && (!reference || flow.reference === reference))
    .filter(() => !widget || widget === SETTINGS.widgetId)
    .map(flow => ({ flow, operations: [...operationsOf(flow).values()] }))
    .filter(({ operations }) => !words || operations.some(one => words.has(one.status)));
  const [offset = 0, limit = MOST_ROWS] = [query.offset, query.limit].map(wholeIfAny);
  const rows = found
    .slice(offset, offset + Math.min(limit, MOST_ROWS))
    .map(({ flow, operations }) =>
      Object.fromEntries(operations.map(operation => [operation.type, rowOf(flow, operation, world)])),
    );
  return { status: 200, body: { status: 200, total: found.length, next: null, prev: null, data: rows } };
}

function wholeIfAny(text: string | undefined): number | undefined {
  return text && /^\d{1,6}$/.test(text) ? Math.trunc(+text) : undefined;
}

/** Where each operation of an order is now. */
function operationsOf(flow: Flow): Map<Type, Operation> {
  const operations = new Map<Type, Operation>();
  for (const { standing, at } of flow.history) {
    for (const [type, status] of saidAt(standing, flow)) operations.set(type, { type, status, at });
  }
  return operations;
}

function rowOf(flow: Flow, operation: Operation, world: World): object {
  const transfer = transferOf(flow, operation, world);
  return {
    ...amountsOf(flow, operation, world),
    transaction_id: idOf(`transaction ${flow.order}`, world),
    widget_id: SETTINGS.widgetId,
    ...(transfer
      ? { hash: transfer.id, url: null, address: transfer.address }
      : { card_country: flow.country.toLowerCase() }),
  };
}
