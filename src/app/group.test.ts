/** Group writes: nothing is lost, nothing written twice, and each gets its own result. */
import { setImmediate as tick, setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { createGroup } from './group.ts';

describe('a group write', () => {
  it('takes together what comes together, and what comes meanwhile next', async () => {
    const written: number[][] = [];
    let release = () => {};
    const put = createGroup<number, number>({
      most: 10,
      async write(items) {
        written.push([...items]);
        if (written.length === 1) await new Promise<void>(resolve => (release = resolve));
        return items.map(item => item * 2);
      },
    });
    const first = [put(1), put(2)];
    await tick();
    const second = [put(3), put(4), put(5)];
    release();
    expect(await Promise.all([...first, ...second])).toEqual([2, 4, 6, 8, 10]);
    expect(written).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
  });

  it('never takes more than it may', async () => {
    const sizes: number[] = [];
    const put = createGroup<number, number>({
      most: 3,
      async write(items) {
        sizes.push(items.length);
        return items;
      },
    });
    const all = Array.from({ length: 10 }, (_, at) => at);
    expect(await Promise.all(all.map(put))).toEqual(all);
    expect(sizes).toEqual([3, 3, 3, 1]);
  });

  it('takes few at once, and half of more, so that some wait for the next', async () => {
    const sizes: number[] = [];
    const put = createGroup<number, number>({
      most: 4,
      few: 2,
      async write(items) {
        sizes.push(items.length);
        return items;
      },
    });
    const all = Array.from({ length: 13 }, (_, at) => at);
    expect(await Promise.all(all.map(put))).toEqual(all);
    expect(sizes).toEqual([4, 4, 3, 2]);
  });

  it('begins another write only when one takes long, and has no more under way than it may', async () => {
    const written: number[][] = [];
    const ends: (() => void)[] = [];
    const put = createGroup<number, number>({
      most: 10,
      atOnce: 2,
      async write(items) {
        written.push([...items]);
        await new Promise<void>(resolve => ends.push(resolve));
        return items;
      },
    });
    const all = [put(1)];
    await tick();
    all.push(put(2), put(3));
    await tick();
    expect(written).toEqual([[1]]);
    await vi.waitFor(() => expect(written).toEqual([[1], [2, 3]]));
    all.push(put(4));
    await wait(60);
    expect(written).toHaveLength(2);
    while (ends.length > 0) {
      ends.shift()?.();
      await tick();
    }
    expect(await Promise.all(all)).toEqual([1, 2, 3, 4]);
  });

  it('tells everybody whose write failed, and goes on', async () => {
    let fails = true;
    const put = createGroup<number, number>({
      most: 2,
      async write(items) {
        if (fails) throw new Error('away');
        return items;
      },
    });
    const outcomes = await Promise.allSettled([put(1), put(2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await put(3)).toBe(3);
  });

  it('tells whoever waited long for a write that failed, and lets those who have just come try', async () => {
    let fail = (_: Error) => {};
    const written: number[][] = [];
    const put = createGroup<number, number>({
      most: 10,
      async write(items) {
        written.push([...items]);
        if (written.length === 1) await new Promise((_, reject) => (fail = reject));
        return items;
      },
    });
    const first = put(1).catch(error => error.message);
    await tick();
    const long = put(2).catch(error => error.message);
    await wait(250);
    const late = put(3);
    fail(new Error('away'));
    expect(await Promise.all([first, long, late])).toEqual(['away', 'away', 3]);
    expect(written).toEqual([[1], [3]]);
  });
});
