/** Effects: what is asked for follows the state, and what is no longer wanted is dropped. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Client, CloverleafError, type QuoteAsk, type QuoteEvent } from '../../client/src/index.ts';
import type { WidgetSetup } from '../../src/http/widget/shape.ts';
import type { Action } from './actions.ts';
import { advise } from './advice.ts';
import { createEffects } from './effects.ts';
import { BTC, EUR, exampleMethod, exampleSetup, exampleState, XRP } from './example.ts';
import { reduce } from './reduce.ts';
import type { State } from './state.ts';

const QUOTE = {
  ramp: 'moonpay',
  paymentMethod: 'creditcard',
  rate: '1',
  networkFee: '0',
  transactionFee: '1',
  payout: '99',
};

interface Ask {
  ask: QuoteAsk;
  signal: AbortSignal | undefined;
}

interface Beginning {
  setup?: Partial<WidgetSetup>;
  choicesIn?: (country: string) => Promise<WidgetSetup['choices']>;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A widget without views, against a service that answers as told. */
function stage(
  answer: (ask: QuoteAsk) => AsyncIterable<QuoteEvent> = noQuotes,
  lists: Record<string, () => Promise<unknown>> = {},
  { setup, choicesIn }: Beginning = {},
) {
  const asks: Ask[] = [];
  let state: State = exampleState({}, setup);
  const dispatch = (action: Action) => {
    const before = state;
    state = reduce(state, action);
    effects(state, before);
  };
  const client = {
    streamQuotes(ask: QuoteAsk, options?: { signal?: AbortSignal }) {
      asks.push({ ask, signal: options?.signal });
      return answer(ask);
    },
    paymentTypes: async () => ({ creditcard: exampleMethod('creditcard') }),
    supported: async () => ({ crypto: [], fiat: [] }),
    assets: async () => ({ assets: [], country: 'DE' }),
    countries: () => Promise.reject(new CloverleafError('unreachable', 'gone')),
    ...lists,
  } as unknown as Client;
  const effects = createEffects({
    client,
    surroundings: { origins: [], tell: () => undefined },
    dispatch,
    now: () => Date.now(),
    isDark: () => false,
    newKey: () => 'key',
    load: () => Promise.reject(new Error('no script')),
    choicesIn: choicesIn ?? (async () => ({})),
  });
  effects(state, undefined);
  return {
    asks,
    dispatch,
    get state() {
      return state;
    },
  };
}

async function* noQuotes(): AsyncGenerator<QuoteEvent> {
  yield { kind: 'done', quotes: [] };
}

async function* oneQuote(): AsyncGenerator<QuoteEvent> {
  yield { kind: 'outcome', outcome: QUOTE };
  yield { kind: 'done', quotes: [{ ...QUOTE, quoteId: 'q', recommendations: ['BestPrice'] }] };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('quotes', () => {
  it('are asked for at once, shown as they come, and again when they are due', async () => {
    const widget = stage(oneQuote);
    await pass(0);
    expect(widget.asks[0]?.ask).toMatchObject({
      source: 'eur',
      destination: 'btc_bitcoin',
      amount: '100',
      type: 'buy',
      errors: 'all',
    });
    expect(widget.state.round).toMatchObject({
      phase: 'done',
      offers: [{ ramp: 'moonpay', payout: '99', pays: '100', quoteId: 'q' }],
    });
    await pass(44_000);
    widget.dispatch({ type: 'tick', now: Date.now() });
    await pass(0);
    expect(widget.asks.length).toBe(1);
    await pass(2_000);
    widget.dispatch({ type: 'tick', now: Date.now() });
    await pass(0);
    expect(widget.asks.length).toBe(2);
  });

  it('wait until somebody has typed, and drop what was asked before', async () => {
    const widget = stage();
    await pass(0);
    for (const text of ['2', '25', '250']) widget.dispatch({ type: 'typed', field: 'source', text });
    await pass(300);
    expect(widget.asks.length).toBe(1);
    expect(widget.asks[0]?.signal?.aborted).toBe(true);
    await pass(100);
    expect(widget.asks.map(({ ask }) => ask.amount)).toEqual(['100', '250']);
  });

  it('are asked for at once by whoever comes back from an order', async () => {
    const widget = stage(oneQuote);
    await pass(0);
    const order = { token: 'a', transactionId: 't1', status: 'new' as const, provider: 'moonpay' };
    widget.dispatch({ type: 'ordered', order });
    for (let seconds = 0; seconds < 60; seconds++) {
      await pass(1_000);
      widget.dispatch({ type: 'tick', now: Date.now() });
    }
    expect(widget.asks.length).toBe(1);
    widget.dispatch({ type: 'newOrder' });
    await pass(0);
    expect(widget.asks.length).toBe(2);
  });

  it('are not asked for while an order is made of one', async () => {
    const widget = stage(oneQuote, { checkout: () => new Promise(() => undefined) });
    await pass(0);
    widget.dispatch({ type: 'goOn' });
    widget.dispatch({ type: 'address', address: 'bc1' });
    widget.dispatch({ type: 'pay' });
    await pass(60_000);
    widget.dispatch({ type: 'tick', now: Date.now() });
    await pass(0);
    expect(widget.state.isPaying).toBe(true);
    expect(widget.asks.length).toBe(1);
  });

  it('that could not be had are asked for at once by whoever orders', async () => {
    let isAway = false;
    const checkout = vi.fn(() => new Promise(() => undefined));
    const answer = () => {
      if (isAway) throw new CloverleafError('unreachable', 'gone');
      return oneQuote();
    };
    const widget = stage(answer, { checkout });
    await pass(0);
    widget.dispatch({ type: 'goOn' });
    widget.dispatch({ type: 'address', address: 'bc1' });
    isAway = true;
    await pass(46_000);
    widget.dispatch({ type: 'tick', now: Date.now() });
    await pass(0);
    expect(widget.state.round.phase).toBe('failed');
    widget.dispatch({ type: 'pay' });
    await pass(0);
    expect(widget.state).toMatchObject({ isPaying: false, trouble: { at: 'checkout', kind: 'unreachable' } });
    isAway = false;
    widget.dispatch({ type: 'pay' });
    await pass(0);
    expect(widget.state.trouble).toBeUndefined();
    expect(checkout).toHaveBeenCalledOnce();
  });

  it('that break off are asked for again by themselves', async () => {
    let isAway = true;
    const widget = stage(() => {
      if (isAway) throw new CloverleafError('unreachable', 'gone');
      return oneQuote();
    });
    await pass(0);
    expect(widget.state).toMatchObject({ round: { phase: 'failed' }, trouble: { kind: 'unreachable' } });
    isAway = false;
    await pass(11_000);
    widget.dispatch({ type: 'tick', now: Date.now() });
    await pass(0);
    expect(widget.state).toMatchObject({ round: { phase: 'done' }, trouble: undefined });
  });
});

describe('lists', () => {
  it('that cannot be had are told, and not asked for over and over', async () => {
    const widget = stage();
    widget.dispatch({ type: 'menu', menu: 'country' });
    await pass(0);
    expect(widget.state.lists.failed).toEqual(['country']);
    widget.dispatch({ type: 'menu', menu: undefined });
    widget.dispatch({ type: 'menu', menu: 'country' });
    await pass(0);
    expect(widget.state.lists.failed).toEqual(['country']);
  });

  it('are asked for again by whoever tries it in the list itself', async () => {
    const gone = () => Promise.reject(new CloverleafError('unreachable', 'gone'));
    const countries = vi.fn(async () => [{ countryCode: 'DE' }]).mockImplementationOnce(gone);
    const widget = stage(noQuotes, { countries });
    widget.dispatch({ type: 'menu', menu: 'country' });
    await pass(0);
    expect(widget.state.lists.failed).toEqual(['country']);
    widget.dispatch({ type: 'menu', menu: 'country' });
    await pass(0);
    expect(widget.state.lists).toMatchObject({ failed: [], countries: [{ code: 'DE', name: 'Germany' }] });
  });
});

describe('what works where nobody serves the pair', () => {
  const paymentTypes = async () => ({});
  const recommended = { source: 'EUR', target: 'XRP', amount: '100', paymentMethod: 'creditcard' };
  const supported = async () => ({ crypto: [XRP], fiat: [EUR] });
  const assets = async () => ({ assets: [{ fiat: 'eur', crypto: [XRP.id] }] });

  it.each<[how: string, act: (widget: ReturnType<typeof stage>) => Promise<unknown>]>([
    ['at a tap', async ({ dispatch }) => dispatch({ type: 'refresh' })],
    ['by itself', () => pass(11_000)],
  ])('is asked for again %s when it could not be had', async (_how, act) => {
    const gone = () => Promise.reject(new CloverleafError('unreachable', 'gone'));
    const defaults = vi.fn(async () => ({ recommended })).mockImplementationOnce(gone);
    const widget = stage(noQuotes, { paymentTypes, defaults, supported, assets });
    await pass(0);
    expect(widget.state).toMatchObject({ recommended: undefined, trouble: { kind: 'unreachable' } });
    expect(advise(widget.state)).toEqual([{ kind: 'retry' }]);
    await act(widget);
    widget.dispatch({ type: 'tick', now: Date.now() });
    await pass(0);
    expect(widget.state).toMatchObject({ recommended: { amount: '100' }, trouble: undefined });
    expect(advise(widget.state)).toMatchObject([{ kind: 'pair' }, { kind: 'country' }]);
    expect(defaults).toHaveBeenCalledTimes(2);
  });

  it('is said again to whoever comes back to the pair', async () => {
    const defaults = async () => ({ recommended });
    const served = { creditcard: exampleMethod('creditcard') };
    const types = async ({ destination }: { destination: string }) => (destination === XRP.id ? served : {});
    const widget = stage(noQuotes, { paymentTypes: types as never, defaults, supported, assets });
    await pass(0);
    const advice = advise(widget.state);
    expect(advice).toMatchObject([{ kind: 'pair' }, { kind: 'country' }]);
    widget.dispatch({ type: 'crypto', crypto: XRP });
    await pass(0);
    expect(widget.state.methods).toHaveLength(1);
    widget.dispatch({ type: 'crypto', crypto: BTC });
    await pass(0);
    expect(widget.state.methods).toEqual([]);
    expect(advise(widget.state)).toEqual(advice);
  });
});

describe('a side that is not served where the widget began', () => {
  const { buy, sell } = exampleSetup().choices;
  const setup = { country: 'BR', choices: { buy } as never };
  const inGermany = async (country: string) => (country === 'DE' ? { buy, sell } : { buy }) as never;
  const moveTo = (country: string): Action => ({ type: 'country', country });

  it('is asked for in every other country until it is served', async () => {
    const choicesIn = vi.fn(inGermany);
    const widget = stage(noQuotes, {}, { setup, choicesIn });
    await pass(0);
    expect(choicesIn).not.toHaveBeenCalled();
    for (const country of ['FR', 'BR', 'DE', 'FR']) {
      widget.dispatch(moveTo(country));
      await pass(0);
    }
    expect(choicesIn.mock.calls).toEqual([['FR'], ['DE']]);
    expect(widget.state.choices).toEqual({ buy, sell });
  });

  it('is asked for again where nobody waited for the answer', async () => {
    const widget = stage(noQuotes, {}, { setup, choicesIn: inGermany });
    for (const country of ['DE', 'FR']) widget.dispatch(moveTo(country));
    await pass(0);
    expect(widget.state.choices).toEqual({ buy });
    widget.dispatch(moveTo('DE'));
    await pass(0);
    expect(widget.state.choices).toEqual({ buy, sell });
  });

  it('is asked for again at the next list where the answer could not be had', async () => {
    const gone = () => Promise.reject(new Error('gone'));
    const choicesIn = vi.fn(inGermany).mockImplementationOnce(gone);
    const widget = stage(noQuotes, {}, { setup, choicesIn });
    widget.dispatch(moveTo('DE'));
    await pass(0);
    widget.dispatch({ type: 'tick', now: Date.now() });
    await pass(0);
    expect(choicesIn).toHaveBeenCalledTimes(1);
    widget.dispatch({ type: 'menu', menu: 'method' });
    await pass(0);
    expect(widget.state.choices).toEqual({ buy, sell });
  });
});
