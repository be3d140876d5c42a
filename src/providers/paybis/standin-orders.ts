/** Paybis' widget and transactions imitated: requests that open a page, transactions as listed and as told. */
import { writeJson } from '../../domain/json.ts';
import { decimal } from '../../domain/money.ts';
import { type Brand, type Flow, noPage, type Opening, type Standing } from '../hosted.ts';
import { depositOf, hashOf, walletOf } from '../hosted-chain.ts';
import { flowOfBrowser, hostedRoutes } from '../hosted-routes.ts';
import { digest, isAbove, isNative, iso, uuid } from '../standin-kit.ts';
import type { OutgoingWebhook, StandinAnswer, StandinRequest, StandinRoute, World } from '../world.ts';
import { guarded, refused, textsOf } from './standin-answers.ts';
import { WEBHOOK_KEY } from './standin-keys.ts';
import { dealOf } from './standin-quotes.ts';
import { blockchainOf, codeOf, methodsOf } from './standin-terms.ts';

const brand: Brand = {
  name: 'Paybis',
  color: '#1d5cff',
  colorOnDark: '#9db8ff',
  hosts: ['widget'],
  titles: { email: 'Log in or sign up', code: 'Verify your email', document: 'Verification by Sumsub' },
  cards: {},
  // They have no word for it.
  refundsBuys: false,
  returnsForDeposit: false,
  open,
  tell,
  returns: () => ({}),
};

/** In euros; thresholds are not published. */
const DOCUMENT_FROM = decimal(150);

export const orderRoutes: readonly StandinRoute[] = [
  ...hostedRoutes(brand),
  guarded('POST', '/v3/request', makeRequest),
  guarded('GET', '/v2/request/:id/payment-details', paymentDetails),
  guarded('GET', '/v2/transactions', listTransactions),
];

const NEEDED = ['partnerUserId', 'userIp', 'locale'];

/** "Create request v3". */
function makeRequest({ body }: StandinRequest, world: World): StandinAnswer {
  const said = textsOf(body);
  const missing = NEEDED.find(name => !said[name]);
  if (missing) return refused(400, `${missing} is required`);
  const deal = dealOf(said.quoteId ?? '', said.paymentMethod ?? said.payoutMethod ?? '', world);
  if (typeof deal === 'string') return refused(400, deal);
  const { cryptoWalletAddress } = body as { cryptoWalletAddress?: unknown };
  const { address, destinationTag } = textsOf(cryptoWalletAddress);
  const requestId = uuid(`request ${world.id()}`, world);
  world.notes.put(`request ${requestId}`, JSON.stringify({ ...said, address, destinationTag }));
  return { status: 200, body: { requestId, oneTimeToken: tokenOf(requestId, world) } };
}

function tokenOf(requestId: string, world: World): string {
  return digest(`token ${requestId}`, world).slice(0, 40);
}

type Request = Readonly<Record<string, string | undefined>>;

function readRequest(id: string, { notes }: World): Request | undefined {
  const note = notes.get(`request ${id}`);
  return note === undefined ? undefined : (JSON.parse(note) as Request);
}

/** A token lets in once; the same request goes on where the person was. */
function open(request: StandinRequest, host: string, world: World): Opening {
  const { requestId = '', oneTimeToken, successReturnURL } = request.query;
  const said = readRequest(requestId, world);
  if (!said) return noPage(404, 'This request does not exist.');
  if (oneTimeToken !== undefined && oneTimeToken !== tokenOf(requestId, world)) {
    return noPage(403, 'The one-time token is not valid.');
  }
  const flow = world.orders.find(one => one.key === requestId).at(-1);
  if (flow && oneTimeToken !== undefined && flowOfBrowser(request, world) !== flow) {
    return noPage(403, 'The one-time token was already used.');
  }
  if (flow) return { kind: 'goOn', flow };
  const deal = dealOf(said.quoteId ?? '', said.paymentMethod ?? said.payoutMethod ?? '', world);
  if (typeof deal === 'string') return noPage(400, deal);
  return {
    kind: 'start',
    intent: {
      ...{ key: requestId, host, deal },
      order: `PB${digest(`invoice ${requestId}`, world).slice(0, 12).toUpperCase()}TX1`,
      means: methodsOf(deal.side)[deal.method]?.means ?? 'card',
      knowing: isAbove(DOCUMENT_FROM, deal, world) ? 'document' : 'identity',
      reference: said.partnerTransactionId,
      customer: said.partnerUserId,
      wallet: said.address,
      memo: said.destinationTag,
      email: said.email ?? '',
      country: 'DE',
      returnUrl: successReturnURL,
      dark: false,
    },
  };
}

/** Their words by webhook; what expired was cancelled, and what is refunded was rejected: no other words were found. */
const SAID: Readonly<Record<Standing, string>> = {
  none: 'started',
  awaiting: 'started',
  authorizing: 'pending',
  verifying: 'confirming',
  paid: 'paid',
  sending: 'paid',
  completed: 'completed',
  failed: 'rejected',
  canceled: 'cancelled',
  expired: 'cancelled',
  refunded: 'rejected',
};

/** "Webhooks": on every change of the status. */
function tell(flow: Flow, world: World): OutgoingWebhook[] {
  const before = flow.history.at(-2);
  if (before && SAID[before.standing] === SAID[flow.standing]) return [];
  const seconds = Math.floor(world.now / 1000);
  const event = 'TRANSACTION_STATUS_CHANGED';
  const body = writeJson({
    ...{ timestamp: seconds, event },
    data: toldOf(flow, world),
    meta: { assets: [assetOf(flow)] },
  });
  const signature = world.sign('rsa-pss-sha512-digest-base64', WEBHOOK_KEY, body);
  return [{ headers: { 'X-Request-Signature': signature }, body, signature }];
}

/** Amounts have `currency` here, and `currencyCode` everywhere else. */
function toldOf(flow: Flow, world: World): object {
  const { deal, standing, reason } = flow;
  const [from, to] = sumsOf(flow);
  const isBuy = deal.side === 'buy';
  const hash = isBuy && standing === 'completed' ? hashOf('delivery', flow, world) : null;
  const title = methodsOf(deal.side)[deal.method]?.title;
  return {
    requestId: flow.key,
    partnerUserId: flow.customer,
    partnerTransactionId: flow.reference ?? null,
    userEmail: flow.email,
    userIp: '192.0.2.1',
    transaction: {
      status: SAID[standing],
      rejectReason: SAID[standing] === 'rejected' ? (reason ?? null) : null,
      invoice: flow.order,
      flow: isBuy ? 'buyCrypto' : 'sellCrypto',
      createdAt: zoned(flow.createdAt),
      statusUpdatedAt: zoned(flow.updatedAt),
    },
    payment: isBuy ? { id: deal.method, name: title, card: null, errorCode: null } : null,
    payout: isBuy
      ? {
          ...{ id: blockchainOf(deal.asset), transaction_hash: hash, explorer_link: null },
          destinationWalletAddress: walletOf(flow, world),
        }
      : { id: deal.method, name: title },
    amountFrom: from,
    amountTo: to,
    promoCode: null,
  };
}

function sumsOf({ deal }: Flow): [object, object] {
  const code = codeOf(deal.asset);
  const [from, to] = deal.side === 'buy' ? [deal.fiat.code, code] : [code, deal.fiat.code];
  return [
    { amount: deal.pays.toString(), currency: from },
    { amount: deal.gets.toString(), currency: to },
  ];
}

function assetOf({ deal: { asset } }: Flow): object {
  return {
    currency: asset.code,
    currencyCode: codeOf(asset),
    blockchain: blockchainOf(asset),
    network: 'mainnet',
    decimals: asset.decimals,
    tokenContract: isNative(asset) ? null : asset.address,
  };
}

/** `2026-01-01T12:00:00+0000` */
function zoned(at: number): string {
  return `${iso(at).slice(0, 19)}+0000`;
}

/** Where coins are sent by whoever sells them through the partner. */
function paymentDetails({ params }: StandinRequest, world: World): StandinAnswer {
  const [flow] = world.orders.find(({ key, deal }) => key === params.id && deal.side === 'sell');
  if (flow?.standing !== 'awaiting') return refused(404, 'Payment details were not found');
  const { asset, pays } = flow.deal;
  const { address, memo } = depositOf(flow, world);
  const code = codeOf(asset);
  return {
    status: 200,
    body: {
      ...{ assetId: code, blockchain: blockchainOf(asset), network: 'mainnet', depositAddress: address },
      ...{ destinationTag: memo ?? null, currencyCode: code, amount: pays.toString() },
    },
  };
}

const DAY_MS = 24 * 3_600_000;
const MOST = 50;

/** The newest first, page by page, each going on after the last one's last; the day may not have begun after `from`. */
function listTransactions({ query }: StandinRequest, world: World): StandinAnswer {
  const [from, to] = [Date.parse(query.from ?? ''), Date.parse(query.to ?? '')];
  if (!(from <= world.now - (world.now % DAY_MS)) || Number.isNaN(to)) {
    return refused(400, 'from must not be later than today');
  }
  const all = world.orders
    .find(({ history, createdAt }) => history.length > 0 && createdAt >= from && createdAt <= to)
    .reverse();
  const start = all.findIndex(({ order }) => order === query.cursor) + 1;
  const page = all.slice(start, start + MOST);
  const nextCursor = start + MOST < all.length ? (page.at(-1)?.order ?? null) : null;
  const meta = { limit: MOST, currentCursor: query.cursor ?? null, nextCursor };
  return { status: 200, body: { data: page.map(flow => rowOf(flow, world)), meta } };
}

const LISTED: Readonly<Record<string, string>> = {
  completed: 'completed',
  cancelled: 'cancelled',
  rejected: 'rejected',
};

function rowOf(flow: Flow, world: World): object {
  const { deal, standing } = flow;
  const isDone = standing === 'completed';
  const isBuy = deal.side === 'buy';
  const [spentOriginal, receivedOriginal] = sumsOf(flow);
  const paid = flow.history.find(said => said.standing === 'paid');
  const isDeclined = standing === 'failed' && /declined/.test(flow.reason ?? '');
  return {
    id: flow.order,
    gateway: isBuy ? 'fiat_to_crypto' : 'crypto_to_fiat',
    status: isDeclined ? 'payment_error' : (LISTED[SAID[standing]] ?? 'created'),
    hash: isBuy && isDone ? hashOf('delivery', flow, world) : null,
    explorerLink: null,
    createdAt: zoned(flow.createdAt),
    paidAt: paid ? zoned(paid.at) : null,
    completedAt: isDone ? zoned(flow.updatedAt) : null,
    amounts: { spentOriginal, receivedOriginal },
    user: { id: uuid(`user ${flow.customer}`, world), email: flow.email, country: null },
    request: {
      id: flow.key,
      flow: isBuy ? 'buyCrypto' : 'sellCrypto',
      createdAt: zoned(flow.createdAt),
    },
  };
}
