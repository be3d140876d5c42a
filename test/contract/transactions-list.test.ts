/** The list of transactions, narrowed and page by page: limits, windows of time, ids and cursors. */
import fc from 'fast-check';
import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import type { Reply } from '../service.ts';
import {
  account,
  at,
  forget,
  keysOf,
  own,
  read,
  service,
  setRecords,
  UNKNOWN_ID,
  write,
  writeMany,
} from './records.ts';
import { type Answer, send, target } from './wire.ts';

setRecords();

const idsOf = ({ body }: Reply): string[] =>
  body.transactions.map(({ transactionId }: { transactionId: string }) => transactionId);
/** What tells one record from another. */
const marksOf = ({ body }: Reply): string[] =>
  body.transactions.map(
    ({ transactionId, status }: { transactionId: string; status: string }) => `${transactionId} ${status}`,
  );

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
    for (const moment of [
      '0001-01-01T00:00:00Z',
      '0099-12-31T00:00Z',
      '1969-12-31T23:59:59Z',
      '1970-01-01T00:00Z',
      '2024-02-29T23:59Z',
      '2026-03-01T10:00Z',
    ])
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
        '0000-12-31T23:59:59Z',
        '0001-01-01T00:00:00+00:01',
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
