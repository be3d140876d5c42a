/** What becomes of the state between the wallet and the order. */
import type { Action } from './actions.ts';
import { agreedOffer } from './offers.ts';
import { type Decline, memoOf, NO_WALLET, type Order, type State } from './state.ts';

export function pay(state: State, action: Action): State {
  const { wallet } = state;
  switch (action.type) {
    case 'address':
      return withAddress(state, action.address.trim());
    case 'memo':
      return withWallet(state, { ...wallet, memo: action.memo, hasNoMemo: false, memoFlaw: undefined });
    case 'noMemo':
      return withWallet(state, { ...wallet, hasNoMemo: action.hasNoMemo, memo: '', memoFlaw: undefined });
    case 'checked':
      return withVerdict(state, action);
    case 'left':
      return { ...state, wallet: { ...wallet, isChecked: true } };
    case 'edit':
      return withWallet(state, NO_WALLET);
    case 'accept':
      return accept(state);
    case 'pay':
      return startPaying(state);
    case 'ordered':
      return { ...state, isPaying: false, order: action.order, screen: 'order', trouble: undefined };
    case 'declined':
      return putAside(state, action.ramp, action.decline);
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
  const unknown = { flaw: undefined, memoFlaw: undefined, isGood: false, isMemoInside: false };
  return withWallet(state, { ...wallet, ...unknown, address, isChecked: false });
}

/** What was found of something else is not heard. */
function withVerdict(state: State, action: Extract<Action, { type: 'checked' }>): State {
  const { wallet } = state;
  const { flaw, isMemoInside } = action;
  if (wallet.address !== action.address || memoOf(wallet) !== action.memo) return state;
  const before = isMemoInside ? undefined : wallet.memoFlaw;
  const memoFlaw = action.isMemoWrong ? 'wrong' : before;
  return { ...state, wallet: { ...wallet, flaw, isGood: !flaw, memoFlaw, isMemoInside } };
}

/** Of another provider nothing was agreed to. */
function accept(state: State): State {
  const agreed = agreedOffer(state);
  return agreed ? { ...state, agreed, trouble: undefined } : state;
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
    memoOf(wallet) === '' &&
    !wallet.hasNoMemo &&
    !wallet.isMemoInside;
  const memoFlaw = lacksMemo ? 'missing' : wallet.memoFlaw;
  const checked = { ...state, wallet: { ...wallet, flaw, memoFlaw, isChecked: true } };
  const isReady = !flaw && !memoFlaw && !state.isPaying && !questionOf(state);
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

/** What the person has to be asked before anything is ordered. A new price that is gone again cannot be accepted. */
export function questionOf(state: State): 'priceWorse' | 'offerGone' | undefined {
  const { kind } = state.trouble ?? {};
  if (kind === 'priceWorse') return agreedOffer(state) ? kind : 'offerGone';
  return kind === 'offerGone' ? kind : undefined;
}

/** The others are still there. */
function putAside(state: State, ramp: string, decline: Decline): State {
  const aside = { ...state.aside, [ramp]: decline };
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
