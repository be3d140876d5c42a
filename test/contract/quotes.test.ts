/** GET /quotes/{source}/{destination}: what a priced quote is, on both sides. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registry } from '../../src/providers/registry.ts';
import type { Reply } from '../service.ts';
import { type Answers, readAnswers, shape, shapesOf } from './answers.ts';
import { offeredFor, takers } from './takers.ts';
import { PROVIDERS, REGISTERED, startWorld, type World } from './world.ts';

const PATH = '/quotes/{source}/{destination}';

interface Quote {
  rate: number;
  networkFee: number;
  transactionFee: number;
  payout: number;
  ramp: string;
  quoteId: string;
  paymentMethod: string;
  recommendations: string[];
  availablePaymentMethods: { paymentTypeId: string; details: { limits: Record<string, object> } }[];
}

let world: World;
let answers: Answers;
let buy: Reply;
let sell: Reply;

beforeAll(async () => {
  world = await startWorld({ QUOTE_DEADLINE_MS: '10000' });
  answers = await readAnswers(world.get);
  buy = await world.get('/quotes/eur/btc?amount=100&country=de');
  sell = await world.get('/quotes/btc/eur?amount=0.01&country=de&type=sell');
});
afterAll(() => world?.close());

const ramps = (reply: Reply): string[] => reply.body.map(({ ramp }: Quote) => ramp).sort();

describe('a buy', () => {
  test('200 has one quote of every provider, as documented and with no errors key', () => {
    expect(buy.status).toBe(200);
    expect(answers.flaws(PATH, buy)).toEqual([]);
    expect(ramps(buy)).toEqual(REGISTERED);
    expect(shapesOf(buy.body)).toEqual([
      shape(
        'rate networkFee transactionFee payout availablePaymentMethods ramp quoteId paymentMethod recommendations',
      ),
    ]);
  });

  test('200 is ordered by payout, best first', () => {
    const payouts = buy.body.map(({ payout }: Quote) => payout);
    expect(payouts).toEqual([...payouts].sort((a, b) => b - a));
    expect(payouts.at(-1)).toBeGreaterThan(0);
  });

  test('200 has figures that add up: payout = (amount − fees) / rate, to the last place of the coin', () => {
    for (const { rate, networkFee, transactionFee, payout } of buy.body as Quote[]) {
      expect(networkFee).toBeGreaterThanOrEqual(0);
      expect(transactionFee).toBeGreaterThan(0);
      expect(Math.abs((100 - networkFee - transactionFee) / rate - payout)).toBeLessThan(1e-8);
    }
  });

  test('200 carries the payment types of each provider with their limits', () => {
    for (const { ramp, availablePaymentMethods } of buy.body as Quote[]) {
      expect(shapesOf(availablePaymentMethods)).toEqual([shape('paymentTypeId name icon details')]);
      expect(availablePaymentMethods.map(({ paymentTypeId }) => paymentTypeId)).toContain('creditcard');
      for (const { details } of availablePaymentMethods) {
        expect(Object.keys(details.limits).sort()).toEqual([ramp, 'aggregatedLimit'].sort());
      }
    }
  });

  test('200 takes creditcard when no method is named, and methods in any case', async () => {
    expect(new Set(buy.body.map(({ paymentMethod }: Quote) => paymentMethod))).toEqual(
      new Set(['creditcard']),
    );
    const named = await world.get('/quotes/eur/btc?amount=100&country=de&paymentMethod=SepaBankTransfer');
    const listed = await takers(world.get, { pair: 'eur/btc', method: 'sepabanktransfer', amount: 100 });
    expect(listed).toEqual(expect.arrayContaining(PROVIDERS));
    expect(ramps(named)).toEqual(listed);
    expect(named.body[0].paymentMethod).toBe('sepabanktransfer');
  });

  test('200 whatever the case, the trailing slash and unknown parameters', async () => {
    const figures = (reply: Reply) => reply.body.map(({ ramp, payout }: Quote) => [ramp, payout]);
    for (const path of [
      '/quotes/EUR/BTC?amount=100&country=DE',
      '/quotes/Eur/Btc_Bitcoin/?amount=100&country=de&type=buy',
      '/quotes/eur/btc?amount=100&country=de&colour=green&network=Bitcoin&input=source',
      '/quotes/eur/btc?amount=100&country=de&uuid=6F9619FF-8B86-D011-B42D-00C04FC964FF&clientName=widget',
      '/quotes/eur/btc?amount=100.00&country=de',
    ]) {
      const reply = await world.get(path);
      expect([path, reply.status]).toEqual([path, 200]);
      expect(figures(reply)).toEqual(figures(buy));
    }
  });

  test('200 with a bare code and its network is the same as the id', async () => {
    const byId = await world.get('/quotes/eur/usdc_polygon?amount=100&country=de');
    const byNetwork = await world.get('/quotes/eur/USDC?amount=100&country=de&network=POLYGON');
    expect(byId.body.length).toBeGreaterThan(0);
    expect(byNetwork.body.map(({ payout }: Quote) => payout)).toEqual(
      byId.body.map(({ payout }: Quote) => payout),
    );
    expect(answers.flaws(PATH, byId)).toEqual([]);
  });

  test('200 writes amounts of coins with many places exactly', async () => {
    for (const pair of ['eur/eth', 'eur/near', 'eur/shib', 'jpy/btc']) {
      const reply = await world.get(`/quotes/${pair}?amount=9000&country=jp&errors=all`);
      expect([pair, reply.status, answers.flaws(PATH, reply)]).toEqual([pair, 200, []]);
    }
  });
});

describe('a sell', () => {
  test('200 has the same fields but no payment types', async () => {
    expect(sell.status).toBe(200);
    expect(answers.flaws(PATH, sell)).toEqual([]);
    const listed = await takers(world.get, { pair: 'btc/eur', amount: 0.01 });
    expect(listed).toEqual(expect.arrayContaining(PROVIDERS));
    expect(ramps(sell)).toEqual(listed);
    expect(shapesOf(sell.body)).toEqual([
      shape('rate networkFee transactionFee payout ramp quoteId paymentMethod recommendations'),
    ]);
  });

  test('200 is ordered by payout in fiat, and the figures add up', () => {
    const payouts = sell.body.map(({ payout }: Quote) => payout);
    expect(payouts).toEqual([...payouts].sort((a, b) => b - a));
    for (const { rate, networkFee, transactionFee, payout } of sell.body as Quote[]) {
      expect(Math.abs(0.01 * rate - networkFee - transactionFee - payout)).toBeLessThan(0.01);
    }
  });

  test('200 without type: the order of the path decides', async () => {
    const reply = await world.get('/quotes/BTC_bitcoin/EUR?amount=0.01&country=de');
    expect(reply.body.map(({ payout }: Quote) => payout)).toEqual(
      sell.body.map(({ payout }: Quote) => payout),
    );
  });
});

describe('everyone', () => {
  test('200 is heard on a buy, and on a sell by a method of theirs where they sell', async () => {
    const sellers = registry
      .filter(({ adapter }) => adapter.manifest.sides.includes('sell'))
      .map(({ adapter }) => adapter.manifest.id);
    const heard = new Set<string>();
    for (const [method, limits] of await offeredFor(world.get, { pair: 'btc/eur' })) {
      const reply = await world.get(`/quotes/btc/eur?amount=0.01&country=de&paymentMethod=${method}`);
      expect(answers.flaws(PATH, reply)).toEqual([]);
      expect([method, ramps(reply)]).toEqual([method, [...limits.keys()].sort()]);
      for (const ramp of ramps(reply)) heard.add(ramp);
    }
    expect([...heard].sort()).toEqual(sellers.sort());
  });

  test('200 has BestPrice on the first quote and LowKyc on one, however many there are', async () => {
    const holders = (reply: Reply, name: string) =>
      reply.body.flatMap(({ recommendations }: Quote, place: number) =>
        recommendations.includes(name) ? [place] : [],
      );
    for (const reply of [buy, sell]) {
      expect(holders(reply, 'BestPrice')).toEqual([0]);
      expect(holders(reply, 'LowKyc').length).toBe(1);
    }
  });

  test('200 says of everyone why they offer nothing, and of nobody twice', async () => {
    for (const path of [
      '/quotes/eur/btc?amount=3',
      '/quotes/btc/eur?amount=0.01',
      '/quotes/gbp/sol?amount=100',
    ]) {
      const reply = await world.get(`${path}&country=de&errors=all`);
      expect(answers.flaws(PATH, reply)).toEqual([]);
      expect([path, ramps(reply)]).toEqual([path, REGISTERED]);
    }
  });

  test('200 tells as a stream what everyone says, then what the plain answer holds', async () => {
    const response = await fetch(`${world.url}/quotes/eur/btc?amount=100&country=de`, {
      headers: { accept: 'text/event-stream' },
    });
    const events = [...(await response.text()).matchAll(/^event: (.*)\ndata: (.*)$/gm)];
    const told = events.map(([, event, data = '']) => ({ event, data: JSON.parse(data) }));
    const outcomes = told.slice(0, -1);
    expect(new Set(outcomes.map(({ event }) => event))).toEqual(new Set(['outcome']));
    expect(outcomes.map(({ data }) => data.ramp).sort()).toEqual(REGISTERED);
    expect(told.at(-1)?.event).toBe('done');
    const figures = (quotes: Quote[]) => quotes.map(({ ramp, payout }) => [ramp, payout]);
    expect(figures(told.at(-1)?.data)).toEqual(figures(buy.body));
  });
});

describe('quote ids', () => {
  test('200 has an opaque id of at most 128 characters, another one for every provider and every answer', async () => {
    const again = await world.get('/quotes/eur/btc?amount=100&country=de');
    const ids = [...buy.body, ...sell.body, ...again.body].map(({ quoteId }: Quote) => quoteId);
    expect(new Set(ids).size).toBe(ids.length);
    const telling = new RegExp([...REGISTERED, 'btc', 'eur', 'creditcard'].join('|'), 'i');
    for (const id of ids) {
      expect(id).toMatch(/^[\x21-\x7e]{16,128}$/);
      // Its last characters are a seal, in which chance may spell anything.
      const told = id.slice(0, -22);
      const inside = told + Buffer.from(told, 'base64url').toString('latin1');
      expect(inside).not.toMatch(telling);
    }
  });

  test('200 keeps ids short for the longest amounts too', async () => {
    const reply = await world.get('/quotes/eth/eur?amount=9999999999999.123456789012345678&country=de');
    expect(ramps(reply)).toEqual(REGISTERED);
    for (const { quoteId } of reply.body) expect(quoteId.length).toBeLessThanOrEqual(128);
  });
});

describe('accounts', () => {
  test('200 quotes the same with a key as without', async () => {
    const reply = await world.get('/quotes/eur/btc?amount=100&country=de', { authorization: world.key });
    expect(ramps(reply)).toEqual(REGISTERED);
  });
});

describe('refused', () => {
  test('400 when type does not agree with the path', async () => {
    for (const path of ['/quotes/eur/btc?amount=100&type=sell', '/quotes/btc/eur?amount=0.01&type=buy']) {
      const reply = await world.get(`${path}&country=de`);
      expect([path, reply.status, reply.body.field]).toEqual([path, 400, 'type']);
    }
  });

  test('400 for a code on several networks without a main one lists the ids', async () => {
    for (const [path, field] of [
      ['/quotes/eur/usdc?amount=100', 'destination'],
      ['/quotes/USDC/eur?amount=100', 'source'],
    ]) {
      const reply = await world.get(`${path}&country=de`);
      expect([reply.status, reply.body.field]).toEqual([400, field]);
      expect(answers.flaws(PATH, reply)).toEqual([]);
      for (const network of ['ethereum', 'polygon', 'base', 'solana']) {
        expect(reply.body.message).toContain(`usdc_${network}`);
      }
    }
  });

  test('400 when the network is unknown, or the id is on another one', async () => {
    const unknown = await world.get('/quotes/eur/usdc?amount=100&country=de&network=atlantis');
    expect([unknown.status, unknown.body.field]).toEqual([400, 'network']);
    const other = await world.get('/quotes/eur/usdc_base?amount=100&country=de&network=polygon');
    expect([other.status, ['network', 'destination'].includes(other.body.field)]).toEqual([400, true]);
  });

  test('400 for more places than the currency has', async () => {
    for (const path of [
      '/quotes/eur/btc?amount=100.001',
      '/quotes/jpy/btc?amount=10000.5',
      '/quotes/btc/eur?amount=0.123456789',
      '/quotes/eur/btc?amount=0.123456789&input=destination',
      '/quotes/btc/eur?amount=100.001&input=destination',
    ]) {
      const reply = await world.get(`${path}&country=de`);
      expect([path, reply.status, reply.body.field]).toEqual([path, 400, 'amount']);
    }
  });

  test('405 for anything but reading, with what is allowed', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const response = await fetch(`${world.url}/quotes/eur/btc?amount=100`, { method });
      expect([method, response.status]).toEqual([method, 405]);
      expect(response.headers.get('allow')).toBe('GET, HEAD');
    }
  });
});
