/** Memory that bodies are put together in: they come out whole, apart from each other, and floods take no more of it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { append, type Bytes, giveBack, join } from './blocks.ts';
import { awaitArrival, forget, take } from './response.ts';
import { Upstream } from './upstream.ts';

const begin = (): Bytes => ({ blocks: [], size: 0 });
const NOTHING = Buffer.alloc(0);

describe('bytes', () => {
  it('come out as they were put in, however they were cut, while others are put together and given back', () => {
    const pieces = fc.array(fc.record({ size: fc.nat(40_000), byte: fc.nat(255), isOurs: fc.boolean() }), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(pieces, fc.nat(20_000), (cut, lastSize) => {
        const [ours, others] = [begin(), begin()];
        const expected: Buffer[] = [];
        for (const { size, byte, isOurs } of cut) {
          const piece = Buffer.alloc(size, byte);
          append(isOurs ? ours : others, piece);
          if (isOurs) expected.push(Buffer.from(piece));
          else if (byte % 3 === 0) giveBack(others);
          piece.fill('#');
        }
        giveBack(others);
        const last = Buffer.alloc(lastSize, '!');
        expect(join(ours, last).equals(Buffer.concat([...expected, last]))).toBe(true);
        giveBack(ours);
      }),
      { numRuns: 200 },
    );
  });

  it('that were given back are gone, and may be given back again', () => {
    const bytes = begin();
    append(bytes, Buffer.from('said'));
    giveBack(bytes);
    giveBack(bytes);
    expect(join(bytes, NOTHING).length).toBe(0);
    append(bytes, Buffer.from('new'));
    expect(join(bytes, NOTHING).toString()).toBe('new');
    giveBack(bytes);
  });
});

describe('a thousand answers without an end', () => {
  it('take no more memory than a few do, wherever their chunks are cut', () => {
    const start = process.memoryUsage().arrayBuffers;
    const chunk = Buffer.concat([Buffer.from('ffff\r\n'), Buffer.alloc(65_535, 'x'), Buffer.from('\r\n')]);
    const [head, tail] = [chunk.subarray(0, 3), chunk.subarray(3)];
    let most = 0;
    for (let answers = 0; answers < 1_000; answers++) {
      const arrival = awaitArrival(256 * 1024);
      take(arrival, Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'));
      expect(() => {
        for (;;) {
          take(arrival, head);
          take(arrival, tail);
        }
      }).toThrow(Upstream);
      forget(arrival);
      most = Math.max(most, process.memoryUsage().arrayBuffers - start);
    }
    expect(most).toBeLessThan(4 * 1024 * 1024);
  });
});
