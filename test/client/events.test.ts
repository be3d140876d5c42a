/** Server-sent events are the same events wherever the network cuts them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readChunks } from '../../client/src/call.ts';
import { readEvents, type ServerEvent } from '../../client/src/events.ts';

async function* each<T>(all: readonly T[]): AsyncGenerator<T, void, undefined> {
  yield* all;
}

async function collect(chunks: AsyncIterable<string>): Promise<ServerEvent[]> {
  const events: ServerEvent[] = [];
  for await (const event of readEvents(chunks)) events.push(event);
  return events;
}

const read = (...chunks: string[]) => collect(each(chunks));

describe('events', () => {
  it('have a name and data, over several lines too', async () => {
    expect(await read('event: outcome\ndata: {"a":\ndata: 1}\n\ndata:2\n\n')).toEqual([
      { name: 'outcome', data: '{"a":\n1}' },
      { name: 'message', data: '2' },
    ]);
  });

  it('end lines in every way there is', async () => {
    expect(await read('event: a\rdata: 1\r\rdata: 2\r\n\r\ndata: 3\n\n')).toEqual([
      { name: 'a', data: '1' },
      { name: 'message', data: '2' },
      { name: 'message', data: '3' },
    ]);
    expect(await read('data: 1\r', '\n\r', '\ndata: 2\r\r')).toEqual([
      { name: 'message', data: '1' },
      { name: 'message', data: '2' },
    ]);
  });

  it('pass over comments, empty events and fields nobody knows', async () => {
    expect(await read(': keep-alive\n\nid: 1\nretry: 5\nevent: x\n\ndata: 1\nunknown\n\n')).toEqual([
      { name: 'message', data: '1' },
    ]);
  });

  it('are none when they are cut off', async () => {
    expect(await read('data: 1\n\ndata: 2\n')).toEqual([{ name: 'message', data: '1' }]);
  });

  it('are the same wherever the bytes are cut', async () => {
    const word = fc.string({ unit: 'grapheme', maxLength: 12 }).map(text => text.replace(/[\r\n]/g, '·'));
    const event = fc.record({ name: word.filter(Boolean), data: word.filter(Boolean) });
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
    const cuts = fc.array(fc.nat(400), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 6 }), lineEnd, cuts, async (events, end, places) => {
        const text = events.map(({ name, data }) => `event: ${name}${end}data: ${data}${end}${end}`).join('');
        const bytes = new TextEncoder().encode(text);
        const sorted = [0, ...places.map(place => Math.min(place, bytes.length)), bytes.length].sort(
          (a, b) => a - b,
        );
        const pieces = sorted.slice(1).map((to, at) => bytes.slice(sorted[at], to));
        const stream = new ReadableStream({
          start(controller) {
            for (const piece of pieces) controller.enqueue(piece);
            controller.close();
          },
        });
        expect(await collect(readChunks(new Response(stream)))).toEqual(events);
      }),
      { numRuns: 60 },
    );
  });
});
