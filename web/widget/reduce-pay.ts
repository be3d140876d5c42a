/** What becomes of the state between the wallet and the order. */
import type { Action } from './actions.ts';
import { chosenOffer } from './offers.ts';
import { NO_WALLET, type Order, type State } from './state.ts';

export function pay(state: State, action: Action): State {
  const { wallet } = state;
  const isUnchanged = (address: string, memo: string) =>
    wallet.address === address && (wallet.memo ?? '') === memo;
  switch (action.type) {
    case 'address':
      return withAddress(state, action.address.trim());
    case 'memo':
      return withWallet(state, { ...wallet, memo: action.memo, hasNoMemo: false, memoFlaw: undefined });
    case 'noMemo':
      return withWallet(state, { ...wallet, hasNoMemo: action.hasNoMemo, memo: '', memoFlaw: undefined });
    case 'checked': {
      if (!isUnchanged(action.address, action.memo)) return state;
      // What was wrong of a memo may have been its address.
      const before = wallet.memoFlaw === 'wrong' ? undefined : wallet.memoFlaw;
      const memoFlaw = action.isMemoWrong ? 'wrong' : before;
      return { ...state, wallet: { ...wallet, flaw: action.flaw, isGood: !action.flaw, memoFlaw } };
    }
    case 'left':
      return { ...state, wallet: { ...wallet, isChecked: true } };
    case 'edit':
      return withWallet(state, NO_WALLET);
    case 'accept':
      return { ...state, agreed: chosenOffer(state), trouble: undefined };
    case 'pay':
      return startPaying(state);
    case 'ordered':
      return { ...state, isPaying: false, order: action.order, screen: 'order', trouble: undefined };
    case 'declined':
      return putAside(state, action.ramp, action.reason);
    case 'unpaid':
      return { ...state, isPaying: false, trouble: action.trouble };
    case 'status':
      return state.order ? { ...state, order: followed(state.order, action) } : state;
    default:
      return state;
  }
}

/** What was found of the address before is not said of another; of the same it still is. */
function withAddress(state: State, address: string): State {
  const { wallet } = state;
  if (address === wallet.address) return state;
  return withWallet(state, { ...wallet, address, flaw: undefined, isGood: false, isChecked: false });
}

/** Whoever changes where the coins go has not said yet that they shall go there. */
function withWallet(state: State, wallet: State['wallet']): State {
  return { ...state, wallet, isPaying: false };
}

function startPaying(state: State): State {
  const { wallet, side, pair } = state;
  const isNeeded = side === 'buy';
  const flaw = wallet.address === '' && isNeeded ? ({ kind: 'empty' } as const) : wallet.flaw;
  const lacksMemo =
    pair !== undefined &&
    wallet.address !== '' &&
    state.setup.memoNetworks.includes(pair.crypto.network) &&
    !wallet.memo &&
    !wallet.hasNoMemo;
  const memoFlaw = lacksMemo ? 'missing' : wallet.memoFlaw;
  const checked = { ...state, wallet: { ...wallet, flaw, memoFlaw, isChecked: true } };
  const isReady = !flaw && !memoFlaw && !state.isPaying && !isBlocked(state);
  return isReady ? { ...checked, isPaying: true, round: hurried(state), trouble: undefined } : checked;
}

/** Where prices could not be had, whoever presses does not wait until they are asked for by themselves. */
function hurried({ round, now }: State): State['round'] {
  return round.phase === 'failed' ? { ...round, refreshAt: now } : round;
}

/** The order's page may go on to another order by itself, for those who start again. */
function followed(
  order: Order,
  { token, transactionId, status }: Extract<Action, { type: 'status' }>,
): Order {
  return { ...order, token: token ?? order.token, transactionId, status };
}

/** Whether the person has to be asked again first. */
export function isBlocked({ trouble }: State): boolean {
  return trouble?.kind === 'priceWorse' || trouble?.kind === 'offerGone';
}

/** The others are still there. */
function putAside(state: State, ramp: string, reason: string): State {
  const aside = { ...state.aside, [ramp]: reason };
  return {
    ...state,
    aside,
    isPaying: false,
    agreed: undefined,
    chosen: undefined,
    screen: 'trade',
    trouble: undefined,
  };
}
