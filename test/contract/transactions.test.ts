/** Transactions as their account reads them: records, and whom they are kept from. */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '../../src/app/accounts.ts';
import { createCursors } from '../../src/app/cursor.ts';
import { createSeal } from '../../src/app/seal.ts';
import { createTransactions } from '../../src/app/transactions.ts';
import type { Standing } from '../../src/domain/transaction.ts';
import { lockTransactions, writeChanges } from '../../src/store/transactions.ts';
import type { Reply } from '../service.ts';
import { type Answers, readAnswers, shape, shapesOf } from './answers.ts';
import {
  account,
  at,
  keysOf,
  other,
  own,
  read,
  service,
  setRecords,
  stranger,
  UNKNOWN_ID,
  write,
  writeMany,
} from './records.ts';
import { WALLET } from './world-orders.ts';

setRecords();

let answers: Answers;
beforeAll(async () => {
  answers = await readAnswers(service.get);
});

const FIELDS = shape(
  `apiKey country inAmount outAmount onramp onrampTransactionId paymentMethod sourceCurrency targetCurrency
   status statusDate transactionId transactionType transactionHash walletAddress partnerContext statusReason`,
);

describe('a record', () => {
  test('200 has every documented field, in its order, with exact numbers', async () => {
    const id = await write(
      account.id,
      [
        { status: 'new', at: at(0) },
        {
          status: 'completed',
          at: at(9, 7),
          theirs: 'mp-1',
          hash: '0xabc',
          paid: '100.10',
          received: '0.123456789012345678',
          reason: 'sent',
        },
      ],
      { partner_context: 'order "7"', side: 'sell', source: 'btc_bitcoin', target: 'eur' },
    );
    const reply = await read(`/transactions/${id}`);
    expect(reply.status).toBe(200);
    expect(reply.text).toBe(
      `{"apiKey":"${own.publicKey}","country":"de","inAmount":100.1,"outAmount":0.123456789012345678,` +
        `"onramp":"moonpay","onrampTransactionId":"mp-1","paymentMethod":"creditcard",` +
        `"sourceCurrency":"btc_bitcoin","targetCurrency":"eur","status":"completed",` +
        `"statusDate":"2026-03-01T10:00:09.007Z","transactionId":"${id}","transactionType":"sell",` +
        `"transactionHash":"0xabc","walletAddress":"${WALLET}","partnerContext":"order \\"7\\"","statusReason":"sent"}`,
    );
    expect(answers.flaws('/transactions/{transactionId}', reply)).toEqual([]);
  });

  test('200 keeps what became known while its status stood, whatever status comes after it', async () => {
    const id = await write(account.id, [{ status: 'new', at: at(0) }]);
    const tell = async (change: Partial<Standing>) => {
      const [transaction] = await lockTransactions(service.database, [id]);
      if (!transaction) throw new Error('it is gone');
      const standing = { ...transaction.standing, ...change };
      const statusAt = change.status ? new Date(at(1)) : transaction.statusAt;
      const sequence = transaction.sequence + 1;
      await writeChanges(service.database, [{ transaction, standing, at: statusAt, statusAt, sequence }]);
    };
    await tell({ theirs: 'mp-7', reason: 'waiting' });
    const { body } = await read(`/transactions?transactionIds=${id}`);
    await tell({ status: 'completed', hash: '0xdef', reason: '' });
    const [completed, made] = (await read(`/transactions?transactionIds=${id}`)).body.transactions;
    expect([completed.status, completed.transactionHash]).toEqual(['completed', '0xdef']);
    expect(made).toEqual(body.transactions[0]);
    expect(made).toMatchObject({ status: 'new', onrampTransactionId: 'mp-7', statusReason: 'waiting' });
  });

  test('200 of an order just made has nothing received, no hash and no id of the provider', async () => {
    const id = await write(account.id, [{ status: 'new', at: at(0) }]);
    expect((await read(`/transactions/${id}`)).body).toMatchObject({
      status: 'new',
      inAmount: 100.1,
      outAmount: 0,
      transactionHash: '',
      onrampTransactionId: '',
      statusReason: '',
    });
  });

  test('200 lists one record for each status, newest first, each with what was known then', async () => {
    const id = await write(account.id, [
      { status: 'new', at: at(0) },
      { status: 'pending', at: at(1), theirs: 'mp-1' },
      { status: 'completed', at: at(2), theirs: 'mp-1', hash: '0xabc', received: '0.5' },
    ]);
    const page = await read('/transactions');
    expect(page.body).toEqual({
      limit: 50,
      transactions: [
        expect.objectContaining({ status: 'completed', transactionHash: '0xabc', outAmount: 0.5 }),
        expect.objectContaining({ status: 'pending', transactionHash: '', onrampTransactionId: 'mp-1' }),
        expect.objectContaining({ status: 'new', transactionHash: '', onrampTransactionId: '' }),
      ],
    });
    expect(shapesOf(page.body.transactions)).toEqual([FIELDS]);
    expect(answers.flaws('/transactions', page)).toEqual([]);
    expect((await read(`/transactions/${id}`)).body).toEqual(page.body.transactions[0]);
  });

  test('200 tells at the present status what became known since, and at older ones what was known then', async () => {
    const id = await write(account.id, [
      { status: 'pending', at: at(0), theirs: 'mp-1' },
      { status: 'completed', at: at(1), theirs: 'mp-1' },
    ]);
    await service.database
      .updateTable('transactions')
      .set({
        hash: '0xlate',
        received: '0.25',
        paid: '101',
        reason: 'late',
        theirs: 'mp-2',
        status_at: at(9),
      })
      .where('id', '=', id)
      .execute();
    const [completed, pending] = (await read('/transactions')).body.transactions;
    expect(completed).toMatchObject({
      transactionHash: '0xlate',
      outAmount: 0.25,
      inAmount: 101,
      statusReason: 'late',
      onrampTransactionId: 'mp-2',
      statusDate: at(1).toISOString(),
    });
    expect(pending).toMatchObject({ transactionHash: '', outAmount: 0, inAmount: 100.1, statusReason: '' });
    expect((await read(`/transactions/${id}`)).body).toEqual(completed);
  });

  test('200 is not to be stored by anyone', async () => {
    const id = await write(account.id, [{ status: 'new', at: at(0) }]);
    for (const path of ['/transactions', `/transactions/${id}`]) {
      const { headers } = await read(path);
      expect([headers.get('cache-control'), headers.get('etag')]).toEqual(['no-store', null]);
    }
  });

  test('200 without anything is an empty last page', async () => {
    expect((await read('/transactions')).body).toEqual({ transactions: [], limit: 50 });
  });
});

describe('another account', () => {
  const anonymous = ({ body: { requestId, ...body } }: Reply) => {
    expect(requestId).toEqual(expect.any(String));
    return body;
  };

  test('404 alike for an id of another account, one nobody has, and what is no id', async () => {
    const [theirs] = await writeMany(1, stranger.id);
    expect((await read(`/transactions/${theirs}`, keysOf(other))).status).toBe(200);
    const expected = {
      message: 'There is no such transaction',
      errorId: 4040,
      errorCode: 404,
      errorMessage: 'There is no such transaction',
      field: 'transactionId',
    };
    for (const id of [
      ...[theirs as string, UNKNOWN_ID, UNKNOWN_ID.toLowerCase(), 'x', '0', '-1', 'null', '__proto__'],
      ...[`${theirs}\u0000`, '\u0000', '%', `${theirs} `, 'x'.repeat(5_000), "' or 1=1 --", '*', '１'],
    ]) {
      const reply = await read(`/transactions/${encodeURIComponent(id)}`);
      expect([id, reply.status, anonymous(reply)]).toEqual([id, 404, expected]);
      expect(reply.headers.get('cache-control')).toBe('no-store');
    }
  });

  test('200 and 400 never show a record of one account to the other, in hundreds of tries', async () => {
    const [mine, theirs] = [await writeMany(25), await writeMany(25, stranger.id)];
    const transactions = createTransactions({
      database: service.database,
      cursors: createCursors(createSeal(Buffer.alloc(32, 1), 'cursor')),
    });
    let tries = 0;
    const ofOwner = (owner: Account, records: readonly { apiKey: string }[]) => {
      tries++;
      expect(records.filter(({ apiKey }) => apiKey !== owner.publicKey)).toEqual([]);
    };
    const cursors: string[] = [];
    for (let limit = 1; limit <= 24; limit++) {
      const { cursor } = await transactions.page(account, { limit });
      if (cursor) cursors.push(cursor);
    }
    for (const cursor of cursors) {
      await expect(transactions.page(stranger, { limit: 50, cursor })).rejects.toThrow('cursor must be');
      tries++;
    }
    for (const [owner, foreign] of [
      [account, theirs],
      [stranger, mine],
    ] as const) {
      for (const id of foreign) {
        expect(await transactions.find(owner, id)).toBeUndefined();
        for (const limit of [1, 50]) {
          const found = await transactions.page(owner, { limit, ids: [id] });
          expect(found.records).toEqual([]);
          ofOwner(owner, (await transactions.page(owner, { limit, ids: [...foreign, ...mine] })).records);
        }
      }
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 50 }),
          fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
          fc.option(fc.subarray([...mine, ...theirs]), { nil: undefined }),
          async (limit, second, ids) => {
            const from = second === undefined ? undefined : at(second);
            ofOwner(owner, (await transactions.page(owner, { limit, from, ids })).records);
          },
        ),
        { numRuns: 400 },
      );
    }
    expect(tries).toBeGreaterThan(900);
    expect(cursors.length).toBe(24);
  });

  test('400 for a cursor of another account', async () => {
    await writeMany(3);
    await writeMany(3, stranger.id);
    const { cursor } = (await read('/transactions?limit=1')).body;
    const reply = await read(`/transactions?limit=1&cursor=${cursor}`, keysOf(other));
    expect([reply.status, reply.body.field]).toEqual([400, 'cursor']);
  });
});

test('nothing of a transaction, of a secret or of a question is logged', async () => {
  const id = await write(account.id, [{ status: 'new', at: at(0) }], { partner_context: 'canary-context' });
  await read(`/transactions/${id}`);
  await read(`/transactions?transactionIds=${id}&startDateTime=2026-03-01T10:00:00Z`);
  await read(`/transactions/${id}`, { ...keysOf(own), 'x-service-secret': `${own.secret}x` });
  const logged = service.logged();
  expect(logged).toContain('"/transactions/:transactionId"');
  for (const canary of [WALLET, 'canary-context', own.secret, own.publicKey, id, '10:00:00Z'])
    expect([canary, logged.includes(canary)]).toEqual([canary, false]);
  expect(logged).not.toContain('unexpected error');
});
