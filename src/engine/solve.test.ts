/** Solving: the least amount to hand over is found in a few questions, within the limits, whatever the fees. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Asset, Fiat } from '../domain/currency.ts';
import type { Limits } from '../domain/listing.ts';
import { type Amount, decimal, ZERO } from '../domain/money.ts';
import { type Ask, type Decline, decline, type Price } from '../domain/offer.ts';
import type { AssetId, CountryCode, FiatId, MethodId, NetworkId, Side } from '../domain/words.ts';
import { solve } from './solve.ts';
import { Upstream } from './upstream.ts';

/** A provider in whole numbers: everything in smallest units, so that the best answer is known exactly. */
interface World {
  side: Side;
  fiatDecimals: number;
  assetDecimals: number;
  /** Units of fiat for one whole asset. */
  rate: bigint;
  /** Millionths taken up to `kink`, and beyond it. */
  share: bigint;
  shareBeyond: bigint;
  kink: bigint;
  least: bigint;
  network: bigint;
}

function feeOn(world: World, fiat: bigint): bigint {
  const below = fiat < world.kink ? fiat : world.kink;
  const millionths = below * world.share + (fiat - below) * world.shareBeyond;
  const fee = (millionths + 999_999n) / 1_000_000n;
  return (fee > world.least ? fee : world.least) + world.network;
}

/** What comes out for what is handed over; never less for more. */
function payout(world: World, source: bigint): bigint {
  const whole = 10n ** BigInt(world.assetDecimals);
  if (world.side === 'buy') return ((source - feeOn(world, source)) * whole) / world.rate;
  const worth = (source * world.rate) / whole;
  return worth - feeOn(world, worth);
}

/** The least amount that pays out enough, by halving, from one that does. */
function bestSource(world: World, wanted: bigint, enough: bigint): bigint {
  let high = enough;
  let step = 1n;
  while (high > step && payout(world, high - step) >= wanted) {
    high -= step;
    step *= 2n;
  }
  let low = high > step ? high - step : 0n;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (payout(world, middle) >= wanted) high = middle;
    else low = middle;
  }
  return high;
}

const placesIn = (world: World) => (world.side === 'buy' ? world.fiatDecimals : world.assetDecimals);
const placesOut = (world: World) => (world.side === 'buy' ? world.assetDecimals : world.fiatDecimals);

function amountOf(units: bigint, places: number): Amount {
  return decimal(`${units}e-${places}`);
}

function unitsOf(amount: Amount, places: number): bigint {
  return BigInt(amount.times(decimal(`1e${places}`)).toString());
}

function askOf(world: World, amount: Amount): Ask {
  const fiat: Fiat = { id: 'eur' as FiatId, code: 'EUR', name: '', symbol: '', decimals: world.fiatDecimals };
  const asset: Asset = {
    ...{ id: 'btc_bitcoin' as AssetId, code: 'BTC', name: '', symbol: '', address: '', main: true },
    ...{ network: 'bitcoin' as NetworkId, decimals: world.assetDecimals },
  };
  const terms = { method: 'creditcard' as MethodId, country: 'DE' as CountryCode };
  return { side: world.side, fiat, asset, ...terms, amount, amountOf: 'destination' };
}

/** A small generator with a seed: at these counts fast-check would be slow. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** About a euro's worth: a hundred of a currency that has no places. */
function moneyUnit(fiatDecimals: number): bigint {
  return fiatDecimals === 0 ? 100n : 10n ** BigInt(fiatDecimals);
}

function drawWorld(random: (below: number) => number): World {
  const fiatDecimals = [0, 2, 2, 2, 3][random(5)] ?? 2;
  const unit = moneyUnit(fiatDecimals);
  const assetDecimals = [6, 8, 9, 18][random(4)] ?? 8;
  const share = BigInt(random(60_000));
  return {
    side: random(2) ? 'buy' : 'sell',
    fiatDecimals,
    assetDecimals,
    rate: (BigInt(1 + random(9_000)) * unit * 10n ** BigInt(random(3))) / 10n + 1n,
    share,
    shareBeyond: random(2) ? share : BigInt(random(60_000)),
    kink: BigInt(random(3_000)) * unit,
    least: random(2) ? BigInt(random(500)) * (unit / 100n) : 0n,
    network: random(2) ? BigInt(random(300)) * (unit / 100n) : 0n,
  };
}

interface Run {
  result: Price | Decline;
  asked: Amount[];
}

async function run(world: World, problem: { wanted: bigint; limits: Limits; guess: Amount }): Promise<Run> {
  const asked: Amount[] = [];
  const result = await solve({
    ask: askOf(world, amountOf(problem.wanted, placesOut(world))),
    limits: problem.limits,
    guess: problem.guess,
    async quote({ amount }) {
      asked.push(amount);
      const gets = payout(world, unitsOf(amount, placesIn(world)));
      if (gets <= 0n) return decline('refused', 'less than the fees');
      const figures = { pays: amount, gets: amountOf(gets, placesOut(world)) };
      return { ...figures, networkFee: ZERO, providerFee: ZERO };
    },
  });
  return { result, asked };
}

describe('solve', () => {
  it('finds the best amount to one smallest unit for 10,000 asks of all kinds, in few questions', async () => {
    const random = seeded(1);
    const wrong: string[] = [];
    let questions = 0;
    for (let round = 0; round < 10_000; round++) {
      const world = drawWorld(random);
      const fiatUnit = moneyUnit(world.fiatDecimals);
      const worth = BigInt(20 + random(5_000)) * fiatUnit + (BigInt(random(1_000)) % fiatUnit);
      const whole = 10n ** BigInt(world.assetDecimals);
      const source = world.side === 'buy' ? worth : (worth * whole) / world.rate;
      const wanted = payout(world, source);
      if (wanted <= 0n) continue;

      const best = bestSource(world, wanted, source);
      // The guess is the wanted amount at the usual rate, some percent off; fees are not in it.
      const fair = world.side === 'buy' ? (wanted * world.rate) / whole : (wanted * whole) / world.rate;
      const guess = amountOf((fair * BigInt(950 + random(100))) / 1_000n + 1n, placesIn(world));
      const { result, asked } = await run(world, { wanted, limits: {}, guess });
      questions += asked.length;
      if ('kind' in result) {
        wrong.push(`round ${round}: ${result.message} for ${wanted} of ${JSON.stringify(world, textual)}`);
        continue;
      }
      const pays = unitsOf(result.pays, placesIn(world));
      const enough = unitsOf(result.gets, placesOut(world)) >= wanted;
      // Where the payout's unit is the coarser one, many amounts pay out the same, and not a unit too much.
      const exact = unitsOf(result.gets, placesOut(world)) === wanted;
      if (!enough || !(exact || pays - best <= 1n)) {
        wrong.push(
          `round ${round}: ${pays} not ${best} after ${asked.length} of ${JSON.stringify(world, textual)}`,
        );
      }
    }
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(questions / 10_000).toBeLessThan(5);
  });

  it('never asks outside the limits, nor with more places than the currency has, nor without end', async () => {
    const random = seeded(2);
    const wrong: string[] = [];
    for (let round = 0; round < 1_000; round++) {
      const world = drawWorld(random);
      const unit = 10n ** BigInt(placesIn(world));
      const min = amountOf(unit * BigInt(10 + random(40)), placesIn(world));
      const max = amountOf(unit * BigInt(50 + random(500)), placesIn(world));
      const limits = { ...(random(2) && { min }), ...(random(2) && { max }) };
      const wanted = BigInt(1 + random(1_000_000_000));
      const guess = amountOf(unit * BigInt(1 + random(1_000)), placesIn(world));
      const { asked } = await run(world, { wanted, limits, guess });
      const held = asked.every(
        amount =>
          amount.gt(0) &&
          !(limits.min && amount.lt(limits.min)) &&
          !(limits.max && amount.gt(limits.max)) &&
          amount.decimalPlaces() <= placesIn(world),
      );
      if (!held || asked.length > 8) wrong.push(`round ${round}: asked ${asked.map(String)}`);
    }
    expect(wrong).toEqual([]);
  });

  const PLAIN: World = {
    ...{ side: 'buy', fiatDecimals: 2, assetDecimals: 8, rate: 8_800_000n },
    ...{ share: 35_000n, shareBeyond: 35_000n, kink: 0n, least: 399n, network: 150n },
  };

  it('declines with the limits when even the largest amount pays out too little', async () => {
    const limits = { min: decimal(20), max: decimal(500) };
    const { result } = await run(PLAIN, { wanted: 100_000_000n, limits, guess: decimal(100) });
    expect(result).toMatchObject({ kind: 'decline', reason: 'limit', limits });
  });

  it('declines with the limits when even the smallest amount pays out too much', async () => {
    const limits = { min: decimal(20), max: decimal(500) };
    const { result } = await run(PLAIN, { wanted: 100n, limits, guess: decimal(100) });
    expect(result).toMatchObject({ kind: 'decline', reason: 'limit', limits });
  });

  it('passes on a decline of the very first question', async () => {
    const ask = askOf(PLAIN, decimal('0.01'));
    const refused = decline('country', 'not there');
    expect(await solve({ ask, limits: {}, guess: decimal(9), quote: async () => refused })).toBe(refused);
  });

  it('goes on from the provider’s least amount when its first guess lay below it', async () => {
    const ask = askOf(PLAIN, decimal('0.00024'));
    const min = decimal(25);
    const asked: string[] = [];
    const result = await solve({
      ask,
      limits: {},
      guess: decimal('21.12'),
      async quote({ amount }) {
        asked.push(String(amount));
        if (amount.lt(min)) return decline('limit', 'Amount should be at least EUR 25', { min });
        const gets = amountOf(payout(PLAIN, unitsOf(amount, 2)), 8);
        return { pays: amount, gets, networkFee: ZERO, providerFee: ZERO };
      },
    });
    expect({ asked, result: 'kind' in result ? result.message : String(result.pays) }).toMatchObject({
      result: '26.61',
    });
  });

  it('keeps the last price that was enough when a later question is declined', async () => {
    const price: Price = { pays: decimal(100), gets: decimal('1.009'), networkFee: ZERO, providerFee: ZERO };
    const answers = [price, decline('limit', 'too little')];
    const quote = async () => answers.shift() ?? decline('refused', 'asked too often');
    expect(await solve({ ask: askOf(PLAIN, decimal(1)), limits: {}, guess: decimal(100), quote })).toBe(
      price,
    );
  });

  it.each([
    ['1.009', 'late', true],
    ['1.009', 'busy', true],
    ['1.02', 'late', false],
    ['1.009', 'limited', false],
    ['1.009', 'unauthorized', false],
  ] as const)(
    'with a price for %s where 1 is wanted, and a later question that is %s, keeps it: %s',
    async (gets, kind, isKept) => {
      const price: Price = { pays: decimal(100), gets: decimal(gets), networkFee: ZERO, providerFee: ZERO };
      const answers = [Promise.resolve(price)];
      const trouble = new Upstream(kind, '');
      const quote = () => answers.shift() ?? Promise.reject(trouble);
      const solved = solve({ ask: askOf(PLAIN, decimal(1)), limits: {}, guess: decimal(100), quote });
      if (isKept) expect(await solved).toBe(price);
      else await expect(solved).rejects.toBe(trouble);
    },
  );

  it('declines when the only price is for much more than what is wanted', async () => {
    const price: Price = { pays: decimal(100), gets: decimal(2), networkFee: ZERO, providerFee: ZERO };
    const refused = decline('limit', 'too little', { min: decimal(100) });
    const quote = async ({ amount }: Ask) => (amount.gte(100) ? price : refused);
    expect(await solve({ ask: askOf(PLAIN, decimal(1)), limits: {}, guess: decimal(100), quote })).toBe(
      refused,
    );
  });

  it.each([
    ['its payouts, from far away', 'min', '2000'],
    ['its payouts, from far away', 'max', '2000'],
    ['its payouts, and the guess is refused', 'min', '23.15'],
  ])('finds a payout at the very limit that a provider has on %s (%s)', async (_why, end, guess) => {
    const bound = decimal('0.00024');
    const asked: string[] = [];
    const result = await solve({
      ask: askOf(PLAIN, bound),
      limits: {},
      guess: decimal(guess),
      async quote({ amount }) {
        asked.push(String(amount));
        const gets = amountOf(payout(PLAIN, unitsOf(amount, 2)), 8);
        const isBeyond = end === 'min' ? gets.lt(bound) : gets.gt(bound.times('1.0002'));
        if (isBeyond) return decline('limit', 'Amount is outside the limits');
        const providerFee = amountOf(feeOn(PLAIN, unitsOf(amount, 2)), 2);
        return { pays: amount, gets, networkFee: ZERO, providerFee };
      },
    });
    expect({ asked, pays: 'kind' in result ? result.message : String(result.pays) }).toMatchObject({
      pays: '26.61',
    });
    expect(asked.length).toBeLessThan(9);
  });

  it('asks only for amounts that are finite and above zero, whatever nonsense it is told', async () => {
    const figures = fc.record({
      gets: fc.constantFrom('0', '-1', '1', '1', '0.5', '1e-30', '1e30', '7'),
      pays: fc.constantFrom('echo', 'echo', '0', '-5', '1e30'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(figures, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        async (answers, bounded) => {
          let asked = 0;
          let sane = true;
          await solve({
            ask: askOf(PLAIN, decimal(1)),
            limits: bounded ? { min: decimal(1), max: decimal(1_000) } : {},
            guess: decimal(100),
            async quote({ amount }) {
              const told = answers[asked++ % answers.length] ?? { gets: '1', pays: 'echo' };
              sane &&= amount.isFinite() && amount.gt(0);
              const pays = told.pays === 'echo' ? amount : decimal(told.pays);
              return { pays, gets: decimal(told.gets), networkFee: ZERO, providerFee: ZERO };
            },
          });
          return sane && asked <= 8;
        },
      ),
      { numRuns: 500 },
    );
  });
});

function textual(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
