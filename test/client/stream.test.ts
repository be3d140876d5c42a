/** Quotes are handed on as they come, and transactions page by page; who leaves the loop ends the request. */
import { describe, expect, it } from 'vitest';
import type { QuoteEvent } from '../../client/src/asks.ts';
import { isQuote } from '../../client/src/asks.ts';
import { createClient } from '../../client/src/client.ts';
import { type Script, script } from './scripted.ts';

const ASK = { source: 'eur', destination: 'btc', amount: '100' };
const PRICE = 'event: outcome\ndata: {"ramp":"moonpay","payout":0.00123456789}\n\n';
const DECLINE =
  'event: outcome\ndata: {"ramp":"transak","errors":[{"type":"LimitMismatch","errorId":6101}]}\n\n';
const DONE = 'event: done\ndata: [{"ramp":"moonpay","payout":0.00123456789,"quoteId":"q1"}]\n\n';

function clientOf({ fetch }: Script) {
  return createClient({ url: 'https://ramps.example', fetch, random: () => 0 });
}

async function collect<T>(all: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of all) found.push(one);
  return found;
}

describe('streamed quotes', () => {
  it('come one by one, then all in order, with exact amounts', async () => {
    const told = script({ chunks: [PRICE.slice(0, 30), PRICE.slice(30) + DECLINE, DONE] });
    const events = await collect(clientOf(told).streamQuotes(ASK));
    expect(told.asked[0]?.headers.get('accept')).toBe('text/event-stream');
    expect(events.map(({ kind }) => kind)).toEqual(['outcome', 'outcome', 'done']);
    expect(events[0]).toEqual({ kind: 'outcome', outcome: { ramp: 'moonpay', payout: '0.00123456789' } });
    const outcomes = events.flatMap(event => (event.kind === 'outcome' ? [event.outcome] : []));
    expect(outcomes.map(isQuote)).toEqual([true, false]);
    expect(events[2]).toMatchObject({ quotes: [{ payout: '0.00123456789', quoteId: 'q1' }] });
  });

  it('are asked for again when the service was busy', async () => {
    const told = script({ status: 503 }, { chunks: [DONE] });
    expect(await collect(clientOf(told).streamQuotes(ASK))).toHaveLength(1);
  });

  it('that break off fail, after what came before; they are not asked for twice', async () => {
    for (const ends of [{ breaks: true }, { breaks: false }]) {
      const told = script({ chunks: [PRICE], ...ends });
      const seen: QuoteEvent[] = [];
      const follow = async () => {
        for await (const event of clientOf(told).streamQuotes(ASK)) seen.push(event);
      };
      await expect(follow()).rejects.toMatchObject({ kind: 'unreachable' });
      expect(seen).toHaveLength(1);
      expect(told.asked).toHaveLength(1);
    }
  });

  it.each<[string, string[]]>([
    ['is not JSON', ['event: outcome\ndata: {"ramp":\n\n', DONE]],
    ['is not JSON at the end', ['event: done\ndata: <html>\n\n']],
    ['is too long', Array.from({ length: 9 }, () => 'x'.repeat(1024 * 1024))],
  ])('with an event that %s are a failure, and are not asked for twice', async (_, chunks) => {
    const told = script({ chunks });
    await expect(collect(clientOf(told).streamQuotes(ASK))).rejects.toMatchObject({
      name: 'CloverleafError',
      kind: 'failed',
    });
    expect(told.asked).toHaveLength(1);
  });

  it('end with the loop', async () => {
    const told = script({ chunks: [PRICE], hangs: true });
    for await (const event of clientOf(told).streamQuotes(ASK)) {
      expect(event.kind).toBe('outcome');
      expect(told.asked[0]?.signal.aborted).toBe(false);
      break;
    }
    expect(told.asked[0]?.signal.aborted).toBe(true);
  });

  it('end when the caller or the clock says so', async () => {
    const hung = { chunks: [PRICE], hangs: true };
    const caller = new AbortController();
    const follow = async () => {
      for await (const _ of clientOf(script(hung)).streamQuotes(ASK, { signal: caller.signal }))
        caller.abort();
    };
    await expect(follow()).rejects.toMatchObject({ kind: 'aborted' });
    await expect(collect(clientOf(script(hung)).streamQuotes(ASK, { timeoutMs: 20 }))).rejects.toMatchObject({
      kind: 'timeout',
    });
  });
});

describe('transactions', () => {
  const page = (ids: string[], cursor?: string) => ({
    status: 200,
    body: {
      transactions: ids.map(transactionId => ({ transactionId })),
      limit: 2,
      ...(cursor && { cursor }),
    },
  });

  it('go on over all pages, in the same words', async () => {
    const told = script(page(['1', '2'], 'c1'), page([], 'c2'), page(['3']));
    const filter = { startDateTime: new Date(0), transactionIds: ['a', 'b'], limit: 2 };
    const found = await collect(clientOf(told).transactions(filter));
    expect(found.map(({ transactionId }) => transactionId)).toEqual(['1', '2', '3']);
    const asked = 'startDateTime=1970-01-01T00%3A00%3A00.000Z&transactionIds=a%2Cb&limit=2';
    const words = told.asked.map(({ url }) => [...url.searchParams].sort());
    expect(words.map(all => Object.fromEntries(all).cursor)).toEqual([undefined, 'c1', 'c2']);
    for (const all of words) {
      const rest = new URLSearchParams(all.filter(([name]) => name !== 'cursor'));
      expect(Object.fromEntries(rest)).toEqual(Object.fromEntries(new URLSearchParams(asked)));
    }
  });

  it('are fetched only as far as they are read, each time anew', async () => {
    const told = script(page(['1', '2'], 'c1'));
    const list = clientOf(told).transactions();
    for await (const { transactionId } of list) if (transactionId === '2') break;
    expect(told.asked).toHaveLength(1);
    for await (const { limit, cursor } of list.pages()) {
      expect([limit, cursor]).toEqual([2, 'c1']);
      break;
    }
    expect(told.asked[1]?.url.search).toBe('');
  });
});
