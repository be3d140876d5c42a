/** Alchemy Pay's page and orders imitated: the signed link, orders as looked up and as told by signed webhooks. */
import { writeJson } from '../../domain/json.ts';
import { decimal } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import { type Brand, type Flow, type Means, noPage, type Opening, type Standing } from '../hosted.ts';
import { depositOf, hashOf, walletOf } from '../hosted-chain.ts';
import { hostedRoutes } from '../hosted-routes.ts';
import { digest, filled, isAbove, iso } from '../standin-kit.ts';
import type { OutgoingWebhook, StandinAnswer, StandinRequest, StandinRoute, World } from '../world.ts';
import { signedBody } from './signing.ts';
import { fail, isFresh, rawOf, signatureOf, succeed, unsigned } from './standin-answers.ts';
import { dealOf } from './standin-quotes.ts';
import { coinsOf, countriesOf, SETTINGS } from './standin-terms.ts';

const brand: Brand = {
  name: 'Alchemy Pay',
  color: '#0052d9',
  colorOnDark: '#8ab4ff',
  hosts: ['page'],
  titles: { email: 'Sign in with your email', code: 'Enter verification code' },
  cards: {},
  refundsBuys: true,
  returnsForDeposit: false,
  open,
  tell,
  // None are documented.
  returns: () => ({}),
};

/** In dollars below 20 nobody is verified in their test environment; from which amount by a document is not published. */
const FORM_FROM = decimal(18);
const DOCUMENT_FROM = decimal(250);

export const orderRoutes: readonly StandinRoute[] = [
  ...hostedRoutes(brand),
  { method: 'GET', host: 'api', path: '/open/api/v4/merchant/query/trade', answer: findOrder },
];

/** A merchant's number is unique: a link with it leads to the same order. */
function open({ query }: StandinRequest, host: string, world: World): Opening {
  const side: Side = query.type === 'sell' ? 'sell' : 'buy';
  const { sign, ...rest } = query;
  const path = side === 'buy' ? '/index/rampPageBuy' : '/index/rampPageSell';
  const isSigned = sign === signatureOf(`${query.timestamp}GET${path}${rawOf(rest)}`, world);
  if (query.appId !== SETTINGS.appId || !isSigned)
    return noPage(403, 'The signature of this link is not valid.');
  if (!isFresh(query.timestamp, world)) return noPage(403, 'This link has expired.');
  const reference = query.merchantOrderNo;
  if (!reference || reference.length > 48) return noPage(400, 'merchantOrderNo is required.');
  const [known] = world.orders.find(flow => flow.reference === reference);
  if (known) return { kind: 'goOn', flow: known };

  const { crypto, network, fiat } = query;
  const amount = side === 'buy' ? query.fiatAmount : query.cryptoAmount;
  const deal = dealOf({ side, fiat, crypto, network, amount, amountOf: 'source' }, world);
  if ('code' in deal) return noPage(400, deal.text);
  return {
    kind: 'start',
    intent: {
      ...{ key: reference, host, deal, reference },
      order: numberOf(world.id(), world),
      means: meansOf(deal.method),
      knowing: isAbove(DOCUMENT_FROM, deal, world)
        ? 'document'
        : isAbove(FORM_FROM, deal, world)
          ? 'identity'
          : 'nothing',
      customer: undefined,
      wallet: query.address,
      memo: query.memo,
      email: query.email ?? '',
      country: query.country ?? countriesOf(deal.fiat.code)[0] ?? 'DE',
      returnUrl: query.redirectUrl,
      dark: false,
    },
  };
}

/** Their order numbers are long ones. */
function numberOf(text: string, world: World): string {
  const digits = digest(`order ${text}`, world).replace(/\D/g, '');
  return `1${digits.slice(0, 18)}`;
}

function meansOf(method: string): Means {
  if (method === '10001') return 'card';
  return /^(501|701)$/.test(method) ? 'wallet' : 'bank';
}

/** "List of order status"; which of a buy's are told by webhook is in their list too. A buy has no word for expiry. */
const BOUGHT: Readonly<Record<Standing, string>> = {
  none: 'PENDING',
  awaiting: 'PENDING',
  authorizing: 'PENDING',
  verifying: 'PENDING',
  paid: 'PAY_SUCCESS',
  sending: 'TRANSFER',
  completed: 'FINISHED',
  failed: 'PAY_FAIL',
  canceled: 'CANCEL',
  expired: 'CANCEL',
  refunded: 'REFUNDED',
};
const TOLD = new Set(['PAY_FAIL', 'PAY_SUCCESS', 'FINISHED', 'CANCEL']);
const SOLD: Readonly<Record<Standing, string>> = {
  none: '1',
  awaiting: '1',
  authorizing: '1',
  verifying: '2',
  paid: '2',
  sending: '3',
  completed: '4',
  failed: '5',
  canceled: '7',
  expired: '7',
  refunded: '6',
};

function statusOf({ deal }: Flow, standing: Standing): string {
  return deal.side === 'buy' ? BOUGHT[standing] : SOLD[standing];
}

/** How they say that there is none was not found. */
function findOrder(request: StandinRequest, world: World): StandinAnswer {
  const refusal = unsigned(request, '/open/api/v4/merchant/query/trade', world);
  if (refusal) return refusal;
  const { side, orderNo, merchantOrderNo } = request.query;
  const [flow] = world.orders.find(
    ({ order, reference, deal, history }) =>
      history.length > 0 &&
      deal.side.toUpperCase() === side &&
      (orderNo ? order === orderNo : reference === merchantOrderNo),
  );
  return flow ? succeed(orderOf(flow, world), world) : fail('10010', 'Invalid data', world);
}

/** All values are text; empty ones are sent as well. */
function orderOf(flow: Flow, world: World): Record<string, string> {
  const { deal } = flow;
  const network = [...coinsOf(world.currencies)].find(([, asset]) => asset === deal.asset)?.[0].split(' ')[1];
  return {
    appId: SETTINGS.appId,
    orderNo: flow.order,
    merchantOrderNo: flow.reference ?? '',
    email: flow.email,
    crypto: deal.asset.code,
    network: network ?? '',
    cryptoPrice: deal.rate.toString(),
    fiat: deal.fiat.code,
    rampFee: filled(deal.fee, deal.fiat),
    status: statusOf(flow, flow.standing),
    ...(deal.side === 'buy' ? boughtOf(flow, world) : soldOf(flow, world)),
  };
}

function boughtOf(flow: Flow, world: World): Record<string, string> {
  const { deal, standing } = flow;
  const isDone = standing === 'completed';
  return {
    address: walletOf(flow, world),
    amount: filled(deal.pays, deal.fiat),
    cryptoQuantity: deal.gets.toString(),
    networkFee: filled(deal.networkFee, deal.fiat),
    payType: flow.means === 'card' ? 'CREDIT_CARD' : deal.method,
    payTime: momentOf(flow, 'paid'),
    txTime: momentOf(flow, 'completed'),
    txHash: isDone ? hashOf('delivery', flow, world) : '',
  };
}

function soldOf(flow: Flow, world: World): Record<string, string> {
  const { deal, history } = flow;
  const arrived = history.some(said => said.standing === 'paid');
  return {
    address: depositOf(flow, world).address,
    cryptoAmount: deal.pays.toString(),
    cryptoActualAmount: arrived ? deal.pays.toString() : '',
    fiatAmount: filled(deal.value, deal.fiat),
    fiatRate: '1',
    paymentType: deal.method,
    account: flow.account ? `****${flow.account}` : '',
    payTime: momentOf(flow, 'sending'),
    completeTime: momentOf(flow, 'paid'),
    txHash: arrived ? hashOf('deposit', flow, world) : '',
    orderAddress: '',
  };
}

/** What webhooks of buys have beside that. The codes were not found, nor which of the two texts tells why. */
function failureOf({ deal, standing, reason }: Flow): Record<string, string> {
  if (deal.side === 'sell') return {};
  return { message: '', ...(standing === 'failed' && { returnCode: '9999', returnMsg: reason ?? '' }) };
}

/** `2025-10-01 10:00:00`, empty when it has not come to that. */
function momentOf({ history }: Flow, standing: Standing): string {
  const said = history.find(one => one.standing === standing);
  return said ? iso(said.at).slice(0, 19).replace('T', ' ') : '';
}

/** Each change of their word that they tell of. The deprecated signature goes with it. */
function tell(flow: Flow, world: World): OutgoingWebhook[] {
  const status = statusOf(flow, flow.standing);
  const before = flow.history.at(-2);
  const isNew = !before || statusOf(flow, before.standing) !== status;
  if (!isNew || (flow.deal.side === 'buy' && !TOLD.has(status))) return [];
  const order = { ...orderOf(flow, world), ...failureOf(flow) };
  const timestamp = String(world.now);
  const signature = signatureOf(`${timestamp}POST${world.hookPath}${signedBody(order)}`, world);
  const old = digest(`${order.appId}${order.orderNo}${order.crypto}${order.network}${order.address}`, world);
  const body = writeJson({ ...order, signature: old.slice(0, 40), newSignature: signature });
  return [{ headers: { timestamp }, body, signature }];
}
