/** Ways to ask for what is another's: each once by its name, and once by a name that nobody has. */
import type { Credentials } from '../../src/app/accounts.ts';
import type { Chance } from '../bed/chance.ts';
import { type Call, JSON_BODY, proofOf } from './caller.ts';
import { WALLET } from './scene.ts';
import { NAMES, type Treasure } from './treasure.ts';

export interface Way {
  name: string;
  ask(treasure: Treasure, chance: Chance): { theirs: Call; unknown: Call };
  /** The answer to both; anything else has told something. */
  status: number;
}

/** `endpointId` is one of the account that asks. */
export function waysOf(asking: Credentials, endpointId: string): Way[] {
  const proof = proofOf(asking);
  const sent = [...proof, JSON_BODY];
  const plain = (method: string, path: string): Call => ({ method, path, headers: proof });
  const posted = (path: string, body: object): Call => ({
    ...{ method: 'POST', path, headers: sent, body: JSON.stringify(body) },
  });
  /** The same question about what is another's and about what nobody has. */
  const about = (name: string, status: number, call: (id: string) => Call, of: keyof typeof NAMES): Way => ({
    ...{ name, status },
    ask: (treasure, chance) => {
      const [theirs, unknown] = NAMES[of](treasure, chance);
      return { theirs: call(theirs), unknown: call(unknown) };
    },
  });
  const order = (more: object) => ({
    ...{ onramp: 'moonpay', source: 'eur', destination: 'btc', amount: 100, wallet: { address: WALLET } },
    ...more,
  });
  const pages = ['', '/state', '/events', '/return'].map(page =>
    about(
      `pay page${page} by a token that is nearly right`,
      404,
      token => plain('GET', `/pay/${token}${page}`),
      'token',
    ),
  );
  const endpoints = (
    [
      ['POST', '/secret'],
      ['DELETE', '/secret/previous'],
      ['POST', '/enable'],
      ['POST', '/test'],
      ['GET', '/deliveries'],
      ['DELETE', ''],
    ] as const
  ).map(([method, path]) =>
    about(`${method} of an endpoint${path}`, 404, id => plain(method, `/webhooks/${id}${path}`), 'endpoint'),
  );
  return [
    about('transaction by its id', 404, id => plain('GET', `/transactions/${id}`), 'transaction'),
    about(
      'transactions by their ids',
      200,
      id => plain('GET', `/transactions?transactionIds=${id}`),
      'transaction',
    ),
    about('page by a cursor', 400, query => plain('GET', `/transactions?${query}`), 'cursor'),
    ...endpoints,
    about(
      'replay of an endpoint',
      404,
      id => posted(`/webhooks/${id}/replay`, { state: 'dead' }),
      'endpoint',
    ),
    about(
      'replay of an event',
      200,
      id => posted(`/webhooks/${endpointId}/replay`, { eventIds: [id] }),
      'event',
    ),
    ...pages,
    about(
      'checkout by a quote',
      400,
      quoteId => posted('/checkout/intent', order({ metaData: { quoteId } })),
      'quote',
    ),
    about(
      'step of an order by steps',
      404,
      token => posted(`/legacy/transaction/moonpay/form/${token}`, { email: 'jo@shop.example' }),
      'step',
    ),
  ];
}
