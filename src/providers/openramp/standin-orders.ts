/** The stand-in's orders: made once for each reference, looked up, and gone through step by step. */
import { FILE_TYPES } from '../../domain/step.ts';
import { wire } from '../exchange.ts';
import type { Flow } from '../hosted.ts';
import { begin } from '../hosted-moves.ts';
import { uuid } from '../standin-kit.ts';
import type { StandinAnswer, StandinRequest, StandinRoute, World } from '../world.ts';
import { OrderRequest, StepAnswers } from './schema.ts';
import { isRefusal, known, readBody, refuse } from './standin-answers.ts';
import { brand, keepNote, noteOf, orderOf, webhookOf } from './standin-book.ts';
import { priceOf, tierFor } from './standin-quotes.ts';
import { answerFile, answerForm, firstStep, isFile, placeOf, stepOf, type Wrong } from './standin-steps.ts';

export const orderRoutes: readonly StandinRoute[] = [
  { method: 'POST', host: 'api', path: '/orders', answer: known(makeOrder) },
  {
    method: 'GET',
    host: 'api',
    path: '/orders',
    answer: known(({ query }, world) => show(byReference(query.reference, world), world)),
  },
  {
    method: 'GET',
    host: 'api',
    path: '/orders/:id',
    answer: known(({ params }, world) => show(byId(params.id, world), world)),
  },
  { method: 'POST', host: 'api', path: '/orders/:id/steps/:key', answer: known(answerStep) },
  { method: 'PUT', host: 'api', path: '/orders/:id/steps/:key', answer: known(answerStep) },
];

function byId(id: string | undefined, { orders }: World): Flow | undefined {
  return orders.find(({ order }) => order === id).at(0);
}

function byReference(reference: string | undefined, { orders }: World): Flow | undefined {
  return orders.find(flow => reference !== undefined && flow.reference === reference).at(0);
}

function show(flow: Flow | undefined, world: World, wrong?: Wrong): StandinAnswer {
  if (!flow) return refuse('unknown_order', 'There is no such order');
  return { status: 200, body: { ...orderOf(flow, world), step: stepOf(flow, world), wrong } };
}

const readOrderRequest = wire(OrderRequest);
type Wanted = ReturnType<typeof readOrderRequest>;

const SHORTEST_ADDRESS = 8;

function makeOrder(request: StandinRequest, world: World): StandinAnswer {
  const wanted = readBody(request, readOrderRequest);
  if (isRefusal(wanted)) return wanted;
  const before = byReference(wanted.reference, world);
  if (before && before.key !== keyOf(wanted))
    return refuse('conflict', 'The reference was used for another order', { field: 'reference' });
  if (before) return show(goOnWith(before, wanted, world), world);

  const priced = priceOf(wanted, world);
  if (isRefusal(priced)) return priced;
  const { wallet, email = '' } = wanted;
  if (wanted.side === 'buy' && (wallet?.address.length ?? 0) < SHORTEST_ADDRESS)
    return refuse('wallet', 'The address is not one of this network', { field: 'wallet.address' });
  const flow = begin(
    {
      ...{ key: keyOf(wanted), host: 'pages', email, ...priced, customer: undefined },
      order: uuid(world.id(), world),
      knowing: tierFor(priced.deal, world).knowing,
      reference: wanted.reference,
      wallet: wallet?.address,
      memo: wallet?.memo,
      country: wanted.country,
      returnUrl: wanted.returnUrl,
      dark: wanted.theme.dark,
    },
    { brand, world },
  );
  const at = firstStep(flow);
  keepNote(flow, { steps: wanted.steps, hook: hookOf(wanted), at, done: [], tries: 0 }, world);
  world.notify(webhookOf(flow, world));
  return { ...show(flow, world), status: 201 };
}

/** What must be the same for an order to be the same. */
function keyOf({ side, asset, network, fiat, method, amount, wallet }: Wanted): string {
  return JSON.stringify([side, asset, network, fiat, method, amount, wallet?.address, wallet?.memo]);
}

/** Asked for again, the order is the same; the way back and the manner may be others. */
function goOnWith(flow: Flow, { returnUrl, theme, steps }: Wanted, world: World): Flow {
  const next = { ...flow, returnUrl, dark: theme.dark };
  world.orders.put(flow.id, next);
  keepNote(flow, { ...noteOf(flow, world), steps }, world);
  return next;
}

/** The last part of the address; the sandbox knows where the service is. */
function hookOf({ webhookUrl }: Wanted): string {
  return /\/hooks\/([a-z][a-z0-9-]{1,31})$/.exec(webhookUrl)?.[1] ?? '';
}

const LARGEST_FILE = 10 * 1024 * 1024;
const readAnswers = wire(StepAnswers);

/** What was answered already is not taken again: whoever sends it twice is told where the order is. */
function answerStep(request: StandinRequest, world: World): StandinAnswer {
  const { id, key = '' } = request.params;
  const flow = byId(id, world);
  if (!flow) return refuse('unknown_order', 'There is no such order');
  const place = placeOf(key, flow, world);
  if (place === 'unknown') return refuse('unknown_step', 'There is no such step');
  if (place === 'done' || flow.stage === 'end') return show(flow, world);
  if (place === 'later') return refuse('conflict', 'This step is not asked now');
  const outcome = isFile(key) ? takeFile(request, flow, world) : takeForm(request, flow, world);
  return outcome && isRefusal(outcome) ? outcome : show(byId(id, world), world, outcome);
}

function takeForm(request: StandinRequest, flow: Flow, world: World): Wrong | StandinAnswer | undefined {
  const read = readBody(request, readAnswers);
  return isRefusal(read) ? read : answerForm(request.params.key ?? '', read.answers, { flow, world });
}

function takeFile({ params, headers, rawBody }: StandinRequest, flow: Flow, world: World) {
  const type = headers['content-type'] ?? '';
  if (!FILE_TYPES.some(accepted => accepted === type))
    return refuse('file_type', `Send one of ${FILE_TYPES.join(', ')}`);
  if (rawBody.length > LARGEST_FILE) return refuse('file_too_large', 'Ten megabytes are the most');
  return answerFile(params.key ?? '', { type, text: rawBody }, { flow, world });
}
