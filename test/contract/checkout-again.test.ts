/** Checkouts asked for again when they could not be made any more: what was answered under a key is answered again. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { chooseProviders } from '../../src/app/accounts.ts';
import type { ProviderId } from '../../src/domain/words.ts';
import { putListings, readListings } from '../../src/store/listings.ts';
import { setAlone, world } from './pair.ts';
import { runProvider } from './provider-command.ts';
import { count, expectProblem, issue, keyed, setTill } from './till.ts';
import { MERCURYO, MOONPAY, PROVIDERS, TRANSAK } from './world.ts';
import { bodyOf, intend, orderOf } from './world-orders.ts';

setAlone(PROVIDERS);
setTill();

/** The body of a checkout at a quote that is good for long. */
async function quoted(provider: ProviderId, by?: string): Promise<Record<string, unknown>> {
  const quoteId = await issue({ provider, until: Date.now() + 600_000, ...(by && { by }) });
  return bodyOf(provider, 'buy', { metaData: { quoteId } });
}

/** Does something while a provider is disabled. */
async function without(provider: ProviderId, work: () => Promise<void>): Promise<void> {
  await runProvider(world, 'disable', provider);
  await world.look();
  try {
    await work();
  } finally {
    await runProvider(world, 'enable', provider);
    await world.look();
  }
}

test('200 with the stored answer although the provider is disabled, 503 for everything else', async () => {
  for (const [at, body] of [bodyOf(MERCURYO), await quoted(MERCURYO)].entries()) {
    const headers = keyed(`before it was disabled ${at}`);
    const first = await intend(world, body, { headers });
    orderOf(first);
    await without(MERCURYO, async () => {
      const again = await intend(world, body, { headers });
      expect([again.status, again.text]).toEqual([200, first.text]);
      expectProblem(await intend(world, { ...body, amount: 101 }, { headers }), 422, 'Idempotency-Key');
      expectProblem(await intend(world, body, { headers: keyed('never used') }), 503, 'onramp');
      expectProblem(await intend(world, body), 503, 'onramp');
    });
  }
});

test('200 with the stored answer although the account may not use the provider any more', async () => {
  const { publicKey: by } = await world.newAccount();
  const headers = keyed('before it was narrowed');
  const first = await intend(world, bodyOf(MOONPAY), { by, headers });
  orderOf(first);
  await chooseProviders(world.database, by, [MERCURYO]);
  await world.look();
  const again = await intend(world, bodyOf(MOONPAY), { by, headers });
  expect([again.status, again.text]).toEqual([200, first.text]);
  expectProblem(await intend(world, bodyOf(MOONPAY), { by }), 403, 'onramp');
  expect(await count(by)).toBe(1);
});

test('200 with the stored answer although the pair is not listed any more, 422 for everything else', async () => {
  const body = await quoted(MOONPAY);
  const headers = keyed('before it was taken off');
  const first = await intend(world, body, { headers });
  orderOf(first);
  const known = (await readListings(world.database, [], expect.unreachable)).find(
    ({ provider }) => provider === MOONPAY,
  );
  if (!known) throw new Error('MoonPay lists nothing');
  const sells = known.listings.filter(({ side }) => side === 'sell');
  await putListings(world.database, { ...known, listings: sells, fetchedAt: new Date() });
  await world.look();
  try {
    const again = await intend(world, body, { headers });
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect((await intend(world, body, { headers: keyed('never used') })).status).toBe(422);
    expect((await intend(world, body)).status).toBe(422);
  } finally {
    await putListings(world.database, { ...known, fetchedAt: new Date() });
    await world.look();
  }
});

test('503 while the provider is disabled for what has no answer yet, which nobody holds then: 200 once it is back', async () => {
  const { publicKey: by } = await world.newAccount();
  const body = await quoted(TRANSAK, by);
  const asking = { by, headers: keyed('left unfinished') };
  world.gate.answer(TRANSAK, { part: '/auth/session', status: 500, body: '{}' });
  expectProblem(await intend(world, body, asking), 502, 'onramp');
  world.gate.answer(TRANSAK, undefined);
  await without(TRANSAK, async () => {
    expectProblem(await intend(world, body, asking), 503, 'onramp');
    await sql`update idempotency_keys set leased_until = now() + interval '1 minute'
      where key = 'left unfinished'`.execute(world.database);
    expectProblem(await intend(world, body, asking), 409, 'Idempotency-Key');
    await sql`update idempotency_keys set leased_until = null where key = 'left unfinished'`.execute(
      world.database,
    );
    expectProblem(await intend(world, body, asking), 503, 'onramp');
  });
  orderOf(await intend(world, body, asking));
  expect(await count(by)).toBe(1);
});
