/** Swapped's widget and orders imitated: the signed link, orders as listed and as told by signed webhooks. */
import { writeJson } from '../../domain/json.ts';
import { type Amount, cut, decimal, readDecimal } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import { type Brand, type Flow, type Means, noPage, type Opening, type Standing } from '../hosted.ts';
import { depositOf, hashOf, walletOf } from '../hosted-chain.ts';
import { hostedRoutes } from '../hosted-routes.ts';
import { filled, isAbove, uuid } from '../standin-kit.ts';
import type { OutgoingWebhook, StandinAnswer, StandinRequest, StandinRoute, World } from '../world.ts';
import { buyFor, fail, flawOf, NO_KEY, sellCoins, succeed, termsOf } from './standin-prices.ts';
import { coinsOf, SETTINGS } from './standin-terms.ts';

const brand: Brand = {
  name: 'Swapped',
  color: '#0b6e4f',
  colorOnDark: '#6fdcb4',
  hosts: ['buy', 'sell'],
  titles: { email: 'What’s your email?', code: 'Verify your email' },
  cards: {},
  // They have no word for it.
  refundsBuys: false,
  returnsForDeposit: false,
  open,
  tell,
  // `{orderId}` and `{orderStatus}` in the address would be filled in; ours has neither.
  returns: () => ({}),
};

const DOCUMENT_FROM = decimal(150);

export const orderRoutes: readonly StandinRoute[] = [
  ...hostedRoutes(brand),
  { method: 'POST', host: 'api', path: '/api/v1/merchant/get_transactions', answer: list },
];

function open({ query, search }: StandinRequest, host: string, world: World): Opening {
  if (query.apiKey !== SETTINGS.publicKey) return noPage(401, 'The API key is not valid.');
  if (!isSigned(search, world)) return noPage(403, 'The signature of this link is not valid.');
  const key = `${host}${search}`;
  const known = world.orders.find(flow => flow.key === key && flow.stage !== 'end').at(-1);
  if (known) return { kind: 'goOn', flow: known };

  const side: Side = host === 'sell' ? 'sell' : 'buy';
  const asked = termsOf(
    {
      ...{ side, method: query.method, region: query.baseCountry ?? 'DE' },
      fiat: side === 'buy' ? query.baseCurrencyCode : query.fiatCurrencyCode,
      code: side === 'buy' ? query.currencyCode : query.cryptoCurrencyCode,
    },
    world,
  );
  if (typeof asked === 'string') return noPage(400, asked);
  const amount = readDecimal(side === 'buy' ? query.baseCurrencyAmount : query.cryptoCurrencyAmount);
  const deal = amount && (side === 'buy' ? buyFor(asked, amount) : sellCoins(asked, amount));
  if (!deal || flawOf(deal, asked)) return noPage(400, 'This amount is not possible.');
  return {
    kind: 'start',
    intent: {
      ...{ key, host, deal },
      order: uuid(world.id(), world),
      means: meansOf(deal.method),
      knowing: isAbove(DOCUMENT_FROM, deal, world) ? 'document' : 'identity',
      reference: query.externalCustomerId,
      customer: undefined,
      wallet: query.walletAddress,
      memo: undefined,
      email: query.email ?? '',
      country: query.baseCountry ?? 'DE',
      returnUrl: query.redirectUrl,
      dark: query.style === 'dark',
    },
  };
}

/** The signature stands last, and all that stands before it is signed as it came, from `?` on. */
function isSigned(search: string, world: World): boolean {
  const [, signed = '', signature = ''] = /^(\?.*)&signature=([\w%.~-]+)$/.exec(search) ?? [];
  const wanted = world.sign('hmac-sha256-base64', SETTINGS.secretKey, signed);
  return signature === encodeURIComponent(wanted);
}

function meansOf(method: string): Means {
  if (method === 'creditcard') return 'card';
  return /bank|sepa|pix|spei|interac|upi|qr/.test(method) ? 'bank' : 'wallet';
}

/** "Order notifications"; they have no words for orders that expired or were refunded. */
const STATUSES: Readonly<Record<Side, Record<Standing, string>>> = {
  buy: {
    none: 'payment_pending',
    awaiting: 'payment_pending',
    authorizing: 'payment_pending',
    verifying: 'payment_pending',
    paid: 'order_completed',
    sending: 'order_completed',
    completed: 'order_broadcasted',
    failed: 'order_cancelled',
    canceled: 'order_cancelled',
    expired: 'order_cancelled',
    refunded: 'order_cancelled',
  },
  sell: {
    none: 'payment_pending',
    awaiting: 'payment_pending',
    authorizing: 'payment_pending',
    verifying: 'payment_pending',
    paid: 'payout_pending',
    sending: 'payout_pending',
    completed: 'order_completed',
    failed: 'order_cancelled',
    canceled: 'order_cancelled',
    expired: 'order_cancelled',
    refunded: 'order_cancelled',
  },
};

/** One webhook for each change of their word. Twice the same is answered by 409, which they take for received. */
function tell(flow: Flow, world: World): OutgoingWebhook[] {
  const statuses = STATUSES[flow.deal.side];
  const before = flow.history.at(-2);
  if (before && statuses[before.standing] === statuses[flow.standing]) return [];
  const body = writeJson(orderOf(flow, world));
  const signature = world.sign('hmac-sha256-base64', SETTINGS.secretKey, body);
  return [{ headers: { signature }, body, signature, received: [200, 409] }];
}

function orderOf(flow: Flow, world: World): Record<string, unknown> {
  const { deal, standing, history } = flow;
  const isBuy = deal.side === 'buy';
  const code = [...coinsOf(world.currencies)].find(([, asset]) => asset === deal.asset)?.[0];
  const [paid, worth] = isBuy ? [deal.pays, deal.value] : [deal.value, deal.gets];
  const moved = isBuy ? standing === 'completed' : history.some(said => said.standing === 'paid');
  const { address, memo } = depositOf(flow, world);
  return {
    order_id: flow.order,
    ...(!isBuy && { order_type: 'sell' }),
    order_status: STATUSES[deal.side][standing],
    order_crypto: code,
    order_crypto_amount: (isBuy ? deal.gets : deal.pays).toString(),
    order_crypto_address: isBuy ? walletOf(flow, world) : address,
    order_crypto_tag: isBuy ? null : (memo ?? null),
    network: deal.asset.network,
    order_amount_usd: inMoney(worth, 'USD', { flow, world }),
    order_amount_usd_plus_fees: inMoney(paid, 'USD', { flow, world }),
    order_amount_eur: inMoney(worth, 'EUR', { flow, world }),
    order_amount_eur_plus_fees: inMoney(paid, 'EUR', { flow, world }),
    transaction_id: moved ? hashOf(isBuy ? 'delivery' : 'deposit', flow, world) : null,
    external_customer_id: flow.reference ?? null,
  };
}

function inMoney(amount: Amount, code: string, { flow, world }: { flow: Flow; world: World }): string {
  const { market } = world;
  const own = market.perEuro(flow.deal.fiat.code) ?? decimal(1);
  if (code === flow.deal.fiat.code) return amount.toString();
  return filled(cut(amount.times(market.perEuro(code) ?? 1).div(own), 2), { decimals: 2 });
}

/** The list knows no `order_broadcasted`: it has the hash instead. */
function list({ body }: StandinRequest, world: World): StandinAnswer {
  const { signature, ...asked } = (body ?? {}) as Record<string, unknown>;
  if (asked.apiKey !== SETTINGS.publicKey) return fail(NO_KEY);
  // Numbers arrive as text here, and were signed as numbers.
  const signed = writeJson({ ...asked, limit: readDecimal(asked.limit) });
  if (signature !== world.sign('hmac-sha256-base64', SETTINGS.secretKey, signed)) {
    return { status: 401, body: { success: false, message: 'Invalid signature' } };
  }
  const since = Date.parse(String(asked.start_date));
  const orders = world.orders
    .find(flow => flow.history.length > 0 && flow.createdAt >= since)
    .map(flow => {
      const order = orderOf(flow, world);
      const isOut = order.order_status === 'order_broadcasted';
      return isOut ? { ...order, order_status: 'order_completed' } : order;
    });
  return succeed({ orders: orders.slice(-100).reverse() });
}
