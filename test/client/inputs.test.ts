/** What cannot be meant is refused by its name, before anything is sent; what can be is sent as the service knows it. */
import { describe, expect, it } from 'vitest';
import { createClient } from '../../client/src/client.ts';
import { type Script, script } from './scripted.ts';

const ASK = { source: 'eur', destination: 'btc', amount: '100' };
const ORDER = { ...ASK, onramp: 'moonpay', wallet: { address: 'x' } };

function clientOf({ fetch }: Script) {
  return createClient({ url: 'https://ramps.example', key: 'pk_test_1', fetch });
}

async function drain(all: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of all);
}

const refused = (field: string) =>
  expect.objectContaining({ name: 'CloverleafError', kind: 'badInput', field, status: undefined });

describe('nothing is sent', () => {
  it.each(['', '.', '..', 'a\ud800'])('with a part of a path that is none: %j', async part => {
    const told = script({ status: 200, body: {} });
    const { quotes, streamQuotes, paymentTypes, transaction, webhooks } = clientOf(told);
    await expect(transaction(part)).rejects.toEqual(refused('id'));
    await expect(paymentTypes({ fiat: part })).rejects.toEqual(refused('fiat'));
    await expect(quotes({ ...ASK, destination: part })).rejects.toEqual(refused('destination'));
    await expect(drain(streamQuotes({ ...ASK, source: part }))).rejects.toEqual(refused('source'));
    await expect(webhooks.remove(part)).rejects.toEqual(refused('id'));
    await expect(webhooks.replay(part, { state: 'dead' })).rejects.toEqual(refused('id'));
    expect(told.asked).toEqual([]);
  });

  it('with a moment that is none', async () => {
    const told = script({ status: 200, body: {} });
    const { transactions, webhooks } = clientOf(told);
    const never = new Date('x');
    for (const field of ['startDateTime', 'endDateTime'])
      await expect(drain(transactions({ [field]: never }))).rejects.toEqual(refused(field));
    await expect(webhooks.replay('1', { since: never })).rejects.toEqual(refused('since'));
    expect(told.asked).toEqual([]);
  });

  it('with an amount that is none', async () => {
    const told = script({ status: 200, body: {} });
    const { quotes, checkout } = clientOf(told);
    await expect(quotes({ ...ASK, amount: '1,5' })).rejects.toEqual(refused('amount'));
    await expect(checkout({ ...ORDER, amount: '-1' })).rejects.toEqual(refused('amount'));
    expect(told.asked).toEqual([]);
  });

  it('with the amount that is to be received, from a question that was spread into the order', async () => {
    const told = script({ status: 200, body: {} });
    const ask = { ...ASK, input: 'destination' as const };
    await expect(clientOf(told).checkout({ ...ORDER, ...ask })).rejects.toEqual(refused('amount'));
    expect(told.asked).toEqual([]);
  });

  it.each(['pk_test_…', 'pk test', 'pk\n', 'ключ', null as unknown as string])(
    'with a key or a secret that no header can hold: %j',
    text => {
      const made = (options: object) => () => createClient({ url: 'https://ramps.example', ...options });
      expect(made({ key: text })).toThrow(refused('key'));
      expect(made({ key: 'pk_test_1', secret: text })).toThrow(refused('secret'));
      expect(made({ key: undefined, secret: undefined })).not.toThrow();
    },
  );

  it.each(['', 'a\n', 'ключ', 'ä', 'a'.repeat(256), null as unknown as string])(
    'under an idempotency key that cannot be one: %j',
    async idempotencyKey => {
      const told = script({ status: 200, body: {} });
      const ordering = clientOf(told).checkout(ORDER, { idempotencyKey });
      await expect(ordering).rejects.toEqual(refused('idempotencyKey'));
      expect(told.asked).toEqual([]);
    },
  );
});

describe('what can be meant', () => {
  it('is a key of any printable characters, and as long as the service takes it', async () => {
    const told = script({ status: 200, body: {} });
    for (const idempotencyKey of ['order 7 ~', '~'.repeat(255)])
      await clientOf(told).checkout(ORDER, { idempotencyKey });
    const keys = told.asked.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toEqual(['order 7 ~', '~'.repeat(255)]);
  });

  it('is an event’s id as `verifyWebhook` gives it, or as a delivery has it', async () => {
    const told = script({ status: 200, body: { replayed: 2 } });
    const { webhooks } = clientOf(told);
    expect(await webhooks.replay('1', { eventIds: ['msg_01J-1', '01J-2'] })).toBe(2);
    await webhooks.replay('1', { since: new Date(0) });
    await webhooks.replay('1', { state: 'dead' });
    expect(told.asked.map(({ body }) => JSON.parse(body ?? ''))).toEqual([
      { eventIds: ['01J-1', '01J-2'] },
      { since: '1970-01-01T00:00:00.000Z' },
      { state: 'dead' },
    ]);
  });
});
