/** Orders that nobody began at the provider: however it says that there is none, that is no trouble of its own. */
import { expect, test } from 'vitest';
import type { ProviderId } from '../../src/domain/words.ts';
import { setAlone, world } from './pair.ts';
import { eventually } from './patience.ts';
import { lookOf, makeDue, openPage, rowOf } from './world-orders.ts';
import { checkOut, findTrade } from './world-purchases.ts';

const THREE = ['alchemypay', 'btcdirect', 'transak'] as ProviderId[];
/** One more than open a breaker. */
const LOOKS = 6;

setAlone(THREE);

async function lookUp(id: string): Promise<void> {
  await makeDue(world, id);
  await eventually(async () => {
    const task = await lookOf(world, id);
    return !task?.leased_until && (task?.due_at ?? 0) > new Date();
  }, 'it was looked up');
}

test.each(THREE)('at %s leave its breaker closed, and are not given up', async provider => {
  const made = await checkOut(world, await findTrade(world, provider, 'buy'));
  await openPage(world, made);
  for (let look = 0; look < LOOKS; look++) await lookUp(made.id);
  const { text } = await world.get('/metrics');
  expect(text).toContain(`provider="${provider}",environment="test",state="closed"} 1`);
  expect((await rowOf(world, made.id)).status).toBe('new');
});
