/** What is kept of Paybis' webhooks: all that is read, and nothing about the person. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseJson, writeJson } from '../../domain/json.ts';
import type { Delivery, Notice } from '../contract.ts';
import { webhook } from './orders.ts';

function deliveryOf(text: string): Delivery {
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    // Undefined, as the intake has it.
  }
  return { headers: {}, path: '', search: '', raw: new TextEncoder().encode(text), text, body };
}

const keptOf = (text: string) => writeJson(webhook.kept?.(deliveryOf(text)) ?? null);

function read(text: string): Notice[] | 'unreadable' {
  try {
    return webhook.read(deliveryOf(text));
  } catch {
    return 'unreadable';
  }
}

const BODIES = ['exemplary', 'supplemental'].flatMap(folder => {
  const path = join(import.meta.dirname, folder);
  const files = readdirSync(path).filter(file => file.startsWith('webhook-'));
  return files.map(file => [file, JSON.parse(readFileSync(join(path, file), 'utf8')).input.body as string]);
}) as [string, string][];

const SECRETS = ['JOHN DOE', 'Main Street', 'user@example.com', '203.0.113.7', 'bc1qsomewhere'];
const PERSON = { holderName: 'JOHN DOE', billingAddress: { street: '1 Main Street' } };
const TOLD = {
  event: 'TRANSACTION_STATUS_CHANGED',
  data: {
    ...{ requestId: 'req-1', partnerUserId: 'u', partnerTransactionId: 'ord-1' },
    ...{ userEmail: 'user@example.com', userIp: '203.0.113.7' },
    transaction: { status: 'completed', flow: 'buyCrypto', statusUpdatedAt: '2025-01-01T10:05:00+0000' },
    payment: { errorCode: null, card: PERSON },
    payout: { transaction_hash: '5xyz', destinationWalletAddress: 'bc1qsomewhere' },
    amountFrom: { amount: 50, currency: 'USD' },
    amountTo: { amount: '0.24', currency: 'SOL' },
  },
};

/** The same with other data. */
const told = (change: object) => JSON.stringify({ ...TOLD, data: { ...TOLD.data, ...change } });

describe('what is kept', () => {
  it.each(BODIES)('says the same: %s', (_, body) => {
    expect(writeJson(read(keptOf(body)))).toBe(writeJson(read(body)));
  });

  it('is all that is read, and nothing of the person', () => {
    const text = JSON.stringify({ ...TOLD, ...PERSON });
    expect(JSON.parse(keptOf(text))).toEqual({
      event: TOLD.event,
      data: {
        ...{ requestId: 'req-1', partnerTransactionId: 'ord-1', transaction: TOLD.data.transaction },
        ...{ payment: { errorCode: null }, payout: { transaction_hash: '5xyz' } },
        ...{ amountFrom: { amount: '50' }, amountTo: { amount: '0.24' } },
      },
    });
    expect(read(keptOf(text))).toMatchObject([{ word: 'completed', hash: '5xyz' }]);
  });

  it.each([
    ['no request', told({ requestId: undefined })],
    ['a person for a request', told({ requestId: PERSON })],
    ['a person for a transaction', told({ transaction: 'JOHN DOE' })],
    ['a person for a flow', told({ transaction: { status: 'paid', flow: PERSON } })],
    ['a list of people', told({ payment: [PERSON] })],
    ['a person for a payment', told({ payment: 'JOHN DOE' })],
    ['a person for an event', JSON.stringify({ ...TOLD, event: PERSON })],
    ['a list', JSON.stringify([TOLD])],
    ['a text', '"JOHN DOE"'],
    ['no JSON', 'JOHN DOE'],
    ['nothing', ''],
  ])('of what is not as documented, %s, is as unreadable and as impersonal', (_, text) => {
    expect([read(text), read(keptOf(text))]).toEqual(['unreadable', 'unreadable']);
    for (const secret of SECRETS) expect(keptOf(text)).not.toContain(secret);
  });
});
