/** What becomes of the state when something happens; the same thing always becomes of the same. */
import type { PaymentTypeWithLimits } from '../../client/src/index.ts';
import type { Action } from './actions.ts';
import { isListed, isMethodAllowed } from './menus.ts';
import { agreedOffer, chosenOffer, isWorse, shownOffers } from './offers.ts';
import { pay } from './reduce-pay.ts';
import {
  askOf,
  firstTrade,
  isSamePair,
  keyOf,
  methodsKey,
  NO_ROUND,
  type Offer,
  type Pair,
  type State,
  type Trade,
  type Trouble,
  typedFor,
  unitsOf,
  walletFor,
} from './state.ts';
import { usualAmount } from './usual.ts';

export function reduce(state: State, action: Action): State {
  const next = step(state, action);
  // Whatever led to another question: what was answered before is no answer to it.
  return keyOf(askOf(next)) === keyOf(askOf(state)) ? next : askAnew(next);
}

function step(state: State, action: Action): State {
  switch (action.type) {
    case 'side':
      return turn(state, action.side);
    case 'typed':
      return { ...state, typed: action.text, isTyped: true, field: action.field };
    case 'amount':
      return withAmount(state, action.amount);
    case 'menu':
      return withLists({ ...state, menu: action.menu, held: undefined }, { failed: [] });
    case 'fiat':
      return choosePair(state, { fiat: action.fiat });
    case 'crypto':
      return choosePair(state, { crypto: action.crypto });
    case 'country':
      return move(state, action.country);
    case 'region':
      return settleIn(state, action.region);
    case 'method':
      return { ...state, method: action.method, isMethodSure: true, menu: undefined };
    case 'recommended': {
      const { pair, amount, method } = action.recommended;
      return { ...withAmount(choosePair(state, pair), amount), method, isMethodSure: true };
    }
    case 'chosen':
      return { ...state, chosen: action.ramp };
    case 'held':
      return { ...state, held: action.isHeld ? shownOffers(state).map(({ ramp }) => ramp) : undefined };
    case 'expand':
      return { ...state, isExpanded: true };
    case 'refresh':
      return {
        ...state,
        round: { ...state.round, refreshAt: state.now },
        aside: {},
        trouble: otherThan('quotes', state),
      };
    case 'goOn':
      return goOn(state);
    case 'back':
      return leave(state);
    case 'newOrder':
      return { ...leave(state), order: undefined };
    case 'tick':
      return { ...state, now: action.now };
    default:
      return answer(state, action) ?? pay(state, action);
  }
}

/** What the service says. */
function answer(state: State, action: Action): State | undefined {
  switch (action.type) {
    case 'asked':
      return { ...state, round: begun(state, action) };
    case 'offered':
      return inRound(state, action.serial, round => ({
        offers: [...without(round.offers, action.offer.ramp), action.offer],
        refusals: without(round.refusals, action.offer.ramp),
      }));
    case 'refused':
      return inRound(state, action.serial, round => ({
        offers: without(round.offers, action.refusal.ramp),
        refusals: [...without(round.refusals, action.refusal.ramp), action.refusal],
      }));
    case 'settled': {
      const { offers, refusals, refreshAt } = action;
      const done = { phase: 'done' as const, since: state.now, offers, refusals, refreshAt };
      const settled = inRound(state, action.serial, () => done);
      return settled === state ? state : renew({ ...settled, trouble: otherThan('quotes', state) });
    }
    case 'unsettled': {
      const { trouble, refreshAt } = action;
      const failed = { phase: 'failed' as const, offers: currentOffers(state), refreshAt };
      const unsettled = inRound(state, action.serial, () => failed);
      return unsettled === state ? state : withTrouble(unsettled, trouble);
    }
    case 'stuck':
      return methodsKey(state) === action.key ? stuck(state, action) : state;
    case 'methods':
      return methodsKey(state) === action.key ? withMethods(state, action.methods) : state;
    case 'recommendation':
      if (methodsKey(state) !== action.key) return state;
      return { ...state, recommended: action.recommended, trouble: otherThan('quotes', state) };
    case 'currencies': {
      const { side, crypto, fiat } = action;
      return withLists(state, { currencies: { ...state.lists.currencies, [side]: { crypto, fiat } } });
    }
    case 'countries':
      return withLists(state, { countries: action.countries });
    case 'choices':
      if (state.country !== action.country) return state;
      return { ...state, choices: { ...action.choices, ...state.choices } };
    case 'partners':
      return withLists(state, { partners: { ...state.lists.partners, [action.key]: action.ids } });
    case 'listFailed':
      return withLists(state, { failed: [...state.lists.failed, action.menu] });
    default:
      return undefined;
  }
}

/** An amount that nobody typed; null until it can be told which. */
function withAmount(state: State, amount: string | null): State {
  return { ...state, typed: typedFor(state, amount), isTyped: false, field: 'source' };
}

/** Whoever has gone on agreed to something else. */
function askAnew(state: State): State {
  const { serial } = state.round;
  return {
    ...(state.screen === 'wallet' ? leave(state) : state),
    round: { ...NO_ROUND, serial },
    chosen: undefined,
    held: undefined,
    aside: {},
    trouble: undefined,
  };
}

/** The other side of the trade as it was left, or as it begins; what the person has chosen on this one goes along. */
function turn(state: State, side: State['side']): State {
  const choice = state.choices[side];
  if (side === state.side || !choice) return state;
  const { setup, country, trades } = state;
  const trade = trades[side] ?? firstTrade({ setup, side }, choice);
  const { pair, method } = trade;
  const isAsBegun = pair !== undefined && isSamePair(pair, choice) && method === choice.method;
  const isMethodSure = isAsBegun && choice === setup.choices[side] && country === setup.country;
  const turned = { ...unsure(state), ...trade, side, isMethodSure };
  const next = choosePair(turned, takenAlong(state, turned));
  return { ...next, trades: { ...trades, [state.side]: tradeIn(state), [side]: tradeIn(next) } };
}

function tradeIn({ pair, typed, isTyped, field, method, wallet }: State): Trade {
  return { pair, typed, isTyped, field, method, wallet };
}

/** What the person has chosen since they came to a side, as far as the other is not known to lack it. */
function takenAlong({ side, pair, trades, choices }: State, turned: State): Partial<Pair> {
  const before = trades[side]?.pair ?? choices[side];
  const fiat = pair && pair.fiat.id !== before?.fiat.id ? { fiat: pair.fiat } : {};
  const crypto = pair && pair.crypto.id !== before?.crypto.id ? { crypto: pair.crypto } : {};
  const wishes: Partial<Pair>[] = [{ ...fiat, ...crypto }, crypto, fiat];
  return wishes.find(wish => turned.pair && isListed({ ...turned, pair: { ...turned.pair, ...wish } })) ?? {};
}

function choosePair(state: State, change: Partial<Pair>): State {
  const closed = { ...state, menu: undefined };
  if (!state.pair) return closed;
  const pair = { ...state.pair, ...change };
  if (isSamePair(pair, state.pair)) return closed;
  const isOtherCoin = pair.crypto.id !== state.pair.crypto.id;
  const moved = unsure({ ...closed, pair });
  const isOtherUnit = unitsOf(moved)?.[0].code !== unitsOf(state)?.[0].code;
  return {
    ...(isOtherUnit && !state.isTyped ? withAmount(moved, null) : moved),
    wallet: isOtherCoin ? walletFor(state.setup, pair.crypto) : state.wallet,
  };
}

function move(state: State, country: string): State {
  const menu = country === 'US' ? 'region' : undefined;
  if (country === state.country) return { ...state, menu };
  return unsure({ ...state, country, region: undefined, menu });
}

function settleIn(state: State, region: string): State {
  const closed = { ...state, menu: undefined };
  return region === state.region ? closed : unsure({ ...closed, region });
}

/** What the methods are, and whether the chosen one is among them, has to be found out anew. */
function unsure(state: State): State {
  return { ...state, methods: undefined, isMethodSure: false, recommended: undefined };
}

/** Methods that most people have come first, where the one before is not offered. */
const LIKELY = ['creditcard', 'debitcard', 'applepay', 'googlepay', 'sepabanktransfer'];

function withMethods(state: State, all: PaymentTypeWithLimits[]): State {
  const { only } = state.setup;
  const methods = all.filter(
    ({ paymentTypeId, details }) =>
      isMethodAllowed(paymentTypeId, state.setup) &&
      (only.onramps.length === 0 || only.onramps.some(ramp => ramp in details.limits)),
  );
  const ids = methods.map(({ paymentTypeId }) => paymentTypeId);
  const method = [state.method, ...LIKELY, ids[0]].find(id => id !== undefined && ids.includes(id));
  const known = { ...state, methods, method: method ?? state.method, isMethodSure: method !== undefined };
  return known.isMethodSure && known.typed === '' && !known.isTyped
    ? withAmount(known, usualAmount(known))
    : known;
}

/** Nothing can be asked before the methods are known. */
function stuck(
  state: State,
  { trouble, refreshAt }: Pick<Extract<Action, { type: 'stuck' }>, 'trouble' | 'refreshAt'>,
): State {
  if (state.isMethodSure) return state;
  return { ...state, trouble, round: { ...state.round, phase: 'failed', refreshAt } };
}

function begun(state: State, { serial, key }: { serial: number; key: string }): State['round'] {
  const { round, now } = state;
  // Prices that are merely asked for again stay until the new ones are there.
  const isSame = round.key === key;
  return {
    serial,
    key,
    phase: 'asking',
    since: isSame ? round.since : now,
    offers: isSame ? currentOffers(state) : [],
    refusals: isSame ? round.refusals : [],
    refreshAt: Number.POSITIVE_INFINITY,
  };
}

/** Three times as long as prices wait until they are asked for again. */
const OLD_MS = 135_000;

/** Prices that could not be renewed for long are nobody's any more. */
function currentOffers({ round, now }: State): Offer[] {
  return now - round.since < OLD_MS ? round.offers : [];
}

/** Prices that cannot be had are told of where they are looked at; to whoever waits for their order, that it is not made. */
function withTrouble(state: State, trouble: Trouble): State {
  if (state.isPaying) return { ...state, isPaying: false, trouble: { ...trouble, at: 'checkout' } };
  return state.trouble?.at === 'checkout' ? state : { ...state, trouble };
}

/** A late word of an earlier round is not heard. */
function inRound(
  state: State,
  serial: number,
  change: (round: State['round']) => Partial<State['round']>,
): State {
  if (state.round.serial !== serial) return state;
  return { ...state, round: { ...state.round, ...change(state.round) } };
}

function without<T extends { ramp: string }>(list: T[], ramp: string): T[] {
  return list.filter(one => one.ramp !== ramp);
}

function withLists(state: State, change: Partial<State['lists']>): State {
  return { ...state, lists: { ...state.lists, ...change } };
}

/** Back to the offers. */
function leave(state: State): State {
  const trouble = otherThan('checkout', state);
  return { ...state, screen: 'trade', agreed: undefined, isPaying: false, trouble };
}

function otherThan(at: 'quotes' | 'checkout', { trouble }: State): State['trouble'] {
  return trouble?.at === at ? undefined : trouble;
}

/** Not every provider serves every state: nobody is led to one that would turn them away. */
function goOn(state: State): State {
  if (state.country === 'US' && state.region === undefined) return { ...state, menu: 'region' };
  const agreed = chosenOffer(state);
  return agreed ? { ...state, screen: 'wallet', chosen: agreed.ramp, agreed } : state;
}

/** New prices for somebody who has gone on: a better one is theirs, of a worse one they are told. */
function renew(state: State): State {
  const { agreed, screen } = state;
  if (screen !== 'wallet' || !agreed) return state;
  const now = agreedOffer(state);
  const about = (kind: 'offerGone' | 'priceWorse'): State => ({
    ...state,
    isPaying: false,
    trouble: { at: 'checkout', kind, message: '' },
  });
  if (!now) return about('offerGone');
  if (isWorse(agreed, now)) return about('priceWorse');
  // That the price had run out is said until the person confirms the new one.
  const isSaid = state.trouble?.kind === 'expired';
  return { ...state, agreed: now, trouble: isSaid ? state.trouble : otherThan('checkout', state) };
}
