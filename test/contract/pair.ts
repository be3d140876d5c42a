/** A pair: two instances on one database, in a world whose clock is wound by hand; or one of them alone. */
import { afterAll, beforeAll } from 'vitest';
import type { ProviderId } from '../../src/domain/words.ts';
import { type Instance, PROVIDERS, startWorld, type World } from './world.ts';

export let world: World;
export let other: Instance;

/** Begins a file with two instances, which know the three providers that tests spell out. */
export function setPair(): void {
  setAlone(PROVIDERS);
  beforeAll(async () => {
    other = await world.startAnother();
  });
  afterAll(() => other?.close());
}

/** Begins a file with one instance, which knows all providers when none are named. */
export function setAlone(only?: readonly ProviderId[]): void {
  beforeAll(async () => {
    // A quote that is late on a busy machine is nothing these tests are about.
    world = await startWorld({ QUOTE_DEADLINE_MS: '10000' }, { byHand: true, ...(only && { only }) });
  });
  afterAll(() => world?.close());
}
