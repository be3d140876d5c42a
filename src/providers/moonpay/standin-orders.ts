/** MoonPay's widget and orders imitated: the signed link, transactions as looked up and as told by signed webhooks. */
import { writeJson } from '../../domain/json.ts';
import { decimal } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import { type Brand, type Flow, type Means, noPage, type Opening } from '../hosted.ts';
import { depositOf } from '../hosted-chain.ts';
import { endOrder } from '../hosted-moves.ts';
import { hostedRoutes } from '../hosted-routes.ts';
import { isAbove, uuid } from '../standin-kit.ts';
import type { OutgoingWebhook, StandinAnswer, StandinRequest, StandinRoute, World } from '../world.ts';
import { notFound, refuse, SETTINGS, unauthorized } from './standin-answers.ts';
import { priceOf } from './standin-quotes.ts';
import { COUNTRY, codeOf, statusOf, transactionOf } from './standin-transactions.ts';

const brand: Brand = {
  name: 'MoonPay',
  color: '#7d00ff',
  colorOnDark: '#c9a3ff',
  hosts: ['buy', 'sell'],
  titles: { email: 'Enter your email', code: 'Verification code', card: 'Enter your card details' },
  // "Sandbox testing": Visa frictionless, and Mastercard with a challenge; the Visa with one is everyone's.
  cards: { '4485040371536584': { outcome: 'approved' }, '5385308360135181': { outcome: 'secure' } },
  // No word of theirs is known for a buy that is refunded.
  refundsBuys: false,
  returnsForDeposit: true,
  open,
  tell,
  returns,
};

/** In euros. Everyone is verified; from which amount by a document is not published. */
const DOCUMENT_FROM = decimal(500);

export const orderRoutes: readonly StandinRoute[] = [
  ...hostedRoutes(brand),
  ...lookups('/v1/transactions', 'buy'),
  ...lookups('/v3/sell_transactions', 'sell'),
  { method: 'DELETE', host: 'api', path: '/v3/sell_transactions/:id', answer: cancel(byId) },
  { method: 'DELETE', host: 'api', path: '/v3/sell_transactions/ext/:id', answer: cancel(byReference) },
];

/** "URL signing": links that name an address or a person must be signed. */
const SIGNED_WITH = [
  'walletAddress',
  'walletAddresses',
  'refundWalletAddress',
  'refundWalletAddresses',
  'email',
];

function open({ query, search }: StandinRequest, host: string, world: World): Opening {
  if (query.apiKey !== SETTINGS.apiKey) return noPage(401, 'The API key is not valid.');
  const mustBeSigned = 'signature' in query || SIGNED_WITH.some(name => name in query);
  if (mustBeSigned && !isSigned(search, world))
    return noPage(403, 'The signature of this link is not valid.');

  const key = `${host}${search}`;
  const known = world.orders.find(flow => flow.key === key && flow.stage !== 'end').at(-1);
  if (known) return { kind: 'goOn', flow: known };
  const side: Side = host === 'sell' ? 'sell' : 'buy';
  const [code, fallback] =
    side === 'buy'
      ? [query.currencyCode, query.defaultCurrencyCode]
      : [query.baseCurrencyCode, query.defaultBaseCurrencyCode];
  const deal = priceOf({ side, code: code ?? fallback ?? '', method: query.paymentMethod, query }, world);
  if ('status' in deal) return noPage(400, String((deal.body as { message?: string }).message));
  return {
    kind: 'start',
    intent: {
      ...{ key, host, deal },
      order: uuid(world.id(), world),
      means: meansOf(deal.method),
      knowing: isAbove(DOCUMENT_FROM, deal, world) ? 'document' : 'identity',
      reference: query.externalTransactionId,
      customer: query.externalCustomerId,
      wallet: side === 'buy' ? query.walletAddress : query.refundWalletAddress,
      memo: query.walletAddressTag,
      email: query.email ?? '',
      country: COUNTRY.alpha2,
      returnUrl: query.redirectURL,
      dark: query.theme === 'dark',
    },
  };
}

/** The signature stands last, and all that stands before it is signed as it came. */
function isSigned(search: string, world: World): boolean {
  const [, signed = '', signature = ''] = /^(\?.*)&signature=([^&]+)$/.exec(search) ?? [];
  return decode(signature) === world.sign('hmac-sha256-base64', SETTINGS.secretKey, signed);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function meansOf(method: string): Means {
  if (method === 'credit_debit_card') return 'card';
  return /bank|pix|interac/.test(method) ? 'bank' : 'wallet';
}

/** A person's "I have sent it" is nothing to them. The legacy header is sent as well; what it holds is not documented. */
function tell(flow: Flow, world: World): OutgoingWebhook[] {
  const status = statusOf(flow);
  if (!status || (flow.deal.side === 'buy' && flow.standing === 'verifying')) return [];
  const isFirst = flow.history.slice(0, -1).every(({ standing }) => !statusOf(flow, standing));
  const event = status === 'failed' ? 'failed' : isFirst ? 'created' : 'updated';
  const type = `${flow.deal.side === 'sell' ? 'sell_' : ''}transaction_${event}`;
  const data = transactionOf(flow, world);
  const body = writeJson({ type, data, externalCustomerId: flow.customer ?? null });
  const seconds = Math.floor(world.now / 1000);
  const signature = world.sign('hmac-sha256-hex', SETTINGS.webhookKey, `${seconds}.${body}`);
  const signed = `t=${seconds},s=${signature}`;
  return [{ headers: { 'Moonpay-Signature-V2': signed, 'Moonpay-Signature': signed }, body, signature }];
}

/** On a buy the end of it, on a sell where the deposit goes. */
function returns(flow: Flow, world: World): Record<string, string> {
  if (flow.deal.side === 'buy') {
    return { transactionId: flow.order, transactionStatus: statusOf(flow) ?? 'waitingPayment' };
  }
  const { address, memo } = depositOf(flow, world);
  return {
    transactionId: flow.order,
    baseCurrencyCode: codeOf(flow, world),
    baseCurrencyAmount: flow.deal.pays.toString(),
    depositWalletAddress: address,
    ...(memo && { depositWalletAddressTag: memo }),
  };
}

type Find = (id: string, side: Side, world: World) => Flow[];

function byId(id: string, side: Side, world: World): Flow[] {
  return world.orders.find(flow => flow.order === id && flow.deal.side === side && !!statusOf(flow));
}

/** They do not see to it that a partner's reference is unique. */
function byReference(id: string, side: Side, world: World): Flow[] {
  return world.orders.find(flow => flow.reference === id && flow.deal.side === side && !!statusOf(flow));
}

/** That a reference nobody used finds an empty list, and not a 404, is a guess: their documents do not say. */
function lookups(path: string, side: Side): StandinRoute[] {
  const ask =
    (find: Find, write: (found: object[]) => StandinAnswer): StandinRoute['answer'] =>
    ({ query, params }, world) =>
      query.apiKey === SETTINGS.apiKey
        ? write(find(params.id ?? '', side, world).map(flow => transactionOf(flow, world)))
        : unauthorized();
  const one = ([first]: object[]) => (first ? { status: 200, body: first } : notFound(NOT_FOUND));
  const all = (found: object[]) => ({ status: 200, body: found });
  return [
    { method: 'GET', host: 'api', path: `${path}/:id`, answer: ask(byId, one) },
    { method: 'GET', host: 'api', path: `${path}/ext/:id`, answer: ask(byReference, all) },
  ];
}

const NOT_FOUND = 'Transaction not found';

/** "Cancel sell transaction": as long as the deposit is waited for. */
function cancel(find: Find): StandinRoute['answer'] {
  return ({ headers, params }, world): StandinAnswer => {
    if (headers.authorization !== `Api-Key ${SETTINGS.secretKey}`) return unauthorized();
    const found = find(params.id ?? '', 'sell', world);
    if (!found.length) return notFound(NOT_FOUND);
    const waiting = found.filter(flow => flow.standing === 'awaiting');
    if (!waiting.length) return refuse(409, 'ConflictError', 'The transaction cannot be cancelled any more');
    const how = { standing: 'canceled', reason: 'Cancelled' } as const;
    for (const flow of waiting) endOrder(flow, how, { brand, world });
    return { status: 204, body: '' };
  };
}
