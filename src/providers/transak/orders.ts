/** Transak's orders: its access token, a session for its page, and what it says of an order when asked and by webhook. */
import { parseJson } from '../../domain/json.ts';
import {
  type Absence,
  type Adapter,
  isAbout,
  type NativeOrder,
  type Notice,
  type Page,
  type Webhook,
} from '../contract.ts';
import {
  amountIfAny,
  BadAnswer,
  type Context,
  exchange,
  type HttpAnswer,
  isSameWord,
  Unauthorized,
  type Work,
} from '../exchange.ts';
import { readSeconds, readUtc } from '../moments.ts';
import { reasonIfAny, wordIfAny } from '../plain.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

/** "Refresh Access Token": every new one ends the one before it. */
export const token: NonNullable<Adapter['token']> = {
  name: 'accessToken',
  ask: ({ settings: { apiKey }, secret }) =>
    exchange(
      {
        method: 'POST',
        host: 'api',
        path: '/partners/api/v2/refresh-token',
        headers: { 'api-secret': secret('apiSecret'), 'x-api-key': apiKey ?? '' },
        body: { apiKey },
      },
      ({ body }) => {
        const { accessToken, expiresAt } = wire.read.token(body).data;
        const until = readSeconds(expiresAt);
        if (until === undefined) throw new BadAnswer('expiresAt is not in seconds');
        return { secret: accessToken, until };
      },
    ),
};

/** "Create Widget URL": the page may be opened once, within five minutes. */
export function checkout(order: NativeOrder, context: Context): Work<Page> {
  return exchange(
    {
      method: 'POST',
      host: 'gateway',
      path: '/api/v2/auth/session',
      headers: headersOf(order, context),
      body: { widgetParams: { ...ourParameters(context), ...parametersOf(order) } },
    },
    ({ body }) => ({ kind: 'page', url: wire.read.session(body).data.widgetUrl }),
  );
}

function headersOf({ clientIp }: NativeOrder, { settings, secret }: Context): Record<string, string> {
  return {
    'access-token': secret('accessToken'),
    'x-api-key': settings.apiKey ?? '',
    ...(clientIp && { 'x-user-ip': clientIp }),
  };
}

function ourParameters({ settings: { apiKey, referrerDomain } }: Context) {
  return { apiKey, referrerDomain };
}

/**
 * "Query Parameters": those without `default` in their name lock what they set. The screen with the price is not
 * hidden, since a session is not bound to a quote and the price may have moved.
 */
function parametersOf(order: NativeOrder) {
  const { native, amount, theme } = order;
  const isBuy = order.side === 'buy';
  return {
    productsAvailed: isBuy ? 'BUY' : 'SELL',
    fiatCurrency: native.fiat,
    cryptoCurrencyCode: native.asset,
    network: words.networkWord(native.network),
    [isBuy ? 'fiatAmount' : 'cryptoAmount']: amount,
    paymentMethod: native.method,
    ...(isBuy && walletParameters(order)),
    partnerOrderId: order.id,
    email: order.email,
    redirectURL: order.returnUrl,
    colorMode: theme.isDark ? 'DARK' : 'LIGHT',
    themeColor: theme.primaryColor?.replace('#', ''),
  };
}

/** For buys only: no address for refunds is documented. A memo goes with the address in the form for several coins. */
function walletParameters({ wallet, native }: NativeOrder) {
  if (!wallet) return {};
  const { address, memo } = wallet;
  const coins = { [native.asset]: { address, addressAdditionalData: memo } };
  const where = memo ? { walletAddressesData: { coins } } : { walletAddress: address };
  return { ...where, disableWalletAddressForm: true };
}

export function status(order: NativeOrder, context: Context): Work<Notice[] | undefined> {
  if (!order.theirs) return statusByReference(order, context);
  const path = `/partners/api/v2/order/${encodeURIComponent(order.theirs)}`;
  return exchange({ method: 'GET', host: 'api', path, headers: headersOf(order, context) }, ({ body }) =>
    [noticeOf(wire.read.found(body).data)].filter(isAbout(order)),
  );
}

/**
 * By our reference in "Get Orders". Its filters were not found, so that these are a guess: only an order that carries our
 * reference is believed, and where there is none, or a refusal, nothing is known.
 */
function statusByReference(order: NativeOrder, context: Context): Work<Notice[] | undefined> {
  const query = {
    'filter[partnerOrderId]': order.id,
    'filter[productsAvailed]': order.side === 'buy' ? '["BUY"]' : '["SELL"]',
    'filter[status]': 'COMPLETED',
    limit: '10',
  };
  const request = {
    method: 'GET',
    host: 'api',
    path: '/partners/api/v2/orders',
    query,
    headers: headersOf(order, context),
  } as const;
  return exchange(request, ({ body }) => {
    const notices = wire.read.list(body).data.map(noticeOf).filter(isAbout(order));
    return notices.length > 0 ? notices : undefined;
  });
}

/** What their list refuses tells nothing of the order. By their id, an order is there or it is not. */
export function absence({ status, body }: HttpAnswer, { theirs }: NativeOrder): Absence | undefined {
  checkToken(body);
  if (status !== 400 && status !== 404) return undefined;
  if (!theirs) return 'untold';
  return status === 404 || /order not found/i.test(wire.errorText(body) ?? '') ? 'none' : undefined;
}

/** Whoever of the partner's asks for a token ends ours, and their refusals come with a status of 400 too. */
export function checkToken(body: unknown): void {
  if (words.NOT_LET_IN.test(wire.errorText(body) ?? '')) throw new Unauthorized('our token is refused');
}

/** "How to decrypt webhook payload": a token (JWT) signed with the access token; no signed moment is in it. */
export const webhook: Webhook = {
  claims({ body }) {
    const jwt = findJwt(body);
    if (!jwt || !isHs256(decode(jwt.header))) return [];
    const signed = [`${jwt.header}.${jwt.payload}`];
    const { signature } = jwt;
    return [{ how: 'hmac-sha256-base64url', secret: 'accessToken', signed, signature }];
  },
  /** Events of other kinds are about people. */
  read({ body }) {
    const payload = decode(findJwt(body)?.payload);
    const { eventID = 'ORDER_', webhookData, data } = wire.read.said(payload);
    return eventID.startsWith('ORDER_') ? [noticeOf(wire.read.order(webhookData ?? data ?? payload))] : [];
  },
};

const LONGEST_JWT = 65_536;
const JWT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

function findJwt(body: unknown) {
  const { data } = (body ?? {}) as { data?: unknown };
  if (typeof data !== 'string' || data.length > LONGEST_JWT) return undefined;
  const [found, header = '', payload = '', signature = ''] = JWT.exec(data) ?? [];
  return found ? { header, payload, signature } : undefined;
}

/** The one algorithm we agreed on, and nothing in the header that we would have to understand. */
function isHs256(header: unknown): boolean {
  const { alg, crit } = (header ?? {}) as Record<string, unknown>;
  return alg === 'HS256' && crit === undefined;
}

/** JSON in UTF-8 in base64url; undefined when it is not. */
function decode(part = ''): unknown {
  try {
    const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, char => char.charCodeAt(0));
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** Amounts count once they have moved. `fiatAmount` is all that is paid on a buy, and what is paid out on a sell. */
function noticeOf(order: wire.Order): Notice {
  const { status } = order;
  const side = String(order.isBuyOrSell);
  const fiat = amountIfAny(order.fiatAmount);
  const crypto = amountIfAny(order.cryptoAmount);
  const [pays, gets] = isSameWord(side, 'buy')
    ? [fiat, crypto]
    : isSameWord(side, 'sell')
      ? [crypto, fiat]
      : [];
  const isDone = status === 'COMPLETED';
  return {
    reference: wordIfAny(order.partnerOrderId),
    theirs: order.id,
    word: status,
    at: readUtc(wordIfAny(order.updatedAt)),
    reason: status === words.ON_HOLD ? 'on hold' : reasonIfAny(order.statusReason),
    hash: wordIfAny(order.transactionHash),
    paid: isDone || words.STATUSES[status] === 'paid' ? pays : undefined,
    received: isDone ? gets : undefined,
  };
}
