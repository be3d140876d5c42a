/** POST /hooks/{provider} of a provider that tells of the person: what is kept of it says what happened, and nothing of them. */
import { constants, createHash, createPrivateKey, sign } from 'node:crypto';
import { sql } from 'kysely';
import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProviderId } from '../../src/domain/words.ts';
import { WEBHOOK_KEY } from '../../src/providers/paybis/standin-keys.ts';
import { retryParked } from '../../src/store/inbox.ts';
import { eventually } from './patience.ts';
import { startWorld, type World } from './world.ts';
import { deliver, type Hook } from './world-hooks.ts';
import { accountOf, reaches, rowOf, writeOrder } from './world-orders.ts';

const PAYBIS = 'paybis' as ProviderId;
const PERSONAL = ['user@example.com', '203.0.113.7', 'JOHN DOE', 'Main Street', 'addr-of-theirs'];

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** "Signing request": what is signed is the digest of the body in hexadecimal; every signature is another. */
function signed(body: string): Hook {
  const key = createPrivateKey({ key: Buffer.from(WEBHOOK_KEY, 'base64'), format: 'der', type: 'pkcs8' });
  const options = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 };
  const digest = createHash('sha512').update(body).digest('hex');
  const signature = sign('sha512', Buffer.from(digest), options).toString('base64');
  const headers = { 'x-request-signature': signature, 'x-forwarded-for': '203.0.113.7' };
  return { provider: PAYBIS, headers, body };
}

/** A webhook as they write it, with all that it has of the person. */
function told(id: string, change: object = {}): string {
  const data = {
    ...{ requestId: `req-${id}`, partnerUserId: id, partnerTransactionId: id },
    ...{ userEmail: 'user@example.com', userIp: '203.0.113.7' },
    transaction: { status: 'completed', flow: 'buyCrypto', statusUpdatedAt: '2026-01-01T10:05:00+0000' },
    payment: { errorCode: null, card: { holderName: 'JOHN DOE', billingAddress: '1 Main Street' } },
    payout: { transaction_hash: '5xyz', destinationWalletAddress: 'addr-of-theirs' },
    amountFrom: { amount: '50.00', currency: 'USD' },
    amountTo: { amount: '0.24000000', currency: 'SOL' },
    ...change,
  };
  return JSON.stringify({ timestamp: 1, event: 'TRANSACTION_STATUS_CHANGED', data });
}

async function inbox() {
  const { rows } = await sql<{ state: string; attempts: number; said: string }>`
    select state, attempts, headers || ' ' || convert_from(coalesce(body, ''), 'UTF8') as said from inbox
    where provider = ${PAYBIS} order by id`.execute(world.database);
  return rows;
}

/** Waits until the last one that came has been looked at; how it stands, and what is kept of it. */
async function lastLookedAt() {
  await eventually(async () => ((await inbox()).at(-1)?.attempts ?? 0) > 0, 'it was looked at');
  const { state, said } = (await inbox()).at(-1) ?? { state: 'none', said: '' };
  for (const secret of PERSONAL) expect(said).not.toContain(secret);
  return { state, said };
}

test('200 for one that waits for its order: kept without the person, known again, and applied in the end', async () => {
  const id = ulid();
  expect((await deliver(world, signed(told(id)))).status).toBe(200);
  const { state, said } = await lastLookedAt();
  expect([state, said.includes(`req-${id}`)]).toEqual(['due', true]);
  const count = (await inbox()).length;
  const again = [told(id), told(id, { userIp: '203.0.113.8' })];
  for (const body of again) expect((await deliver(world, signed(body))).status).toBe(200);
  expect((await inbox()).length).toBe(count);
  await writeOrder(world, await accountOf(world), { id, provider: PAYBIS });
  await sql`update inbox set due_at = now() where state = 'due'`.execute(world.database);
  await reaches(world, id, 'completed');
  const { theirs, hash, paid, received } = await rowOf(world, id);
  expect({ theirs, hash, paid: Number(paid), received: Number(received) }).toEqual({
    ...{ theirs: `req-${id}`, hash: '5xyz', paid: 50, received: 0.24 },
  });
});

test.each([
  ['names no request', told('x', { requestId: undefined })],
  ['has the person where its status should be', told('x', { transaction: { status: { name: 'JOHN DOE' } } })],
  ['is no JSON', 'JOHN DOE, user@example.com'],
])('200 for one that %s: parked and unreadable, also when it is tried again', async (_, body) => {
  const count = (await inbox()).length;
  for (let time = 0; time < 2; time++) expect((await deliver(world, signed(body))).status).toBe(200);
  expect((await inbox()).length).toBe(count + 1);
  expect((await lastLookedAt()).state).toBe('parked');
  await retryParked(world.database, 'all');
  await eventually(async () => (await inbox()).at(-1)?.state === 'parked', 'it is parked again');
});
