/** Coinbase's sessions, pages and transactions imitated: tokens for one page, statuses as asked and as told by webhooks. */
import { writeJson } from '../../domain/json.ts';
import { decimal } from '../../domain/money.ts';
import type { Instant, Side } from '../../domain/words.ts';
import { type Brand, type Flow, type Means, noPage, type Opening, type Standing } from '../hosted.ts';
import { depositOf, hashOf, walletOf } from '../hosted-chain.ts';
import { hostedRoutes, reopen } from '../hosted-routes.ts';
import { digest, isAbove, iso, uuid } from '../standin-kit.ts';
import type { OutgoingWebhook, StandinAnswer, StandinRequest, StandinRoute, World } from '../world.ts';
import { badRequest, guarded, SETTINGS } from './standin-answers.ts';
import { priceOf, sumsOf } from './standin-quotes.ts';
import { COUNTRIES, methodsOf, networkOf, tickerOf } from './standin-terms.ts';

const brand: Brand = {
  name: 'Coinbase',
  color: '#0052ff',
  colorOnDark: '#8ab0ff',
  hosts: ['buy', 'sell'],
  titles: { email: 'Sign in to Coinbase', code: 'Two-step verification', payout: 'Cash out to' },
  cards: {},
  // They have no word for a refund.
  refundsBuys: false,
  returnsForDeposit: true,
  open,
  tell,
  returns: () => ({}),
};

/** In euros; the account knows the person already, from this amount on it wants to see them. */
const DOCUMENT_FROM = decimal(1_000);
const SESSION_MS = 5 * 60_000;

export const orderRoutes: readonly StandinRoute[] = [
  ...hostedRoutes(brand),
  guarded('POST', '/onramp/v1/token', makeSession),
  guarded('GET', '/onramp/v1/buy/user/:ref/transactions', list('buy')),
  guarded('GET', '/onramp/v1/sell/user/:ref/transactions', list('sell')),
];

/** "Session token": the person's own address is required. */
function makeSession({ body }: StandinRequest, world: World): StandinAnswer {
  const { addresses, clientIp } = (body ?? {}) as { addresses?: { address?: unknown }[]; clientIp?: unknown };
  const [first] = Array.isArray(addresses) ? addresses : [];
  if (typeof first?.address !== 'string' || !first.address) return badRequest('addresses is required');
  if (typeof clientIp !== 'string' || !clientIp) return badRequest('clientIp is required');
  const token = digest(`session ${world.id()}`, world).slice(0, 40);
  world.notes.put(`session ${token}`, writeJson({ address: first.address, until: world.now + SESSION_MS }));
  return { status: 200, body: { token, channel_id: '' } };
}

function open(request: StandinRequest, host: string, world: World): Opening {
  const { query } = request;
  const key = query.sessionToken ?? '';
  const note = world.notes.get(`session ${key}`);
  if (note === undefined) return noPage(403, 'This session is not valid.');
  const again = reopen(request, key, world);
  if (again) return again;
  const { address, until } = JSON.parse(note) as { address: string; until: Instant };
  if (world.now > until) return noPage(403, 'This session has expired.');

  const side: Side = host === 'sell' ? 'sell' : 'buy';
  if (side === 'sell' && !(query.partnerUserRef && query.redirectUrl))
    return noPage(400, 'partnerUserRef and redirectUrl are required.');
  const asked = askedOf(side, query, world);
  const deal = priceOf(asked, world);
  if ('status' in deal) return noPage(400, String((deal.body as { message?: string }).message));
  return {
    kind: 'start',
    intent: {
      ...{ key, host, deal, country: asked.country },
      order: uuid(world.id(), world),
      means: meansOf(deal.method),
      knowing: isAbove(DOCUMENT_FROM, deal, world) ? 'document' : 'nothing',
      reference: query.partnerUserRef,
      ...{ customer: undefined, memo: undefined, wallet: address },
      email: '',
      returnUrl: query.redirectUrl,
      dark: false,
    },
  };
}

/** The country is the account's; here, one where the method and the fiat go together, and whose own fiat it is if any. */
function askedOf(side: Side, query: StandinRequest['query'], world: World) {
  const fiat = world.currencies.findFiat(query.fiatCurrency ?? 'USD');
  const method = side === 'buy' ? query.defaultPaymentMethod : query.defaultCashoutMethod;
  const fits = COUNTRIES.filter(({ zone }) => {
    const all = fiat ? methodsOf(side, zone, fiat) : [];
    return method === undefined ? all.length > 0 : all.includes(method);
  });
  const place = fits.find(({ code }) => isHome(code, fiat?.code, world)) ?? fits[0];
  const usual = place && fiat ? methodsOf(side, place.zone, fiat)[0] : undefined;
  return {
    side,
    ticker: query.defaultAsset ?? '',
    network: query.defaultNetwork ?? '',
    fiat: fiat?.code ?? '',
    amount: (side === 'buy' ? query.presetFiatAmount : query.presetCryptoAmount) ?? '100',
    method: method ?? usual ?? '',
    country: place?.code ?? '',
  };
}

function isHome(country: string, fiat: string | undefined, { currencies }: World): boolean {
  return fiat !== undefined && currencies.findCountry(country)?.currency === fiat;
}

function meansOf(method: string): Means {
  if (method === 'CARD') return 'card';
  return /^(ACH|RTP)/.test(method) ? 'bank' : 'wallet';
}

interface Said {
  status: string;
  /** The event that tells it; none where they tell nothing. */
  event?: 'created' | 'updated' | 'success' | 'failed';
}

const WORDS: Readonly<Record<Side, Readonly<Record<Standing, Said>>>> = {
  buy: {
    none: { status: 'CREATED' },
    awaiting: { status: 'CREATED', event: 'created' },
    authorizing: { status: 'AWAITING_AUTH', event: 'updated' },
    verifying: { status: 'AWAITING_PAYMENT', event: 'updated' },
    paid: { status: 'IN_PROGRESS', event: 'updated' },
    sending: { status: 'IN_PROGRESS' },
    completed: { status: 'SUCCESS', event: 'success' },
    failed: { status: 'FAILED', event: 'failed' },
    canceled: { status: 'FAILED', event: 'failed' },
    expired: { status: 'FAILED', event: 'failed' },
    refunded: { status: 'FAILED', event: 'failed' },
  },
  sell: {
    none: { status: 'CREATED' },
    awaiting: { status: 'STARTED', event: 'created' },
    authorizing: { status: 'STARTED' },
    verifying: { status: 'STARTED' },
    paid: { status: 'STARTED', event: 'updated' },
    sending: { status: 'STARTED' },
    completed: { status: 'SUCCESS', event: 'success' },
    failed: { status: 'FAILED', event: 'failed' },
    canceled: { status: 'FAILED', event: 'failed' },
    expired: { status: 'EXPIRED', event: 'failed' },
    refunded: { status: 'FAILED', event: 'failed' },
  },
};

function statusOf({ deal: { side }, standing }: Flow): string {
  return `${side === 'buy' ? 'ONRAMP_' : ''}TRANSACTION_STATUS_${WORDS[side][standing].status}`;
}

const SIGNED_HEADERS = ['content-type', 'x-event-id', 'x-event-type'];

/** "Verify webhook signatures": both signatures, the second one over some headers too. */
function tell(flow: Flow, world: World): OutgoingWebhook[] {
  const { side } = flow.deal;
  const { event } = WORDS[side][flow.standing];
  if (!event) return [];
  const eventType = `${side === 'buy' ? 'onramp' : 'offramp'}.transaction.${event}`;
  const body = writeJson({
    eventType,
    ...(side === 'buy' ? boughtEvent(flow, world) : soldEvent(flow, world)),
  });
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-event-id': uuid(world.id(), world),
    'x-event-type': eventType,
  };
  const t = Math.floor(world.now / 1000);
  const values = SIGNED_HEADERS.map(name => headers[name]).join('.');
  const names = SIGNED_HEADERS.join(' ');
  const sign = (text: string) => world.sign('hmac-sha256-hex', SETTINGS.webhookSecret, text);
  const signature = sign(`${t}.${body}`);
  const all = `t=${t},v0=${signature},h=${names},v1=${sign(`${t}.${names}.${values}.${body}`)}`;
  return [{ headers: { ...headers, 'X-Hook0-Signature': all }, body, signature }];
}

/** Moments without a value are the first one of the first year. */
const UNSET = '0001-01-01T00:00:00Z';

function boughtEvent(flow: Flow, world: World): object {
  const { deal, standing } = flow;
  const sums = sumsOf(deal);
  const isSent = standing === 'completed';
  return {
    transactionId: flow.order,
    status: statusOf(flow),
    purchaseCurrency: tickerOf(deal.asset),
    purchaseNetwork: networkOf(deal.asset),
    purchaseAmount: sums.crypto,
    paymentTotal: sums.total,
    paymentSubtotal: sums.subtotal,
    coinbaseFee: sums.fee,
    networkFee: sums.networkFee,
    exchangeRate: sums.rate,
    txHash: isSent ? hashOf('delivery', flow, world) : '0x',
    createdAt: iso(flow.createdAt),
    completedAt: isSent ? iso(flow.updatedAt) : UNSET,
    country: flow.country,
    userId: uuid(`user ${flow.email}`, world),
    paymentMethod: deal.method,
    walletAddress: walletOf(flow, world),
    type: 'ONRAMP_TRANSACTION_TYPE_BUY_AND_SEND',
    userType: 'USER_TYPE_AUTHED',
    partnerUserRef: flow.reference,
    contractAddress: deal.asset.address,
    failureReason: `FAILURE_REASON_${statusOf(flow).endsWith('FAILED') ? 'BUY_FAILED' : 'UNSPECIFIED'}`,
  };
}

function soldEvent(flow: Flow, world: World): object {
  const { deal } = flow;
  const sums = sumsOf(deal);
  const arrived = flow.history.some(({ standing }) => standing === 'paid');
  return {
    transactionId: flow.order,
    status: statusOf(flow),
    asset: tickerOf(deal.asset),
    network: networkOf(deal.asset),
    sellAmount: sums.crypto,
    total: sums.total,
    subtotal: sums.subtotal,
    coinbaseFee: sums.fee,
    exchangeRate: sums.rate,
    unitPrice: sums.rate,
    fromAddress: flow.wallet,
    toAddress: depositOf(flow, world).address,
    createdAt: iso(flow.createdAt),
    updatedAt: iso(flow.updatedAt),
    txHash: arrived ? hashOf('deposit', flow, world) : '',
    redirectUrl: flow.returnUrl,
    paymentMethod: deal.method,
    partnerUserRef: flow.reference,
  };
}

/** The same facts under the names of the older API, newest first. */
function list(side: Side): StandinRoute['answer'] {
  return ({ params, query }, world) => {
    const size = /^[1-9]\d{0,2}$/.test(query.pageSize ?? query.page_size ?? '100');
    if (!size) return badRequest('pageSize must be between 1 and 1000');
    const found = world.orders
      .find(flow => flow.reference === params.ref && flow.deal.side === side && flow.history.length > 0)
      .reverse();
    const transactions = found.map(flow => {
      const event = side === 'buy' ? boughtEvent(flow, world) : soldEvent(flow, world);
      return Object.fromEntries(Object.entries(event).map(([name, value]) => [older(name, side), value]));
    });
    return { status: 200, body: { transactions, next_page_key: '', total_count: String(found.length) } };
  };
}

/** Sells are known by a plain id there. */
function older(name: string, side: Side): string {
  if (side === 'sell' && name === 'transactionId') return 'id';
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}
