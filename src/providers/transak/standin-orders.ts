/** Transak's widget and orders imitated: sessions for pages, orders as looked up and as told by webhooks. */
import { writeJson } from '../../domain/json.ts';
import { decimal, significant, ZERO } from '../../domain/money.ts';
import {
  type Brand,
  type Deal,
  type Flow,
  type Means,
  noPage,
  type Opening,
  type Standing,
} from '../hosted.ts';
import { hashOf, walletOf } from '../hosted-chain.ts';
import { LIFE_MS } from '../hosted-moves.ts';
import { hostedRoutes, reopen } from '../hosted-routes.ts';
import { isAbove, iso, uuid } from '../standin-kit.ts';
import type { OutgoingWebhook, StandinAnswer, StandinRequest, StandinRoute, World } from '../world.ts';
import { refused, SETTINGS } from './standin-answers.ts';
import { dealOf, priceOf } from './standin-quotes.ts';
import {
  currentToken,
  findSession,
  isCurrent,
  jwtOf,
  makeSession,
  refreshToken,
} from './standin-sessions.ts';
import { countriesOf, networkName, OPTIONS } from './standin-terms.ts';

const brand: Brand = {
  name: 'Transak',
  color: '#1461db',
  colorOnDark: '#8fb8ff',
  hosts: ['widget'],
  titles: { email: 'Enter your email', code: 'Email verification', identity: 'Personal details' },
  cards: {},
  refundsBuys: true,
  returnsForDeposit: false,
  open,
  tell,
  returns,
};

/** In euros. They have a light and a standard level; which amount parts them is not published. */
const DOCUMENT_FROM = decimal(300);

export const orderRoutes: readonly StandinRoute[] = [
  ...hostedRoutes(brand),
  { method: 'POST', host: 'api', path: '/partners/api/v2/refresh-token', answer: refreshToken },
  { method: 'POST', host: 'gateway', path: '/api/v2/auth/session', answer: makeSession },
  {
    method: 'GET',
    host: 'api',
    path: '/partners/api/v2/order/:id',
    answer({ headers, params }, world) {
      if (!isCurrent(headers['access-token'], world)) return refused(401, 'Invalid access token');
      const [flow] = world.orders.find(({ order, history }) => order === params.id && history.length > 0);
      if (!flow) return refused(404, 'This id is not known');
      return { status: 200, body: { meta: { orderId: flow.order }, data: foundOrder(flow, world) } };
    },
  },
  { method: 'GET', host: 'api', path: '/partners/api/v2/orders', answer: listOrders },
];

const MOST_LISTED = 100;

/** Its filters are our guess: one status at a time, completed unless told, and buys unless told. */
function listOrders({ headers, query }: StandinRequest, world: World): StandinAnswer {
  if (!isCurrent(headers['access-token'], world)) return refused(401, 'Invalid access token');
  const status = query['filter[status]'] ?? 'COMPLETED';
  const products = query['filter[productsAvailed]'] ?? '["BUY"]';
  const reference = query['filter[partnerOrderId]'];
  const found = world.orders
    .find(flow => flow.history.length > 0 && (reference === undefined || flow.reference === reference))
    .map(flow => foundOrder(flow, world))
    .filter(order => order.status === status && products.includes(`"${order.isBuyOrSell}"`));
  if (reference !== undefined && found.length === 0) return refused(400, 'Nothing matches this request');
  return { status: 200, body: { meta: {}, data: found.slice(0, MOST_LISTED) } };
}

/** A session opens one page; whoever has it open may come back to it. */
function open(request: StandinRequest, host: string, world: World): Opening {
  const key = request.query.sessionId ?? '';
  const session = findSession(key, world);
  if (!session || request.query.apiKey !== SETTINGS.apiKey) return noPage(403, 'This session is not valid.');
  const again = reopen(request, key, world);
  if (again) return again;
  if (world.now > session.until) return noPage(403, 'This session has expired.');

  const { params } = session;
  const country = params.countryCode ?? countryFor(params, world);
  const priced = priceOf(
    {
      ...params,
      isBuyOrSell: params.productsAvailed?.split(',')[0] ?? 'BUY',
      cryptoCurrency: params.cryptoCurrencyCode ?? '',
      quoteCountryCode: country,
    },
    world,
  );
  if (typeof priced === 'string') return noPage(400, priced);
  const deal = dealOf(priced);
  return {
    kind: 'start',
    intent: {
      ...{ key, host, deal, country },
      order: uuid(world.id(), world),
      means: meansOf(deal.method),
      knowing: isAbove(DOCUMENT_FROM, deal, world) ? 'document' : 'identity',
      reference: params.partnerOrderId,
      customer: params.partnerCustomerId,
      wallet: params.walletAddress,
      memo: params.walletAddressTag,
      email: params.email ?? '',
      returnUrl: params.redirectURL,
      dark: params.colorMode === 'DARK',
    },
  };
}

/** Without a country the widget goes by where the person is; here, by where the money is at home. */
function countryFor(
  { fiatCurrency, paymentMethod }: Record<string, string | undefined>,
  world: World,
): string {
  const [only] = OPTIONS[paymentMethod ?? '']?.countries ?? [];
  const [first] = countriesOf(fiatCurrency ?? '', world.currencies);
  return only ?? first ?? '';
}

function meansOf(method: string): Means {
  if (/card/.test(method)) return 'card';
  return /bank|wire|upi|pix/.test(method) ? 'bank' : 'wallet';
}

/** "Webhooks": the event and the status inside; a missing event is none. That a refund is a failed one is a guess. */
const SAID: Readonly<Record<Standing, { status: string; event?: string }>> = {
  none: { status: 'AWAITING_PAYMENT_FROM_USER' },
  awaiting: { status: 'AWAITING_PAYMENT_FROM_USER', event: 'ORDER_CREATED' },
  authorizing: { status: 'AWAITING_PAYMENT_FROM_USER' },
  verifying: { status: 'PAYMENT_DONE_MARKED_BY_USER', event: 'ORDER_PAYMENT_VERIFYING' },
  paid: { status: 'PROCESSING', event: 'ORDER_PROCESSING' },
  sending: { status: 'PENDING_DELIVERY_FROM_TRANSAK', event: 'ORDER_PROCESSING' },
  completed: { status: 'COMPLETED', event: 'ORDER_COMPLETED' },
  failed: { status: 'FAILED', event: 'ORDER_FAILED' },
  canceled: { status: 'CANCELLED', event: 'ORDER_FAILED' },
  expired: { status: 'EXPIRED', event: 'ORDER_FAILED' },
  refunded: { status: 'REFUNDED', event: 'ORDER_FAILED' },
};

/** "How to decrypt webhook payload": signed with the access token of the moment. */
function tell(flow: Flow, world: World): OutgoingWebhook[] {
  const { event } = SAID[flow.standing];
  if (!event) return [];
  const claims = { webhookData: orderOf(flow, world), eventID: event, createdAt: iso(world.now) };
  const data = jwtOf(writeJson(claims), currentToken(world), world);
  const signature = data.slice(data.lastIndexOf('.') + 1);
  return [{ headers: {}, body: writeJson({ data }), signature }];
}

/** "User journey" has the names; its sample puts the values into quotes, which is taken for a slip. */
function returns(flow: Flow, world: World): Record<string, string> {
  const { fiatAmount, cryptoAmount, totalFee } = amountsOf(flow.deal);
  return {
    orderId: flow.order,
    fiatCurrency: flow.deal.fiat.code,
    cryptocurrency: flow.deal.asset.code,
    fiatAmount: fiatAmount.toString(),
    cryptoAmount: cryptoAmount.toString(),
    isBuyOrSell: flow.deal.side.toUpperCase(),
    status: SAID[flow.standing].status,
    ...(flow.deal.side === 'buy' && { walletAddress: walletOf(flow, world) }),
    totalFee: totalFee.toString(),
    ...(flow.customer && { partnerCustomerId: flow.customer }),
    ...(flow.reference && { partnerOrderId: flow.reference }),
  };
}

function amountsOf({ side, pays, gets, fee, networkFee }: Deal) {
  const [fiatAmount, cryptoAmount] = side === 'buy' ? [pays, gets] : [gets, pays];
  return { fiatAmount, cryptoAmount, totalFee: fee.plus(networkFee) };
}

const PAID: ReadonlySet<Standing> = new Set(['paid', 'sending', 'completed', 'refunded']);

function orderOf(flow: Flow, world: World) {
  const { deal, standing } = flow;
  const { fiatAmount, cryptoAmount, totalFee } = amountsOf(deal);
  const perEuro = world.market.perEuro(deal.fiat.code) ?? decimal(1);
  const inDollars = fiatAmount.div(perEuro).times(world.market.perEuro('USD') ?? 1);
  const transactionHash = hashIfAny(flow, world);
  return {
    id: flow.order,
    walletAddress: deal.side === 'buy' ? walletOf(flow, world) : null,
    createdAt: iso(flow.createdAt),
    updatedAt: iso(flow.updatedAt),
    status: SAID[standing].status,
    fiatCurrency: deal.fiat.code,
    cryptoCurrency: deal.asset.code,
    isBuyOrSell: deal.side.toUpperCase(),
    fiatAmount,
    amountPaid: deal.side === 'buy' && PAID.has(standing) ? fiatAmount : ZERO,
    cryptoAmount,
    paymentOptionId: deal.method,
    quoteId: uuid(`quote ${flow.id}`, world),
    network: networkName(deal.asset),
    conversionPrice: significant(cryptoAmount.div(deal.value), 20),
    totalFeeInFiat: totalFee,
    fiatAmountInUsd: significant(inDollars, 8),
    countryCode: flow.country,
    stateCode: null,
    partnerOrderId: flow.reference ?? null,
    partnerCustomerId: flow.customer ?? null,
    partnerFeeInLocalCurrency: ZERO,
    userId: uuid(`user ${flow.email}`, world),
    userKycType: flow.knowing === 'document' ? 'STANDARD' : 'SIMPLE',
    transactionHash,
    transactionLink: transactionHash && `${world.base('widget')}/transactions/${transactionHash}`,
    autoExpiresAt: iso(flow.createdAt + LIFE_MS),
    tokenContractAddress: deal.asset.address,
    orderProcessingType: 'NORMAL',
    orderChannelType: 'WIDGET',
    conversionPriceData: { fees: [{ id: 'transak_fee', value: deal.fee }], cost: {}, swaps: [] },
    cardPaymentData: flow.means === 'card' && flow.account ? { cardLast4: flow.account } : null,
    statusHistories: flow.history.map(({ standing: then, at }) => ({
      status: SAID[then].status,
      createdAt: iso(at),
      message: '',
      partnerEventId: SAID[then].event ?? null,
    })),
    statusReason: flow.reason ?? null,
  };
}

/** The coins' way out on a buy; whether a sell names their way in is not documented. */
function hashIfAny(flow: Flow, world: World): string | null {
  if (flow.deal.side === 'buy') {
    const isSent = flow.history.some(({ standing }) => standing === 'completed');
    return isSent ? hashOf('delivery', flow, world) : null;
  }
  return PAID.has(flow.standing) ? hashOf('deposit', flow, world) : null;
}

/** Looked up, an order has some more. */
function foundOrder(flow: Flow, world: World) {
  const completed = flow.history.find(({ standing }) => standing === 'completed');
  return {
    ...orderOf(flow, world),
    completedAt: completed ? iso(completed.at) : null,
    referenceCode: flow.order.slice(0, 8),
    redirectURL: flow.returnUrl ?? null,
  };
}
