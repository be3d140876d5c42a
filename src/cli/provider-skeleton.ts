/** The source files of a provider's skeleton: they compile, promise nothing, and name what has to be filled in. */
import type { NewProvider } from './provider-new.ts';

/** Texts by file name. */
export function skeletonSources(provider: NewProvider): Record<string, string> {
  return {
    'adapter.ts': adapter(provider),
    'orders.ts': orders(provider),
    'words.ts': words(provider),
    'wire.ts': wire(provider),
    'standin.ts': standin(provider),
    'standin-terms.ts': terms(provider),
    'icon.svg': icon(provider),
    'NOTES.md': notes(provider),
  };
}

/** Text whose lines stand behind a margin: without one they would be taken for lines of this file. */
function laid(parts: TemplateStringsArray, ...values: readonly string[]): string {
  const text = parts.reduce((before, part, at) => before + (values[at - 1] ?? '') + part);
  return text.replace(/^\s*\n/, '').replace(/^ *\|/gm, '');
}

const adapter = ({ id, name }: NewProvider) => laid`
  |/** ${name}: what it lists and quotes; orders stand beside. */
  |import type { Decline, Price } from '../../domain/offer.ts';
  |import type { ProviderId } from '../../domain/words.ts';
  |import type { Adapter, Manifest, NativeAsk, TheirListing } from '../contract.ts';
  |import { amount, type Context, exchange, type HttpAnswer, type Work } from '../exchange.ts';
  |import { checkout, status, webhook } from './orders.ts';
  |import * as wire from './wire.ts';
  |import * as words from './words.ts';
  |
  |const manifest: Manifest = {
  |  id: '${id}' as ProviderId,
  |  name: '${name}',
  |  hosts: {
  |    api: { live: 'https://api.${id}.example', test: 'https://sandbox.${id}.example' },
  |    widget: { live: 'https://buy.${id}.example', test: 'https://buy-sandbox.${id}.example' },
  |  },
  |  sides: ['buy', 'sell'],
  |  // Sides on which an exact received amount is priced.
  |  pricesDestination: [],
  |  methods: words.METHODS,
  |  networks: words.NETWORKS,
  |  settings: [
  |    { name: 'apiKey', label: 'API key', secret: false, required: true },
  |    { name: 'secretKey', label: 'Secret key (signs links)', secret: true, required: false },
  |    { name: 'webhookKey', label: 'Webhook key (verifies webhooks)', secret: true, required: false },
  |  ],
  |  duration: { '*': 600 },
  |  kyc: [{ asks: ['email', 'phone', 'identity'] }],
  |  checkout: {
  |    makes: 'link',
  |    opens: 'redirect',
  |    pages: { buy: 'widget', sell: 'widget' },
  |    permissions: [],
  |  },
  |  statuses: words.STATUSES,
  |  limits: { perSecond: 5, burst: 10, connections: 8 },
  |};
  |
  |export const ${id}: Adapter = { manifest, catalog, quote, decline, checkout, status, webhook };
  |
  |/** What they list, in their words. */
  |function catalog(): Work<TheirListing[]> {
  |  return exchange({ method: 'GET', host: 'api', path: '/catalog' }, ({ body }) =>
  |    wire.readCatalog(body).map(() => ({ side: 'buy', assets: [], fiats: [] })),
  |  );
  |}
  |
  |/** All that is paid, all that is received, and both fees in fiat. */
  |function quote(ask: NativeAsk, { settings }: Context): Work<Price | Decline> {
  |  const query = { apiKey: settings.apiKey, amount: ask.amount.toString() };
  |  return exchange({ method: 'GET', host: 'api', path: '/quote', query }, ({ body }) => {
  |    const { pays, gets, networkFee, providerFee } = wire.readQuote(body);
  |    return {
  |      pays: amount(pays),
  |      gets: amount(gets),
  |      networkFee: amount(networkFee),
  |      providerFee: amount(providerFee),
  |    };
  |  });
  |}
  |
  |/** Reads a refusal that is about the ask or the order; undefined for one that is about us. */
  |function decline(_answer: HttpAnswer): Decline | undefined {
  |  return undefined;
  |}
`;

const orders = ({ name }: NewProvider) => laid`
  |/** ${name}'s orders: the page where the person goes on, and what is said of them when asked and by webhook. */
  |import { isAbout, type NativeOrder, type Notice, type Page, type Webhook } from '../contract.ts';
  |import { type Context, exchange, type Work } from '../exchange.ts';
  |import { writeSearch } from '../links.ts';
  |import * as wire from './wire.ts';
  |
  |/** Lock what can be locked; a wallet whose memo cannot be handed over is declined. */
  |export function checkout(order: NativeOrder, context: Context): Page {
  |  const search = writeSearch({ apiKey: context.settings.apiKey, reference: order.id });
  |  return { kind: 'page', url: \`\${context.base('widget')}/\${search}\` };
  |}
  |
  |export function status(order: NativeOrder, _context: Context): Work<Notice[]> | undefined {
  |  return exchange({ method: 'GET', host: 'api', path: \`/orders/\${order.id}\` }, ({ body }) =>
  |    [wire.readOrder(body)].map(noticeOf).filter(isAbout(order)),
  |  );
  |}
  |
  |export const webhook: Webhook = {
  |  /** What was signed how; a header that is not exactly as documented claims nothing. */
  |  claims: () => [],
  |  read: ({ body }) => [noticeOf(wire.readOrder(body))],
  |};
  |
  |function noticeOf({ id, reference, status: word }: wire.Order): Notice {
  |  return { reference, theirs: id, word };
  |}
`;

const words = ({ name }: NewProvider) => laid`
  |/** ${name}'s words for payment methods, networks and statuses, and ours. */
  |import type { Status } from '../../domain/transaction.ts';
  |import type { MethodId, NetworkId } from '../../domain/words.ts';
  |
  |export const METHODS: Readonly<Record<string, readonly MethodId[]>> = {
  |  card: ['creditcard', 'debitcard'] as MethodId[],
  |};
  |
  |export const NETWORKS: Readonly<Record<string, NetworkId>> = {
  |  bitcoin: 'bitcoin' as NetworkId,
  |};
  |
  |export const STATUSES: Readonly<Record<string, Status>> = {
  |  created: 'new',
  |};
`;

const wire = ({ name }: NewProvider) => laid`
  |/** ${name}'s JSON, as far as we rely on it. */
  |import { type Static, Type } from 'typebox';
  |import { Numeric, wire } from '../exchange.ts';
  |
  |export const readCatalog = wire(Type.Array(Type.Object({})));
  |
  |export const readQuote = wire(
  |  Type.Object({ pays: Numeric, gets: Numeric, networkFee: Numeric, providerFee: Numeric }),
  |);
  |
  |const Order = Type.Object({ id: Type.String(), reference: Type.String(), status: Type.String() });
  |export type Order = Static<typeof Order>;
  |export const readOrder = wire(Order);
`;

const standin = ({ id, name }: NewProvider) => laid`
  |/** ${name} imitated: its paths, its credentials, its error bodies, its pages. */
  |import type { Standin, StandinRoute } from '../world.ts';
  |import { LISTED } from './standin-terms.ts';
  |
  |const routes: StandinRoute[] = [
  |  {
  |    method: 'GET',
  |    host: 'api',
  |    path: '/catalog',
  |    answer: () => ({ status: 200, body: LISTED }),
  |  },
  |];
  |
  |export const standin: Standin = { settings: { apiKey: 'standin-${id}-key' }, routes };
`;

const terms = ({ name }: NewProvider) => laid`
  |/** What ${name}'s stand-in lists and charges. */
  |
  |export const LISTED: readonly object[] = [];
`;

const icon = ({ name }: NewProvider) => laid`
  |<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="${name}">
  |  <rect width="64" height="64" rx="14" fill="#3b4a5f"/>
  |  <text x="32" y="44" font-family="sans-serif" font-size="34" font-weight="700" text-anchor="middle" fill="#fff">${name.charAt(0)}</text>
  |</svg>
`;

const notes = ({ name }: NewProvider) => laid`
  |Where the facts about ${name} come from: their documents, by title and date.
  |
  |- Not found: whatever their documents leave out, and what we do instead.
`;
