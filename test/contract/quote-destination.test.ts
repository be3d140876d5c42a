/** GET /quotes with input=destination: the amount is what is to be received. Prices stand still, so both ways can be compared. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../src/app/accounts.ts';
import { parseJson } from '../../src/domain/json.ts';
import { type Amount, decimal } from '../../src/domain/money.ts';
import type { Reply } from '../service.ts';
import { type Answers, readAnswers, shape, shapesOf } from './answers.ts';
import { eventually } from './patience.ts';
import { takers } from './takers.ts';
import { PROVIDERS, REGISTERED, startWorld, type World } from './world.ts';

let world: World;
let answers: Answers;
/** Keys that ask one provider only: none of them is asked more often than it likes. */
const keys = new Map<string, string>();

beforeAll(async () => {
  world = await startWorld({ QUOTE_DEADLINE_MS: '5000' });
  answers = await readAnswers(world.get);
  for (const provider of REGISTERED) {
    const wish = { name: provider, environment: 'test', providers: [provider] } as const;
    keys.set(provider, (await createAccount(world.database, wish)).publicKey);
  }
  await eventually(async () => {
    const replies = [...keys.values()].map(key => world.get('/supported', { authorization: key }));
    return (await Promise.all(replies)).every(({ status }) => status === 200);
  }, 'the keys are known');
});
afterAll(() => world?.close());

interface Case {
  pair: string;
  asked: string;
  method: string;
  /** Smallest units of what is handed over and of what is received. */
  units: [string, string];
  /** Whoever else lists it, these do. */
  ramps: string[];
}

const CARD = { method: 'creditcard', ramps: PROVIDERS };
const BITCOIN = '0.00000001';
const CENT = '0.01';
const CASES: Case[] = [
  { ...CARD, pair: 'eur/btc', asked: '0.002', units: [CENT, BITCOIN] },
  { ...CARD, pair: 'eur/btc', asked: '0.00123456', units: [CENT, BITCOIN], method: 'sepabanktransfer' },
  { ...CARD, pair: 'eur/usdc_polygon', asked: '250.5', units: [CENT, '0.000001'] },
  // The first sale ever of its coin: nothing is known about its price.
  { ...CARD, pair: 'btc/eur', asked: '500', units: [BITCOIN, CENT] },
  { ...CARD, pair: 'btc/eur', asked: '510', units: [BITCOIN, CENT] },
  { ...CARD, pair: 'eth/eur', asked: '400', units: ['0.000000000000000001', CENT] },
  {
    pair: 'btc/eur',
    asked: '123.45',
    units: [BITCOIN, CENT],
    method: 'sepabanktransfer',
    ramps: ['moonpay', 'transak'],
  },
];

for (const { pair, asked, method, units, ramps } of CASES) {
  test(`200 ${pair} by ${method}: ${asked} received costs a sourceAmount that really brings it, and hardly more`, async () => {
    const common = `paymentMethod=${method}&country=de`;
    const reply = await world.get(`/quotes/${pair}?amount=${asked}&input=destination&${common}`);
    expect(reply.status).toBe(200);
    expect(answers.flaws('/quotes/{source}/{destination}', reply)).toEqual([]);
    const quotes = exact(reply);
    const listed = await takers(world.get, { pair, method });
    expect(listed).toEqual(expect.arrayContaining(ramps));
    expect(quotes.map(({ ramp }) => ramp).sort()).toEqual(listed);
    for (const { ramp, payout, rate, sourceAmount } of quotes) {
      const authorization = keys.get(ramp) ?? '';
      const forward = await world.get(`/quotes/${pair}?amount=${sourceAmount}&${common}`, { authorization });
      // One smallest unit of what is handed over, and the rounding of the fees and of what is received.
      const worth = pair.startsWith('eur')
        ? decimal(CENT).plus(decimal(units[0])).div(decimal(rate))
        : decimal(CENT);
      const slack = worth.plus(decimal(units[1]));
      expect(miss({ ramp, got: payout, asked, slack })).toBeUndefined();
      expect(miss({ ramp, got: exact(forward)[0]?.payout ?? '0', asked, slack })).toBeUndefined();
    }
  });
}

/** The quotes with every number as it was written. */
function exact({ text }: Reply): { ramp: string; payout: string; rate: string; sourceAmount: string }[] {
  return parseJson(text) as ReturnType<typeof exact>;
}

/** How a payout misses what was asked for. */
function miss({ ramp, got, asked, slack }: { ramp: string; got: string; asked: string; slack: Amount }) {
  const over = decimal(got).minus(decimal(asked));
  if (over.isNegative()) return `${ramp} brings ${got}, less than ${asked}`;
  return over.gt(slack) ? `${ramp} brings ${got}, more than ${asked} by over one unit` : undefined;
}

test('200 ranks what costs least first, and only then carries sourceAmount', async () => {
  const reply = await world.get('/quotes/eur/btc?amount=0.003&input=destination&country=de');
  const costs: number[] = reply.body.map((quote: { sourceAmount: number }) => quote.sourceAmount);
  expect(costs.length).toBe(REGISTERED.length);
  expect(costs).toEqual([...costs].sort((a, b) => a - b));
  expect(reply.body[0].recommendations).toContain('BestPrice');
  const plain = await world.get('/quotes/eur/btc?amount=300&country=de');
  expect(shapesOf(plain.body)).toEqual([
    shape(
      'rate networkFee transactionFee payout availablePaymentMethods ramp quoteId paymentMethod recommendations',
    ),
  ]);
});

test('200 LimitMismatch in the one wording, with limits in the source currency, when it costs too little or too much', async () => {
  const { publicKey } = await world.newAccount({ providers: PROVIDERS });
  for (const amount of ['0.00000001', '500']) {
    const path = `/quotes/eur/btc?amount=${amount}&input=destination&country=de`;
    const reply = await world.get(path, { authorization: publicKey });
    expect([amount, reply.status, reply.body.length]).toEqual([amount, 200, PROVIDERS.length]);
    for (const { ramp, errors } of reply.body) {
      const [{ type, message, minAmount, maxAmount }] = errors;
      expect([amount, ramp, type]).toEqual([amount, ramp, 'LimitMismatch']);
      expect([ramp, minAmount, maxAmount]).toEqual([ramp, expect.any(Number), expect.any(Number)]);
      expect(message).toBe(`Amount should be in between EUR ${minAmount} and EUR ${maxAmount}`);
    }
    // The others may know but one limit, or none.
    const all = await world.get(path);
    expect(answers.flaws('/quotes/{source}/{destination}', all)).toEqual([]);
    expect(all.body.map(({ ramp, errors }: Refused) => [amount, ramp, errors[0]?.type]).sort()).toEqual(
      REGISTERED.map(ramp => [amount, ramp, 'LimitMismatch']),
    );
  }
});

interface Refused {
  ramp: string;
  errors: { type: string }[];
}
