/** The current surface as a table: every parameter of every operation, its kind, and a request that is good. */
import * as addresses from './addresses.ts';
import * as figures from './figures.ts';
import { type Kind, lenient, never, ours } from './kind.ts';
import * as orders from './orders.ts';
import type { Live, Operation, Parameters, Table } from './parameter.ts';
import * as words from './words.ts';

const US = { country: 'us' };
const place: Parameters = { country: words.country, state: { kind: words.state, query: US } };
const current = (more: Omit<Operation, 'surface'> = {}): Operation => ({ surface: 'current', ...more });

const PAIR = { names: ['source', 'destination'] };
const DE = { country: 'de' };

export function currentTable({ transactionId, cursor, webhookId, eventId }: Live): Table {
  const id = ours('webhook id', webhookId, orders.ID_SEEDS);
  return {
    'get /supported': current({ query: { type: words.eitherSide } }),
    'get /supported/payment-types': current({ query: { ...place, type: words.eitherSide }, always: DE }),
    'get /supported/payment-types/{fiat}': current({
      path: { fiat: words.fiat },
      query: { ...place, type: words.eitherSide, destination: words.crypto },
      always: DE,
    }),
    'get /supported/defaults/all': current({ query: { ...place, type: words.eitherSide }, always: DE }),
    'get /supported/assets': current({
      query: { ...place, source: words.fiat, type: words.eitherSide },
      always: DE,
    }),
    'get /supported/onramps/all': current(),
    'get /supported/countries': current(),
    'get /supported/onramps': current({
      query: {
        ...place,
        source: { kind: words.fiat, required: true, ...PAIR },
        destination: { kind: words.crypto, required: true, ...PAIR },
        recommendations: words.onOff,
      },
      always: { ...DE, source: 'eur', destination: 'btc' },
    }),
    'get /quotes/{source}/{destination}': current({
      path: { source: { kind: words.fiat, ...PAIR }, destination: { kind: words.crypto, ...PAIR } },
      query: {
        ...place,
        amount: { kind: figures.amount(2), required: true },
        paymentMethod: words.method,
        type: words.buy,
        network: {
          kind: words.network,
          required: true,
          path: { destination: 'usdc' },
          names: ['destination'],
        },
        walletAddress: orders.wallet,
        input: words.input,
        errors: words.errors,
        uuid: words.uuid,
        clientName: words.clientName,
      },
      always: { ...DE, amount: '100' },
    }),
    'post /checkout/intent': current({
      query: place,
      headers: { 'idempotency-key': orders.idempotencyKey },
      body: CHECKOUT,
      always: DE,
      sends: BUY,
    }),
    'get /transactions': current({
      query: {
        startDateTime: figures.moment,
        endDateTime: figures.moment,
        limit: figures.limit,
        transactionIds: orders.transactionIds(transactionId),
        cursor: {
          kind: ours('cursor', cursor, ['', 'x', 'e30', 'eyJhIjoxfQ', 'A'.repeat(200), 'A'.repeat(6_000)]),
          query: { limit: '1' },
        },
      },
    }),
    'get /transactions/{transactionId}': current({
      path: { transactionId: ours('transaction id', transactionId, orders.ID_SEEDS) },
    }),
    'get /webhooks': current(),
    'post /webhooks': current({ body: { url: { kind: addresses.hookUrl, required: true } }, sends: {} }),
    'delete /webhooks/{id}': current({ path: { id: never('webhook id', 'nobodys', orders.ID_SEEDS) } }),
    'post /webhooks/{id}/secret': current({ path: { id: never('webhook id', 'nobodys', orders.ID_SEEDS) } }),
    'delete /webhooks/{id}/secret/previous': current({ path: { id } }),
    'post /webhooks/{id}/enable': current({ path: { id } }),
    'post /webhooks/{id}/test': current({ path: { id: never('webhook id', 'nobodys', orders.ID_SEEDS) } }),
    'get /webhooks/{id}/deliveries': current({
      path: { id },
      query: { state: words.deliveryState, limit: figures.shortLimit },
    }),
    'post /webhooks/{id}/replay': current({
      path: { id },
      body: {
        state: { kind: words.dead, required: true, body: { state: undefined } },
        eventIds: {
          kind: ours('event id', eventId, ['', 'x'.repeat(129), 'a b', 'é']),
          json: 'list',
          required: true,
          names: ['state'],
          body: { state: undefined },
        },
        since: { kind: figures.moment, required: true, names: ['state'], body: { state: undefined } },
      },
      sends: { state: 'dead' },
    }),
  };
}

const text = (kind: Kind) => ({ kind, nullable: true });
const object = (name: string) => ({
  kind: lenient(name, '', 'an object'),
  json: 'object' as const,
  nullable: true,
});
const THEME = 'supportedParams.theme';

const BUY = {
  onramp: 'moonpay',
  source: 'eur',
  destination: 'btc',
  amount: 100,
  wallet: { address: orders.WALLETS.bitcoin },
};

const CHECKOUT: Parameters = {
  onramp: { kind: words.provider, required: true },
  source: { kind: words.fiat, required: true, names: ['source', 'destination', 'type'] },
  destination: { kind: { ...words.crypto, isExact: false }, required: true, names: ['wallet.address'] },
  amount: { kind: { ...figures.amount(2), isExact: false }, required: true, json: 'number' },
  type: text(words.buy),
  paymentMethod: text({ ...words.method, isExact: false }),
  network: text(words.onlyNetwork),
  uuid: text(words.uuid),
  partnerContext: text(words.context),
  originatingHost: text(words.host),
  metaData: object('meta data'),
  'metaData.quoteId': text(
    never('quote id', 'q1', ['', 'a b', 'x'.repeat(129), 'x'.repeat(4_096), 'é', words.UUID]),
  ),
  wallet: { ...object('wallet'), required: true, names: ['wallet.address'] },
  'wallet.address': { kind: orders.wallet, required: true },
  'wallet.memo': text(orders.noTag),
  supportedParams: object('supported params'),
  [THEME]: object('theme'),
  [`${THEME}.isDark`]: { kind: lenient('flag', 'true', 'a flag'), json: 'flag', nullable: true },
  [`${THEME}.themeName`]: text(words.themeName),
  ...Object.fromEntries(
    ['primaryColor', 'secondaryColor', 'primaryTextColor', 'secondaryTextColor', 'cardColor'].map(name => [
      `${THEME}.${name}`,
      text(orders.colour),
    ]),
  ),
  [`${THEME}.borderRadius`]: { kind: orders.radius, json: 'figure or text', nullable: true },
  'supportedParams.partnerData': object('partner data'),
  'supportedParams.partnerData.redirectUrl': object('redirect url'),
  'supportedParams.partnerData.redirectUrl.success': text(addresses.wayBack),
  signContent: {
    kind: lenient('signed content', 'x', 'the account has no signers, so that nothing is signed'),
    nullable: true,
  },
  signature: {
    kind: lenient('signature', 'x', 'the account has no signers, so that nothing is signed'),
    nullable: true,
  },
};
