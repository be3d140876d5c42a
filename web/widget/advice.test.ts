/** Advice: the smallest change that would do, and always one. */
import { describe, expect, it } from 'vitest';
import { advise, boundsOf } from './advice.ts';
import {
  BTC,
  EUR,
  exampleMethod,
  exampleOffer,
  exampleRefusal,
  exampleSetup,
  exampleState,
  play,
  USD,
  XRP,
} from './example.ts';
import { methodsKey, NO_ROUND, type Refusal, type State } from './state.ts';

function refusedBy(refusals: Refusal[], change: Partial<State> = {}): State {
  return exampleState({
    methods: [exampleMethod('creditcard')],
    round: { ...NO_ROUND, phase: 'done', refusals },
    ...change,
  });
}

describe('advise', () => {
  it('says nothing while offers are there or may come', () => {
    const offered = refusedBy([], {
      round: { ...NO_ROUND, phase: 'done', offers: [exampleOffer('moonpay', '1')] },
    });
    expect(advise(offered)).toEqual([]);
    expect(advise(exampleState({ round: { ...NO_ROUND, phase: 'asking' } }))).toEqual([]);
  });

  it('names the nearest minimum', () => {
    const state = refusedBy(
      [
        exampleRefusal('transak', { min: '30', max: '9000' }),
        exampleRefusal('moonpay', { min: '20', max: '8000' }),
        exampleRefusal('banxa', { type: 'NoSupportedPaymentFound' }),
      ],
      { typed: '5' },
    );
    expect(advise(state)).toEqual([{ kind: 'amount', ramp: 'moonpay', bound: 'min', amount: '20' }]);
  });

  it('names the nearest maximum', () => {
    const state = refusedBy(
      [exampleRefusal('transak', { min: '30', max: '9000' }), exampleRefusal('moonpay', { max: '8000' })],
      { typed: '10000' },
    );
    expect(advise(state)).toEqual([{ kind: 'amount', ramp: 'transak', bound: 'max', amount: '9000' }]);
  });

  it('names both where nobody can tell on which side it missed', () => {
    const refusals = [exampleRefusal('moonpay', { min: '20', max: '8000' })];
    const state = refusedBy(refusals, { typed: '0.5', field: 'destination' });
    expect(advise(state).map(one => one.kind === 'amount' && one.bound)).toEqual(['min', 'max']);
  });

  it('names another method that takes the amount', () => {
    const sepa = exampleMethod('sepabanktransfer', { aggregatedLimit: { min: '1', max: '90000' } });
    const dear = exampleMethod('wire', { aggregatedLimit: { min: '5000' } });
    const state = refusedBy([exampleRefusal('moonpay', { type: 'NoSupportedPaymentFound' })], {
      methods: [exampleMethod('creditcard'), dear, sepa],
    });
    expect(advise(state)).toEqual([{ kind: 'method', method: sepa }]);
  });

  it('offers to try again where nobody answers', () => {
    const state = refusedBy([exampleRefusal('moonpay', { type: 'ProviderUnavailable' })]);
    expect(advise(state)).toEqual([{ kind: 'retry' }]);
    expect(advise(refusedBy([]))).toEqual([{ kind: 'retry' }]);
  });

  it('offers nothing else where the round failed: nobody was heard', () => {
    const sepa = exampleMethod('sepabanktransfer', { aggregatedLimit: { min: '1', max: '90000' } });
    const round = { ...NO_ROUND, phase: 'failed' as const };
    expect(advise(exampleState({ methods: [exampleMethod('creditcard'), sepa], round }))).toEqual([
      { kind: 'retry' },
    ]);
  });

  it('stays a little within limits that were reckoned, in few digits', () => {
    const amountOf = (limits: Partial<Refusal>, typed: string, change: Partial<State> = {}) =>
      advise(refusedBy([exampleRefusal('moonpay', limits)], { typed, ...change })).map(
        one => one.kind === 'amount' && one.amount,
      );
    expect(amountOf({ min: '17.23456' }, '5')).toEqual(['17.41']);
    expect(amountOf({ max: '29876.54' }, '90000')).toEqual(['29570']);
    expect(amountOf({ min: '20.00' }, '5')).toEqual(['20.00']);
    // A hundredth more would be too much.
    expect(amountOf({ min: '17.234', max: '17.3' }, '5')).toEqual(['17.234']);
    const coins = { side: 'sell' as const };
    expect(amountOf({ min: '0.00207' }, '0.001', coins)).toEqual(['0.002381']);
    expect(amountOf({ max: '9.87' }, '10', coins)).toEqual(['8.389']);
  });

  it('keeps to what the provider lists for the chosen method', () => {
    const methods = [exampleMethod('creditcard', { moonpay: { min: '30' } })];
    const state = refusedBy([exampleRefusal('moonpay', { min: '20' })], { typed: '5', methods });
    expect(advise(state)).toEqual([{ kind: 'amount', ramp: 'moonpay', bound: 'min', amount: '30' }]);
  });

  it('listens to allowed providers only, and not to those that were put aside', () => {
    const only = { ...exampleSetup().only, onramps: ['transak', 'banxa'] };
    const refusals = ['moonpay', 'transak', 'banxa'].map((ramp, at) =>
      exampleRefusal(ramp, { min: String(10 + at) }),
    );
    const state = refusedBy(refusals, {
      typed: '5',
      setup: exampleSetup({ only }),
      aside: { transak: { kind: 'silent' } },
    });
    expect(advise(state)).toEqual([{ kind: 'amount', ramp: 'banxa', bound: 'min', amount: '12' }]);
  });

  it('names what works in the country where the pair does not', () => {
    const recommended = { pair: { fiat: EUR, crypto: BTC }, amount: '100', method: 'creditcard' };
    for (const pair of [
      { fiat: EUR, crypto: XRP },
      { fiat: USD, crypto: BTC },
    ])
      expect(advise(refusedBy([], { pair, methods: [], recommended }))).toEqual([
        { kind: 'pair', recommended },
        { kind: 'country' },
      ]);
    expect(advise(refusedBy([], { methods: [], recommended: null }))).toEqual([{ kind: 'country' }]);
    expect(advise(refusedBy([], { pair: undefined }))).toEqual([{ kind: 'country' }]);
  });

  it('names the country first where it is not known', () => {
    const unknown = { country: null };
    expect(advise(exampleState({}, unknown))).toEqual([{ kind: 'country' }]);
    expect(advise(exampleState({}, { ...unknown, choices: {} }))).toEqual([{ kind: 'country' }]);
  });

  it('does not name the pair that is shown, which works in the country but with no allowed provider', () => {
    const recommended = { pair: { fiat: EUR, crypto: BTC }, amount: '100', method: 'creditcard' };
    const setup = exampleSetup({ only: { ...exampleSetup().only, onramps: ['transak'] } });
    const begun = exampleState({ setup });
    const key = methodsKey(begun);
    const methods = [exampleMethod('creditcard', { moonpay: { min: '20' } })];
    const state = play(
      begun,
      { type: 'methods', key, methods },
      { type: 'recommendation', key, recommended },
    );
    expect(advise(state)).toEqual([{ kind: 'country' }]);
  });

  it.each([
    [{ cryptos: ['xrp_ripple'] }, false],
    [{ networks: ['ripple'] }, false],
    [{ fiats: ['usd'] }, false],
    [{ methods: ['sepabanktransfer'] }, false],
    [{ cryptos: ['btc_bitcoin'], networks: ['bitcoin'], fiats: ['eur'], methods: ['creditcard'] }, true],
  ])('names what works in the country as far as the integrator allows it: %j', (change, isNamed) => {
    const recommended = { pair: { fiat: EUR, crypto: BTC }, amount: '100', method: 'creditcard' };
    const setup = exampleSetup({ only: { ...exampleSetup().only, ...change } });
    const pair = { fiat: USD, crypto: XRP };
    const advice = advise(refusedBy([], { pair, methods: [], recommended, setup }));
    expect(advice.some(({ kind }) => kind === 'pair')).toBe(isNamed);
    expect(advice).toContainEqual({ kind: 'country' });
  });
});

describe('boundsOf', () => {
  const limits = {
    moonpay: { min: '20', max: '100' },
    transak: { min: '5' },
    aggregatedLimit: { min: '5', max: '100' },
  };

  it('are those over all providers, or over the allowed ones', () => {
    expect(boundsOf(exampleMethod('x', limits), exampleState())).toEqual({ min: '5', max: '100' });
    const only = { ...exampleSetup().only, onramps: ['moonpay'] };
    expect(boundsOf(exampleMethod('x', limits), exampleState({}, { only }))).toEqual({
      min: '20',
      max: '100',
    });
    const both = { ...only, onramps: ['moonpay', 'transak'] };
    expect(boundsOf(exampleMethod('x', limits), exampleState({}, { only: both }))).toEqual({
      min: '5',
      max: undefined,
    });
  });
});
