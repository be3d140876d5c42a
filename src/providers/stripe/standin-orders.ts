/** Stripe's onramp sessions imitated: made once by key, opened as pages, looked up and told of by signed events. */
import { writeJson } from '../../domain/json.ts';
import { readDecimal } from '../../domain/money.ts';
import { type Brand, type Deal, type Flow, noPage, type Opening, type Standing } from '../hosted.ts';
import { hashOf } from '../hosted-chain.ts';
import { hostedRoutes } from '../hosted-routes.ts';
import { digest, filled } from '../standin-kit.ts';
import type { OutgoingWebhook, StandinAnswer, StandinRequest, StandinRoute, World } from '../world.ts';
import { isOurs, notFound, refuse, unauthorized } from './standin-answers.ts';
import { flawOf } from './standin-quotes.ts';
import { fiatOf, figuresFor, pairsOf, SETTINGS } from './standin-terms.ts';
import { keyOf } from './words.ts';

const brand: Brand = {
  name: 'Stripe',
  color: '#5433ff',
  colorOnDark: '#a8a0ff',
  hosts: ['page'],
  titles: { email: 'Continue with Link', code: 'Confirm it’s you', card: 'Payment' },
  cards: {},
  refundsBuys: false,
  returnsForDeposit: false,
  open,
  tell,
  // Nobody is sent back.
  returns: () => ({}),
};

export const orderRoutes: readonly StandinRoute[] = [
  ...hostedRoutes(brand),
  { method: 'POST', host: 'api', path: '/v1/crypto/onramp_sessions', answer: create },
  { method: 'GET', host: 'api', path: '/v1/crypto/onramp_sessions', answer: list },
  { method: 'GET', host: 'api', path: '/v1/crypto/onramp_sessions/:id', answer: retrieve },
];

interface Session {
  id: string;
  created: number;
  /** What it was made with. */
  form: Readonly<Record<string, string>>;
}

type Form = StandinRequest['form'];

/** The same key with the same fields gives the same session, with other ones an error. */
function create(request: StandinRequest, world: World): StandinAnswer {
  if (!isOurs(request)) return unauthorized();
  const { form, headers } = request;
  const key = `key ${headers['idempotency-key'] ?? world.id()}`;
  const before = sessionOf(world.notes.get(key), world);
  if (before && writeJson(before.form) !== writeJson(form)) {
    const message = 'Keys for idempotent requests can only be used with the same parameters';
    return { status: 400, body: { error: { type: 'idempotency_error', message } } };
  }
  const flaw = before ? undefined : flawIn(form, world);
  if (flaw) return flaw;
  const id = `cos_${digest(`session ${world.id()}`, world).slice(0, 24)}`;
  const session = before ?? { id, created: Math.floor(world.now / 1000), form };
  world.notes.put(key, session.id);
  world.notes.put(session.id, writeJson(session));
  return { status: 200, body: write(session, world) };
}

function sessionOf(id: string | undefined, { notes }: World): Session | undefined {
  const note = id?.startsWith('cos_') ? notes.get(id) : undefined;
  return note === undefined ? undefined : (JSON.parse(note) as Session);
}

/** What cannot be made of these fields. */
function flawIn(form: Form, world: World): StandinAnswer | undefined {
  const { destination_currency: currency, destination_network: network, source_amount: source } = form;
  if (!currency || !network) {
    return refuse('incomplete_destination_currency_and_network_pair', 'Set both currency and network');
  }
  if (!pairsOf(world.currencies).some(pair => pair.currency === currency && pair.network === network)) {
    return refuse('invalid_destination_currency_and_network_pair', 'This pair is not supported');
  }
  const fiat = fiatOf(form.source_currency, world);
  if (!fiat) return refuse('missing_source_currency', 'The source currency is not supported');
  const amount = readDecimal(source);
  if (!amount?.gt(0) || amount.decimalPlaces() > 2) {
    return refuse('invalid_source_amount', 'The source amount has no fractional cents');
  }
  if (form.lock_wallet_address === 'true' && !walletIn(form)) {
    return refuse('no_wallet_address_to_lock', 'There is no wallet address to lock');
  }
  return flawOf(amount, fiat, world);
}

function walletIn(form: Form): string | undefined {
  return form[`wallet_addresses[${keyOf(form.destination_network ?? '')}]`];
}

function retrieve(request: StandinRequest, world: World): StandinAnswer {
  if (!isOurs(request)) return unauthorized();
  const id = request.params.id ?? '';
  const session = sessionOf(id, world);
  return session ? { status: 200, body: write(session, world) } : notFound(id);
}

const MOST_LISTED = 100;

/** Newest first. */
function list(request: StandinRequest, world: World): StandinAnswer {
  if (!isOurs(request)) return unauthorized();
  const { query } = request;
  const all = world.notes
    .find(note => note.startsWith('{"id":"cos_'))
    .map(note => JSON.parse(note) as Session)
    .filter(({ created, form }) => {
      const { destination_currency: currency, destination_network: network, 'created[gte]': since } = query;
      return (
        created >= +(since ?? 0) &&
        (currency ?? form.destination_currency) === form.destination_currency &&
        (network ?? form.destination_network) === form.destination_network
      );
    })
    .reverse();
  const from = query.starting_after ? all.findIndex(({ id }) => id === query.starting_after) + 1 : 0;
  const most = Math.min(+(query.limit ?? 10) || 10, MOST_LISTED);
  return {
    status: 200,
    body: {
      object: 'list',
      url: '/v1/crypto/onramp_sessions',
      has_more: all.length > from + most,
      data: all.slice(from, from + most).map(session => write(session, world)),
    },
  };
}

const STATUSES: Readonly<Record<Standing, string | undefined>> = {
  none: 'initialized',
  awaiting: 'requires_payment',
  authorizing: 'requires_payment',
  verifying: 'requires_payment',
  paid: 'fulfillment_processing',
  sending: 'fulfillment_processing',
  completed: 'fulfillment_complete',
  failed: 'rejected',
  // They have no word for these: the session stays where it was.
  canceled: undefined,
  expired: undefined,
  refunded: undefined,
};

/** Their word after so much of what was said. */
function statusAfter(history: Flow['history']): string {
  return history.reduce((word, { standing }) => STATUSES[standing] ?? word, 'initialized');
}

/** A session as it is now; as it was at an event, where the flow is given. */
function write(session: Session, world: World, at?: Flow): object {
  const [found] = at ? [at] : world.orders.find(flow => flow.order === session.id).slice(-1);
  const { form } = session;
  const status = statusAfter(found?.history ?? []);
  const network = form.destination_network ?? '';
  const hash = hashFor(session.id, world);
  return {
    id: session.id,
    object: 'crypto.onramp_session',
    client_secret: `${session.id}_secret_${hash}`,
    created: session.created,
    kyc_details_provided: false,
    livemode: false,
    metadata: form['metadata[reference]'] ? { reference: form['metadata[reference]'] } : {},
    redirect_url: `${world.base('page')}?session_hash=${hash}`,
    status,
    transaction_details: {
      destination_currency: form.destination_currency ?? null,
      destination_currencies: [form.destination_currency],
      destination_network: network || null,
      destination_networks: [network],
      lock_wallet_address: form.lock_wallet_address === 'true',
      source_currency: form.source_currency ?? null,
      wallet_address: walletIn(form) ?? null,
      wallet_addresses: walletIn(form) ? { [keyOf(network)]: walletIn(form) } : null,
      ...amountsOf(found, form),
      transaction_id: status === 'fulfillment_complete' && found ? hashOf('delivery', found, world) : null,
    },
  };
}

/** Nothing is fixed before the page was opened. */
function amountsOf(flow: Flow | undefined, form: Form): object {
  if (!flow) return { source_amount: form.source_amount ?? null, destination_amount: null, fees: null };
  const { value, gets, fee, networkFee, fiat, asset } = flow.deal;
  return {
    source_amount: filled(value, fiat),
    destination_amount: filled(gets, asset),
    fees: { network_fee_amount: filled(networkFee, fiat), transaction_fee_amount: filled(fee, fiat) },
  };
}

function hashFor(id: string, world: World): string {
  return digest(`hash ${id} ${SETTINGS.secretKey}`, world).slice(0, 40);
}

/** The page of a session, for as long as it lives. */
function open({ query }: StandinRequest, host: string, world: World): Opening {
  const key = query.session_hash ?? '';
  const notes = world.notes.find(note => note.startsWith('{"id":"cos_'));
  const session = notes.map(note => JSON.parse(note) as Session).find(({ id }) => hashFor(id, world) === key);
  if (!session) return noPage(404, 'This session does not exist.');
  const [known] = world.orders.find(flow => flow.key === key);
  if (known) return { kind: 'goOn', flow: known };
  const deal = dealOf(session.form, world);
  if (!deal) return noPage(400, 'This cannot be bought at the moment.');
  const { form } = session;
  return {
    kind: 'start',
    intent: {
      ...{ key, host, deal, order: session.id, means: 'card', knowing: 'identity' },
      reference: form['metadata[reference]'],
      customer: undefined,
      wallet: walletIn(form),
      memo: form[`wallet_addresses[destination_tags][${keyOf(form.destination_network ?? '')}]`],
      email: '',
      country: 'US',
      returnUrl: undefined,
      dark: false,
    },
  };
}

function dealOf(form: Form, world: World): Deal | undefined {
  const { asset } =
    pairsOf(world.currencies).find(
      pair => pair.currency === form.destination_currency && pair.network === form.destination_network,
    ) ?? {};
  const fiat = fiatOf(form.source_currency, world);
  const source = readDecimal(form.source_amount);
  const figures = asset && fiat && source && figuresFor({ source }, { asset, fiat }, world);
  if (!figures) return undefined;
  const { total, gets, fee, networkFee, rate } = figures;
  return {
    ...{ side: 'buy', method: 'card', fiat, asset, gets, fee, networkFee, rate },
    pays: total,
    value: source,
  };
}

/** One event, on every change of the status after the session was made. */
function tell(flow: Flow, world: World): OutgoingWebhook[] {
  const session = sessionOf(flow.order, world);
  if (!session || statusAfter(flow.history) === statusAfter(flow.history.slice(0, -1))) return [];
  const body = writeJson({
    id: `evt_${digest(`event ${world.id()}`, world).slice(0, 24)}`,
    object: 'event',
    type: 'crypto.onramp_session.updated',
    created: Math.floor(flow.updatedAt / 1000),
    livemode: false,
    data: { object: write(session, world, flow) },
  });
  const seconds = Math.floor(world.now / 1000);
  const signature = world.sign('hmac-sha256-hex', SETTINGS.webhookSecret, `${seconds}.${body}`);
  return [{ headers: { 'Stripe-Signature': `t=${seconds},v1=${signature}` }, body, signature }];
}
