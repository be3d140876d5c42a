/** The cases of a provider's skeleton: one for all that parity asks, each of which fails until it is filled in from their documents. */
import { layOut } from './provider-case.ts';
import type { NewProvider } from './provider-new.ts';

/** Texts by file name. */
export function skeletonCases({ name }: NewProvider): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [file, example] of Object.entries({ ...QUOTES, ...ORDERS, ...WEBHOOKS }))
    texts[`${file}.json`] = layOut({ ...example, why: `${name}: ${example.why}` });
  return texts;
}

interface Skeleton {
  why: string;
  do: string;
  [member: string]: unknown;
}

/** No adapter sends this, so that no case passes unread. */
const REQUEST = { method: 'GET', host: 'api', path: '/as/their/documents/have/it' };
const exchanges = (status: number, body: unknown) => [{ request: REQUEST, answer: { status, body } }];
const SETTINGS = { apiKey: 'demo' };

const NATIVE = { fiat: 'EUR', asset: 'BTC', network: 'bitcoin', method: 'card' };
const BUY = {
  ...{ side: 'buy', fiat: 'EUR', asset: 'btc_bitcoin', method: 'creditcard', country: 'DE' },
  ...{ amount: '100', amountOf: 'source', native: NATIVE },
};
const SELL = { ...BUY, side: 'sell', amount: '0.002' };
const ORDER = { ...BUY, id: '01JAAAAAAAAAAAAAAAAAAAAAAA', wallet: { address: 'bc1q' } };
const SOLD = { ...SELL, id: '01JAAAAAAAAAAAAAAAAAAAAAAB' };
const PRICE = { pays: '100', gets: '0.001', networkFee: '1', providerFee: '3' };
const NOTICE = { reference: ORDER.id, theirs: 'their-id', word: 'created' };

const ask = (why: string, input: object, rest: object): Skeleton => ({
  ...{ why, do: 'quote', settings: SETTINGS, input },
  ...rest,
});

const QUOTES: Record<string, Skeleton> = {
  'exemplary/catalog': {
    why: 'what it lists',
    do: 'catalog',
    settings: SETTINGS,
    exchanges: exchanges(200, []),
    output: [{ side: 'buy', assets: [], fiats: [] }],
  },
  'exemplary/quote-buy': ask('a buy', BUY, { exchanges: exchanges(200, {}), output: PRICE }),
  'exemplary/quote-sell': ask('a sell', SELL, {
    exchanges: exchanges(200, {}),
    output: { ...PRICE, pays: '0.002', gets: '95' },
  }),
  'supplemental/below-minimum': ask(
    'an amount below the minimum',
    { ...BUY, amount: '1' },
    {
      exchanges: exchanges(400, {}),
      declined: { reason: 'limit', message: 'their words', limits: { min: '20' } },
    },
  ),
  'supplemental/above-maximum': ask(
    'an amount above the maximum',
    { ...BUY, amount: '1000000' },
    {
      exchanges: exchanges(400, {}),
      declined: { reason: 'limit', message: 'their words', limits: { max: '20000' } },
    },
  ),
  'supplemental/unsupported-country': ask('a country that is not served', BUY, {
    exchanges: exchanges(400, {}),
    declined: { reason: 'country', message: 'their words' },
  }),
  'supplemental/garbage': ask('a page instead of JSON', BUY, {
    exchanges: [{ request: REQUEST, answer: { status: 200, text: '<html></html>' } }],
    fault: 'BadAnswer',
  }),
  'supplemental/wrong-shape': ask('JSON of another shape', BUY, {
    exchanges: exchanges(200, []),
    fault: 'BadAnswer',
  }),
  'supplemental/wrong-key': ask('credentials that are refused', BUY, {
    exchanges: exchanges(401, {}),
    fault: 'Upstream',
  }),
  'supplemental/too-many-requests': ask('too many requests', BUY, {
    exchanges: exchanges(429, {}),
    fault: 'Upstream',
  }),
};

const work = (what: string, why: string, rest: object): Skeleton => ({
  ...{ why, do: what, settings: SETTINGS },
  ...rest,
});

const ORDERS: Record<string, Skeleton> = {
  'exemplary/checkout-buy': work('checkout', 'the page for a buy', {
    input: ORDER,
    output: { kind: 'page', url: 'https://widget.example/as-their-documents-have-it' },
  }),
  'exemplary/checkout-sell': work('checkout', 'the page for a sell', {
    input: SOLD,
    output: { kind: 'page', url: 'https://widget.example/as-their-documents-have-it' },
  }),
  'exemplary/status-buy': work('status', 'what is said of a buy', {
    input: ORDER,
    exchanges: exchanges(200, {}),
    output: [NOTICE],
  }),
  'exemplary/status-sell': work('status', 'what is said of a sell', {
    input: SOLD,
    exchanges: exchanges(200, {}),
    output: [{ ...NOTICE, reference: SOLD.id }],
  }),
  'supplemental/status-none': work('status', 'an order that is not known', {
    input: ORDER,
    exchanges: exchanges(404, {}),
    output: [],
  }),
  'supplemental/status-wrong-shape': work('status', 'JSON of another shape about an order', {
    input: ORDER,
    exchanges: exchanges(200, []),
    fault: 'BadAnswer',
  }),
};

const claim = (body: string) => ({
  input: { headers: { 'x-signature': 'as-their-documents-have-it' }, body },
  claims: [
    {
      ...{ how: 'hmac-sha256-hex', secret: 'webhookKey', signed: [body] },
      signature: 'as-their-documents-have-it',
    },
  ],
});

const WEBHOOKS: Record<string, Skeleton> = {
  'exemplary/webhook': work('webhook', 'a webhook about an order', { ...claim('{}'), output: [NOTICE] }),
  'supplemental/webhook-about-something-else': work('webhook', 'a webhook about something else', {
    ...claim('{"type":"other"}'),
    output: [],
  }),
  'supplemental/webhook-garbage': work('webhook', 'a webhook of garbage', {
    ...claim('<html></html>'),
    fault: 'BadAnswer',
  }),
  'supplemental/webhook-unsigned': work('webhook', 'a webhook without its signature, which claims nothing', {
    input: { headers: {}, body: '{}' },
    claims: ['none: say so with an empty list'],
    output: null,
  }),
};
