/** GET /quotes with input=destination: the amount is what is to be received. Prices stand still, so both ways can be compared. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Amount, decimal } from '../../src/domain/money.ts';
import { type Answers, readAnswers, shape, shapesOf } from './answers.ts';
import { PROVIDERS, startWorld, type World } from './world.ts';

interface Quote {
  ramp: string;
  payout: number;
  sourceAmount: number;
  recommendations: string[];
}

let world: World;
let answers: Answers;

beforeAll(async () => {
  world = await startWorld({ QUOTE_DEADLINE_MS: '5000' });
  answers = await readAnswers(world.get);
});
afterAll(() => world?.close());

const CASES = [
  { pair: 'eur/btc', asked: '0.002', method: 'creditcard', unit: '0.01', ramps: PROVIDERS },
  { pair: 'eur/btc', asked: '0.00123456', method: 'sepabanktransfer', unit: '0.01', ramps: PROVIDERS },
  { pair: 'eur/usdc_polygon', asked: '250.5', method: 'creditcard', unit: '0.01', ramps: PROVIDERS },
  { pair: 'btc/eur', asked: '500', method: 'creditcard', unit: '0.00000001', ramps: PROVIDERS },
  { pair: 'btc/eur', asked: '510', method: 'creditcard', unit: '0.00000001', ramps: PROVIDERS },
  { pair: 'eth/eur', asked: '400', method: 'creditcard', unit: '0.000000000000000001', ramps: PROVIDERS },
  { pair: 'btc/eur', asked: '123.45', method: 'sepabanktransfer', unit: '0.00000001', ramps: ['moonpay', 'transak'] },
];

for (const { pair, asked, method, unit, ramps } of CASES) {
  test(`200 ${pair} by ${method}: ${asked} received costs a sourceAmount that really brings it, and hardly more`, async () => {
    const common = `paymentMethod=${method}&country=de`;
    const reply = await world.get(`/quotes/${pair}?amount=${asked}&input=destination&${common}`);
    expect(reply.status).toBe(200);
    expect(answers.flaws('/quotes/{source}/{destination}', reply)).toEqual([]);
    const quotes: Quote[] = reply.body;
    expect(quotes.map(({ ramp }) => ramp).sort()).toEqual(ramps);
    for (const { ramp, payout, sourceAmount } of quotes) {
      const forward = await world.get(`/quotes/${pair}?amount=${decimal(sourceAmount)}&${common}&errors=all`);
      const same: Quote = forward.body.find((quote: Quote) => quote.ramp === ramp);
      // One smallest unit of what is handed over, at the offer's own ratio.
      const slack = decimal(unit).times(decimal(payout)).div(decimal(sourceAmount));
      expect(short({ ramp, got: payout, asked, slack })).toBeUndefined();
      expect(short({ ramp, got: same.payout, asked, slack })).toBeUndefined();
    }
  });
}

/** How a payout misses what was asked for. */
function short({ ramp, got, asked, slack }: { ramp: string; got: number; asked: string; slack: Amount }) {
  const over = decimal(got).minus(decimal(asked));
  if (over.isNegative()) return `${ramp} brings ${got}, less than ${asked}`;
  return over.gt(slack) ? `${ramp} brings ${got}, more than ${asked} by over one unit` : undefined;
}

test('200 ranks what costs least first, and only then carries sourceAmount', async () => {
  const reply = await world.get('/quotes/eur/btc?amount=0.003&input=destination&country=de');
  const costs = reply.body.map(({ sourceAmount }: Quote) => sourceAmount);
  expect(costs.length).toBe(3);
  expect(costs).toEqual([...costs].sort((a, b) => a - b));
  expect(reply.body[0].recommendations).toContain('BestPrice');
  const plain = await world.get('/quotes/eur/btc?amount=300&country=de');
  expect(shapesOf(plain.body)).toEqual([
    shape('rate networkFee transactionFee payout availablePaymentMethods ramp quoteId paymentMethod recommendations'),
  ]);
});

test('200 LimitMismatch in the one wording, with limits in the source currency, when it costs too little or too much', async () => {
  for (const amount of ['0.00000001', '500']) {
    const reply = await world.get(`/quotes/eur/btc?amount=${amount}&input=destination&country=de`);
    expect([amount, reply.status, reply.body.length]).toEqual([amount, 200, 3]);
    for (const { ramp, errors } of reply.body) {
      const [{ type, message, minAmount, maxAmount }] = errors;
      expect([amount, ramp, type]).toEqual([amount, ramp, 'LimitMismatch']);
      expect([ramp, minAmount, maxAmount]).toEqual([ramp, expect.any(Number), expect.any(Number)]);
      expect(message).toBe(`Amount should be in between EUR ${minAmount} and EUR ${maxAmount}`);
    }
  }
});
