/** Effects: everything the widget asks of the service, begun when the state calls for it and dropped when it no longer does. */
import { type EarlyOutcome, isQuote, type QuoteOutcome } from '../../client/src/index.ts';
import type { WidgetSetup } from '../../src/http/widget/shape.ts';
import type { Action } from './actions.ts';
import { type AddressChecksOptions, createAddressChecks } from './address-checks.ts';
import { type CheckoutsOptions, createCheckouts } from './checkouts.ts';
import { loadCountries, loadCurrencies, loadMethods, loadPartners, loadRecommended } from './loads.ts';
import { type Spot, spotKey } from './spot.ts';
import {
  type Ask,
  askOf,
  keyOf,
  type Menu,
  mayServeMore,
  methodsKey,
  type Offer,
  partnersKey,
  type Refusal,
  type State,
  spotOf,
} from './state.ts';
import { troubleOf } from './trouble.ts';

export interface EffectsOptions extends CheckoutsOptions, AddressChecksOptions {
  now(): number;
  /** What the service would begin with in another country. */
  choicesIn(country: string): Promise<WidgetSetup['choices']>;
}

export type Effects = (state: State, before: State | undefined) => void;

/** While somebody types. */
const DEBOUNCE_MS = 350;
/** Prices are asked for again so often; their ids are good for minutes. */
const REFRESH_MS = 45_000;
const RETRY_MS = 10_000;

export function createEffects(options: EffectsOptions): Effects {
  const { client, dispatch, now, surroundings, choicesIn } = options;
  const checkOut = createCheckouts(options);
  const checkAddresses = createAddressChecks(options);
  const loads = new Set<string>();
  const failures = new Set<string>();
  let asking = new AbortController();
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let serial = 0;

  /** Has a thing loaded once, whoever asks for it. */
  function once(key: string, load: () => Promise<Action>, failed?: (error: unknown) => Action): void {
    if (key === '' || loads.has(key)) return;
    loads.add(key);
    load().then(dispatch, error => {
      failures.add(key);
      if (failed) dispatch(failed(error));
    });
  }

  /** What could not be had is asked for again when somebody opens a list or asks for it once more, not over and over. */
  function forgetFailures(): void {
    for (const key of failures) loads.delete(key);
    failures.clear();
  }

  function askSoon(ask: Ask | undefined, delay: number): void {
    clearTimeout(waiting);
    asking.abort();
    if (ask) waiting = setTimeout(() => void askAll(ask), delay);
  }

  async function askAll(ask: Ask): Promise<void> {
    asking = new AbortController();
    const { signal } = asking;
    const round = ++serial;
    dispatch({ type: 'asked', serial: round, key: keyOf(ask) });
    try {
      const { side, method, ...rest } = ask;
      const asked = { ...rest, type: side, paymentMethod: method, errors: 'all' as const };
      for await (const event of client.streamQuotes(asked, { signal })) {
        if (event.kind === 'outcome') dispatch({ ...readOutcome(event.outcome, ask), serial: round });
        else
          dispatch({
            type: 'settled',
            serial: round,
            ...readBoard(event.quotes, ask),
            refreshAt: now() + REFRESH_MS,
          });
      }
    } catch (error) {
      const trouble = troubleOf('quotes', error);
      if (trouble.kind === 'aborted') return;
      surroundings.tell({ type: 'error', kind: trouble.kind, message: trouble.message });
      dispatch({ type: 'unsettled', serial: round, trouble, refreshAt: now() + RETRY_MS });
    }
  }

  return (state, before) => {
    const ask = askOf(state);
    const hasChanged = keyOf(ask) !== keyOf(before && askOf(before));
    const isTyping = before !== undefined && before.typed !== state.typed;
    const wasDue = before !== undefined && before.round === state.round && isDue(before);
    const isDueNow = isDue(state) && !wasDue;
    if (hasChanged) askSoon(ask, isTyping ? DEBOUNCE_MS : 0);
    else if (isDueNow) askSoon(ask, 0);

    const { side, country } = state;
    const spot = spotOf(state);
    if (spot) {
      const isElsewhere = before === undefined || methodsKey(before) !== methodsKey(state);
      if (isElsewhere || (isDueNow && !state.methods)) findMethods(spot);
      const recommended = `recommended ${methodsKey(state)}`;
      // Whoever comes back to a pair has left behind what was said of it.
      if (isElsewhere || isDueNow) loads.delete(recommended);
      if (state.methods?.length === 0) once(recommended, () => loadRecommended(client, spot), stuckAt(spot));
    }
    const isTriedAgain = before && before.lists.failed.length > state.lists.failed.length;
    if (isTriedAgain || (before && before.menu !== state.menu)) forgetFailures();
    // Of a country that was left at once nothing was heard.
    if (before?.country !== country) loads.delete(`choices ${country}`);
    if (spot && mayServeMore(state)) once(`choices ${country}`, () => loadChoices(spot.country));
    // Lists are long, and many people never open them: the prices come first.
    const isSettled = state.round.phase === 'done' || state.round.phase === 'failed';
    if (isSettled || state.menu === 'fiat' || state.menu === 'crypto')
      once(`currencies ${side}`, () => loadCurrencies(client, side), failedAt('crypto'));
    if (spot && (isSettled || state.menu === 'fiat' || state.menu === 'crypto'))
      once(`partners ${partnersKey(state)}`, () => loadPartners(client, spot));
    if (state.menu === 'country')
      once('countries', () => loadCountries(client, state.setup.language), failedAt('country'));
    checkAddresses(state, before);
    checkOut(state);
  };

  async function loadChoices(country: string): Promise<Action> {
    return { type: 'choices', country, choices: await choicesIn(country) };
  }

  function findMethods(spot: Spot): void {
    loadMethods(client, spot).then(dispatch, error => dispatch(stuckAt(spot)(error)));
  }

  function stuckAt(spot: Spot): (error: unknown) => Action {
    return error => {
      const trouble = troubleOf('quotes', error);
      return { type: 'stuck', key: spotKey(spot), trouble, refreshAt: now() + RETRY_MS };
    };
  }
}

/** Nobody looks at prices while an order is made of one or shown; whoever comes back from it needs new ones at once. */
function isDue({ now, round, screen, isPaying }: State): boolean {
  const isOrdering = screen === 'order' || (isPaying && round.phase === 'done');
  return now >= round.refreshAt && round.phase !== 'asking' && !isOrdering;
}

function failedAt(menu: Menu): () => Action {
  return () => ({ type: 'listFailed', menu });
}

function readOutcome(outcome: EarlyOutcome, ask: Ask) {
  return isQuote(outcome)
    ? ({ type: 'offered', offer: offerOf(outcome, ask) } as const)
    : ({ type: 'refused', refusal: refusalOf(outcome) } as const);
}

function readBoard(quotes: QuoteOutcome[], ask: Ask): { offers: Offer[]; refusals: Refusal[] } {
  return {
    offers: quotes.filter(isQuote).map(quote => offerOf(quote, ask)),
    refusals: quotes.flatMap(one => (isQuote(one) ? [] : [refusalOf(one)])),
  };
}

type Priced = Pick<Offer, 'ramp' | 'rate' | 'networkFee' | 'transactionFee' | 'payout'> &
  Partial<Pick<Offer, 'quoteId' | 'recommendations'>> & { sourceAmount?: string };

function offerOf(quote: Priced, { amount, input }: Ask): Offer {
  const { ramp, rate, networkFee, transactionFee, payout, quoteId, recommendations = [] } = quote;
  const pays = input === 'source' ? amount : (quote.sourceAmount ?? '0');
  return { ramp, rate, networkFee, transactionFee, payout, pays, quoteId, recommendations };
}

function refusalOf({ ramp, errors }: Exclude<EarlyOutcome, { payout: string }>): Refusal {
  const [first] = errors;
  const { type = 'ProviderUnavailable', message = '', minAmount: min, maxAmount: max } = first ?? {};
  return { ramp, type, message, min, max };
}
