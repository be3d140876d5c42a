/** The trail: a way back where the page is ours alone, and nothing that throws where browsers forbid it. */
import { describe, expect, it } from 'vitest';
import type { Action } from './actions.ts';
import { BTC, EUR, exampleSetup, exampleState, XRP } from './example.ts';
import { NO_WALLET, type State } from './state.ts';
import { createTrail, orderIn } from './trail.ts';

const OWN = { ...NO_WALLET, address: 'bc1', hasNoMemo: true };

/** A page by itself, as far as it is asked for. */
function examplePage({ visit = 'navigate', isTop = true, hasStorage = true, hash = '' } = {}) {
  const entries: unknown[] = [null];
  const kept = new Map<string, string>();
  const heard: Action[] = [];
  let goBack = () => undefined as unknown;
  const page = {
    top: undefined as unknown,
    location: { search: '?a=1', hash },
    history: {
      get state() {
        return entries.at(-1);
      },
      pushState: (state: unknown) => entries.push(state),
      back: () => entries.pop(),
    },
    performance: { getEntriesByType: () => [{ type: visit }] },
    get sessionStorage() {
      if (!hasStorage) throw new Error('forbidden');
      return { getItem: (name: string) => kept.get(name) ?? null, setItem: kept.set.bind(kept) };
    },
    addEventListener: (_: string, hear: () => void) => {
      goBack = hear;
    },
  };
  if (isTop) page.top = page;
  const trail = createTrail(page as never, action => heard.push(action));
  return { page, trail, entries, kept, heard, goBack: () => goBack() };
}

const at = (screen: State['screen'], change: Partial<State> = {}) => exampleState({ screen, ...change });

describe('the way back', () => {
  it('has an entry of its own for the wallet, once', () => {
    const { trail, entries, heard, goBack } = examplePage();
    trail.follow(at('wallet'), at('trade'));
    trail.follow(at('wallet'), at('wallet'));
    expect(entries).toEqual([null, 'wallet']);
    entries.pop();
    goBack();
    expect(heard).toEqual([{ type: 'back' }]);
  });

  it('is gone over by whoever goes back on the page itself', () => {
    const { trail, entries } = examplePage();
    trail.follow(at('wallet'), at('trade'));
    trail.follow(at('trade'), at('wallet'));
    expect(entries).toEqual([null]);
  });

  it('leads from the order to the trade, and forth again', () => {
    const { page, trail, heard, goBack } = examplePage();
    trail.follow(at('order'), at('wallet'));
    goBack();
    page.location.hash = '#order=abc';
    goBack();
    expect(heard.map(({ type }) => type)).toEqual(['newOrder', 'ordered']);
  });

  it('is left to the page around us in a frame', () => {
    const { trail, entries, kept } = examplePage({ isTop: false });
    trail.follow(at('wallet'), at('trade'));
    expect(entries).toEqual([null]);
    expect(kept.size).toBe(0);
  });
});

describe('a reload', () => {
  const before = at('wallet', { typed: '77', isTyped: true, pair: { fiat: EUR, crypto: XRP }, wallet: OWN });

  it('finds the amount, the pair and the address again', () => {
    const { trail, kept } = examplePage({ visit: 'reload' });
    trail.follow(before, at('trade'));
    expect([...kept.keys()]).toEqual(['cloverleaf ?a=1']);
    const after = trail.restore(at('trade'));
    expect(after).toMatchObject({ screen: 'trade', typed: '77', isTyped: true, isMethodSure: false });
    expect(after).toMatchObject({ pair: { crypto: XRP }, wallet: { address: 'bc1' } });
  });

  it('finds a side again that is served where the person has moved to, not where the widget began', () => {
    const { trail } = examplePage({ visit: 'reload' });
    trail.follow({ ...before, side: 'sell', country: 'FR' }, at('trade'));
    const begun = exampleState({}, { choices: { buy: exampleSetup().choices.buy } as never });
    expect(trail.restore(begun)).toMatchObject({ side: 'sell', country: 'FR', typed: '77' });
  });

  it('is not mistaken for a new visit', () => {
    const { trail } = examplePage();
    trail.follow(before, at('trade'));
    expect(trail.restore(at('trade')).typed).toBe('100');
  });

  it('leaves an address that was given to the parameters', () => {
    const { trail } = examplePage({ visit: 'reload' });
    trail.follow({ ...before, wallet: { ...OWN, isGiven: true } }, at('trade'));
    const setup = exampleSetup({ wallets: { [XRP.id]: { address: 'r1' }, [BTC.id]: { address: 'bc2' } } });
    expect(trail.restore(exampleState({ setup })).wallet).toMatchObject({ address: 'r1', isGiven: true });
  });

  it.each(['', 'null', '{', '{}', '{"pair":{}}', '{"side":"sell","pair":7}'])('begins anew from %j', text => {
    const { trail, kept } = examplePage({ visit: 'reload' });
    kept.set('cloverleaf ?a=1', text);
    expect(trail.restore(at('trade'))).toEqual(at('trade'));
  });

  it('begins anew where nothing may be kept', () => {
    const { trail } = examplePage({ visit: 'reload', hasStorage: false });
    trail.follow(before, at('trade'));
    expect(trail.restore(at('trade'))).toEqual(at('trade'));
  });
});

describe('orderIn', () => {
  it('reads links, and takes broken ones for none', () => {
    expect(orderIn('#order=a%20b')?.token).toBe('a b');
    for (const hash of ['', '#order=', '#other', '#order=%E0%A4%A']) expect(orderIn(hash)).toBeUndefined();
  });
});
