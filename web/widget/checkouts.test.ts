/** Checkouts: one order for one wish, and a way on from every failure. */
import { describe, expect, it, vi } from 'vitest';
import { type Client, CloverleafError } from '../../client/src/index.ts';
import type { Action } from './actions.ts';
import { createCheckouts } from './checkouts.ts';
import { BTC, EUR, exampleOffer, exampleState } from './example.ts';
import { NO_ROUND, NO_WALLET, type State } from './state.ts';

const ADDRESS = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const DONE = { transactionInformation: { transactionId: 't1', url: 'https://ramp.example/pay/a%2Fb' } };
const OTHER = { transactionInformation: { transactionId: 't2', url: 'https://ramp.example/pay/c' } };

function paying(change: Partial<State> = {}, setup = {}): State {
  const agreed = exampleOffer('moonpay', '0.001');
  const round = { ...NO_ROUND, phase: 'done' as const, offers: [agreed] };
  const wallet = { ...NO_WALLET, address: ADDRESS };
  return exampleState({ isPaying: true, screen: 'wallet', round, agreed, wallet, ...change }, setup);
}

function stage(
  checkout: (...sent: unknown[]) => Promise<unknown>,
  origins: string[] = [],
  newKey = countKeys(),
  isDark = () => true,
) {
  const actions: Action[] = [];
  const told: unknown[] = [];
  const spy = vi.fn(checkout);
  const run = createCheckouts({
    client: { checkout: spy } as unknown as Client,
    surroundings: { origins, tell: event => void told.push(event) },
    dispatch: action => void actions.push(action),
    isDark,
    newKey,
  });
  return { run, actions, told, spy };
}

function countKeys(): () => string {
  let keys = 0;
  return () => `key ${++keys}`;
}

/** What the service says only when it is told to. */
function held(how: string) {
  let end = () => {};
  const promise = new Promise<unknown>((resolve, reject) => {
    end = () => (how === 'answered' ? resolve(DONE) : reject(new CloverleafError('declined', 'not today')));
  });
  return { promise, end };
}

const settle = () => new Promise(resolve => setTimeout(resolve));

describe('an order', () => {
  it('says everything, and holds the provider to its quote', async () => {
    const { run, actions, spy } = stage(async () => DONE, ['https://www.shop.example']);
    const setup = {
      partnerContext: 'order 1',
      redirectUrl: 'https://shop.example/',
      theme: { isDark: null, primaryColor: '#123456' },
    };
    run(paying({}, setup));
    await settle();
    expect(spy.mock.calls[0]).toEqual([
      {
        country: 'DE',
        onramp: 'moonpay',
        source: EUR.id,
        destination: BTC.id,
        amount: '100',
        type: 'buy',
        paymentMethod: 'creditcard',
        network: 'bitcoin',
        metaData: { quoteId: 'quote of moonpay' },
        wallet: { address: ADDRESS },
        partnerContext: 'order 1',
        originatingHost: 'www.shop.example',
        supportedParams: {
          theme: { primaryColor: '#123456', isDark: true },
          partnerData: { redirectUrl: { success: 'https://shop.example/' } },
        },
      },
      { idempotencyKey: 'key 1' },
    ]);
    const order = { token: 'a/b', transactionId: 't1', status: 'new', provider: 'moonpay' };
    expect(actions).toEqual([{ type: 'ordered', order }]);
  });

  it('is of the offer that was agreed to, whatever else is chosen or better', async () => {
    const { run, spy } = stage(async () => DONE);
    const better = exampleOffer('transak', '0.002');
    const { round } = paying();
    run(paying({ round: { ...round, offers: [better, ...round.offers] }, chosen: 'transak' }));
    await settle();
    expect(spy.mock.calls[0]?.[0]).toMatchObject({ onramp: 'moonpay' });
  });

  it.each([
    [' 3791047 ', { address: ADDRESS, memo: '3791047' }],
    ['order 17', { address: ADDRESS, memo: 'order 17' }],
    [' ', { address: ADDRESS }],
  ])('has the memo %j without the blanks around it', async (memo, wallet) => {
    const { run, spy } = stage(async () => DONE);
    run(paying({ wallet: { ...NO_WALLET, address: ADDRESS, memo } }));
    await settle();
    expect(spy.mock.calls[0]?.[0]).toHaveProperty('wallet', wallet);
  });

  it('is made once, however often the state changes meanwhile', async () => {
    const { run, spy } = stage(async () => DONE, ['http://127.0.0.1:8080']);
    run(paying());
    run(paying({ now: 1 }));
    await settle();
    expect(spy).toHaveBeenCalledOnce();
    expect(spy.mock.calls[0]?.[0]).not.toHaveProperty('originatingHost');
  });

  it('waits for prices that are being asked for', async () => {
    const { run, spy } = stage(async () => DONE);
    run(paying({ round: { ...paying().round, phase: 'asking' } }));
    run(paying({ isPaying: false }));
    await settle();
    expect(spy).not.toHaveBeenCalled();
  });

  it('after a line that broke is the same order, and another one for other wishes', async () => {
    const { run, spy, actions } = stage(() => Promise.reject(new CloverleafError('unreachable', 'gone')));
    const keyOf = (call: number) => spy.mock.calls[call]?.[1];
    for (const state of [paying(), paying(), paying({ wallet: { ...NO_WALLET, address: 'other' } })]) {
      run(state);
      await settle();
    }
    expect([keyOf(0), keyOf(1), keyOf(2)]).toEqual([
      { idempotencyKey: 'key 1' },
      { idempotencyKey: 'key 1' },
      { idempotencyKey: 'key 2' },
    ]);
    expect(actions[0]).toMatchObject({ type: 'unpaid', trouble: { kind: 'unreachable' } });
  });

  it('like one that was made is another one', async () => {
    const { run, spy } = stage(async () => DONE);
    run(paying());
    await settle();
    run(paying({ isPaying: false, screen: 'trade' }));
    run(paying());
    await settle();
    expect(spy.mock.calls.map(([, options]) => options)).toEqual([
      { idempotencyKey: 'key 1' },
      { idempotencyKey: 'key 2' },
    ]);
  });

  it('after a line that broke says the same again, though the device has turned light since', async () => {
    const isDark = vi.fn(() => false).mockImplementationOnce(() => true);
    const broken = () => Promise.reject(new CloverleafError('unreachable', 'gone'));
    const { run, spy, actions } = stage(broken, [], countKeys(), isDark);
    for (const state of [paying(), paying()]) {
      run(state);
      await settle();
    }
    expect(spy).toHaveBeenCalledTimes(2);
    expect(spy.mock.calls[0]?.[0]).toMatchObject({ supportedParams: { theme: { isDark: true } } });
    expect(spy.mock.calls[1]).toEqual(spy.mock.calls[0]);
    expect(actions).toMatchObject([{ type: 'unpaid' }, { type: 'unpaid' }]);
  });

  it('is still wanted, and made once, when the device turns light meanwhile', async () => {
    const isDark = vi.fn(() => false).mockImplementationOnce(() => true);
    const first = held('answered');
    const { run, spy, actions } = stage(() => first.promise, [], countKeys(), isDark);
    run(paying());
    run(paying({ now: 1 }));
    first.end();
    await settle();
    expect(spy).toHaveBeenCalledOnce();
    expect(actions).toMatchObject([{ type: 'ordered', order: { transactionId: 't1' } }]);
  });

  it('that no key can be had for is told, and may be tried again', async () => {
    const newKey = vi
      .fn(() => 'key')
      .mockImplementationOnce(() => {
        throw new TypeError('crypto.randomUUID is not a function');
      });
    const { run, actions, spy } = stage(async () => DONE, [], newKey);
    run(paying());
    await settle();
    expect(actions).toMatchObject([{ type: 'unpaid', trouble: { at: 'checkout', kind: 'failed' } }]);
    run(paying());
    await settle();
    expect(spy).toHaveBeenCalledOnce();
  });

  it.each(['answered', 'refused'])('that was taken back is nobody’s once it is %s', async how => {
    const first = held(how);
    const { run, actions, told, spy } = stage(() => first.promise);
    run(paying());
    run(paying({ isPaying: false, screen: 'trade' }));
    first.end();
    await settle();
    expect([actions, told]).toEqual([[], []]);
    expect(spy).toHaveBeenCalledOnce();
  });

  it.each(['answered', 'refused'])('for something else waits until the one before is %s', async how => {
    const first = held(how);
    const { run, actions, told, spy } = stage(
      vi.fn(async (): Promise<unknown> => OTHER).mockReturnValueOnce(first.promise),
    );
    run(paying());
    run(paying({ isPaying: false, screen: 'trade' }));
    run(paying({ wallet: { ...NO_WALLET, address: 'other' } }));
    expect(spy).toHaveBeenCalledOnce();
    first.end();
    await settle();
    expect(spy.mock.calls.map(([, options]) => options)).toEqual([
      { idempotencyKey: 'key 1' },
      { idempotencyKey: 'key 2' },
    ]);
    expect(spy.mock.calls[1]?.[0]).toMatchObject({ wallet: { address: 'other' } });
    expect(actions).toMatchObject([{ type: 'ordered', order: { transactionId: 't2' } }]);
    expect(told).toEqual([]);
  });

  it('that was taken back and is wanted again is the same one', async () => {
    const first = held('answered');
    const { run, actions, spy } = stage(() => first.promise);
    run(paying());
    run(paying({ isPaying: false, screen: 'trade' }));
    run(paying());
    first.end();
    await settle();
    expect(spy).toHaveBeenCalledOnce();
    expect(actions).toMatchObject([{ type: 'ordered', order: { transactionId: 't1' } }]);
  });

  it.each([
    ['with its words', 'declined', {}, { kind: 'words', words: 'not today' }],
    ['for too little', 'declined', { minAmount: '200' }, { kind: 'min', amount: '200' }],
    ['for too much', 'declined', { minAmount: '1', maxAmount: '50' }, { kind: 'max', amount: '50' }],
    [
      'for its own limits, which are met',
      'declined',
      { minAmount: '1' },
      { kind: 'words', words: 'not today' },
    ],
    ['when it fails', 'providerFailed', {}, { kind: 'silent' }],
  ] as const)('that a provider does not take puts it aside, %s', async (_why, kind, details, decline) => {
    const { run, actions } = stage(() => Promise.reject(new CloverleafError(kind, 'not today', details)));
    run(paying());
    await settle();
    expect(actions).toEqual([{ type: 'declined', ramp: 'moonpay', decline }]);
  });

  it.each([
    new CloverleafError('expired', 'too late'),
    new CloverleafError('badInput', 'no quote of yours', { field: 'metaData.quoteId' }),
  ])('for a price that has run out ($kind) asks for a new one', async error => {
    const { run, actions } = stage(() => Promise.reject(error));
    run(paying());
    await settle();
    expect(actions).toMatchObject([
      { type: 'unpaid', trouble: { at: 'checkout', kind: 'expired' } },
      { type: 'refresh' },
    ]);
  });
});
