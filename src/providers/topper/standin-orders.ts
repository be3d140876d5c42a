/** Topper's widget imitated: tokens that open one page, and events signed as detached tokens. */
import { writeJson } from '../../domain/json.ts';
import { decimal } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import { type Brand, type Flow, type Means, noPage, type Opening, type Standing } from '../hosted.ts';
import { depositOf, hashOf, walletOf } from '../hosted-chain.ts';
import { LIFE_MS } from '../hosted-moves.ts';
import { hostedRoutes, reopen } from '../hosted-routes.ts';
import { base64url } from '../jwt.ts';
import { isAbove, iso, uuid } from '../standin-kit.ts';
import type { OutgoingWebhook, StandinRequest, StandinRoute, World } from '../world.ts';
import { partOf, readBootstrap, SETTINGS, textOf, WEBHOOK_KEYS } from './standin-answers.ts';
import { flowOf, priceOf, simulationOf } from './standin-quotes.ts';
import { networkOf } from './standin-terms.ts';

const brand: Brand = {
  name: 'Topper',
  color: '#1f7a5c',
  colorOnDark: '#7fe0bd',
  hosts: ['app'],
  titles: { email: 'Sign up or log in', code: 'Confirm your email', card: 'Add a card' },
  // "Environments": one that works, one without funds, one that has expired.
  cards: {
    '5318773012490080': { outcome: 'approved' },
    '4247318851058116': { outcome: 'declined' },
    '4695070264707089': { outcome: 'declined' },
  },
  refundsBuys: true,
  returnsForDeposit: false,
  open,
  tell,
  returns: () => ({}),
};

/** In euros. No tiers are published. */
const DOCUMENT_FROM = decimal(500);

export const orderRoutes: readonly StandinRoute[] = hostedRoutes(brand);

/** Both flows may stand in one link, of which one is active. A token opens a page once. */
function open(request: StandinRequest, host: string, world: World): Opening {
  const { query } = request;
  const tokens = (query.bt ?? '').split(';').map(text => readBootstrap(text, world));
  const active = tokens.find(
    token => token && `crypto_${token.side === 'buy' ? 'on' : 'off'}ramp` === query.active_flow,
  );
  const bootstrap = active ?? tokens[0];
  if (!bootstrap) return noPage(401, 'The bootstrap token is not valid, or it has expired.');
  const { side, jti, source, target, refund, partner } = bootstrap;
  const again = reopen(request, jti, world);
  if (again) return again;
  const deal = priceOf(bootstrap, world);
  if ('status' in deal) return noPage(400, String((deal.body as { message?: string }).message));
  const wallet = side === 'buy' ? target : refund;
  if (side === 'buy' && !textOf(target, 'address') && textOf(target, 'recipientEditMode') === 'not-editable')
    return noPage(400, 'target.address is required.');
  return {
    kind: 'start',
    intent: {
      ...{ key: jti, host, deal, reference: jti, customer: undefined },
      order: uuid(world.id(), world),
      means: meansOf(textOf(partOf(source.paymentMethod), 'network') ?? 'card'),
      knowing: isAbove(DOCUMENT_FROM, deal, world) ? 'document' : 'identity',
      wallet: textOf(wallet, 'address'),
      memo: textOf(partOf(wallet.tag), 'value'),
      email: query.user_email ?? '',
      country: 'PT',
      returnUrl: textOf(partner, 'continueUrl'),
      dark: query.theme === 'dark',
    },
  };
}

function meansOf(network: string): Means {
  if (network === 'card') return 'card';
  return /^(pix|sepa)$/.test(network) ? 'bank' : 'wallet';
}

interface Said {
  /** The last part of the event's name; none where they tell nothing. */
  event?: string;
  status: string;
}

/** "Events". They have no word of their own for an order that is cancelled. */
const EVENTS: Readonly<Record<Side, Readonly<Record<Standing, Said>>>> = {
  buy: {
    none: { status: 'pending' },
    awaiting: { status: 'pending', event: 'committed' },
    authorizing: { status: 'pending' },
    verifying: { status: 'pending' },
    paid: { status: 'processing', event: 'charged' },
    sending: { status: 'processing', event: 'crypto-sent' },
    completed: { status: 'completed', event: 'completed' },
    failed: { status: 'failed', event: 'failed' },
    canceled: { status: 'expired', event: 'expired' },
    expired: { status: 'expired', event: 'expired' },
    refunded: { status: 'refunded', event: 'refund:completed' },
  },
  sell: {
    none: { status: 'processing' },
    awaiting: { status: 'processing', event: 'committed' },
    authorizing: { status: 'processing' },
    verifying: { status: 'processing', event: 'funds-sent' },
    paid: { status: 'processing', event: 'funds-received' },
    sending: { status: 'processing' },
    // As in their example.
    completed: { status: 'processing', event: 'completed' },
    failed: { status: 'failed', event: 'failed' },
    canceled: { status: 'expired', event: 'expired' },
    expired: { status: 'expired', event: 'expired' },
    refunded: { status: 'failed', event: 'refund:completed' },
  },
};

/** "Webhooks": the header and the signature, with nothing between them; the same id each time it is sent. */
function tell(flow: Flow, world: World): OutgoingWebhook[] {
  const { side } = flow.deal;
  const { event, status } = EVENTS[side][flow.standing];
  if (!event) return [];
  const body = writeJson({
    name: `order:${flowOf(side)}:${event}`,
    id: uuid(world.id(), world),
    bootstrapTokenId: flow.reference,
    data: { ...dataOf(flow, world), status },
  });
  const header = base64url('{"alg":"ES256"}');
  const signature = world.sign('es256-base64url', WEBHOOK_KEYS[side], `${header}.${base64url(body)}`);
  return [{ headers: { 'X-Topper-JWS-Signature': `${header}..${signature}` }, body, signature }];
}

function dataOf(flow: Flow, world: World): object {
  const { deal, standing } = flow;
  const { origin, destination, fees } = simulationOf(deal);
  const ends = deal.side === 'buy' ? bought(flow, world) : sold(flow, world);
  return {
    id: flow.order,
    createdAt: iso(flow.createdAt),
    updatedAt: iso(flow.updatedAt),
    origin: { ...origin, ...ends.origin },
    destination: { ...destination, ...ends.destination },
    fees: fees.map(fee => ({ ...fee, normalized: fee.amount })),
    widget: {
      id: deal.side === 'buy' ? SETTINGS.buyWidgetId : SETTINGS.sellWidgetId,
      name: 'Sandbox',
      flow: flowOf(deal.side).replace('-', '_'),
    },
    ...(standing === 'failed' && { error: { reason: 'fraud' } }),
  };
}

interface Ends {
  origin: object;
  destination: object;
}

function bought(flow: Flow, world: World): Ends {
  const isSent = flow.history.some(({ standing }) => standing === 'sending');
  return {
    origin: { paymentMethod: { type: flow.deal.method } },
    destination: {
      network: networkOf(flow.deal.asset),
      address: walletOf(flow, world),
      ...(flow.memo && { tag: { type: 'destination-tag', value: flow.memo } }),
      ...(isSent && { ledger: { txid: hashOf('delivery', flow, world) } }),
    },
  };
}

function sold(flow: Flow, world: World): Ends {
  const { address, memo } = depositOf(flow, world);
  return {
    origin: {
      network: networkOf(flow.deal.asset),
      depositAddress: {
        value: address,
        expiresAt: iso(flow.createdAt + LIFE_MS),
        ...(memo && { tag: { type: 'destination-tag', value: memo } }),
      },
    },
    destination: { paymentMethod: { type: flow.deal.method } },
  };
}
