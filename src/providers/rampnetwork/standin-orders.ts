/** Ramp Network's widget and orders imitated: signed links, purchases and sales as looked up and as told by webhooks. */
import { writeJson } from '../../domain/json.ts';
import { canonicalJson, readStrictJson } from '../../domain/json-strict.ts';
import { decimal, readDecimal, ZERO } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
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
import { move } from '../hosted-moves.ts';
import { hostedRoutes } from '../hosted-routes.ts';
import { digest, isAbove, iso, uuid } from '../standin-kit.ts';
import type { OutgoingWebhook, StandinRequest, StandinRoute, World } from '../world.ts';
import { notFound, SETTINGS, WEBHOOK_KEY } from './standin-answers.ts';
import { infoOf, priceOf } from './standin-quotes.ts';
import { codesOf, METHODS } from './standin-terms.ts';
import { toSmallest } from './units.ts';
import { IN_WIDGET, NOT_STARTED } from './words.ts';

const brand: Brand = {
  name: 'Ramp Network',
  color: '#12724a',
  colorOnDark: '#3ddc97',
  hosts: ['app'],
  titles: { email: 'Your email address', code: 'Enter the code', deposit: 'Send your crypto' },
  cards: {},
  refundsBuys: true,
  returnsForDeposit: false,
  open,
  tell,
  returns: () => ({}),
};

/** In euros. No tiers are published. */
const DOCUMENT_FROM = decimal(150);

export const orderRoutes: readonly StandinRoute[] = [
  ...hostedRoutes(brand),
  look('/host-api/purchase/:id', 'buy'),
  look('/host-api/offramp/sale/:id', 'sell'),
  look('/host-api/v3/offramp/sale/:id', 'sell'),
  {
    // "Demo": releases a purchase without anyone's money.
    ...{ method: 'POST', host: 'api', path: '/widget/testing/purchase/:id/release' },
    answer({ params, query }, world) {
      const flow = find(params.id, query.secret, world);
      if (flow?.deal.side !== 'buy') return notFound(`/widget/testing/purchase/${params.id}/release`);
      move(flow.id, 'complete', { brand, world, form: {} });
      return { status: 200, body: {} };
    },
  },
];

/** How long a signed link is good is not published; this is a guess. */
const LINK_MS = 3_600_000;

function open({ query, search }: StandinRequest, host: string, world: World): Opening {
  if (query.hostApiKey !== SETTINGS.hostApiKey) return noPage(401, 'The host API key is not valid.');
  if (!isSigned(search, query.timestamp, world))
    return noPage(403, 'The signature of this link is not valid.');

  const known = world.orders.find(flow => flow.key === search && flow.stage !== 'end').at(-1);
  if (known) return { kind: 'goOn', flow: known };
  const side: Side = query.defaultFlow === 'OFFRAMP' ? 'sell' : 'buy';
  const deal = dealOf(side, query, world);
  if (!deal) return noPage(400, 'This amount or asset is not available.');
  const order = uuid(world.id(), world);
  world.notes.put(
    `hook ${order}`,
    searchOf(side === 'buy' ? query.webhookStatusUrl : query.offrampWebhookV3Url),
  );
  return {
    kind: 'start',
    intent: {
      ...{ key: search, host, deal, order },
      means: meansOf(deal.method),
      knowing: isAbove(DOCUMENT_FROM, deal, world) ? 'document' : 'identity',
      ...{ reference: undefined, customer: undefined, memo: undefined },
      wallet: query.userAddress,
      email: query.userEmailAddress ?? '',
      // "Demo": a European one.
      country: query.selectedCountryCode ?? 'DE',
      returnUrl: query.finalUrl,
      dark: false,
    },
  };
}

/** All that stands between `?` and the signature is signed as it came. */
function isSigned(search: string, timestamp: string | undefined, world: World): boolean {
  const [, signed = '', signature = ''] = /^\?(.*)&signature=([^&]+)$/.exec(search) ?? [];
  const at = readDecimal(timestamp) ?? ZERO;
  if (at.minus(world.now).abs().gt(LINK_MS)) return false;
  return world.isSigned('ed25519-base64', SETTINGS.signingKey, signed, decode(signature));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function searchOf(url: string | undefined): string {
  return url && URL.canParse(url) ? new URL(url).search : '';
}

/** A widget without a preselected method shows the first that there is. */
function dealOf(side: Side, query: StandinRequest['query'], world: World): Deal | undefined {
  const [money, coin] = side === 'buy' ? [query.inAsset, query.outAsset] : [query.outAsset, query.inAsset];
  const fiat = world.currencies.findFiat(money ?? '');
  const asset = codesOf(world.currencies).get(coin ?? '');
  const amount = readDecimal(query.inAssetValue);
  if (!fiat || !asset || !amount) return undefined;
  const wanted = { side, fiat, asset, amount, amountOf: 'source' } as const;
  const offered = METHODS[side].map(({ name }) => name);
  const chosen = offered.filter(name => IN_WIDGET[name] === (query.paymentMethodType ?? ''));
  for (const method of [...chosen, ...offered]) {
    const deal = priceOf({ ...wanted, method }, world);
    if (deal) return deal;
  }
  return undefined;
}

function meansOf(method: string): Means {
  if (method.startsWith('CARD')) return 'card';
  return /_PAY$/.test(method) ? 'wallet' : 'bank';
}

interface Said {
  status: string;
  type?: string;
}

/** The event and the status inside; a missing event is none. */
const BOUGHT: Readonly<Record<Standing, Said>> = {
  none: { status: 'INITIALIZED' },
  awaiting: { status: 'INITIALIZED', type: 'CREATED' },
  authorizing: { status: 'PAYMENT_STARTED' },
  verifying: { status: 'PAYMENT_IN_PROGRESS' },
  paid: { status: 'FIAT_RECEIVED' },
  sending: { status: 'RELEASING' },
  completed: { status: 'RELEASED', type: 'RELEASED' },
  failed: { status: 'PAYMENT_FAILED', type: 'ERROR' },
  canceled: { status: 'CANCELLED', type: 'ERROR' },
  expired: { status: 'EXPIRED', type: 'ERROR' },
  refunded: { status: 'FIAT_RETURNED', type: 'RETURNED' },
};

/** They have no word for a sale that fails: it ends as if nothing had come. */
const SOLD: Readonly<Record<Standing, Said>> = {
  ...BOUGHT,
  none: { status: 'CREATED' },
  awaiting: { status: 'CREATED', type: 'CREATED' },
  authorizing: { status: 'CREATED' },
  verifying: { status: 'CREATED' },
  paid: { status: 'CREATED' },
  sending: { status: 'CREATED' },
  ...Object.fromEntries(
    ['failed', 'canceled', 'expired', 'refunded'].map(end => [end, { status: 'EXPIRED', type: 'EXPIRED' }]),
  ),
};

function saidOf({ deal, standing }: Flow): Said {
  return (deal.side === 'buy' ? BOUGHT : SOLD)[standing];
}

/** "Webhooks": what is signed is the JSON with its keys in order. */
function tell(flow: Flow, world: World): OutgoingWebhook[] {
  const { type } = saidOf(flow);
  if (!type) return [];
  const about =
    flow.deal.side === 'buy'
      ? { type, purchase: purchaseOf(flow, world) }
      : { id: uuid(world.id(), world), type, mode: 'OFFRAMP', payload: saleOf(flow, world) };
  const body = writeJson(about);
  const signature = world.sign('secp256k1-base64', WEBHOOK_KEY, canonicalJson(readStrictJson(body)));
  const search = world.notes.get(`hook ${flow.order}`) ?? '';
  return [{ search, headers: { 'X-Body-Signature': signature }, body, signature }];
}

function tokenOf({ order }: Flow, world: World): string {
  return digest(`view ${order}`, world).slice(0, 32);
}

function purchaseOf(flow: Flow, world: World): object {
  const { deal, standing, history } = flow;
  const isSent = history.some(said => said.standing === 'completed');
  return {
    id: flow.order,
    purchaseViewToken: tokenOf(flow, world),
    endTime: iso(flow.createdAt + LINK_MS),
    asset: infoOf(deal.asset, deal.fiat, world),
    receiverAddress: walletOf(flow, world),
    cryptoAmount: toSmallest(deal.gets, deal.asset.decimals),
    fiatCurrency: deal.fiat.code,
    fiatValue: deal.pays,
    assetExchangeRate: deal.rate,
    baseRampFee: deal.fee,
    networkFee: deal.networkFee,
    appliedFee: deal.fee.plus(deal.networkFee),
    hostFeeCut: ZERO,
    paymentMethodType: deal.method,
    finalTxHash: isSent ? hashOf('delivery', flow, world) : null,
    createdAt: iso(flow.createdAt),
    updatedAt: iso(flow.updatedAt),
    status: BOUGHT[standing].status,
    escrowAddress: null,
  };
}

const ARRIVED: ReadonlySet<Standing> = new Set(['paid', 'sending', 'completed', 'refunded']);

/** Fiat amounts are texts here. */
function saleOf(flow: Flow, world: World): object {
  const { deal, standing } = flow;
  const arrived = ARRIVED.has(standing);
  return {
    id: flow.order,
    saleViewToken: tokenOf(flow, world),
    status: SOLD[standing].status,
    createdAt: iso(flow.createdAt),
    updatedAt: iso(flow.updatedAt),
    transactionHash: arrived ? hashOf('deposit', flow, world) : null,
    exchangeRate: deal.rate.toString(),
    fees: { amount: deal.fee.toString(), currencySymbol: deal.fiat.code },
    crypto: {
      amount: toSmallest(deal.pays, deal.asset.decimals),
      status: arrived ? 'received' : NOT_STARTED,
      assetInfo: infoOf(deal.asset, deal.fiat, world),
    },
    fiat: {
      amount: deal.gets.toString(),
      currencySymbol: deal.fiat.code,
      status: standing === 'completed' ? 'completed' : NOT_STARTED,
      payoutMethod: deal.method,
    },
  };
}

function find(id = '', secret = '', world: World): Flow | undefined {
  const [flow] = world.orders.find(({ order, history }) => order === id && history.length > 0);
  return flow && tokenOf(flow, world) === secret ? flow : undefined;
}

/** A wrong secret finds nothing; that this is a 404 is a guess. */
function look(path: string, side: Side): StandinRoute {
  return {
    ...{ method: 'GET', host: 'api', path },
    answer({ params, query }, world) {
      const flow = find(params.id, query.secret, world);
      if (flow?.deal.side !== side) return notFound(path.replace(':id', params.id ?? ''));
      return { status: 200, body: side === 'buy' ? purchaseOf(flow, world) : saleOf(flow, world) };
    },
  };
}
