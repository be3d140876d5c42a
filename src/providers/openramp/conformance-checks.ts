/** What the openramp protocol says a ramp must do, as checks that can be made without paying anything. */
import { type Amount, cut, decimal, raise } from '../../domain/money.ts';
import { member } from '../../domain/words.ts';
import {
  type Answered,
  type Check,
  type Deal,
  Failure,
  good,
  needed,
  type OrderBody,
  refused,
  type Scene,
  sumOf,
} from './conformance.ts';
import { STEP_CHECKS } from './conformance-steps.ts';
import * as wire from './wire.ts';
import { METHODS, NETWORKS } from './words.ts';

const QUOTE_MS = 2_000;
const CATALOG_MS = 20_000;

export const CHECKS: readonly Check[] = [
  { what: 'GET /catalog is as documented', look: lookAtCatalog },
  { what: 'GET /catalog lists what can be placed', look: lookAtListings },
  { what: 'a wrong key is refused', look: scene => lookAtKey(scene, 'openramp-check-wrong-key') },
  { what: 'a missing key is refused', look: scene => lookAtKey(scene, '') },
  { what: 'another version is refused', look: lookAtVersion },
  { what: 'POST /quotes prices the smallest amount', look: scene => lookAtQuote(scene, 'min') },
  { what: 'POST /quotes prices the largest amount', look: scene => lookAtQuote(scene, 'max') },
  { what: 'POST /quotes refuses less than the smallest', look: scene => lookBeyond(scene, 'min') },
  { what: 'POST /quotes refuses more than the largest', look: scene => lookBeyond(scene, 'max') },
  { what: 'POST /quotes refuses an unknown asset', look: scene => lookAtUnknown(scene, 'asset', 'pair') },
  { what: 'POST /quotes refuses an unknown method', look: scene => lookAtUnknown(scene, 'method', 'method') },
  { what: 'POST /quotes refuses what is not understood', look: lookAtNonsense },
  { what: 'POST /orders makes an order with a page', look: makeOrder },
  { what: 'POST /orders with the same reference gives the same order', look: makeAgain },
  { what: 'POST /orders refuses other terms under a used reference', look: makeOther },
  { what: 'GET /orders/{id} finds it', look: findById },
  { what: 'GET /orders?reference= finds it', look: findByReference },
  {
    what: 'GET /orders/{id} does not find another',
    look: scene => lookForNone(scene, '/orders/no-such-order'),
  },
  {
    what: 'GET /orders?reference= does not find another',
    look: scene => lookForNone(scene, '/orders?reference=no-such-reference'),
  },
  ...STEP_CHECKS,
  { what: 'a signed webhook tells of the order', look: listen },
];

async function lookAtCatalog({ ramp }: Scene): Promise<string> {
  const answered = await ramp.send({ method: 'GET', path: '/catalog' });
  const { listings } = good(answered, wire.readCatalog);
  if (answered.milliseconds > CATALOG_MS) throw new Failure(`took ${answered.milliseconds} ms`);
  return `${listings.length} listings`;
}

/** What is bought in all that follows is chosen here: something with limits, to an address that we have. */
async function lookAtListings(scene: Scene): Promise<string> {
  const { ramp, options } = scene;
  const { listings } = good(await ramp.send({ method: 'GET', path: '/catalog' }), wire.readCatalog);
  const unknown = new Set<string>();
  for (const { assets, fiats } of listings) {
    for (const { network, asset } of assets) {
      const word = network ?? asset.slice(asset.lastIndexOf('_') + 1).toLowerCase();
      if (!member(NETWORKS, word)) unknown.add(`network ${word}`);
    }
    for (const { method } of fiats.flatMap(({ methods }) => methods))
      if (!member(METHODS, method)) unknown.add(`method ${method}`);
  }
  const deals = listings.flatMap(listing => dealsOf(listing, options.wallet));
  const deal = deals.find(({ min, max }) => min && max) ?? deals[0];
  if (deal) scene.deal = deal;
  if (unknown.size) throw new Failure(`not known here: ${[...unknown].slice(0, 10).join(', ')}`);
  if (!deal) throw new Failure('nothing is bought to an address that we have: give one with --wallet');
  return `going on with ${deal.asset} for ${deal.fiat} by ${deal.method} from ${deal.country}`;
}

/** Addresses that are nobody's. */
const ADDRESSES: Readonly<Record<string, string>> = {
  bitcoin: 'bc1qmdswsavc80xlfz8gs7s40pg7g6znwragpkjufy',
  solana: '6JY2VVyJf7B1bJDGdvctcWQwBAi8JqMzPVteFSCLDeQr',
  ...Object.fromEntries(
    ['ethereum', 'polygon', 'base', 'arbitrum', 'optimism', 'bsc', 'avaxc', 'gnosis', 'celo'].map(network => [
      network,
      '0x000000000000000000000000000000000000dEaD',
    ]),
  ),
};

function dealsOf(
  { side, countries, assets, fiats }: wire.Catalog['listings'][number],
  wallet?: string,
): Deal[] {
  if (side === 'sell') return [];
  return assets.flatMap(({ asset, network: named, notIn = [] }) => {
    const network = named ?? asset.slice(asset.lastIndexOf('_') + 1).toLowerCase();
    const address = wallet ?? member(ADDRESSES, network);
    if (address === undefined) return [];
    return fiats.flatMap(({ fiat, methods }) =>
      methods.flatMap(({ method, onlyIn, ...bounds }) => {
        const open = (onlyIn ?? countries ?? ['DE']).filter(
          code => countries?.includes(code) !== false && !notIn.includes(code),
        );
        const country = open.includes('DE') ? 'DE' : open[0];
        if (country === undefined) return [];
        const { min, max } = wire.limitsOf(bounds);
        return [{ side, asset, network, fiat, method, country, min, max, wallet: address }];
      }),
    );
  });
}

async function lookAtKey({ ramp }: Scene, key: string): Promise<undefined> {
  refused(await ramp.send({ method: 'GET', path: '/catalog', key }), 'unauthorized');
}

async function lookAtVersion({ ramp }: Scene): Promise<undefined> {
  refused(await ramp.send({ method: 'GET', path: '/catalog', version: '0' }), 'bad_request');
}

const USUAL = decimal(100);

function termsOf(
  { min: _, max: __, wallet: ___, ...deal }: Deal,
  amount: Amount | string,
): Record<string, string> {
  return { ...deal, amount: amount.toString() };
}

function askQuote({ ramp }: Scene, body: object): Promise<Answered> {
  return ramp.send({ method: 'POST', path: '/quotes', body });
}

/** A network that is dear may raise the least amount: then the refusal says to what. */
async function lookAtQuote(scene: Scene, which: 'min' | 'max'): Promise<string> {
  const deal = needed(scene.deal, 'a catalog');
  let amount = deal[which] ?? USUAL;
  let answered = await askQuote(scene, termsOf(deal, amount));
  if (answered.status === 422) {
    const stated = refused(answered, 'limit')[which];
    if (stated === undefined) throw new Failure(`refused ${amount}, which the catalog lists`);
    amount = sumOf(stated);
    answered = await askQuote(scene, termsOf(deal, amount));
  }
  const quote = good(answered, wire.readQuote);
  if (quote.asset !== deal.asset || quote.fiat !== deal.fiat) throw new Failure('a quote for another pair');
  if (!sumOf(quote.pays).eq(amount)) throw new Failure(`asked for ${amount}, quoted for ${quote.pays}`);
  const fees = sumOf(quote.networkFee).plus(sumOf(quote.providerFee));
  if (!sumOf(quote.gets).gt(0) || fees.gte(sumOf(quote.pays))) throw new Failure('fees eat all of it up');
  if (answered.milliseconds > QUOTE_MS) throw new Failure(`took ${answered.milliseconds} ms`);
  return `${quote.pays} ${quote.fiat} for ${quote.gets}`;
}

async function lookBeyond(scene: Scene, which: 'min' | 'max'): Promise<string> {
  const deal = needed(scene.deal, 'a catalog');
  const limit = deal[which];
  if (!limit) return 'not checked: the catalog states no such limit';
  const amount = which === 'min' ? raise(limit.div(10), 2) : cut(limit.times(10), 2);
  const error = refused(await askQuote(scene, termsOf(deal, amount)), 'limit');
  const stated = needed(error[which], `the ${which} in the refusal`);
  const isBeyond = which === 'min' ? amount.lt(sumOf(stated)) : amount.gt(sumOf(stated));
  if (!isBeyond) throw new Failure(`refused ${amount}, and says that ${stated} is the limit`);
  return `${which} ${stated}`;
}

async function lookAtUnknown(
  scene: Scene,
  field: 'asset' | 'method',
  code: 'pair' | 'method',
): Promise<undefined> {
  const deal = needed(scene.deal, 'a catalog');
  refused(await askQuote(scene, { ...termsOf(deal, deal.min ?? USUAL), [field]: 'nosuchthing' }), code);
}

async function lookAtNonsense(scene: Scene): Promise<undefined> {
  const deal = needed(scene.deal, 'a catalog');
  refused(await askQuote(scene, { ...termsOf(deal, '1e3') }), 'bad_request');
  refused(await askQuote(scene, {}), 'bad_request');
}

function orderBody({ ramp, options, deal }: Scene, steps: boolean): OrderBody {
  const known = needed(deal, 'a catalog');
  return {
    reference: ramp.reference(),
    ...termsOf(known, known.min?.times(2) ?? USUAL),
    wallet: { address: known.wallet },
    returnUrl: options.webhookUrl,
    webhookUrl: options.webhookUrl,
    theme: { dark: false },
    steps,
  };
}

async function makeOrder(scene: Scene): Promise<string> {
  const body = orderBody(scene, false);
  const order = good(await scene.ramp.send({ method: 'POST', path: '/orders', body }), wire.readOrder);
  if (order.reference !== body.reference) throw new Failure('the order has another reference');
  if (order.status !== 'new') throw new Failure(`the order is ${order.status} instead of new`);
  scene.made = { order, body };
  const { pagesUrl } = scene.options;
  if (!order.page.startsWith(pagesUrl) || !/^([/?#]|$)/.test(order.page.slice(pagesUrl.length)))
    throw new Failure(`its page is not below ${pagesUrl}`);
  return order.id;
}

async function makeAgain({ ramp, made }: Scene): Promise<undefined> {
  const { order, body } = needed(made, 'an order');
  const again = good(await ramp.send({ method: 'POST', path: '/orders', body }), wire.readOrder);
  if (again.id !== order.id) throw new Failure(`${order.id} became ${again.id}`);
}

async function makeOther({ ramp, made }: Scene): Promise<undefined> {
  const { body } = needed(made, 'an order');
  const amount = sumOf(String(body.amount)).plus(1).toString();
  refused(await ramp.send({ method: 'POST', path: '/orders', body: { ...body, amount } }), 'conflict');
}

function findById(scene: Scene): Promise<undefined> {
  return find(scene, `/orders/${needed(scene.made, 'an order').order.id}`);
}

function findByReference(scene: Scene): Promise<undefined> {
  return find(scene, `/orders?reference=${needed(scene.made, 'an order').body.reference}`);
}

async function find({ ramp, made }: Scene, path: string): Promise<undefined> {
  const { order } = needed(made, 'an order');
  const found = good(await ramp.send({ method: 'GET', path }), wire.readOrder);
  if (found.id !== order.id || found.reference !== order.reference) throw new Failure('found another order');
}

async function lookForNone({ ramp }: Scene, path: string): Promise<undefined> {
  refused(await ramp.send({ method: 'GET', path }), 'unknown_order');
}

async function listen({ ramp, made }: Scene): Promise<string | undefined> {
  if (!ramp.hears) return 'not checked: no --webhook-secret was given';
  const why = await ramp.hears(needed(made, 'an order').body.reference);
  if (why !== undefined) throw new Failure(why);
  return undefined;
}
