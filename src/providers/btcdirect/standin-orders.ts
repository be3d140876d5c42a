/** BTC Direct's tokens, checkout and orders imitated; names that could not be found are made up and used nowhere else. */
import { writeJson } from '../../domain/json.ts';
import { decimal, readDecimal } from '../../domain/money.ts';
import { type Brand, type Flow, type Means, noPage, type Opening, type Standing } from '../hosted.ts';
import { hostedRoutes } from '../hosted-routes.ts';
import { digest, isAbove, iso, uuid } from '../standin-kit.ts';
import type { OutgoingWebhook, StandinAnswer, StandinRequest, StandinRoute, World } from '../world.ts';
import { dealOf, refuse } from './standin-quotes.ts';
import { coinsOf, LEAST, MOST, SETTINGS } from './standin-terms.ts';

const brand: Brand = {
  name: 'BTC Direct',
  color: '#00598f',
  colorOnDark: '#7cc4ff',
  hosts: ['page'],
  titles: { email: 'Log in or create an account', card: 'Payment' },
  // Their sandbox card.
  cards: { '4111111145551142': { outcome: 'approved' } },
  refundsBuys: true,
  returnsForDeposit: false,
  open,
  tell,
  // "Return URL": used as it is.
  returns: () => ({}),
};

const DOCUMENT_FROM = decimal(300);
const TOKEN_MS = 3_600_000;

export const orderRoutes: readonly StandinRoute[] = [
  ...hostedRoutes(brand),
  { method: 'POST', host: 'api', path: '/api/v1/authenticate', answer: authenticate },
  { method: 'POST', host: 'api', path: '/api/v2/buy/checkout', answer: checkout },
  { method: 'GET', host: 'api', path: '/api/v2/buy/orders/:id', answer: findOrder },
];

function authenticate({ body }: StandinRequest, world: World): StandinAnswer {
  const { username, password } = (body ?? {}) as Record<string, unknown>;
  if (username !== SETTINGS.username || password !== SETTINGS.password) {
    return refuse(401, 'ER001', 'Invalid credentials.');
  }
  const token = digest(`token ${world.id()}`, world).slice(0, 64);
  world.notes.put(`token ${token}`, String(world.now + TOKEN_MS));
  return { status: 200, body: { token, refreshToken: digest(`refresh ${token}`, world).slice(0, 64) } };
}

/** Their refusal of a token; one that has expired comes with a status of 400. */
function refusalOf({ headers }: StandinRequest, world: World): StandinAnswer | undefined {
  const token = /^Bearer (\w+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  const until = world.notes.get(`token ${token}`);
  if (until === undefined) return refuse(401, 'ER800', 'Authorization token is invalid.');
  return world.now < +until ? undefined : refuse(400, 'ER801', 'Authorization token has expired.');
}

/** A page for these wishes; an order comes of it when the person has signed in. */
function checkout(request: StandinRequest, world: World): StandinAnswer {
  const refusal = refusalOf(request, world);
  if (refusal) return refusal;
  const wish = (request.body ?? {}) as Record<string, string | undefined>;
  const deal = dealFor(wish, world);
  if (typeof deal === 'string') return refuse(400, 'ER100', deal);
  const id = uuid(`checkout ${world.id()}`, world);
  world.notes.put(`checkout ${id}`, writeJson(wish));
  return { status: 200, body: { checkoutUrl: `${world.base('page')}?checkout=${id}` } };
}

function dealFor(wish: Readonly<Record<string, string | undefined>>, world: World) {
  const pays = readDecimal(wish.quoteCurrencyAmount);
  if (!pays) return 'An amount is required.';
  if (pays.lt(LEAST)) return `The minimum amount is ${LEAST} EUR.`;
  if (pays.gt(MOST)) return `The maximum amount is ${MOST} EUR.`;
  const wanted = { code: wish.baseCurrency ?? 'BTC', method: wish.paymentMethod ?? 'creditCard' };
  return dealOf({ ...wanted, wanted: { pays } }, world);
}

function open({ query }: StandinRequest, host: string, world: World): Opening {
  const key = query.checkout ?? '';
  const note = world.notes.get(`checkout ${key}`);
  if (note === undefined) return noPage(404, 'This checkout does not exist.');
  const [known] = world.orders.find(flow => flow.key === key);
  if (known) return { kind: 'goOn', flow: known };
  const wish = JSON.parse(note) as Record<string, string | undefined>;
  const deal = dealFor(wish, world);
  if (typeof deal === 'string') return noPage(400, deal);
  return {
    kind: 'start',
    intent: {
      ...{ key, host, deal },
      order: uuid(`order ${key}`, world),
      means: meansOf(deal.method),
      knowing: isAbove(DOCUMENT_FROM, deal, world) ? 'document' : 'identity',
      reference: wish.partnerOrderIdentifier,
      customer: wish.identifier,
      wallet: wish.walletAddress,
      memo: wish.walletAddressTag,
      email: '',
      country: 'NL',
      returnUrl: wish.returnUrl,
      dark: false,
    },
  };
}

function meansOf(method: string): Means {
  if (method === 'creditCard') return 'card';
  return /^(bankTransfer|iDeal|bancontact|eps|giropay|sofort)$/.test(method) ? 'bank' : 'wallet';
}

const STATUSES: Readonly<Record<Standing, string>> = {
  none: 'pending',
  awaiting: 'pending',
  authorizing: 'pending',
  verifying: 'pending',
  paid: 'in progress',
  sending: 'in progress',
  completed: 'completed',
  failed: 'cancelled',
  canceled: 'cancelled',
  expired: 'cancelled',
  refunded: 'refunded',
};

/** By their id, or by the partner's. How they say that there is none was not found: what is no id of theirs is a wrong one here. */
function findOrder(request: StandinRequest, world: World): StandinAnswer {
  const refusal = refusalOf(request, world);
  if (refusal) return refusal;
  const { id } = request.params;
  const found = world.orders.find(
    ({ order, reference, history }) => history.length > 0 && (order === id || reference === id),
  );
  const flow = found.at(-1);
  if (flow) return { status: 200, body: orderOf(flow, world) };
  return refuse(/^[\da-f-]{36}$/.test(id ?? '') ? 404 : 400, 'ER300', 'Nothing was found.');
}

function orderOf(flow: Flow, world: World): object {
  const { deal } = flow;
  const code = [...coinsOf(world.currencies)].find(([, asset]) => asset === deal.asset)?.[0];
  return {
    id: flow.order,
    date: iso(flow.createdAt),
    partnerOrderIdentifier: flow.reference ?? null,
    currencyPair: `${code}-EUR`,
    paymentMethod: deal.method,
    walletAddress: flow.wallet ?? null,
    destinationTag: flow.memo ?? null,
    status: STATUSES[flow.standing],
    networkFee: { amount: deal.networkFee, currencyCode: 'EUR' },
    btcdirectFee: { amount: deal.fee, currencyCode: 'EUR' },
  };
}

/** "Webhooks": who cancels or lets it expire has a payment that failed, and the order's end follows. */
const EVENTS: Partial<Record<Standing, readonly string[]>> = {
  awaiting: ['order_created'],
  paid: ['order_paid'],
  sending: ['order_sent'],
  completed: ['order_completed'],
  failed: ['order_payment_failed', 'order_cancelled'],
  canceled: ['order_payment_failed', 'order_cancelled'],
  expired: ['order_payment_failed', 'order_cancelled'],
  refunded: ['order_payment_chargeback'],
};

/** Theirs are signed, but neither where nor how is known: these are not, and their names are ours. */
function tell(flow: Flow, _world: World): OutgoingWebhook[] {
  return (EVENTS[flow.standing] ?? []).map(event => {
    const data = { id: flow.order, partnerOrderIdentifier: flow.reference ?? null };
    return { headers: {}, body: writeJson({ event, data }), signature: '' };
  });
}
