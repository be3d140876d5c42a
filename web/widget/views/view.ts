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

/** A payment method by its name, as far as it is known. */
export function methodName({ state }: View, id: string | undefined): string {
  return state.methods?.find(({ paymentTypeId }) => paymentTypeId === id)?.name ?? id ?? '';
}
