/** What every view is given: the state, how to say and write things, and where to send what happens. */
import type { Action } from '../actions.ts';
import type { Figures } from '../figures.ts';
import type { State } from '../state.ts';
import type { Say } from '../texts.ts';

export interface View {
  state: State;
  say: Say;
  figures: Figures;
  dispatch(action: Action): void;
}

/** A provider by its name. */
export function nameOf({ state }: View, ramp: string): string {
  return state.setup.providers[ramp] ?? ramp;
}

export function providerIcon({ state }: View, ramp: string): string {
  return `${state.setup.url}/icons/onramp/${encodeURIComponent(ramp)}.svg`;
}

/** A payment method by its name in the person's language, as far as it is known. */
export function methodName({ state }: View, id: string | undefined): string {
  const name = state.methods?.find(({ paymentTypeId }) => paymentTypeId === id)?.name ?? id ?? '';
  return Object.hasOwn(state.setup.methods, name) ? (state.setup.methods[name] ?? name) : name;
}

/** Keys of an input method that composes; Safari tells of the one that ends it by its code alone. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === COMPOSED;
}

const COMPOSED = 229;

/** Where the person goes on, once what they pressed is gone: the first that is there. */
export function focusOn(...places: (string | HTMLElement)[]): void {
  // What has happened is drawn by then.
  queueMicrotask(() => {
    const found = places.map(place =>
      typeof place === 'string' ? document.querySelector<HTMLElement>(place) : place,
    );
    // The page itself is nowhere.
    found.find(place => place?.isConnected && place !== document.body)?.focus({ preventScroll: true });
  });
}
