/** The trail: a way back from the wallet and the order, and what a reload finds again; only where the whole page is ours. */
import type { Action } from './actions.ts';
import { type Order, type State, type WalletEntry, walletFor } from './state.ts';

export interface Trail {
  /** What was there before a reload, put back. */
  restore(state: State): State;
  follow(next: State, before: State): void;
}

/** What a person has said; the rest is asked for again. */
type Kept = Pick<State, 'side' | 'country' | 'region' | 'pair' | 'method' | 'typed' | 'isTyped' | 'field'> & {
  /** Undefined where the page's parameters give it. */
  wallet: WalletEntry | undefined;
};

const ORDER = /^#order=([^&]{1,1024})$/;
const WALLET = 'wallet';

export function createTrail(page: Window, dispatch: (action: Action) => void): Trail {
  const { history, location } = page;
  // Pages around us have a history of their own, and browsers keep nothing for frames.
  if (page.top !== page) return { restore: state => state, follow: () => undefined };
  /** Other parameters begin anew. */
  const name = `cloverleaf ${location.search}`;
  let screen: State['screen'] = 'trade';
  let written = '';

  function keep(state: State): void {
    const text = JSON.stringify(keptOf(state));
    if (text !== written) attempt(() => page.sessionStorage.setItem(name, text));
    written = text;
  }

  page.addEventListener('popstate', () => {
    const order = orderIn(location.hash);
    if (order) dispatch({ type: 'ordered', order });
    else if (history.state === WALLET) dispatch({ type: 'goOn' });
    else if (screen !== 'trade') dispatch({ type: screen === 'order' ? 'newOrder' : 'back' });
  });

  return {
    restore(state) {
      ({ screen } = state);
      const [visit] = page.performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
      const text = visit?.type === 'navigate' ? null : attempt(() => page.sessionStorage.getItem(name));
      return attempt(() => (text ? withKept(state, JSON.parse(text)) : state)) ?? state;
    },
    follow(next, before) {
      ({ screen } = next);
      keep(next);
      const isAtWallet = history.state === WALLET;
      if (screen === 'wallet' && before.screen === 'trade' && !isAtWallet) history.pushState(WALLET, '');
      if (screen === 'trade' && before.screen === 'wallet' && isAtWallet) history.back();
    },
  };
}

/** The order that a link leads to. */
export function orderIn(hash: string): Order | undefined {
  const [, token] = ORDER.exec(hash) ?? [];
  const read = token && attempt(() => decodeURIComponent(token));
  return read ? { token: read, transactionId: undefined, status: undefined, provider: undefined } : undefined;
}

function keptOf({ side, country, region, pair, method, typed, isTyped, field, wallet }: State): Kept {
  const own = wallet.isGiven ? undefined : wallet;
  return { side, country, region, pair, method, typed, isTyped, field, wallet: own };
}

function withKept(state: State, { wallet, ...kept }: Kept): State {
  if (!kept.pair?.fiat.id || !kept.pair.crypto.id || !state.setup.sides.includes(kept.side)) return state;
  return {
    ...state,
    ...kept,
    menu: kept.country === undefined ? state.menu : undefined,
    isMethodSure: false,
    wallet: wallet ?? walletFor(state.setup, kept.pair.crypto),
  };
}

/** Browsers may forbid storage, and anybody may have written anything. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
