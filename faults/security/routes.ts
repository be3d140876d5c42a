/** Routes: every one that is served, who may use it, and how it is called rightly. Written by hand, so that none is forgotten. */
import { JSON_BODY } from './caller.ts';

/**
 * Who may use a route. `open`: anybody, for what is asked for is public or the path is secret. `account`: anybody, as the
 * account of the key or as nobody. `keyed`: an account. `secret`: an account that proves itself. `hook`: providers.
 */
export type Access = 'open' | 'account' | 'keyed' | 'secret' | 'hook';

/** What the paths of routes are filled with: all of it belongs to one account. */
export interface Things {
  publicKey: string;
  transactionId: string;
  endpointId: string;
  payToken: string;
  wallet: string;
  /** Where events may be sent. */
  hookUrl: string;
  /** Files of our pages, by how their paths begin. */
  files: Readonly<Record<FilePlace, string>>;
  /** An endpoint that nobody would miss. */
  spareEndpoint(): Promise<string>;
  /** The first step of an order by steps that has not begun. */
  newStep(): Promise<string>;
}

export const FILE_PLACES = ['/docs', '/widget', '/pay', '/legacy/transaction'] as const;
export type FilePlace = (typeof FILE_PLACES)[number];

export interface Route {
  access: Access;
  /** What whoever may use it is answered. */
  good: number;
  /** What another account is answered that proves itself as well; the same when it does not say. */
  other?: number;
  path?(things: Things): string | Promise<string>;
  headers?: readonly (readonly [string, string])[];
  body?(things: Things): string;
}

const OPEN: Route = { access: 'open', good: 200 };
const at = (path: string, more: Partial<Route> = {}): Route => ({ ...OPEN, path: () => path, ...more });
const own = (path: (things: Things) => string, more: Partial<Route> = {}): Route => ({
  ...{ access: 'secret' as const, good: 200, other: 404, path },
  ...more,
});
/** What the pay page itself sends, and no other. */
const FROM_PAGE = [['sec-fetch-site', 'same-origin'] as const];
const file = (place: FilePlace): Route => ({ ...OPEN, path: ({ files }) => files[place] });
const step = (word: string, more: Partial<Route>): Route => ({
  ...OPEN,
  path: async ({ newStep }) => `/legacy/transaction/moonpay/${word}/${await newStep()}`,
  ...more,
});

/** By method and path, as the document of the interface has them. */
export const ROUTES: Readonly<Record<string, Route>> = {
  // To the documents, for the same reason as below.
  'GET /': { ...OPEN, good: 302 },
  'GET /health/live': OPEN,
  'GET /health/ready': OPEN,
  'GET /metrics': OPEN,
  'GET /openapi.json': OPEN,
  'GET /icons/{kind}/{file}': at('/icons/onramp/moonpay.svg'),
  'GET /client.js': OPEN,
  'GET /docs': OPEN,
  'GET /docs/api': OPEN,
  'GET /docs/{page}': at('/docs/quick-start'),
  'GET /docs/assets/{file}': file('/docs'),
  // The instance has no sandbox of its own.
  'GET /sandbox/providers': { ...OPEN, good: 404 },
  'PUT /sandbox/providers/{provider}': at('/sandbox/providers/moonpay', {
    good: 404,
    headers: [JSON_BODY],
    body: () => '{"kind":"none"}',
  }),
  'GET /widget': { ...OPEN, path: ({ publicKey }) => `/widget?apiKey=${publicKey}` },
  'GET /widget.js': OPEN,
  'GET /widget/assets/{file}': file('/widget'),

  'GET /supported': { ...OPEN, access: 'account' },
  'GET /supported/payment-types': { ...OPEN, access: 'account' },
  'GET /supported/payment-types/{fiat}': at('/supported/payment-types/eur', { access: 'account' }),
  'GET /supported/defaults/all': { ...OPEN, access: 'account' },
  'GET /supported/countries': { ...OPEN, access: 'account' },
  'GET /supported/assets': { ...OPEN, access: 'keyed' },
  'GET /supported/onramps': at('/supported/onramps?source=eur&destination=btc', { access: 'keyed' }),
  'GET /supported/onramps/all': { ...OPEN, access: 'keyed' },
  'GET /quotes/{source}/{destination}': at('/quotes/eur/btc?amount=100', { access: 'account' }),
  'POST /checkout/intent': {
    ...{ access: 'keyed', good: 200, headers: [JSON_BODY] },
    body: ({ wallet }) =>
      JSON.stringify({
        ...{ onramp: 'moonpay', source: 'eur', destination: 'btc', amount: 100 },
        ...{ partnerContext: 'matrix', wallet: { address: wallet } },
      }),
  },
  'GET /transactions': { ...OPEN, access: 'secret' },
  'GET /transactions/{transactionId}': own(({ transactionId }) => `/transactions/${transactionId}`),
  'GET /webhooks': { ...OPEN, access: 'secret' },
  'POST /webhooks': {
    ...{ access: 'secret', good: 201, headers: [JSON_BODY] },
    body: ({ hookUrl }) => JSON.stringify({ url: hookUrl }),
  },
  'DELETE /webhooks/{id}': {
    ...{ access: 'secret', good: 204, other: 404 },
    path: async ({ spareEndpoint }) => `/webhooks/${await spareEndpoint()}`,
  },
  'POST /webhooks/{id}/secret': own(({ endpointId }) => `/webhooks/${endpointId}/secret`),
  'DELETE /webhooks/{id}/secret/previous': own(
    ({ endpointId }) => `/webhooks/${endpointId}/secret/previous`,
    {
      good: 204,
    },
  ),
  'POST /webhooks/{id}/enable': own(({ endpointId }) => `/webhooks/${endpointId}/enable`),
  'POST /webhooks/{id}/test': own(({ endpointId }) => `/webhooks/${endpointId}/test`),
  'GET /webhooks/{id}/deliveries': own(({ endpointId }) => `/webhooks/${endpointId}/deliveries`),
  'POST /webhooks/{id}/replay': own(({ endpointId }) => `/webhooks/${endpointId}/replay`, {
    ...{ headers: [JSON_BODY], body: () => '{"state":"dead"}' },
  }),

  'GET /pay/{token}': { ...OPEN, path: ({ payToken }) => `/pay/${payToken}` },
  'POST /pay/{token}/open': { ...OPEN, path: ({ payToken }) => `/pay/${payToken}/open`, headers: FROM_PAGE },
  // It has not come to nothing yet.
  'POST /pay/{token}/again': {
    ...{ ...OPEN, good: 409, path: ({ payToken }) => `/pay/${payToken}/again`, headers: FROM_PAGE },
  },
  'GET /pay/{token}/state': { ...OPEN, path: ({ payToken }) => `/pay/${payToken}/state` },
  'GET /pay/{token}/events': { ...OPEN, path: ({ payToken }) => `/pay/${payToken}/events` },
  'GET /pay/{token}/return': { ...OPEN, path: ({ payToken }) => `/pay/${payToken}/return` },
  'GET /pay/assets/{file}': file('/pay'),

  'GET /legacy/gateways': { ...OPEN, access: 'account' },
  'GET /legacy/rate/{fromCurrency}/{toCurrency}/{paymentMethod}/{amount}': at(
    '/legacy/rate/EUR/BTC/creditCard/100',
    { access: 'account' },
  ),
  'GET /legacy/routing/{country}': at('/legacy/routing/de', { access: 'account' }),
  'GET /legacy/sell/{crypto}/{fiat}/{paymentMethod}/{amount}': at(
    '/legacy/sell/BTC/EUR/sepaBankTransfer/0.01',
    { access: 'account' },
  ),
  'GET /legacy/sell/{crypto}/{paymentMethod}/{amount}': at('/legacy/sell/BTC/sepaBankTransfer/0.01', {
    access: 'account',
  }),
  'POST /legacy/transaction/{identifier}/form/{token}': step('form', {
    ...{ other: 404, headers: [JSON_BODY] },
    body: ({ wallet }) => JSON.stringify({ cryptocurrencyAddress: wallet, email: 'jo@shop.example' }),
  }),
  // The token is that of a form, here and below.
  'POST /legacy/transaction/{identifier}/wait/{token}': step('wait', { good: 404 }),
  'POST /legacy/transaction/{identifier}/file/{token}': step('file', { good: 404, body: () => 'none' }),
  'PUT /legacy/transaction/{identifier}/file/{token}': step('file', { good: 404, body: () => 'none' }),
  'GET /legacy/transaction/{identifier}/pay/{token}': step('pay', { good: 404 }),
  'GET /legacy/transaction/{identifier}/return/{token}': step('return', { good: 404 }),
  'GET /legacy/transaction/assets/{file}': file('/legacy/transaction'),
  'POST /hooks/{provider}': {
    ...{ access: 'hook', good: 401, headers: [JSON_BODY], body: () => '{}', path: () => '/hooks/moonpay' },
  },
};
