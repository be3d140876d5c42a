/** Address checks: what is typed is looked at as it is typed, by rules that are loaded the first time. */
import type { Action } from './actions.ts';
import { memoOf, type State } from './state.ts';

type Judge = typeof import('./address.ts');

export interface AddressChecksOptions {
  dispatch(action: Action): void;
  /** Loads a script of ours. */
  load(url: string): Promise<unknown>;
}

export function createAddressChecks({ dispatch, load }: AddressChecksOptions) {
  let rules: Promise<Judge> | undefined;

  /** The service looks at every address itself, so that one nobody looked at here is not lost. */
  async function check({ setup, wallet, pair }: State): Promise<void> {
    const { address } = wallet;
    const memo = memoOf(wallet);
    if (!pair || address === '') return;
    rules ??= load(setup.addressScript) as Promise<Judge>;
    try {
      const { judge } = await rules;
      const verdict = judge(pair.crypto.network, address, memo);
      if (verdict) dispatch({ type: 'checked', address, memo, ...verdict });
    } catch {
      rules = undefined;
    }
  }

  return (state: State, before: State | undefined): void => {
    if (state.screen !== 'wallet') return;
    const { wallet, pair } = state;
    const isSame =
      before?.screen === 'wallet' &&
      before.wallet.address === wallet.address &&
      before.wallet.memo === wallet.memo &&
      before.pair?.crypto.id === pair?.crypto.id;
    if (!isSame) void check(state);
  };
}
