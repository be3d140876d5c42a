/** A mix of requests as a day brings them, good ones and bad ones, each chosen by chance. */
import type { Credentials } from '../../src/app/accounts.ts';
import { type Client, checkoutLetter } from '../bed/client.ts';
import { keysOf, tell } from '../bed/load.ts';
import type { World } from '../bed/world.ts';

export interface Mix {
  /** Asks for something; the status it was answered with. */
  ask(): Promise<number>;
}

/** Of a hundred requests. */
const SHARES = { catalog: 55, quotes: 25, rate: 4, bad: 6, read: 4, page: 2, checkout: 2, webhook: 2 };
const AMOUNTS = 300;
const CATALOG = [
  '/supported?type=buy',
  '/supported/defaults/all',
  '/supported/countries',
  '/supported/payment-types/eur',
];
const BAD = [
  '/quotes/eur/btc?amount=-1',
  '/quotes/eur/nothing?amount=5',
  '/nowhere',
  '/transactions?limit=0',
  `/quotes/eur/btc?amount=${'9'.repeat(400)}`,
];

export function createMix(world: World, client: Client): Mix {
  const { chance } = world;
  const account = world.accounts[0] as Credentials;
  const wheel = Object.entries(SHARES).flatMap(([name, share]) => Array.from({ length: share }, () => name));
  let serial = 0;
  let latest = '';

  const asks: Record<string, () => Promise<{ status: number }>> = {
    catalog: () => client.get(`${chance.pick(CATALOG)}`),
    quotes: () => client.get(`/quotes/eur/btc?amount=${100 + chance.whole(1, AMOUNTS)}`),
    rate: () => client.get(`/legacy/rate/eur/btc/creditCard/${100 + chance.whole(1, AMOUNTS)}`),
    bad: () => client.get(chance.pick(BAD), keysOf(account)),
    read: () => client.get('/transactions?limit=5', keysOf(account)),
    page: () => client.get(chance.pick(['/', '/docs', '/health/ready', '/metrics'])),
    async checkout() {
      const key = `leak-${++serial}`;
      const letter = checkoutLetter(account, { provider: 'moonpay', partnerContext: key, key });
      const reply = await client.post('/checkout/intent', letter);
      if (reply.status === 200) latest = /"transactionId":"([^"]+)"/.exec(reply.text)?.[1] ?? latest;
      return reply;
    },
    webhook: () => tell(world, client, latest || 'nobody'),
  };
  return {
    ask: async () => (await (asks[chance.pick(wheel)] as () => Promise<{ status: number }>)()).status,
  };
}
