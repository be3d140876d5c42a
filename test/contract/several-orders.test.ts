/** Several orders of a provider under one reference of ours: each is asked about, whichever the person pays. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProviderId } from '../../src/domain/words.ts';
import { startWorld, type World } from './world.ts';
import { bodyOf, lookUp, openPage, order, reaches, rowOf } from './world-orders.ts';
import { introduce, press, visit } from './world-person.ts';

const BANXA = 'banxa' as ProviderId;

let world: World;

beforeAll(async () => {
  world = await startWorld({ QUOTE_DEADLINE_MS: '10000' }, { byHand: true, only: [BANXA] });
});
afterAll(() => world?.close());

test('completed though the page was opened twice, the first was paid, and no webhook came', async () => {
  world.sandbox.fault(BANXA, { kind: 'webhooks-lost', ms: 0 });
  const made = await order(world, bodyOf(BANXA));
  const first = await introduce(await visit(await openPage(world, made)));
  const paid = (await rowOf(world, made.id)).theirs;
  await openPage(world, made);
  expect((await rowOf(world, made.id)).theirs).not.toBe(paid);
  await press(await press(first, 'card'), 'approve');
  for (let step = 0; step < 6; step++) world.pass(800);
  await lookUp(world, made.id);
  await reaches(world, made.id, 'completed');
  expect((await rowOf(world, made.id)).theirs).toBe(paid);
});
