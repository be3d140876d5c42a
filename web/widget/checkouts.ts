/** Checkouts: from a press of the button to an order, once, however often it is pressed or the line breaks. */
import type { CheckoutIntent, Client } from '../../client/src/index.ts';
import type { Action } from './actions.ts';
import { tokenIn } from './order-page.ts';
import { askOf, memoOf, type Offer, type State } from './state.ts';
import type { Surroundings } from './surroundings.ts';
import { declineOf, troubleOf } from './trouble.ts';

export interface CheckoutsOptions {
  client: Client;
  surroundings: Surroundings;
  dispatch(action: Action): void;
  /** Whether the person's device is dark, where the integrator does not say. */
  isDark(): boolean;
  newKey(): string;
}

/** What the person wants ordered. */
interface Wish {
  offer: Offer;
  intent: CheckoutIntent;
  /** The same for the same order. */
  about: string;
}

/** What was sent, and the key it was sent with. */
interface Attempt {
  intent: CheckoutIntent;
  idempotencyKey: string;
}

export function createCheckouts(options: CheckoutsOptions): (state: State) => void {
  const { client, surroundings, dispatch, newKey } = options;
  /** By what is ordered: the same again, after a line that broke, is the same order, in the words first sent. */
  const attempts = new Map<string, Attempt>();
  let isUnderWay = false;
  let latest: State | undefined;

  /** Whoever has gone back, or pays for something else by now, has taken the order back. */
  function isWanted({ about }: Wish): boolean {
    return latest !== undefined && wishOf(latest, options)?.about === about;
  }

  async function order(wish: Wish): Promise<void> {
    const { offer, about } = wish;
    try {
      const attempt = attempts.get(about) ?? { intent: wish.intent, idempotencyKey: newKey() };
      attempts.set(about, attempt);
      const { intent, idempotencyKey } = attempt;
      const { transactionInformation } = await client.checkout(intent, { idempotencyKey });
      const { transactionId, url } = transactionInformation;
      const token = tokenIn(url) ?? '';
      if (!isWanted(wish)) return;
      // The same once more is a new order, and no repetition of this one.
      attempts.delete(about);
      dispatch({ type: 'ordered', order: { token, transactionId, status: 'new', provider: offer.ramp } });
    } catch (error) {
      if (isWanted(wish)) tellTrouble(offer, error);
    }
  }

  function tellTrouble({ ramp, pays }: Offer, error: unknown): void {
    const trouble = troubleOf('checkout', error);
    surroundings.tell({ type: 'error', kind: trouble.kind, message: trouble.message });
    const decline = declineOf(error, pays);
    const hasRunOut = trouble.kind === 'expired' || trouble.field === 'metaData.quoteId';
    if (decline) dispatch({ type: 'declined', ramp, decline });
    else dispatch({ type: 'unpaid', trouble: hasRunOut ? { ...trouble, kind: 'expired' } : trouble });
    // A promise that has run out: new prices first, and the person decides again.
    if (hasRunOut) dispatch({ type: 'refresh' });
  }

  return function run(state: State): void {
    latest = state;
    // While prices are being asked for there is nothing to hold a provider to.
    const wish = state.round.phase === 'done' ? wishOf(state, options) : undefined;
    if (!wish || isUnderWay) return;
    isUnderWay = true;
    void order(wish).finally(() => {
      isUnderWay = false;
      // Another one may have been waiting for the end of this.
      if (latest && !isWanted(wish)) run(latest);
    });
  };
}

function wishOf(state: State, options: CheckoutsOptions): Wish | undefined {
  const offer = state.isPaying ? state.agreed : undefined;
  const intent = offer?.quoteId ? intentOf(state, offer, options) : undefined;
  return offer && intent && { offer, intent, about: aboutOf(intent) };
}

/** All but the looks: a device that turns dark or light meanwhile makes no other order of it. */
function aboutOf(intent: CheckoutIntent): string {
  return JSON.stringify({ ...intent, supportedParams: { ...intent.supportedParams, theme: undefined } });
}

function intentOf(
  state: State,
  offer: Offer,
  { surroundings, isDark }: CheckoutsOptions,
): CheckoutIntent | undefined {
  const ask = askOf(state);
  const { setup, wallet, pair } = state;
  const memo = memoOf(wallet);
  if (!ask || !pair) return undefined;
  const { isDark: chosen, ...colours } = setup.theme;
  return {
    country: ask.country,
    ...(ask.state !== undefined && { state: ask.state }),
    onramp: offer.ramp,
    source: ask.source,
    destination: ask.destination,
    amount: offer.pays,
    type: ask.side,
    paymentMethod: ask.method,
    network: pair.crypto.network,
    metaData: { quoteId: offer.quoteId },
    ...(wallet.address !== '' && {
      wallet: { address: wallet.address, ...(memo !== '' && { memo }) },
    }),
    ...(setup.uuid !== null && { uuid: setup.uuid }),
    ...(setup.partnerContext !== null && { partnerContext: setup.partnerContext }),
    ...hostOf(surroundings.origins),
    supportedParams: {
      theme: { ...colours, isDark: chosen ?? isDark() },
      ...(setup.redirectUrl !== null && { partnerData: { redirectUrl: { success: setup.redirectUrl } } }),
    },
  };
}

/** The page the order was made on, where it has a name: an address of a machine is none. */
function hostOf([origin]: string[]): { originatingHost?: string } {
  const host = origin === undefined ? '' : new URL(origin).hostname;
  return /^([a-z0-9-]+\.)+[a-z][a-z0-9-]*$/.test(host) && !host.endsWith('.localhost')
    ? { originatingHost: host }
    : {};
}
