/** Transactions as their account reads them: records, pages, and whom they are kept from. */
import fc from 'fast-check';
import { type Insertable, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { type Account, type Credentials, findAccount } from '../../src/app/accounts.ts';
import { createCursors } from '../../src/app/cursor.ts';
import { createSeal } from '../../src/app/seal.ts';
import { createTransactions } from '../../src/app/transactions.ts';
import type { AccountId } from '../../src/domain/words.ts';
import { listEntries } from '../../src/store/entries.ts';
import type { EntryRow, Tables } from '../../src/store/tables.ts';
import { type Reply, startTestService, type TestService } from '../service.ts';
import { type Answers, readAnswers, shape, shapesOf } from './answers.ts';
import { type Answer, send, target } from './wire.ts';
import { PROVIDERS } from './world.ts';

const WALLET = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const UNKNOWN_ID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const FIELDS = shape(
  `apiKey country inAmount outAmount onramp onrampTransactionId paymentMethod sourceCurrency targetCurrency
   status statusDate transactionId transactionType transactionHash walletAddress partnerContext statusReason`,
);

let service: TestService;
let answers: Answers;
/** Of the account that each test starts with: none of its transactions are there. */
let own: Credentials;
let account: Account;
let other: Credentials;
let stranger: Account;

beforeAll(async () => {
  service = await startTestService({}, { only: PROVIDERS });
  answers = await readAnswers(service.get);
  own = service.account;
  account = await findAccount(service.database, own.publicKey);
  other = await service.newAccount();
  stranger = await findAccount(service.database, other.publicKey);
});
afterAll(() => service?.close());
beforeEach(() => forget());

async function forget(): Promise<void> {
  await sql`truncate transactions, entries, notices`.execute(service.database);
}

const keysOf = ({ publicKey, secret }: Credentials) => ({
  authorization: publicKey,
  'x-service-secret': secret,
});
const read = (path: string, headers: Record<string, string> = keysOf(own)) => service.get(path, headers);
const idsOf = ({ body }: Reply): string[] =>
  body.transactions.map(({ transactionId }: { transactionId: string }) => transactionId);
/** What tells one record from another. */
const marksOf = ({ body }: Reply): string[] =>
  body.transactions.map(
    ({ transactionId, status }: { transactionId: string; status: string }) => `${transactionId} ${status}`,
  );

type Said = Partial<Insertable<EntryRow>> & { status: string; at: Date };
type TransactionChange = Partial<Insertable<Tables['transactions']>>;

/** Writes a transaction with its entries, the last of which is its present status. */
async function write(
  owner: AccountId,
  said: readonly Said[],
  change: TransactionChange = {},
): Promise<string> {
  const id = change.id ?? ulid();
  const entries = said.map((entry, at) => ({
    transaction_id: id,
    account_id: owner,
    sequence: at + 1,
    reason: '',
    theirs: '',
    hash: '',
    paid: null,
    received: null,
    ...entry,
  }));
  const { status, at, reason, theirs, hash, paid, received } = entries.at(-1) as Insertable<EntryRow>;
  await service.database
    .insertInto('transactions')
    .values({
      id,
      session_id: ulid(),
      account_id: owner,
      environment: 'test',
      origin: 'current',
      provider: 'moonpay',
      side: 'buy',
      fiat: 'eur',
      asset: 'btc_bitcoin',
      method: 'creditcard',
      country: 'DE',
      source: 'eur',
      target: 'btc',
      amount: '100.10',
      offer: '{}',
      native: '{}',
      ready: true,
      wallet_address: WALLET,
      partner_context: '',
      theme: '{}',
      created_at: at,
      expires_at: at,
      status,
      status_at: at,
      sequence: said.length,
      ...{ reason, theirs, hash, paid, received },
      ...change,
    })
    .execute();
  await service.database.insertInto('entries').values(entries).execute();
  return id;
}

const at = (seconds: number, ms = 0) => new Date(Date.UTC(2026, 2, 1, 10, 0, seconds, ms));
/** So many transactions, one second after the other. */
async function writeMany(count: number, owner = account.id): Promise<string[]> {
  const ids: string[] = [];
  for (let second = 0; second < count; second++)
    ids.push(await write(owner, [{ status: 'new', at: at(second) }]));
  return ids;
}

/** Every page from a path, until no cursor leads on. */
async function walk(path: string, limits: () => number, headers = keysOf(own)): Promise<Reply[]> {
  const pages: Reply[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; cursor = pages.at(-1)?.body.cursor) {
    const lead = cursor && `&cursor=${cursor}`;
    const page = await read(`${path}${path.includes('?') ? '&' : '?'}limit=${limits()}${lead}`, headers);
    expect([page.status, pages.length < 500]).toEqual([200, true]);
    pages.push(page);
  }
  return pages;
}

describe('a record', () => {
  test('200 has every field of spec.md, in its order, with exact numbers', async () => {
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

describe('limit', () => {
  test('200 echoes the limit in force, which is 50 at most and when none is sent', async () => {
    const ids = (await writeMany(52)).reverse();
    for (const [sent, force] of [
      ['', 50],
      ['limit=1', 1],
      ['limit=7', 7],
      ['limit=007', 7],
      ['limit=50', 50],
      ['limit=51', 50],
      ['limit=9007199254740991', 50],
    ] as const) {
      const page = await read(`/transactions?${sent}`);
      expect([sent, page.body.limit, idsOf(page)]).toEqual([sent, force, ids.slice(0, force)]);
      expect(page.body.cursor).toEqual(expect.any(String));
    }
  });

  test('200 has no cursor on the last page, even when it is full', async () => {
    await writeMany(10);
    const sizes = async (limit: number) =>
      (await walk('/transactions', () => limit)).map(page => idsOf(page).length);
    expect(await sizes(10)).toEqual([10]);
    expect(await sizes(5)).toEqual([5, 5]);
    expect(await sizes(4)).toEqual([4, 4, 2]);
    expect(await sizes(11)).toEqual([10]);
  });

  test('400 names limit', async () => {
    const values = ['', ' ', '0', '00', '-1', '+5', '1e2', '5.5', '5.', '0x10', '1_0', '５', '٥', ' 5', '5 '];
    const texts = [
      ...values,
      '5\n',
      '5\u0000',
      '5,5',
      '[]',
      '{}',
      'NaN',
      'Infinity',
      'null',
      '9'.repeat(400),
    ];
    await expectRefused('limit', [
      ...texts.map(text => `limit=${encodeURIComponent(text)}`),
      'limit=5&limit=5',
      'limit=5&limit=',
      'limit=%',
    ]);
  });
});

describe('the window', () => {
  test('200 holds what is from the start on and before the end', async () => {
    const ids = await writeMany(4);
    const between = async (query: string) => idsOf(await read(`/transactions?${query}`)).reverse();
    const [one, two] = [at(1).toISOString(), at(2).toISOString()];
    expect(await between(`startDateTime=${one}`)).toEqual(ids.slice(1));
    expect(await between(`endDateTime=${two}`)).toEqual(ids.slice(0, 2));
    expect(await between(`startDateTime=${one}&endDateTime=${two}`)).toEqual(ids.slice(1, 2));
    expect(await between(`startDateTime=${one}&endDateTime=${one}`)).toEqual([]);
  });

  test('200 for every way to write a moment', async () => {
    const ids = await writeMany(2);
    const first = [
      '2026-03-01T10:00:01Z',
      '2026-03-01T10:00:01.000Z',
      '2026-03-01T10:00:00.999000001Z',
      '2026-03-01T12:00:01%2B02:00',
      '2026-03-01T12:00:01+02:00',
      '2026-03-01T04:30:01-05:30',
      '2026-03-02T00:00:01%2B14:00',
      '2026-03-01T10:00:01-00:00',
    ];
    for (const moment of first) {
      const later = await read(`/transactions?startDateTime=${moment}`);
      const earlier = await read(`/transactions?endDateTime=${moment}`);
      expect([moment, idsOf(later), idsOf(earlier)]).toEqual([moment, ids.slice(1), ids.slice(0, 1)]);
    }
    for (const moment of ['1970-01-01T00:00Z', '2024-02-29T23:59Z', '2026-03-01T10:00Z'])
      expect([moment, idsOf(await read(`/transactions?startDateTime=${moment}`)).length]).toEqual([
        moment,
        2,
      ]);
    expect(idsOf(await read('/transactions?endDateTime=9999-12-31T23:59:59.999Z')).length).toBe(2);
  });

  test('400 names the moment that is none', async () => {
    const moments = [
      ...['', ' ', 'now', 'null', '0', '1767225600', '1767225600000', '-1', '2026', '2026-03', '2026-03-01'],
      ...['2026-03-01T10:00:00', '2026-03-01 10:00:00Z', '2026-03-01t10:00:00z', '20260301T100000Z'],
      ...['2026-02-30T10:00:00Z', '2025-02-29T10:00:00Z', '2026-13-01T10:00:00Z', '2026-00-01T10:00:00Z'],
      ...['2026-04-31T10:00:00Z', '2026-03-00T10:00:00Z', '2026-03-32T10:00:00Z'],
      ...['2026-03-01T25:00:00Z', '2026-03-01T24:00:00Z', '2026-03-01T10:60:00Z', '2026-03-01T23:59:60Z'],
      ...['2026-03-01T10:00:00+99:99', '2026-03-01T10:00:00+02', '2026-03-01T10:00:00+0200'],
      ...['2026-03-01T10:00:00+15:00', '2026-03-01T10:00:00+02:60', '2026-03-01T10:00:00 Z'],
      ...['2026-03-01T10:00:00CET', '2026-03-01T10:00:00Z[Europe/Berlin]', '2026-W09-7T10:00:00Z'],
      ...[
        '+275760-09-13T00:00:00Z',
        '275760-09-13T00:00:00Z',
        '-000001-01-01T00:00:00Z',
        '0000-01-01T00:00:00Z',
      ],
      ...[
        '1969-12-31T23:59:59Z',
        '0099-01-01T00:00:00Z',
        '10000-01-01T00:00:00Z',
        '9999-12-31T23:59:59-01:00',
      ],
      ...['2026-03-01T10:00:00Zx', '2026-03-01T10:00:00Z ', ' 2026-03-01T10:00:00Z', '2026-03-01T10:00:00.Z'],
      ...['2026-03-01T10:00:00,5Z', '2026-03-01T10:00:00.1234567890Z', '２026-03-01T10:00:00Z'],
      ...['2026-03-01T10:00:00Z\u0000', '1'.repeat(2_000), '2026-03-01T10:00:00\u22120:00', "' or 1=1 --"],
    ];
    for (const name of ['startDateTime', 'endDateTime']) {
      await expectRefused(name, [
        ...moments.map(moment => `${name}=${encodeURIComponent(moment)}`),
        `${name}=2026-03-01T10:00:00Z&${name}=2026-03-01T10:00:00Z`,
        `${name}=%`,
      ]);
    }
  });

  test('400 names endDateTime when it is before the start', async () => {
    await expectRefused('endDateTime', [
      'startDateTime=2026-03-01T10:00:00Z&endDateTime=2026-03-01T09:59:59.999Z',
      'startDateTime=2026-03-01T10:00:00Z&endDateTime=2026-03-01T11:00:00%2B02:00',
    ]);
  });
});

describe('transactionIds', () => {
  test('200 holds all records of these transactions and no others', async () => {
    const said = [
      { status: 'new', at: at(0) },
      { status: 'pending', at: at(9) },
    ];
    const [a, b] = [await write(account.id, said), await write(account.id, said)];
    await writeMany(3);
    const page = await read(`/transactions?transactionIds=${a},${b}`);
    expect(marksOf(page)).toEqual([`${b} pending`, `${a} pending`, `${b} new`, `${a} new`]);
    const windowed = await read(`/transactions?transactionIds=${a}&startDateTime=${at(1).toISOString()}`);
    expect(marksOf(windowed)).toEqual([`${a} pending`]);
  });

  test('200 for duplicates, for unknown ones and for 50', async () => {
    const ids = await writeMany(3);
    expect(idsOf(await read(`/transactions?transactionIds=${ids[0]},${ids[0]}`))).toEqual([ids[0]]);
    expect(idsOf(await read(`/transactions?transactionIds=${UNKNOWN_ID},${ids[1]}`))).toEqual([ids[1]]);
    const fifty = [...ids, ...Array.from({ length: 47 }, () => ulid())].join();
    expect(idsOf(await read(`/transactions?transactionIds=${fifty}`)).length).toBe(3);
  });

  test('200 pages through them as through all', async () => {
    const ids: string[] = [];
    for (let second = 0; second < 20; second++) {
      ids.push(
        await write(account.id, [
          { status: 'new', at: at(second) },
          { status: 'pending', at: at(20) },
        ]),
      );
    }
    const path = `/transactions?transactionIds=${ids.join()}`;
    const whole = (await read(path)).body.transactions;
    const pages = await walk(path, () => 7);
    expect(pages.flatMap(({ body }) => body.transactions)).toEqual(whole);
    expect([pages.length, whole.length]).toEqual([6, 40]);
  });

  test('400 names transactionIds', async () => {
    const lists = [
      ...['', ' ', ',', ',,,', `${UNKNOWN_ID},`, `,${UNKNOWN_ID}`, `${UNKNOWN_ID},,${UNKNOWN_ID}`],
      ...[` ${UNKNOWN_ID}`, `${UNKNOWN_ID}, ${UNKNOWN_ID}`, `${UNKNOWN_ID};${UNKNOWN_ID}`],
      ...['x', '__proto__', 'constructor', UNKNOWN_ID.toLowerCase(), `${UNKNOWN_ID}A`, UNKNOWN_ID.slice(1)],
      ...[
        `${UNKNOWN_ID.slice(1)}\u0000`,
        `${UNKNOWN_ID}\n`,
        '\u0000',
        '%',
        "' or 1=1 --",
        '{}',
        `["${UNKNOWN_ID}"]`,
      ],
      'x'.repeat(5_000),
      Array.from({ length: 51 }, () => UNKNOWN_ID).join(),
      Array.from({ length: 250 }, () => UNKNOWN_ID).join(),
    ];
    await expectRefused('transactionIds', [
      ...lists.map(list => `transactionIds=${encodeURIComponent(list)}`),
      `transactionIds=${UNKNOWN_ID}&transactionIds=${UNKNOWN_ID}`,
    ]);
  });

  test('4xx for 5,000 of them', async () => {
    const path = `/transactions?transactionIds=${Array.from({ length: 5_000 }, () => UNKNOWN_ID).join()}`;
    expect(await judge(path)).toMatchObject({ status: 431, body: { field: 'request' } });
  });
});

describe('cursor', () => {
  const page = async (query: string, headers = keysOf(own)) => read(`/transactions?${query}`, headers);
  const cursorOf = async (query: string) => String((await page(query)).body.cursor);

  test('200 is short, opaque, and good with any limit', async () => {
    const ids = (await writeMany(9)).reverse();
    const cursor = await cursorOf('limit=3');
    expect(cursor).toMatch(/^[A-Za-z0-9_-]{1,512}$/);
    expect(Buffer.from(cursor, 'base64url').includes(String(ids[2]))).toBe(false);
    for (const limit of [1, 2, 50])
      expect(idsOf(await page(`limit=${limit}&cursor=${cursor}`))).toEqual(ids.slice(3, 3 + limit));
  });

  test('200 for the same filters in another spelling', async () => {
    const ids = await writeMany(4);
    const cursor = await cursorOf(`limit=1&startDateTime=2026-03-01T10:00:00Z&transactionIds=${ids.join()}`);
    const again = `startDateTime=2026-03-01T11:00:00.000%2B01:00&transactionIds=${[...ids, ...ids].reverse()}`;
    expect(idsOf(await page(`limit=1&${again}&cursor=${cursor}`))).toEqual([ids[2]]);
  });

  test('400 for each bit of a good one flipped', async () => {
    await writeMany(2);
    const bytes = Buffer.from(await cursorOf('limit=1'), 'base64url');
    const accepted: number[] = [];
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const altered = Buffer.from(bytes);
      altered.writeUInt8(altered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      const reply = await page(`limit=1&cursor=${altered.toString('base64url')}`);
      if (reply.status !== 400 || reply.body.field !== 'cursor') accepted.push(bit);
    }
    expect(accepted).toEqual([]);
    expect(bytes.length).toBeGreaterThan(60);
  });

  test('400 names a cursor that is none', async () => {
    await writeMany(2);
    const good = await cursorOf('limit=1');
    const cursors = [
      ...['', ' ', 'x', 'null', '0', good.slice(1), good.slice(0, -1), `${good}A`, `${good}=`, ` ${good}`],
      ...[
        good.slice(0, 40),
        good + good,
        good.toLowerCase(),
        'A'.repeat(512),
        'A'.repeat(5_000),
        '__proto__',
      ],
      Buffer.from('{"at":0,"id":"x"}').toString('base64url'),
      Buffer.from(JSON.stringify([at(9).getTime(), UNKNOWN_ID, 1])).toString('base64url'),
    ];
    await expectRefused('cursor', [
      ...cursors.map(cursor => `limit=1&cursor=${encodeURIComponent(cursor)}`),
      `limit=1&cursor=${good}&cursor=${good}`,
      'cursor=%',
    ]);
    expect(await judge(`/transactions?cursor=${'A'.repeat(9_000)}`)).toMatchObject({ status: 431 });
  });

  test('400 for other filters than it was made for', async () => {
    const ids = await writeMany(4);
    const filters = [
      '',
      `startDateTime=${at(0).toISOString()}`,
      `startDateTime=${at(0, 1).toISOString()}`,
      `endDateTime=${at(9).toISOString()}`,
      `startDateTime=${at(0).toISOString()}&endDateTime=${at(9).toISOString()}`,
      `transactionIds=${ids.slice(0, 3)}`,
      `transactionIds=${ids}`,
    ];
    for (const made of filters) {
      const cursor = await cursorOf(`limit=1&${made}`);
      for (const asked of filters) {
        const reply = await page(`limit=1&${asked}&cursor=${cursor}`);
        expect([made, asked, reply.status, reply.body.field]).toEqual(
          made === asked ? [made, asked, 200, undefined] : [made, asked, 400, 'cursor'],
        );
      }
    }
  });

  test('200 from page to page shows each record once, though many are of the same moment', async () => {
    for (let nth = 0; nth < 30; nth++) {
      const moment = at(nth % 2);
      await write(account.id, [
        { status: 'new', at: moment },
        { status: 'pending', at: moment },
      ]);
    }
    const marks = (await walk('/transactions', () => 7)).flatMap(marksOf);
    expect([marks.length, new Set(marks).size]).toEqual([60, 60]);
    const whole = (await walk('/transactions', () => 50)).flatMap(marksOf);
    expect(marks).toEqual(whole);
  });

  test('200 never repeats or skips what was there while new records come in', async () => {
    const limits = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });
    const moments = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 25 });
    // Records that come in meanwhile are of now, or were heard late and are of some time in between.
    const late = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(limits, moments, late, async (sizes, first, then) => {
        await forget();
        for (const second of first) await write(account.id, [{ status: 'new', at: at(second) }]);
        const there = (await read('/transactions')).body.transactions;
        const seen: { transactionId: string }[] = [];
        let cursor: string | undefined = '';
        for (let nth = 0; cursor !== undefined && nth < 100; nth++) {
          const lead = cursor && `&cursor=${cursor}`;
          const { body } = await page(`limit=${sizes[nth % sizes.length]}${lead}`);
          seen.push(...body.transactions);
          cursor = body.cursor;
          const second = then[nth];
          if (second !== undefined) await write(account.id, [{ status: 'new', at: at(second) }]);
        }
        const ids = seen.map(({ transactionId }) => transactionId);
        expect(new Set(ids).size).toBe(ids.length);
        const known = new Set(there.map(({ transactionId }: { transactionId: string }) => transactionId));
        expect(seen.filter(({ transactionId }) => known.has(transactionId))).toEqual(there);
      }),
      { numRuns: 25 },
    );
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

describe('what it costs', () => {
  const DEEP = { at: at(9_000), transactionId: UNKNOWN_ID, sequence: 1 };

  test('20,000 records make no page longer: each is a walk along an index, whatever is asked', async () => {
    await write(account.id, [{ status: 'new', at: at(0) }]);
    await sql`
      insert into transactions
      select made.* from transactions t, generate_series(1, 20000) n, jsonb_populate_record(t, jsonb_build_object(
        'id', '01' || lpad(n::text, 24, '0'), 'session_id', n, 'created_at', t.created_at + n * interval '1 second'
      )) made`.execute(service.database);
    await sql`
      insert into entries
      select id, status, account_id, created_at, 1, '', '', '', null, null from transactions
      where id like '010000%'`.execute(service.database);
    await sql`analyze entries, transactions`.execute(service.database);
    const from = at(100);
    const ids = Array.from({ length: 50 }, (_, nth) => `01${String(nth * 400 + 1).padStart(24, '0')}`);
    const filters = [
      {},
      { after: DEEP },
      { from },
      { until: at(9_000) },
      { from, until: at(9_000) },
      { from, until: at(19_000), after: DEEP },
      { ids },
      { ids, from, after: DEEP },
    ];
    for (const filter of filters) {
      const plan = await planOf(database =>
        listEntries(database, { account: account.id, most: 51, ...filter }),
      );
      const walked = 'ids' in filter ? 'entries_pkey' : 'entries_by_account';
      expect([filter, plan]).toEqual([filter, expect.stringMatching(`Scan (using|on) ${walked}`)]);
      // The few entries of some ids are put in order; those of an account are in order.
      const wrong = 'ids' in filter ? /Seq Scan/ : /Seq Scan|Sort|Rows Removed/;
      expect([filter, plan]).not.toEqual([filter, expect.stringMatching(wrong)]);
      const rows = [...plan.matchAll(/actual rows=([0-9]+)/g)].map(([, count]) => Number(count));
      expect(Math.max(...rows)).toBeLessThanOrEqual(51);
    }
  });

  /** How the database goes about the first statement of some work. */
  async function planOf(work: (database: Kysely<Tables>) => Promise<unknown>): Promise<string> {
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(service.database);
    const url = new URL(inject('postgresUrl'));
    url.pathname = `/${rows[0]?.name}`;
    const pool = new pg.Pool({ connectionString: url.href, max: 1 });
    const seen: { sql: string; parameters: readonly unknown[] }[] = [];
    const database = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool }),
      log: ({ query }) => void seen.push(query),
    });
    try {
      await work(database);
      const [first] = seen;
      const plan = await pool.query(`explain (analyze, costs off, timing off) ${first?.sql}`, [
        ...(first?.parameters ?? []),
      ]);
      return plan.rows.map(row => row['QUERY PLAN']).join('\n');
    } finally {
      await database.destroy();
    }
  }
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

/** Asks with key and secret, exactly as the path is spelled. */
function judge(path: string): Promise<Answer> {
  return send(
    service.url,
    target(path, [`Authorization: ${own.publicKey}`, `x-service-secret: ${own.secret}`]),
  );
}

/** Every query is a 400 that names the parameter. */
async function expectRefused(field: string, queries: readonly string[]): Promise<void> {
  const wrong: string[] = [];
  for (const query of queries) {
    const { status, body } = await judge(`/transactions?${query}`);
    if (status !== 400 || body?.field !== field)
      wrong.push(`${status} ${body?.field} ${query.slice(0, 120)}`);
  }
  expect(wrong).toEqual([]);
}
